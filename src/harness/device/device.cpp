#include "src/harness/device/device.h"

#include <fmt/format.h>

namespace assay {
namespace {

std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

std::string wanted(const Manifest& manifest) {
  const auto text = [](Index capability) {
    return fmt::format("{}.{}", capability / 10, capability % 10);
  };
  const Index least = manifest.least_capability, most = manifest.most_capability;
  if (least == 0 && most == 0) { return "a CUDA device"; }
  if (least == most) { return "a CUDA device of compute capability " + text(least); }
  if (most == 0) {
    return fmt::format("a CUDA device of compute capability {} or more", text(least));
  }
  return fmt::format("a CUDA device of compute capability {} to {}", text(least), text(most));
}

}  // namespace

Status accept_device(const Manifest& manifest, const DeviceFacts& facts) {
  if (manifest.device != "cuda") { return {}; }
  if (facts.devices == 0) {
    return make_error(
        fmt::format("kernel '{}' needs {}: {}", manifest.name, wanted(manifest), facts.problem));
  }
  const bool fits = facts.capability >= manifest.least_capability &&
                    (manifest.most_capability == 0 || facts.capability <= manifest.most_capability);
  if (fits) { return {}; }
  return make_error(
      fmt::format("kernel '{}' needs {}: '{}' has {}.{} (its driver supports CUDA {})",
                  manifest.name, wanted(manifest), facts.name, facts.capability / 10,
                  facts.capability % 10, version(facts.driver)));
}

}  // namespace assay
