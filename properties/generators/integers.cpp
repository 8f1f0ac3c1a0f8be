// Generator of sums of integers that are larger than the accumulators of a careless kernel.
#include <algorithm>

#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

std::vector<Combination> integer_formats(const Manifest& manifest, Pass pass) {
  std::vector<Combination> formats = manifest.formats_of(pass);
  std::erase_if(formats, [](const Combination& each) { return !each.in.integers(); });
  return formats;
}

}  // namespace

bool applies_integer_sums(const Manifest& manifest) {
  return std::ranges::any_of(manifest.passes,
                             [&](Pass pass) { return !integer_formats(manifest, pass).empty(); });
}

// Past 2^15, 2^16, 2^23 and 2^24, over every such combination of each pass in turn. Up to a
// reduction of 2^17 no sum leaves 32 bits.
CaseSpec nth_of_integer_sums(Rng& rng, const Manifest& manifest, Index index) {
  CaseSpec spec = draw_frame(rng, manifest);
  const Index passes = std::ssize(manifest.passes);
  set_nth_pass(spec, manifest, index);
  const auto formats = integer_formats(manifest, spec.pass);
  if (!formats.empty()) { use(formats[index / passes % std::ssize(formats)], spec); }
  if (!may_accumulate(spec) || !manifest.accumulate) { spec.acc = 0; }
  const Index length = rng.between(2048, 8192);
  const Axis depth = operation(spec.pass).depth();
  spec.k = to_multiple(depth == Axis::kK ? length : rng.between(1, 12),
                       manifest.multiple(Axis::kK, spec.pass));
  spec.n = to_multiple(depth == Axis::kN ? length : rng.between(1, 12),
                       manifest.multiple(Axis::kN, spec.pass));
  spec.rows = depth == Axis::kRows ? std::vector<Index>{length, 3}
                                   : std::vector<Index>{rng.between(1, 6), 0, rng.between(1, 6)};
  spec.fill = spec.seed % 2 == 0 ? Fill::kPositive : Fill::kEqual;
  settle_layout(spec, rng, manifest);
  return spec;
}

}  // namespace assay
