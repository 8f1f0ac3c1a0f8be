#include "src/report/report_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "src/campaign/join_findings.h"
#include "src/campaign/sequence.h"
#include "src/core/counted.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

enum class Ink { kPlain, kGreen, kRed, kYellow, kDim };

std::string inked(const std::string& text, Ink ink, const TextStyle& style) {
  if (!style.colour || ink == Ink::kPlain) { return text; }
  const char* code = ink == Ink::kGreen    ? "32"
                     : ink == Ink::kRed    ? "31"
                     : ink == Ink::kYellow ? "33"
                                           : "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

Ink ink_of(VerdictKind kind) {
  if (kind == VerdictKind::kPassed) { return Ink::kGreen; }
  if (is_finding(kind)) { return Ink::kRed; }
  const bool no_matter = kind == VerdictKind::kNotApplicable || kind == VerdictKind::kMeasured;
  return no_matter ? Ink::kDim : Ink::kYellow;
}

std::string ratio_text(double ratio) {
  if (std::isinf(ratio)) { return "inf"; }
  return ratio == 0 ? "0" : fmt::format("{:.3g}", ratio);
}

// Decimal and hexfloat, the latter without trailing noise: `1.5 = 0x1.8p+0`.
std::string value_text(double value) { return fmt::format("{:.9g} = {:a}", value, value); }

std::string bits_text(std::uint32_t bits, Format format) {
  return fmt::format("0x{:0{}x}", bits, 2 * size_bytes(format));
}

std::string joined(const std::map<std::string, Index>& counts) {
  std::string text;
  for (const auto& [key, count] : counts) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", key, count);
  }
  return text.empty() ? "none" : text;
}

// One case, not ranges: a case with the largest of each size is hardly ever among them.
std::string sizes_text(std::string_view what, const std::optional<CaseSizes>& sizes) {
  if (!sizes) { return ""; }
  return fmt::format("  most {:<12}  k {}, n {}, rows {}, experts {}\n", what, sizes->k, sizes->n,
                     sizes->rows, sizes->experts);
}

std::string kinds_text(const CheckTally& check) {
  std::string text;
  for (const VerdictKind kind : {VerdictKind::kUnsupported, VerdictKind::kInconclusive,
                                 VerdictKind::kNotApplicable, VerdictKind::kNotRun}) {
    if (const Index count = check.kinds[static_cast<std::size_t>(kind)]; count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name(kind));
    }
  }
  const std::string failed = failed_text(check);
  return text + (text.empty() || failed.empty() ? "" : ", ") + failed;
}

std::string note_of(const CheckTally& check) {
  const std::string note = note_text(check), kinds = kinds_text(check);
  const bool both = check.verdict == VerdictKind::kMeasured && !kinds.empty();
  return both ? note + "; " + kinds : note.empty() ? kinds : note;
}

std::size_t widest_name(const Certification& certification) {
  std::size_t width = 5;
  for (const CheckTally& check : certification.run.tally.checks) {
    width = std::max(width, check.check->name.size());
  }
  return width;
}

// The first of a sequence that the replay's file holds whole.
std::string before_text(const std::vector<std::string>& steps) {
  constexpr std::size_t kFirst = 3;
  std::string text;
  for (std::size_t i = 0; i < kFirst; ++i) {
    text += fmt::format("  {}  {}\n", i == 0 ? "before" : "      ", one_line(steps[i]));
  }
  return text + fmt::format("          and {} more steps\n", steps.size() - kFirst);
}

// Where bytes beside the elements are wrong, the worst element says nothing of it.
bool is_about_elements(const Verdict& verdict) {
  return verdict.failed.empty() || std::ranges::any_of(verdict.failed, [](const auto& failed) {
           return is_of_elements(failed.aspect);
         });
}

// Of hundreds of experts a few tell what a case is like; the replay line has them all.
std::string case_text(const CaseSpec& spec) {
  constexpr Index kFirst = 8, kMostShown = 32;
  const std::string text = short_text(spec);
  if (spec.experts() <= kMostShown) { return text; }
  const std::size_t begin = text.find(" rows=");
  if (begin == std::string::npos) { return text; }
  std::size_t cut = begin;
  const std::size_t end = text.find(' ', begin + 1);
  for (Index i = 0; i < kFirst; ++i) { cut = std::min(text.find(',', cut + 1), end); }
  if (cut >= end || cut == std::string::npos) { return text; }
  return fmt::format("{},...{} ({} experts, {} rows)", text.substr(0, cut),
                     end == std::string::npos ? "" : text.substr(end), spec.experts(),
                     total_rows(spec));
}

// With what is not spent on cases, where it is known.
std::string seconds_text(const Certification& certification) {
  const double start = certification.run.start_seconds, cases = certification.run.seconds;
  const double explaining = certification.explain_seconds;
  if (start + explaining == 0) { return fmt::format("{:.1f} s", cases); }
  return fmt::format("{:.1f} s (start {:.1f}, cases {:.1f}, explaining {:.1f})",
                     start + cases + explaining, start, cases, explaining);
}

