// What a kernel does to rows that no expert owns, to experts without rows, and to an output that it
// adds into.
#include <algorithm>

#include <fmt/format.h>

#include "src/harness/judge/judge_case.h"
#include "src/probe/experiments.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

constexpr std::string_view kContracts[] = {"untouched", "zeroed", "undefined"};

bool has(const Manifest& manifest, Pass pass) {
  return std::ranges::count(manifest.passes, pass) > 0;
}

// Passes whose output has rows of its own.
std::vector<Pass> row_passes(const Manifest& manifest) {
  std::vector<Pass> passes;
  for (const Pass pass : passes_with_output_rows()) {
    if (has(manifest, pass)) { passes.push_back(pass); }
  }
  return passes;
}

struct RowsSeen {
  UnownedRows contract = UnownedRows::kUndefined;
  std::string evidence{};
};

// Which contract the rows keep: the case is run under each.
template <class Written>
RowsSeen watch_rows(Probing& probing, CaseSpec spec, const Written& written) {
  RowsSeen seen{.evidence = "they hold neither their old bytes nor zeros"};
  for (const UnownedRows contract : {UnownedRows::kUntouched, UnownedRows::kZeroed}) {
    probing.lab.expect_rows(contract, contract, probing.lab.own().padding_input);
    bool kept = true;
    for (const Pass pass : row_passes(probing.report.probed)) {
      spec.pass = pass;
      const Attempt attempt = probing.lab.try_case(spec);
      kept = kept && attempt.right() && !written(attempt);
      if (!attempt.right()) {
        seen.evidence = fmt::format("{}: {}", name(attempt.answer), attempt.why);
      }
    }
    if (!kept) { continue; }
    seen = {contract, "in both placements, under two poisons"};
    break;
  }
  probing.lab.expect_untouched_rows();
  return seen;
}

void probe_tail(Probing& probing) {
  if (row_passes(probing.report.probed).empty()) { return; }
  const auto& kinds = probing.report.probed.offsets;
  const auto kind = std::ranges::find_if(
      kinds, [](const OffsetsKind& k) { return !traits(k.convention).has_buffers; });
  if (kind == kinds.end()) { return; }
  CaseSpec spec = with_offsets(probing.base, *kind);
  spec.tail = probing.small ? 9 : 128;
  const RowsSeen seen =
      watch_rows(probing, spec, [](const Attempt& attempt) { return attempt.tail_written; });
  probing.report.probed.tail_rows = seen.contract;
  probing.settle("tail_rows");
  probing.row("tail_rows", std::string(kContracts[static_cast<int>(seen.contract)]), seen.evidence);
}

void probe_padding(Probing& probing) {
  const auto& kinds = probing.report.probed.offsets;
  const auto kind = std::ranges::find_if(kinds, [](const OffsetsKind& k) {
    const ConventionTraits& row = traits(k.convention);
    return row.has_buffers || (row.expresses_gaps && !row.by_pointers);
  });
  if (kind == kinds.end()) { return; }
  CaseSpec spec = with_offsets(probing.base, *kind);
  if (!traits(kind->convention).has_buffers) { spec.pad = probing.small ? 8 : 128; }
  if (!row_passes(probing.report.probed).empty()) {
    const RowsSeen seen =
        watch_rows(probing, spec, [](const Attempt& attempt) { return attempt.padding_written; });
    probing.report.probed.padding_rows = seen.contract;
    probing.settle("padding_rows");
    probing.row("padding_rows", std::string(kContracts[static_cast<int>(seen.contract)]),
                fmt::format("offsets={}: {}", name(*kind), seen.evidence));
  }
  const auto& passes = probing.report.probed.passes;
  const auto summing = std::ranges::find_if(passes, reduces_rows);
  spec.pass = summing != passes.end() ? *summing : probing.base.pass;
  probing.lab.expect_rows(UnownedRows::kUndefined, UnownedRows::kUndefined,
                          PaddingInput::kAnything);
  const bool anything = probing.lab.right(spec);
  probing.lab.expect_rows(UnownedRows::kUndefined, UnownedRows::kUndefined, PaddingInput::kZeros);
  const bool zeros = anything || probing.lab.right(spec);
  probing.lab.expect_untouched_rows();
  if (!zeros) { return; }
  probing.report.probed.padding_input = anything ? PaddingInput::kAnything : PaddingInput::kZeros;
  probing.settle("padding_input");
  probing.row("padding_input", anything ? "anything" : "zeros",
              anything ? "right with poison in padding rows" : "right only with zeros there");
}

// Whether the last end may be the number of rows: documentation says both.
void probe_last_end(Probing& probing) {
  CaseSpec spec = probing.base;
  if (traits(spec.offsets.convention).has_buffers) { return; }
  spec.tail = 0;
  const Attempt attempt = probing.lab.try_case(spec);
  probing.row("last end", attempt.right() ? "may be the number of rows" : "strictly below the rows",
              attempt.right()
                  ? "right without tail rows"
                  : fmt::format("without tail rows {}, with them right", name(attempt.answer)));
}

void probe_empty_experts(Probing& probing) {
  CaseSpec spec = probing.base;
  spec.rows.insert(spec.rows.begin() + 1, 0);
  spec.rows.push_back(0);
  for (const Pass pass : probing.report.probed.passes) {
    spec.pass = pass;
    const Attempt attempt = probing.lab.try_case(spec);
    std::string value = "right";
    if (!attempt.right() && attempt.low.status == RunStatus::kOk && reduces_rows(pass)) {
      const auto wrong =
          first_wrong_empty_gradient(make_problem(probing.lab.placed(spec), {.exact_bits = 8}),
                                     attempt.low.output, probing.lab.own().subnormals);
      value = wrong ? "dW not zeroed" : std::string(name(attempt.answer));
    } else if (!attempt.right()) {
      value = name(attempt.answer);
    } else if (reduces_rows(pass)) {
      value = "dW is +0";
    }
    probing.row(fmt::format("empty experts, {}", name(pass)), value, attempt.why);
  }
}

void probe_accumulation(Probing& probing) {
  const auto& passes = probing.report.probed.passes;
  const auto adding =
      std::ranges::find_if(passes, [](Pass pass) { return operation(pass).accumulates; });
  if (adding == passes.end()) { return; }
  const auto& formats = probing.report.probed.formats_of(*adding);
  const auto format = std::ranges::find(formats, Output(Format::kFp32), &Combination::out);
  if (format == formats.end()) { return; }
  CaseSpec spec = probing.base;
  spec.pass = *adding;
  use(*format, spec);
  spec.acc = 2;
  const Attempt attempt = probing.lab.try_case(spec);
  probing.report.probed.accumulate = attempt.right();
  probing.settle("accumulate");
  probing.row("accumulate", attempt.right() ? "true" : "false",
              attempt.right() ? "C plus two products, exact"
                              : fmt::format("{}: {}", name(attempt.answer), attempt.why));
}

}  // namespace

void probe_rows(Probing& probing) {
  probe_tail(probing);
  probe_padding(probing);
  probe_last_end(probing);
  probe_empty_experts(probing);
  probe_accumulation(probing);
}

}  // namespace assay
