// The usual parts of a check's row: when it does not apply, and how a drawn case is turned into one
// it can use.
#include <algorithm>
#include <vector>

#include "properties/support/case_run.h"

namespace assay {

std::optional<std::string> always_applies(const Manifest&) { return std::nullopt; }

std::optional<std::string> needs_a_gpu(const Manifest& manifest) {
  if (manifest.device == "cuda") { return std::nullopt; }
  return "the kernel runs on the CPU";
}

std::optional<std::string> needs_streams(const Manifest& manifest) {
  if (const auto reason = needs_a_gpu(manifest)) { return reason; }
  if (manifest.stream_ordered) { return std::nullopt; }
  return "the manifest does not declare the kernel stream_ordered";
}

std::optional<std::string> needs_graphs(const Manifest& manifest) {
  if (const auto reason = needs_streams(manifest)) { return reason; }
  if (manifest.graph_capturable) { return std::nullopt; }
  return "the manifest does not declare the kernel graph_capturable";
}

std::optional<std::string> needs_wgrad(const Manifest& manifest) {
  if (std::ranges::any_of(manifest.passes, reduces_rows)) { return std::nullopt; }
  return "the kernel declares no wgrad";
}

std::optional<std::string> needs_accumulation(const Manifest& manifest) {
  if (const auto reason = needs_wgrad(manifest)) { return reason; }
  if (!manifest.accumulate) { return "the kernel declares no accumulation"; }
  return std::nullopt;
}

void set_pass(CaseSpec& spec, const Manifest& manifest, Pass pass) {
  spec.pass = pass;
  const auto formats = manifest.formats_of(pass, spec.in.scaled());
  if (!manifest.lists(pass, spec.in, spec.out) && !formats.empty()) {
    use(formats[spec.seed % formats.size()], spec);
  }
  if (!may_accumulate(spec)) { spec.acc = 0; }
  if (!may_have_bias(spec)) { spec.bias.reset(); }
  if (spec.pointers == Pointers::kShared && output_role(pass) == Role::kW) {
    spec.pointers = Pointers::kScattered;
  }
}

void use_plain_formats(CaseSpec& spec, const Manifest& manifest) {
  if (!spec.in.scaled()) { return; }
  const auto formats = manifest.formats_of(spec.pass, false);
  use(formats[spec.seed % formats.size()], spec);
}

void set_nth_pass(CaseSpec& spec, const Manifest& manifest, Index index) {
  set_pass(spec, manifest, manifest.passes[index % static_cast<Index>(manifest.passes.size())]);
}

void use_pass(CaseSpec& spec, const Manifest& manifest, const std::vector<Pass>& wanted) {
  if (std::ranges::find(wanted, spec.pass) != wanted.end()) { return; }
  std::vector<Pass> possible;
  for (const Pass pass : wanted) {
    if (std::ranges::find(manifest.passes, pass) != manifest.passes.end()) {
      possible.push_back(pass);
    }
  }
  if (possible.empty()) { return; }
  set_pass(spec, manifest, possible[spec.seed % possible.size()]);
}

void plant_empty_expert(CaseSpec& spec) {
  if (std::ranges::find(spec.rows, 0) != spec.rows.end()) { return; }
  spec.rows.insert(spec.rows.begin() + static_cast<Index>(spec.seed % (spec.rows.size() + 1)), 0);
}

void use_plain_execution(CaseSpec& spec, const Manifest&) { spec.exec = {}; }

void use_real_fill(CaseSpec& spec) {
  if (is_exact(spec.fill) || has_special_values(spec.fill)) {
    constexpr Fill kReal[] = {Fill::kNormal, Fill::kPositive, Fill::kLognormal, Fill::kCancelling};
    spec.fill = kReal[spec.seed % std::size(kReal)];
  }
}

void use_accumulation(CaseSpec& spec, const Manifest& manifest, int times) {
  use_pass(spec, manifest, passes_that_accumulate());
  if (!manifest.accumulate) { return; }
  std::vector<Combination> adding;  // whose outputs can be added into
  for (const Combination& each : manifest.formats_of(spec.pass, spec.in.scaled())) {
    if (each.out == Format::kFp32) { adding.push_back(each); }
  }
  if (adding.empty()) { return; }
  const Combination same{spec.in, Format::kFp32};
  use(std::ranges::count(adding, same) > 0 ? same : adding[spec.seed % adding.size()], spec);
  spec.acc = times;
}

}  // namespace assay