std::string also_wrong_text(const Verdict& verdict) {
  std::string text;
  for (std::size_t i = 1; i < verdict.failed.size(); ++i) {
    const FailedAspect& failed = verdict.failed[i];
    text += fmt::format("  also    {} ({}): {}\n", what_is_wrong(failed.aspect),
                        name(failed.aspect), one_line(failed.reason, kSentenceLength));
  }
  return text;
}

}  // namespace

std::string note_text(const CheckTally& check) {
  if (check.waiver) { return waiver_text(*check.waiver); }
  if (check.verdict == VerdictKind::kPassed) { return ""; }
  return check.verdict == VerdictKind::kMeasured
             ? measured_text(check.measured, check.check->measures->unit)
             : one_line(check.reason, kSentenceLength);
}

std::string failed_text(const CheckTally& check) {
  std::string text;
  if (const Index failed = check.failed_cases(); failed > 0) {
    text = fmt::format("{} of {} failed", failed, counted(check.counted_cases(), "case"));
  }
  if (check.left_out > 0) {
    text +=
        fmt::format("{}{} left out after its findings", text.empty() ? "" : ", ", check.left_out);
  }
  return text;
}

std::string table_text(const Certification& certification, const TextStyle& style) {
  const std::size_t width = widest_name(certification);
  std::string text = fmt::format("{:<{}}  {:>7}  {:>11}  {:>8}  {}\n", "check", width, "cases",
                                 "error/bound", "seconds", "verdict");
  for (const CheckTally& check : certification.run.tally.checks) {
    const std::string ratio = check.worst_job < 0 ? "-" : ratio_text(check.worst_ratio);
    std::string note = note_of(check);
    if (!note.empty()) { note = inked("  " + note, Ink::kDim, style); }
    text += fmt::format(
        "{:<{}}  {:>7}  {:>11}  {:>8.2f}  {}{}\n", check.check->name, width, check.cases, ratio,
        check.seconds, inked(std::string(name(check.verdict)), ink_of(check.verdict), style), note);
  }
  return text;
}

std::string remarks_text(const Certification& certification) {
  std::string text;
  const ProfileRun& run = certification.run;
  for (std::size_t row = 0; row < run.tally.checks.size(); ++row) {
    const CheckTally& check = run.tally.checks[row];
    const auto& measures = check.check->measures;
    if (check.verdict != VerdictKind::kMeasured || !measures || measures->remarkable == 0) {
      continue;
    }
    if (!(check.measured.worst >= measures->remarkable)) { continue; }
    text += fmt::format("remark: {}: {} {} in {}\n", check.check->name,
                        figure_text(check.measured.worst), measures->unit,
                        one_line(run.worst_measured_cases[row], kSentenceLength));
  }
  return text;
}

std::string entry_text(const Entry& entry, const CaseSpec& spec) {
  const std::string error = std::isnan(entry.got) || std::isinf(entry.got)
                                ? "not finite"
                                : value_text(std::fabs(entry.got - entry.exact));
  return fmt::format(
      "  worst   expert {} row {} column {}\n"
      "  exact   {}, rounded {}\n"
      "  got     {}, {} {}\n"
      "  bound   {}, error {}\n",
      entry.expert, entry.row, entry.col, value_text(entry.exact),
      bits_text(entry.exact_bits, spec.out), value_text(entry.got), name(spec.out),
      bits_text(entry.got_bits, spec.out), value_text(entry.bound), error);
}

std::string finding_text(const std::string& kernel, const Finding& finding,
                         const TextStyle& style) {
  std::string text = fmt::format("{}: {}: {}: {}\n  check   {}\n  case    {}\n",
                                 inked(std::string(name(finding.verdict.kind)), Ink::kRed, style),
                                 name_text(kernel), wrong_text(finding),
                                 one_line(finding.verdict.reason, kSentenceLength),
                                 checks_text(finding), case_text(finding.shrunk));
  if (!(finding.shrunk == finding.original)) {
    text += fmt::format("  from    {}\n", case_text(finding.original));
  }
  text += also_wrong_text(finding.verdict);
  if (finding.verdict.worst && is_about_elements(finding.verdict)) {
    text += entry_text(*finding.verdict.worst, finding.shrunk);
  }
  const Diagnosis& diagnosis = finding.diagnosis;
  if (!diagnosis.where.empty()) {
    text += fmt::format("  wrong   {}\n", one_line(diagnosis.where, kSentenceLength));
  }
  if (!diagnosis.hypothesis.empty()) {
    text += fmt::format("  likely  {}: {} (explains {:.0f} % of what is wrong)\n",
                        one_line(diagnosis.hypothesis, kNameLength),
                        one_line(diagnosis.sentence, kSentenceLength), 100 * diagnosis.share);
  } else if (!diagnosis.sentence.empty()) {
    text +=
        fmt::format("  likely  no hypothesis: {}\n", one_line(diagnosis.sentence, kSentenceLength));
  } else if (diagnosis.tried > 0) {
    text += diagnosis.where.empty()
                ? "  likely  nothing is wrong in a plain run: it shows only as the check runs it\n"
                : fmt::format("  likely  none of {} hypotheses explains it\n", diagnosis.tried);
  }
  if (finding.before.size() > kMostShownSteps) { text += before_text(finding.before); }
  text += fmt::format("  replay  {}\n", one_line(finding.replay));
  return text;
}

