// Whether a kernel gives the same bits again, and whether a row's bits depend on the other rows.
#include <algorithm>

#include <fmt/format.h>

#include "src/probe/experiments.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr int kRepeats = 20;
constexpr Index kRows = 48;
constexpr Index kWidth = 512;

CaseSpec real_case(const Probing& probing) {
  CaseSpec spec = probing.base;
  spec.fill = Fill::kNormal;
  spec.k = align_up(kWidth, probing.lab.own().k_multiple);
  spec.rows = {kRows, 2 * kRows, kRows / 2};
  if (!probing.small) { spec.rows = {128, 256, 128}; }
  if (spec.cap > 0) { spec.cap = *std::max_element(spec.rows.begin(), spec.rows.end()); }
  return probing.lab.placed(spec);
}

void probe_determinism(Probing& probing) {
  const Problem problem = make_problem(real_case(probing));
  const Outcome first = probing.lab.run(problem);
  if (first.status != RunStatus::kOk) { return; }
  int repeats = 1;
  Index differ = 0;
  for (; repeats < kRepeats && differ == 0; ++repeats) {
    const Outcome again = probing.lab.run(problem);
    if (again.status != RunStatus::kOk) { return; }
    for (std::size_t i = 0; i < first.output.size(); ++i) {
      differ += first.output[i] != again.output[i];
    }
  }
  probing.report.probed.deterministic = differ == 0;
  probing.settle("deterministic");
  probing.row("deterministic", differ == 0 ? "true" : "false",
              differ == 0 ? fmt::format("{} runs of k={} give the same bits", kRepeats, kWidth)
                          : fmt::format("run {} differs in {} bytes", repeats, differ));
}

// The bytes of expert 0's first rows: its operands do not depend on the other experts.
std::vector<std::byte> first_rows(const Outcome& outcome, const Problem& problem, Index rows) {
  const DenseOperand& output = problem.output();
  const Index bytes = rows * output.cols * size_bytes(output.format);
  return {outcome.output.begin(), outcome.output.begin() + bytes};
}

void probe_batch_invariance(Probing& probing) {
  const Manifest& probed = probing.report.probed;
  const auto pass = std::ranges::find_if_not(probed.passes, reduces_rows);
  if (pass == probed.passes.end() || !probed.deterministic) { return; }
  const Index most = probing.lab.own().max_rows;
  const Index others_rows = most > 0 ? std::clamp<Index>(most / 8, 1, 128) : 128;
  const Index rows = probing.small ? 1 : others_rows;
  std::vector<std::byte> alone;
  std::vector<Index> first;  // rows of that batch
  int batches = 0;
  for (const Index others : {0, 1, 3, 16, 40}) {
    CaseSpec spec = real_case(probing);
    spec.pass = *pass;
    // Rows of its own, then of its neighbours.
    spec.rows = {rows * (1 + others), others_rows * (others % 3), others_rows};
    if (spec.cap > 0) { spec.cap = *std::max_element(spec.rows.begin(), spec.rows.end()); }
    spec = probing.lab.placed(spec);
    // Cut by max_rows.
    if (spec.rows.front() < rows || spec.rows == first) { continue; }
    if (first.empty()) { first = spec.rows; }
    const Problem problem = make_problem(spec);
    const Outcome outcome = probing.lab.run(problem);
    if (outcome.status != RunStatus::kOk) { return; }
    const std::vector<std::byte> now = first_rows(outcome, problem, rows);
    if (alone.empty()) { alone = now; }
    ++batches;
    if (now == alone) { continue; }
    probing.settle("batch_invariant");
    probing.row("batch_invariant", "false",
                fmt::format("a row's bits change when its expert has {} rows instead of {}",
                            spec.rows[0], first[0]));
    return;
  }
  if (batches < 2) { return; }
  probing.report.probed.batch_invariant = true;
  probing.settle("batch_invariant");
  probing.row("batch_invariant", "true",
              fmt::format("one row's bits are the same in {} batches", batches));
}

}  // namespace

void probe_repeatability(Probing& probing) {
  probe_determinism(probing);
  probe_batch_invariance(probing);
}

}  // namespace assay
