// The registry of generators: one row a generator.
#include <algorithm>
#include <optional>
#include <utility>

#include "properties/check.h"
#include "properties/generators/draw.h"
#include "properties/generators/fit.h"
#include "properties/generators/generator.h"

// clang-format off
#define ASSAY_DRAWN(row)                                                                       \
  row(small, "up to 64 k products, any feature of a case")                                     \
  row(tile_borders, "counts at and beside multiples of tile heights")                          \
  row(skewed, "a few experts take most rows")                                                  \
  row(empties, "empty experts at the front, in the middle, at the end and in runs")            \
  row(single_rows, "experts of 0 to 3 rows")                                                   \
  row(many_experts, "2 to 1,536 experts, around powers of two and as models have them")        \
  row(recorded, "routings recorded while models were trained, rows scaled down")               \
  row(conventions, "every convention with padding rows, capacity and tails, some far too long") \
  row(strides, "gaps between rows and experts, base pointers off 256 bytes")                   \
  row(primes, "prime K and N")                                                                 \
  row(long_reduction, "reductions of 512 to 4,096")                                            \
  row(many_tiles, "more than two declared tiles in rows, columns and reduction")
#define ASSAY_ENUMERATED(row)                                                                  \
  row(row_counts, "every count from 1 to 17, and those around 24, 48, 96, 192 and 384")        \
  row(row_powers, "512 to 65,536 rows: powers of two, the steps between, and their neighbours") \
  row(wide, "1 to 16 tiles a side at a reduction of 1 to 8")                                   \
  row(model_widths, "every K and every N of public models, beside a narrow other side")         \
  row(model_shapes, "experts, K, N and rows of public models, each cut to what a test affords")
#define ASSAY_OF_SOME_KERNELS(row)                                                             \
  row(scaled, "each combination with scales, sizes around the borders of their blocks")       \
  row(integer_sums, "sums of integers past 2^24, reductions of 2,048 to 8,192")
// clang-format on

namespace assay {

#define ASSAY_DECLARE(generator, sentence) CaseSpec draw_##generator(Rng&, const Manifest&);
ASSAY_DRAWN(ASSAY_DECLARE)
#undef ASSAY_DECLARE
#define ASSAY_DECLARE(generator, sentence) \
  CaseSpec nth_of_##generator(Rng&, const Manifest&, Index);
ASSAY_ENUMERATED(ASSAY_DECLARE)
ASSAY_OF_SOME_KERNELS(ASSAY_DECLARE)
#undef ASSAY_DECLARE
#define ASSAY_DECLARE(generator, sentence) bool applies_##generator(const Manifest&);
ASSAY_OF_SOME_KERNELS(ASSAY_DECLARE)
#undef ASSAY_DECLARE

namespace {

// Enough where a manifest excludes nine draws of ten.
constexpr std::uint64_t kMostDraws = 32;

CaseSpec case_from(Rng rng, const Generator& generator, const Check& check,
                   const Manifest& manifest, Index index) {
  CaseSpec spec = generator.nth != nullptr ? generator.nth(rng, manifest, index)
                                           : generator.draw(rng, manifest);
  if (check.prepare != nullptr) { check.prepare(spec, manifest); }
  if (check.enumerate != nullptr) { check.enumerate(spec, manifest, index); }
  const bool enumerated = check.enumerate != nullptr;
  if (check.times_experts > 0) {
    fit_to(spec, with_room_for_experts(manifest, check.times_experts), enumerated);
  } else {
    fit_to(spec, manifest, enumerated);
  }
  if (check.linear) { spec.bias.reset(); }
  // A preparation may have changed pass or format: bases stay multiples of the elements they now
  // point at.
  for (const Role role : kAllRoles) {
    const Index size = size_bytes(format_of(spec, role));
    spec.base[role] -= spec.base[role] % size;
  }
  return spec;
}

}  // namespace

std::span<const Generator> all_generators() {
#define ASSAY_LIST(generator, sentence) {#generator, sentence, draw_##generator},
#define ASSAY_LIST_NTH(generator, sentence) {#generator, sentence, nullptr, nth_of_##generator},
#define ASSAY_LIST_SOME(generator, sentence) \
  {#generator, sentence, nullptr, nth_of_##generator, applies_##generator},
  static const Generator kGenerators[] = {ASSAY_DRAWN(ASSAY_LIST) ASSAY_ENUMERATED(ASSAY_LIST_NTH)
                                              ASSAY_OF_SOME_KERNELS(ASSAY_LIST_SOME)};
#undef ASSAY_LIST_SOME
#undef ASSAY_LIST_NTH
#undef ASSAY_LIST
  return kGenerators;
}

const Generator* find_generator(std::string_view name) {
  const auto generators = all_generators();
  const auto found = std::ranges::find(generators, name, &Generator::name);
  return found == generators.end() ? nullptr : &*found;
}

CaseSpec nth_case(const Generator& generator, const Check& check, const Manifest& manifest,
                  std::uint64_t seed, Index index) {
  const bool enumerated = generator.nth != nullptr || check.enumerate != nullptr;
  const std::uint64_t own = child_state(seed, static_cast<std::uint64_t>(index));
  std::optional<CaseSpec> first;
  for (std::uint64_t drawn = 0; drawn < kMostDraws; ++drawn) {
    const Rng rng(drawn == 0 ? own : child_state(own, drawn));
    const bool outside = draws_outside(rng);
    // What is enumerated is to be judged.
    if (enumerated && outside) { continue; }
    CaseSpec spec = case_from(rng, generator, check, manifest, index);
    if (outside || check.leaves_manifest || !exclusion(manifest, spec)) { return spec; }
    if (!first) { first = std::move(spec); }
  }
  return first ? *first : case_from(Rng(own), generator, check, manifest, index);
}

}  // namespace assay
