#include "src/bench/cpu_bench.h"

#include <cblas.h>
#include <fmt/format.h>

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

// The three passes with w [experts, n, k].
void multiply(const CaseSpec& spec, std::vector<float>& x, std::vector<float>& w,
              std::vector<float>& y) {
  const int k = static_cast<int>(spec.k), n = static_cast<int>(spec.n);
  Index row = 0;
  for (std::size_t g = 0; g < spec.rows.size(); ++g) {
    const int m = static_cast<int>(spec.rows[g]);
    float* xg = x.data() + row * k;
    float* yg = y.data() + row * n;
    float* wg = w.data() + static_cast<Index>(g) * n * k;
    row += m;
    if (spec.pass == Pass::kFwd) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, xg, k, wg, k, 0, yg, n);
    } else if (spec.pass == Pass::kDgrad) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1, yg, n, wg, k, 0, xg, k);
    } else {
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, 1, yg, n, xg, k, 0, wg, k);
    }
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
    const double flops = 2 * static_cast<double>(total_products(spec));
    lines.push_back({fmt::format("{} {}, bf16, 16 x 256 rows, k 2048, n 1024", kernel, name(pass)),
                     sgemm / own, "x",
                     fmt::format("the speed of a loop of sgemm ({:.0f} of {:.0f} GFLOP/s); at "
                                 "least 0.25 x",
                                 flops / own / 1e9, flops / sgemm / 1e9)});
  }
  return lines;
}

}  // namespace assay
