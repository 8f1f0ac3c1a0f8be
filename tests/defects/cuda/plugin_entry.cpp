// The two symbols of the ABI: the kernel's manifest cut down to what is carried, and its calls.
#include <cstddef>
#include <string>

#include "src/kernels/cuda/device_call.h"
#include "tests/defects/cuda/carrier.h"

namespace assay {
namespace {

// Where the JSON value at `first` ends: at the comma or bracket that is not its own.
std::size_t end_of_value(const std::string& text, std::size_t first) {
  int depth = 0;
  std::size_t at = first;
  for (; at < text.size(); ++at) {
    const char letter = text[at];
    if (depth == 0 && (letter == ',' || letter == '}' || letter == '\n')) { break; }
    depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
  }
  return at;
}

void replace_value(std::string& manifest, const std::string& key, const std::string& value) {
  const std::string name = "\n  \"" + key + "\": ";
  const std::size_t found = manifest.find(name);
  if (found == std::string::npos) { return; }
  const std::size_t first = found + name.size();
  manifest.replace(first, end_of_value(manifest, first) - first, value);
}

std::string carried_manifest() {
  constexpr const char* kPasses[] = {"fwd", "dgrad", "wgrad"};
  std::string text = kCarrier.manifest();
  replace_value(text, "least_capability", "90");  // what the kernels are compiled for here
  replace_value(text, "passes", std::string("[\"") + kPasses[kCarrier.pass] + "\"]");
  replace_value(text, "formats",
                std::string("[{\"in\": \"bf16\", \"out\": \"") +
                    (kCarrier.fp32_out ? "fp32" : "bf16") + "\"}]");
  replace_value(text, "weights",
                kCarrier.enk ? (kCarrier.ekn ? "[\"enk\", \"ekn\"]" : "[\"enk\"]") : "[\"ekn\"]");
  const bool accumulates = kCarrier.fp32_out && kCarrier.pass == ASSAY_WGRAD;
  replace_value(text, "accumulate", accumulates ? "true" : "false");
  replace_value(text, "tactics", kCarrier.tactics);
  replace_value(text, "tiles", kCarrier.tiles);
  return text;
}

bool is_format(const assay_tensor* tensor, bool fp32) {
  return tensor != nullptr && tensor->dtype.code == (fp32 ? 2 : 4) &&
         tensor->dtype.bits == (fp32 ? 32 : 16);
}

bool is_carried(const assay_call& call) {
  const bool gradient = kCarrier.pass == ASSAY_WGRAD;
  return call.pass == kCarrier.pass && (call.weights == ASSAY_ENK ? kCarrier.enk : kCarrier.ekn) &&
         is_format(call.x, false) && is_format(call.w, gradient && kCarrier.fp32_out) &&
         is_format(call.y, !gradient && kCarrier.fp32_out);
}

}  // namespace
}  // namespace assay

extern "C" {

__attribute__((visibility("default"))) const char* assay_manifest_v1(void) {
  static const std::string manifest = assay::carried_manifest();
  return manifest.c_str();
}

__attribute__((visibility("default"))) int assay_run_v1(const assay_call* call) {
  if (!assay::is_carried(*call)) {
    return assay::make_error(*call, ASSAY_UNSUPPORTED,
                             "this copy of the kernel carries one product");
  }
  return assay::kCarrier.run(call);
}

}  // extern "C"
