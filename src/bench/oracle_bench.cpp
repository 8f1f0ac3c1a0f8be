#include "src/bench/oracle_bench.h"

#include <algorithm>

#include <cblas.h>
#include <fmt/format.h>

#include "oracle/model/model.h"
#include "src/core/parallel.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/case_text.h"
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

// y_g = x_g w_g^T with w_g [n, k], as fwd under enk: one product an expert.
void multiply(const CaseSpec& spec, const std::vector<double>& x, const std::vector<double>& w,
              std::vector<double>& y) {
  const int n = static_cast<int>(spec.n), k = static_cast<int>(spec.k);
  Index row = 0;
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(spec.rows[expert]), n, k,
                1, x.data() + row * spec.k, k, w.data() + expert * spec.n * spec.k, k, 0,
                y.data() + row * spec.n, n);
    row += spec.rows[expert];
  }
}

struct FastCase {
  const char* name;
  const char* text;
  const char* against;
};
constexpr FastCase kFastCases[] = {
    {"fast oracle, bf16, 2048^3", "in=bf16 k=2048 n=2048 rows=2048", "at most 3 x"},
    {"fast oracle, e4m3/block128, 1024^3", "in=e4m3/block128 k=1024 n=1024 rows=1024",
     "at most 3.5 x"},
    {"fast oracle, e4m3, 1024^3", "in=e4m3 k=1024 n=1024 rows=1024", "at most 3.5 x"},
    {"fast oracle, e4m3/block128, 8 experts of 128", "in=e4m3/block128 k=1024 n=1024 rows=128*8",
     "at most 3.5 x"},
    {"fast oracle, e4m3/block128, k 4096", "in=e4m3/block128 k=4096 n=1024 rows=1024",
     "at most 3.5 x"},
};

BenchLine fast_against_blas(const BenchOptions& options, const FastCase& measured) {
  const CaseSpec spec =
      parse_case(fmt::format("pass=fwd out=bf16 fill=normal seed=1 {}", measured.text)).value();
  const Problem problem = make_problem(spec);
  const std::vector<double> x = fp64_values(problem.operands.x),
                            w = fp64_values(problem.operands.w);
  std::vector<double> y(static_cast<std::size_t>(total_rows(spec) * spec.n));
  const std::vector<std::byte> output = exact_output(problem);
  const Manifest manifest;
  openblas_set_num_threads(bench_threads(options));
  // Small cases are timed more often; turn by turn, as clocks and neighbours change.
  const Index rounds = options.repeats * std::max<Index>(1, (Index{1} << 32) / multiply_adds(spec));
  double blas = 0, fast = 0;
  for (Index round = 0; round < rounds; ++round) {
    const double product = fastest_seconds(1, [&] { multiply(spec, x, w, y); });
    const double judging = fastest_seconds(
        1, [&] { judge_output(problem, output, manifest, {.threads = bench_threads(options)}); });
    blas = round == 0 ? product : std::min(blas, product);
    fast = round == 0 ? judging : std::min(fast, judging);
  }
  return {measured.name, fast / blas, "x",
          fmt::format("the time of fp64 BLAS products of the same size; {}", measured.against)};
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
  std::vector<BenchLine> lines;
  for (const FastCase& measured : kFastCases) {
    lines.push_back(fast_against_blas(options, measured));
  }
  lines.push_back(exact_rate(options));
  lines.push_back(model_rate(options));
  return lines;
}

}  // namespace assay
