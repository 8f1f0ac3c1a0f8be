// The scale of an output of 8 bits, left out or another one.
#include <optional>

#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

// other(own scale, expert) is what the kernel multiplies by; nothing: as it should.
template <class Other>
void claim_scale(const Evidence& evidence, const char* key, const char* sentence,
                 std::vector<Claim>& claims, const Other& other) {
  Claim claim{.key = key, .sentence = sentence};
  claim.parts = changed_products(evidence, [&](oracle::Product& product, Index expert) {
    const std::optional<float> scale = other(*product.out_scale, expert);
    if (!scale || *scale == *product.out_scale || !oracle::is_out_scale(*scale)) { return false; }
    product.out_scale = scale;
    return true;
  });
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace

void propose_output_scale_misread(const Evidence& evidence, std::vector<Claim>& claims) {
  const auto changed = [&](const char* key, const char* sentence, float (*change)(float)) {
    claim_scale(evidence, key, sentence, claims,
                [&](float own, Index) { return std::optional(change(own)); });
  };
  changed("left out", "the scale of the output is not applied", [](float) { return 1.0F; });
  changed("twice", "the scale of the output is applied twice", [](float s) { return s * s; });
  changed("inverse", "sums are divided by the scale of the output", [](float s) { return 1 / s; });
  changed("bf16", "the scale of the output is rounded to bf16", [](float s) {
    return static_cast<float>(decode(Format::kBf16, encode(Format::kBf16, s)));
  });
  // One for all of x or y: none is another expert's.
  const auto of = [&](Index expert) -> std::optional<float> {
    const bool here = expert >= 0 && expert < evidence.experts();
    return here ? evidence.product(expert).out_scale : std::nullopt;
  };
  claim_scale(evidence, "expert 0", "every expert's gradient has the output scale of expert 0",
              claims, [&](float, Index) { return of(0); });
  claim_scale(evidence, "next expert", "gradients have the output scale of the next expert", claims,
              [&](float, Index expert) { return of(expert + 1); });
  claim_scale(evidence, "next expert, around",
              "gradients have the output scale of the next expert, the last one that of expert 0",
              claims, [&](float, Index expert) { return of((expert + 1) % evidence.experts()); });
  claim_scale(evidence, "previous expert", "gradients have the output scale of the previous expert",
              claims, [&](float, Index expert) { return of(expert - 1); });
}

}  // namespace assay
