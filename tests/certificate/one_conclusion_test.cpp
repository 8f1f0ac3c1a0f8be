// A run has one conclusion: whoever reads its record, in whatever form, is told the same.
#include <atomic>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "src/certificate/diff.h"
#include "src/certificate/envelope.h"
#include "src/report/html.h"
#include "src/report/markdown.h"
#include "src/report/report.h"
#include "src/report/report_json.h"
#include "src/report/report_text.h"
#include "tests/certificate/certificate_fixture.h"

namespace assay {
namespace {

using testing::fake_check;
using testing::Folder;
using testing::tiny_verdict;

// What the fake kernel does is a function of the case, but for an interrupt.
std::atomic<Index> runs_before_interrupt{-1};
std::atomic<bool> interrupted{false};
std::atomic<bool> over_promises{false};

Verdict judged(VerdictKind kind, const CaseSpec& spec) {
  if (runs_before_interrupt >= 0 && runs_before_interrupt-- == 0) { interrupted = true; }
  return tiny_verdict(kind, spec);
}
Verdict passes(Session&, const CaseSpec& spec) { return judged(VerdictKind::kPassed, spec); }
Verdict fails(Session&, const CaseSpec& spec) {
  return judged(spec.k == 4 ? VerdictKind::kFailed : VerdictKind::kPassed, spec);
}
Verdict crashes(Session&, const CaseSpec& spec) {
  return judged(spec.n == 3 ? VerdictKind::kCrashed : VerdictKind::kPassed, spec);
}
Verdict proves_nothing(Session&, const CaseSpec& spec) {
  return judged(VerdictKind::kInconclusive, spec);
}
Verdict lacks_memory(Session&, const CaseSpec& spec) {
  return judged(spec.k == 1 ? VerdictKind::kNotRun : VerdictKind::kPassed, spec);
}
Verdict probe(Session&, const CaseSpec& spec) {
  return judged(over_promises ? VerdictKind::kFailed : VerdictKind::kPassed, spec);
}

const std::vector<std::string> kChecks = {"passes",         "fails",        "crashes",
                                          "proves_nothing", "lacks_memory", "on_a_gpu"};

const Registry& names() {
  static const Check kRows[] = {fake_check("passes", passes),
                                fake_check("fails", fails),
                                fake_check("crashes", crashes),
                                fake_check("proves_nothing", proves_nothing),
                                fake_check("lacks_memory", lacks_memory),
                                fake_check("on_a_gpu", passes, testing::tiny_no_gpu),
                                fake_check("the_manifest_agrees_with_the_probe", probe)};
  static const Generator kGenerators[] = {testing::fake_generator("tiny", testing::draw_tiny)};
  static const Registry kNames{kRows, kGenerators};
  return kNames;
}

// A run to be made, drawn at random.
struct Plot {
  Profile profile{};
  std::vector<Waiver> waivers{};
  std::string filter{};
  std::uint64_t seed_shift = 0;
  Index max_findings = 1;
  bool over_promises = false;
  Index interrupted_after = -1;  // runs; -1: never
  bool killed = false;           // before its last line
};

Profile drawn_profile() {
  std::string text = *rc::gen::arbitrary<bool>() ? "profile=tiny certifies=cpu\n"
                                                 : "profile=tiny certifies=none\n";
  // Half of the runs have nothing but right checks: those are what must not be lost, or won.
  const bool right = *rc::gen::arbitrary<bool>();
  for (const std::string& check : kChecks) {
    if (check == "passes" || (!right && *rc::gen::inRange(0, 3) == 0) || check == "on_a_gpu") {
      text += fmt::format("check={} generator=tiny count={} seed={}\n", check,
                          *rc::gen::inRange(1, 25), *rc::gen::inRange(0, 1000));
    }
  }
  return parse_profile(text, "tiny.profile", names()).value();
}

Plot drawn_plot() {
  Plot plot{.profile = drawn_profile()};
  if (*rc::gen::inRange(0, 4) == 0) {
    plot.waivers.push_back({*rc::gen::elementOf(kChecks), "fake", "known", "https://example.org/1",
                            *rc::gen::element<std::string>("2020-01-01", "2099-01-01")});
  }
  if (*rc::gen::inRange(0, 6) == 0) { plot.filter = "passes|fails"; }
  if (*rc::gen::inRange(0, 6) == 0) { plot.seed_shift = 7; }
  plot.max_findings = *rc::gen::inRange(1, 4);
  plot.over_promises = *rc::gen::inRange(0, 4) == 0;
  if (*rc::gen::inRange(0, 4) == 0) { plot.interrupted_after = *rc::gen::inRange(0, 40); }
  plot.killed = *rc::gen::inRange(0, 6) == 0;
  return plot;
}

// The record that the run leaves, in `path`; and what certify() itself made of it.
struct Made {
  Conclusion conclusion{};
  RunRecord record{};
};

Made make_run(const Plot& plot, const std::string& path, const Shard& shard) {
  over_promises = plot.over_promises;
  interrupted = false;
  runs_before_interrupt = plot.interrupted_after;
  RunWriter writer(path, false, names());
  RunHeader& header = writer.header();
  header.kernel = "fake";
  header.artifact = {.name = "fake", .sha256 = std::string(64, 'a')};
  header.profile = plot.profile;
  header.seed_shift = plot.seed_shift;
  header.filter = plot.filter;
  header.max_findings_per_check = plot.max_findings;
  header.shard = shard;
  header.waivers = plot.waivers;
  CertifyOptions options;
  options.run = {.threads = 2,
                 .seed_shift = plot.seed_shift,
                 .filter = plot.filter,
                 .shard = shard,
                 .waivers = plot.waivers,
                 .today = utc_now().substr(0, 10),
                 .max_findings_per_check = plot.max_findings,
                 .stop = &interrupted};
  options.explain = false;
  options.observer = &writer;
  const auto result = certify("fake", plot.profile, names(), testing::open_tiny(), options);
  RC_ASSERT(result.has_value());
  const auto record = writer.record();
  RC_ASSERT(record.has_value());
  return {result->run.tally.conclusion, *record};
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Every form of a record says its conclusion, and none says another.
void every_form_agrees(const RunRecord& record, const std::string& folder) {
  const auto run = reported_run(record, names());
  RC_ASSERT(run.has_value());
  const Certification& result = run->result;
  const Conclusion conclusion = result.run.tally.conclusion;
  const bool failed = conclusion == Conclusion::kFailed;
  const bool passed = conclusion == Conclusion::kPassed;
  const std::string word(name(conclusion));

  for (const std::string& text : {report_text(result, {}), quiet_text(result, {})}) {
    RC_ASSERT(has(text, word + ": fake under profile tiny"));
  }
  const auto json = nlohmann::json::parse(report_json(result, record.header.environment));
  RC_ASSERT(json["verdict"] == word);
  RC_ASSERT(json["certified"] == result.certified());

  const std::string sentence = verdict_sentence(*run);
  RC_ASSERT(has(sentence, " fails ") == failed);
  RC_ASSERT(has(sentence, " passes ") == passed);
  RC_ASSERT(has(sentence, "is certified") == result.certified());
  RC_ASSERT(first_line(markdown_report({*run})) == "## " + markdown_text(sentence));
  RC_ASSERT(has(html_report({*run}, names()), escaped(sentence)));
  const std::string junit = junit_report({*run});
  RC_ASSERT(has(junit, "<failure ") == failed);
  RC_ASSERT((!has(junit, "<failure ") && !has(junit, "<error ")) == passed);

  // The certificate, and what its reader says of it.
  const Certificate certificate = certificate_of(record, result);
  const bool waived = result.run.tally.waived() > 0;
  RC_ASSERT((certificate.verdict == CertificateVerdict::kFailed) == failed);
  RC_ASSERT((certificate.verdict == CertificateVerdict::kPassed) == (passed && !waived));
  RC_ASSERT((certificate.verdict == CertificateVerdict::kWaived) == (passed && waived));
  if (!record.end) { return; }
  const auto read = parse_certificate(certificate_text(certificate, nullptr), "c");
  RC_ASSERT(read.has_value());
  const std::string now = utc_now();
  if (result.run.whole_profile) {
    RC_ASSERT(broken_claim(read->certificate, {}, now).empty() == result.certified());
    RC_ASSERT(broken_claim(read->certificate, {.waivers_allowed = true}, now).empty() ==
              (passed && result.profile_certifies));
  }
  testing::spill(folder + "/forms.results.jsonl", run_text(record, names()));
  testing::spill(folder + "/forms.intoto.jsonl", certificate_text(certificate, nullptr));
  const auto before = load_comparable(folder + "/forms.results.jsonl", names());
  const auto after = load_comparable(folder + "/forms.intoto.jsonl", names());
  RC_ASSERT(before.has_value() && after.has_value());
  const Difference difference = difference_of(*before, *after);
  RC_ASSERT(difference.holds() && difference.identity.empty());
  RC_ASSERT(difference.same == static_cast<Index>(certificate.checks.size()));
}

RC_GTEST_PROP(OneConclusion, IsWhatEveryReaderOfARunIsTold, ()) {
  const Folder folder;
  const Plot plot = drawn_plot();
  Made made = make_run(plot, *rc::gen::arbitrary<bool>() ? folder / "r.jsonl" : "", {});
  if (plot.killed) {
    made.record.end.reset();
  } else {
    const auto again = certification_of(made.record, names());
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->run.tally.conclusion == made.conclusion);
  }
  every_form_agrees(made.record, folder / "");
  RC_CLASSIFY(made.conclusion == Conclusion::kPassed, "passed");
  RC_CLASSIFY(made.conclusion == Conclusion::kFailed, "failed");
  RC_CLASSIFY(plot.over_promises, "over-promises");
  RC_CLASSIFY(!plot.waivers.empty(), "with a waiver");
  const auto merged = merge_runs({{"r", made.record}}, names());
  if (!made.record.end || !made.record.end->cut_short.empty()) {
    RC_ASSERT(!merged.has_value());
    return;
  }
  RC_ASSERT(merged.has_value());
  RC_ASSERT(certification_of(*merged, names())->run.tally.conclusion == made.conclusion);
  every_form_agrees(*merged, folder / "");
}

RC_GTEST_PROP(OneConclusion, IsThatOfTheShardsToo, ()) {
  const Folder folder;
  Plot plot = drawn_plot();
  plot.interrupted_after = -1;
  const Made whole = make_run(plot, folder / "whole.jsonl", {});
  const Index parts = *rc::gen::inRange(2, 5);
  std::vector<NamedRecord> records;
  bool any_failed = false;
  for (Index part = 1; part <= parts; ++part) {
    const Made made = make_run(plot, folder / std::to_string(part), {part, parts});
    RC_ASSERT(made.conclusion != Conclusion::kPassed);
    any_failed |= made.conclusion == Conclusion::kFailed;
    every_form_agrees(made.record, folder / "");
    records.insert(records.begin(), {std::to_string(part), made.record});
  }
  const auto merged = merge_runs(records, names());
  RC_ASSERT(merged.has_value());
  const auto result = certification_of(*merged, names());
  RC_ASSERT(result.has_value());
  RC_ASSERT(result->run.tally.conclusion == whole.conclusion);
  // A part that failed is never outvoted.
  RC_ASSERT(!any_failed || whole.conclusion == Conclusion::kFailed);
  every_form_agrees(*merged, folder / "");
}

}  // namespace
}  // namespace assay
