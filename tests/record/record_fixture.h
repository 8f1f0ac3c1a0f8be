// A run of a fake kernel's checks, recorded in a folder of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/problem/case_text.h"
#include "src/record/record_lines.h"
#include "src/record/run_writer.h"
#include "tests/campaign/fake_kernel.h"

namespace assay::testing {

inline CaseSpec draw_tiny(Rng& rng, const Manifest& manifest) {
  CaseSpec spec;
  spec.pass = manifest.passes[rng.below(static_cast<Index>(manifest.passes.size()))];
  spec.k = 1 + rng.below(4);
  spec.n = 1 + rng.below(4);
  spec.rows = {rng.below(5), rng.below(5)};
  spec.seed = static_cast<std::uint64_t>(rng.below(100'000));
  return spec;
}

inline Verdict tiny_verdict(VerdictKind kind, const CaseSpec& spec) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.worst_ratio = static_cast<double>(spec.seed % 89) / 97;
  verdict.runs = 1 + static_cast<Index>(spec.seed % 3);
  if (kind != VerdictKind::kPassed) { verdict.reason = "as planted"; }
  return verdict;
}
inline Verdict tiny_passes(Session&, const CaseSpec& spec) {
  return tiny_verdict(VerdictKind::kPassed, spec);
}
inline Verdict tiny_fails_on_wide(Session&, const CaseSpec& spec) {
  Verdict verdict = tiny_verdict(spec.k == 4 ? VerdictKind::kFailed : VerdictKind::kPassed, spec);
  if (spec.k == 4) {
    verdict.failed = {{Aspect::kStrayWrite, verdict.reason}, {Aspect::kValues, "wrong, too"}};
    verdict.worst = Entry{.row = 1, .got_bits = 0x7fc0, .got = std::nan("")};
    verdict.inner = spec;
    verdict.inner->seed = 1;
  }
  return verdict;
}
inline Verdict tiny_refuses_some(Session&, const CaseSpec& spec) {
  return tiny_verdict(spec.n == 2 ? VerdictKind::kUnsupported : VerdictKind::kPassed, spec);
}
inline Verdict tiny_hangs(Session&, const CaseSpec& spec) {
  return tiny_verdict(spec.k == 4 ? VerdictKind::kHung : VerdictKind::kPassed, spec);
}
// Measures nothing where k is 2.
inline Verdict tiny_measures(Session&, const CaseSpec& spec) {
  Verdict verdict = tiny_verdict(VerdictKind::kMeasured, spec);
  verdict.measured = static_cast<double>(1 + spec.seed % 31);
  if (spec.k == 2) { verdict = tiny_verdict(VerdictKind::kNotRun, spec); }
  return verdict;
}
inline Verdict tiny_measures_nothing(Session&, const CaseSpec& spec) {
  return tiny_verdict(VerdictKind::kNotRun, spec);
}
inline Verdict tiny_measures_or_fails(Session&, const CaseSpec& spec) {
  return spec.k == 4 ? tiny_verdict(VerdictKind::kCrashed, spec)
                     : tiny_verdict(VerdictKind::kNotRun, spec);
}
inline Check tiny_measuring(std::string_view name, Verdict (*run)(Session&, const CaseSpec&)) {
  Check check = fake_check(name, run);
  check.measures = Measure{.unit = "times <it>"};
  return check;
}
inline std::optional<std::string> tiny_no_gpu(const Manifest&) { return "needs a GPU"; }

inline const Registry& tiny_names() {
  static const Check kChecks[] = {fake_check("passes", tiny_passes),
                                  fake_check("refuses_some", tiny_refuses_some),
                                  fake_check("on_a_gpu", tiny_passes, tiny_no_gpu),
                                  fake_check("fails_on_wide", tiny_fails_on_wide),
                                  fake_check("hangs", tiny_hangs),
                                  tiny_measuring("measures", tiny_measures),
                                  tiny_measuring("measures_nothing", tiny_measures_nothing),
                                  tiny_measuring("measures_or_fails", tiny_measures_or_fails)};
  static const Generator kGenerators[] = {fake_generator("tiny", draw_tiny)};
  static const Registry names{kChecks, kGenerators};
  return names;
}

constexpr std::string_view kTinyManifest =
    R"({"name": "fake", "passes": ["fwd", "dgrad", "wgrad"],
        "formats": [{"in": "bf16", "out": "bf16"}], "weights": ["enk"], "offsets": ["ends"],
        "deterministic": true, "arithmetic": {"kind": "fma"}})";

