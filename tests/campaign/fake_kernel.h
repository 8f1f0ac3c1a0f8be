// A kernel that is right but for one planted mistake, in this process and without memory of its
// own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/campaign/run_profile.h"
#include "src/harness/call/session.h"
#include "src/harness/judge/judge_case.h"

namespace assay::testing {

inline Manifest every_manifest() {
  Manifest manifest;
  manifest.name = "fake";
  manifest.passes = {Pass::kFwd, Pass::kDgrad, Pass::kWgrad};
  manifest.formats = {{Format::kBf16, Format::kBf16},
                      {Format::kBf16, Format::kFp32},
                      {Format::kFp32, Format::kFp32}};
  manifest.wgrad_formats = manifest.formats;
  manifest.weights = {WeightsLayout::kEnk, WeightsLayout::kEkn};
  for (const Convention convention : kAllConventions) {
    manifest.offsets.push_back({.convention = convention});
  }
  manifest.accumulate = true;
  manifest.bias = {Format::kFp32, Format::kBf16};
  manifest.deterministic = manifest.batch_invariant = true;
  manifest.arithmetic = {.kind = DeclaredArithmetic::Kind::kFma, .ascending = true};
  return manifest;
}

inline Check fake_check(std::string_view name, Verdict (*run)(Session&, const CaseSpec&) = nullptr,
                        std::optional<std::string> (*not_applicable)(const Manifest&) = nullptr) {
  return {.name = name,
          .summary = "A sentence.",
          .guards_against = "none",
          .not_applicable = not_applicable,
          .prepare = nullptr,
          .run = run};
}

// A case of two experts that takes no time.
inline CaseSpec draw_small(Rng& rng, const Manifest&) {
  CaseSpec spec;
  spec.k = 1 + rng.below(4);
  spec.n = 1 + rng.below(4);
  spec.rows = {rng.below(5), rng.below(5)};
  spec.seed = static_cast<std::uint64_t>(rng.below(1000));
  return spec;
}

inline Generator fake_generator(std::string_view name,
                                CaseSpec (*draw)(Rng&, const Manifest&) = nullptr) {
  return {.name = name, .sentence = "A sentence.", .draw = draw};
}

class FakeSession : public Session {
 public:
  // Changes the outcome of a right run; `run` counts this session's runs from 0.
  using Mistake = std::function<void(const Problem&, const RunOptions&, Index run, Outcome&)>;

  explicit FakeSession(Mistake mistake = {}, Manifest manifest = every_manifest())
      : manifest_(std::move(manifest)), mistake_(std::move(mistake)) {}

  const Manifest& manifest() const override { return manifest_; }
  const std::string& kernel_spec() const override { return spec_; }
  void assume(const Manifest& manifest) override { manifest_ = manifest; }
  Outcome run(const Problem& problem, const RunOptions& options) override {
    Outcome outcome;
    outcome.status = RunStatus::kOk;
    outcome.output = exact_output(problem);
    if (mistake_) { mistake_(problem, options, runs_, outcome); }
    ++runs_;
    return outcome;
  }
  Index runs() const { return runs_; }

 private:
  Manifest manifest_;
  std::string spec_ = "fake";
  Mistake mistake_;
  Index runs_ = 0;
};

inline OpenSession open_fake(FakeSession::Mistake mistake = {},
                             Manifest manifest = every_manifest()) {
  return [mistake, manifest](double) -> Result<std::unique_ptr<Session>> {
    return std::make_unique<FakeSession>(mistake, manifest);
  };
}

}  // namespace assay::testing