std::string domain_text(const Domain& domain) {
  std::string text = fmt::format("covered: {}", counted(domain.total(), "distinct case"));
  for (const Pass pass : kAllPasses) {
    text += fmt::format(", {} {}", domain.cases[static_cast<std::size_t>(pass)], name(pass));
  }
  text += fmt::format("\n  formats      {}\n", joined(domain.formats));
  text += fmt::format("  offsets      {}\n", joined(domain.conventions));
  text += fmt::format("  weights      {}; {} accumulating{}\n", joined(domain.weights),
                      counted(domain.accumulating, "case"),
                      domain.biased > 0 ? fmt::format(", {} with a bias", domain.biased) : "");
  text += fmt::format("  fills        {}\n", joined(domain.fills));
  text += fmt::format("  tactics      {}\n", joined(domain.tactics));
  if (!domain.many_tiles.empty()) {
    text += fmt::format("  many tiles   {}\n", joined(domain.many_tiles));
  }
  text += sizes_text("k*n", domain.largest_k_n);
  text += sizes_text("rows*k", domain.largest_rows_k);
  text += sizes_text("rows*n", domain.largest_rows_n);
  text += sizes_text("rows*experts", domain.largest_rows_experts);
  text += sizes_text("experts", domain.most_experts);
  return text;
}

std::string conclusion_text(const Certification& certification, const TextStyle& style) {
  const Tally& tally = certification.run.tally;
  const Ink ink = tally.conclusion == Conclusion::kPassed   ? Ink::kGreen
                  : tally.conclusion == Conclusion::kFailed ? Ink::kRed
                                                            : Ink::kYellow;
  const std::string profile = name_text(certification.profile);
  std::string claim;
  if (!certification.run.shard.whole()) {
    claim =
        fmt::format("part {} of {}", certification.run.shard.part, certification.run.shard.parts);
  } else if (tally.waived() > 0 && tally.conclusion == Conclusion::kPassed) {
    claim = fmt::format("but for {}", counted(tally.waived(), "waived check"));
  } else if (certification.certified()) {
    claim = fmt::format("certified for what was tested by profile {}", profile);
  } else if (!certification.run.whole_profile) {
    claim = "certifies nothing: --filter or --seed changed the profile";
  } else if (!certification.profile_certifies) {
    claim = fmt::format("profile {} does not certify {} kernels", profile,
                        certification.run.manifest.device);
  } else {
    claim = "not certified";
  }
  const Index measured = tally.count(VerdictKind::kMeasured);
  if (measured > 0) { claim += fmt::format("; {} only measured", counted(measured, "check")); }
  std::string text = fmt::format("{}: {} under profile {} in {}, {}, {}; {}\n",
                                 inked(std::string(name(tally.conclusion)), ink, style),
                                 name_text(certification.kernel), profile,
                                 seconds_text(certification), counted(tally.runs, "kernel run"),
                                 counted(certification.run.threads, "thread"), claim);
  for (const std::string& broken : tally.broken_waivers) {
    text += fmt::format("  failed: {}\n", one_line(broken, kSentenceLength));
  }
  for (const std::string& reason : tally.incomplete_because) {
    text += fmt::format("  incomplete: {}\n", one_line(reason, kSentenceLength));
  }
  return text;
}

std::string findings_text(const Certification& certification, const TextStyle& style) {
  std::string text;
  for (const Finding& finding : certification.findings) {
    text += finding_text(certification.kernel, finding, style) + "\n";
  }
  return text;
}

namespace {

std::string closing_text(const Certification& certification, const TextStyle& style) {
  const Tally& tally = certification.run.tally;
  const Index passed = tally.count(VerdictKind::kPassed);
  const Index failed = std::ranges::count_if(tally.checks, &CheckTally::fails);
  const Index skipped = static_cast<Index>(tally.checks.size()) - passed - failed -
                        tally.count(VerdictKind::kMeasured);
  return conclusion_text(certification, style) +
         fmt::format("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
}

}  // namespace

namespace {

std::string undeclared_text(const Manifest& manifest) {
  if (manifest.arithmetic.kind != DeclaredArithmetic::Kind::kUndeclared) { return ""; }
  return "bound: that of the coarsest arithmetic known, since none is declared; `assay probe` says "
         "what to declare for a narrower one\n";
}

}  // namespace

std::string quiet_text(const Certification& certification, const TextStyle& style) {
  return findings_text(certification, style) + closing_text(certification, style);
}

std::string report_text(const Certification& certification, const TextStyle& style) {
  return table_text(certification, style) + remarks_text(certification) + "\n" +
         findings_text(certification, style) + domain_text(certification.run.tally.domain) +
         fmt::format("code that ran: {}\n", code_sentence(certification.run.code)) +
         undeclared_text(certification.run.manifest) + "\n" + closing_text(certification, style);
}

}  // namespace assay
