#include "src/bench/cpu_bench.h"

#include <cblas.h>
#include <fmt/format.h>

#include "src/bench/column_gemm.h"
#include "src/harness/call/session.h"
#include "src/problem/case_text.h"
#include "src/problem/problem.h"

namespace assay {
namespace {

// 16 experts of 256 rows: the shape of the worked example, a sixteenth of its size.
CaseSpec balanced_case(Pass pass) {
  CaseSpec spec;
  spec.pass = pass;
  spec.k = 2048;
  spec.n = 1024;
  spec.rows.assign(16, 256);
  spec.fill = Fill::kNormal;
  spec.seed = 1;
  return spec;
}

std::vector<float> decoded(const DenseOperand& operand) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(operand.rows * operand.cols));
  for (Index row = 0; row < operand.rows; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      values.push_back(static_cast<float>(
          decode(operand.format, load_bits(operand.format, operand.element(row, col)))));
    }
  }
  return values;
}

// Every expert's product by the library.
void multiply(const CaseSpec& spec, std::vector<float>& x, std::vector<float>& w,
              std::vector<float>& y) {
  const auto blas = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
  const auto whole = [](Index size) { return static_cast<int>(size); };
  Index row = 0;
  for (std::size_t g = 0; g < spec.rows.size(); ++g) {
    const PerOperand<float*> data{x.data() + row * spec.k,
                                  w.data() + static_cast<Index>(g) * spec.n * spec.k,
                                  y.data() + row * spec.n};
    row += spec.rows[g];
    const ColumnGemm gemm = column_gemm(spec.pass, spec.weights, spec.rows[g], spec.k, spec.n);
    cblas_sgemm(CblasColMajor, blas(gemm.a_transposed), blas(gemm.b_transposed), whole(gemm.rows),
                whole(gemm.cols), whole(gemm.depth), 1, data[gemm.a], whole(gemm.a_ld),
                data[gemm.b], whole(gemm.b_ld), 0, data[gemm.c], whole(gemm.c_ld));
  }
}

}  // namespace

Result<std::vector<BenchLine>> bench_cpu(const std::string& kernel, const BenchOptions& options) {
  auto session = open_in_process_session(kernel);
  ASSAY_TRY(session);
  std::vector<BenchLine> lines;
  for (const Pass pass : kAllPasses) {
    const CaseSpec spec = balanced_case(pass);
    const Problem problem = make_problem(spec);
    std::vector<float> x = decoded(problem.operands.x), w = decoded(problem.operands.w),
                       y = decoded(problem.operands.y);
    openblas_set_num_threads(bench_threads(options));
    const double sgemm = fastest_seconds(options.repeats, [&] { multiply(spec, x, w, y); });
    double own = 0;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
      const Outcome outcome = (*session)->run(
          problem, {.placement = Placement::kLow, .threads = bench_threads(options)});
      if (outcome.status != RunStatus::kOk) {
        return make_error(fmt::format("kernel '{}' does not run '{}': {}", kernel, short_text(spec),
                                      outcome.message));
      }
      own = repeat == 0 ? outcome.seconds : std::min(own, outcome.seconds);
    }
    const double flops = 2 * static_cast<double>(multiply_adds(spec));
    lines.push_back({fmt::format("{} {}, bf16, 16 x 256 rows, k 2048, n 1024", kernel, name(pass)),
                     sgemm / own, "x",
                     fmt::format("the speed of a loop of sgemm ({:.0f} of {:.0f} GFLOP/s); at "
                                 "least 0.25 x",
                                 flops / own / 1e9, flops / sgemm / 1e9)});
  }
  return lines;
}

}  // namespace assay
