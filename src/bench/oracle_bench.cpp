#include "src/bench/oracle_bench.h"

#include <cblas.h>

#include "oracle/model/model.h"
#include "src/core/parallel.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/problem.h"

namespace assay {
namespace {

CaseSpec square_case(Index rows, Index k, Index n) {
  CaseSpec spec;
  spec.k = k;
  spec.n = n;
  spec.rows = {rows};
  spec.fill = Fill::kNormal;
  spec.seed = 1;
  return spec;
}

std::vector<double> fp64_values(const DenseOperand& operand) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(operand.rows * operand.cols));
  for (Index row = 0; row < operand.rows; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      values.push_back(
          decode(operand.format, load_bits(operand.format, operand.element(row, col))));
    }
  }
  return values;
}

// y = x w^T with w [n, k], as fwd under enk.
void multiply(const CaseSpec& spec, const std::vector<double>& x, const std::vector<double>& w,
              std::vector<double>& y) {
  const int m = static_cast<int>(spec.rows[0]), n = static_cast<int>(spec.n),
            k = static_cast<int>(spec.k);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, x.data(), k, w.data(), k, 0,
              y.data(), n);
}

std::vector<std::byte> rounded(const std::vector<double>& values, Format format) {
  std::vector<std::byte> bits(values.size() * static_cast<std::size_t>(size_bytes(format)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_bits(format, bits.data() + static_cast<Index>(i) * size_bytes(format),
               encode(format, values[i]));
  }
  return bits;
}

BenchLine fast_against_blas(const BenchOptions& options) {
  const CaseSpec spec = square_case(2048, 2048, 2048);
  const Problem problem = make_problem(spec);
  const std::vector<double> x = fp64_values(problem.operands.x),
                            w = fp64_values(problem.operands.w);
  std::vector<double> y(static_cast<std::size_t>(spec.rows[0] * spec.n));
  openblas_set_num_threads(bench_threads(options));
  const double blas = fastest_seconds(options.repeats, [&] { multiply(spec, x, w, y); });
  const std::vector<std::byte> output = rounded(y, spec.out);
  const Manifest manifest;
  const double fast = fastest_seconds(options.repeats, [&] {
    judge_output(problem, output, manifest, {.threads = bench_threads(options)});
  });
  return {"fast oracle, 2048^3", fast / blas, "x",
          "the time of one fp64 BLAS product of the same size; at most 3 x"};
}

BenchLine exact_rate(const BenchOptions& options) {
  const CaseSpec spec = square_case(128, 512, 128);
  const Problem problem = make_problem(spec);
  const std::vector<std::byte> output = exact_output(problem);
  const Manifest manifest;
  const double seconds = fastest_seconds(options.repeats, [&] {
    judge_output(problem, output, manifest, {.exact_oracle = true, .threads = 1});
  });
  return {"exact oracle, one core", static_cast<double>(multiply_adds(spec)) / seconds / 1e6,
          "million products/s", "at least 20"};
}

BenchLine model_rate(const BenchOptions& options) {
  const CaseSpec spec = square_case(256, 1024, 256);
  const Problem problem = make_problem(spec);
  std::vector<std::byte> output(problem.output().bits.size());
  const auto products = products_of(problem, output.data());
  const double seconds = fastest_seconds(options.repeats, [&] {
    oracle::predict(products[0], oracle::kHopperWgmma, output.data(), 1);
  });
  return {"bit-level model, one core", static_cast<double>(multiply_adds(spec)) / seconds / 1e6,
          "million products/s", "at least 150"};
}

}  // namespace

int bench_threads(const BenchOptions& options) {
  const int cores = available_threads();
  return options.threads > 0 ? options.threads : cores;
}

std::vector<BenchLine> bench_oracle(const BenchOptions& options) {
  return {fast_against_blas(options), exact_rate(options), model_rate(options)};
}

}  // namespace assay