inline OpenSession open_tiny(const Manifest& manifest = parse_manifest(kTinyManifest).value()) {
  return [manifest](double) -> Result<std::unique_ptr<Session>> {
    return std::make_unique<FakeSession>(nullptr, manifest);
  };
}

// Checks whose names are listed, 60 cases each.
inline Profile tiny_profile(const std::string& checks) {
  return parse_profile(
             "profile=tiny certifies=cpu\ncheck=" + checks + " generator=tiny count=60 seed=5\n",
             "tiny.profile", tiny_names())
      .value();
}

struct RecordOptions {
  std::string checks = "passes,refuses_some,on_a_gpu";
  Shard shard{};
  bool resume = false;
  std::vector<Waiver> waivers{};
  double budget_seconds = 0;
  std::string kernel = "fake";
  bool keep_going = false;
};

// A folder that is empty at first and goes with the test.
class Folder {
 public:
  Folder()
      : path_(::testing::TempDir() + "assay_" + std::to_string(++made()) + "_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  static int& made() {
    static int count = 0;
    return count;
  }

  std::string path_;
};

inline Result<Certification> record_run(const std::string& path, const RecordOptions& options) {
  const Profile profile = tiny_profile(options.checks);
  RunWriter writer(path, options.resume, tiny_names());
  writer.header().kernel = options.kernel;
  writer.header().artifact = {.name = "fake", .sha256 = std::string(64, 'a')};
  writer.header().profile = profile;
  writer.header().shard = options.shard;
  writer.header().waivers = options.waivers;
  writer.header().keep_going = options.keep_going;
  CertifyOptions certify_options;
  certify_options.run.threads = 2;
  certify_options.run.shard = options.shard;
  certify_options.run.waivers = options.waivers;
  certify_options.run.keep_going = options.keep_going;
  certify_options.run.today = "2026-06-15";
  certify_options.explain = false;
  certify_options.observer = &writer;
  return certify("fake", profile, tiny_names(), open_tiny(), certify_options);
}

inline RunRecord recorded(const std::string& path) {
  auto record = read_run(path, tiny_names());
  EXPECT_TRUE(record) << (record ? "" : record.error().message);
  return record ? std::move(*record) : RunRecord{};
}

// Each with its newline, but for a last one that is cut off.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// The record with seals that fit its lines, as whoever forges one would make them.
inline std::string resealed(const std::string& text) {
  LineSeal seal(std::string(16, 'f'));
  std::string sealed;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    sealed += seal.close(text.substr(at, text.rfind(",\"run\":", end) - at) + "}");
    at = end + 1;
  }
  return sealed;
}

// What must not depend on how a run was cut: verdicts, counts, worst cases.
inline std::string content_of(const Certification& certification) {
  std::string text = std::string(name(certification.run.tally.conclusion));
  for (std::size_t row = 0; row < certification.run.tally.checks.size(); ++row) {
    const CheckTally& check = certification.run.tally.checks[row];
    text += "\n" + std::string(check.check->name) + " " + std::string(name(check.verdict)) + " " +
            std::to_string(check.drawn) + " " + std::to_string(check.cases) + " " +
            std::to_string(check.runs) + " " + std::to_string(check.left_out) + " " +
            std::to_string(check.worst_ratio) + " " + certification.run.worst_cases[row];
    for (const Index count : check.kinds) { text += " " + std::to_string(count); }
  }
  for (const Failure& failure : certification.run.failures) {
    text += "\nfailure " + std::to_string(failure.job) + " " + canonical_text(failure.spec);
  }
  return text + "\n" + std::to_string(certification.run.tally.domain.total());
}

}  // namespace assay::testing
