// Base pointers and strides off their alignment give the right answer, or the refusal that the
// manifest announces.
#include <algorithm>

#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest& manifest) {
  const auto off = [&](Format format, std::uint64_t salt) {
    // One case in four keeps the declared alignment and only misses 256 bytes.
    const Index unit = spec.seed % 4 == 0 ? std::max<Index>(manifest.base_bytes, size_bytes(format))
                                          : size_bytes(format);
    return unit * static_cast<Index>(salt % 8);
  };
  // Strides that are to be dense stay so in most cases: the others are refused.
  const bool gaps = !manifest.dense_strides || spec.seed % 4 == 1;
  for (const Role role : kAllRoles) {
    const Format format = format_of(spec, role);
    spec.base[role] = off(format, spec.seed / 5 + 3 * static_cast<std::uint64_t>(role));
    const Index ld = spec.seed % 4 == 0 ? manifest.ld_multiple : 1;
    const auto steps = static_cast<Index>((spec.seed / 11 + static_cast<std::uint64_t>(role)) % 4);
    spec.ld[role] = gaps ? ld * steps : 0;
  }
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 85, .quick = 30, .ci = 144, .peers = 96, .full = 480},
    {.generator = "primes", .seed = 86, .quick = 15, .ci = 72, .peers = 48, .full = 240},
};

}  // namespace

Check misaligned_operands_are_right_or_refused() {
  return {.name = "misaligned_operands_are_right_or_refused",
          .summary =
              "Base pointers and strides off their alignment give the right answer, or the "
              "refusal that the manifest announces.",
          .guards_against = "illegal accesses and silent misreads of unaligned rows (kind L)",
          .advice =
              "A base pointer or stride off the alignment gave wrong numbers instead of a refusal. "
              "Check it in the call and answer ASSAY_UNSUPPORTED, and say so in the manifest.",
          .order = 250,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole,
          .leaves_manifest = true};
}

}  // namespace assay
