// The registry of generators: one row a generator.
#include <algorithm>

#include "properties/check.h"
#include "properties/generators/generator.h"

#define ASSAY_GENERATORS(row)                                                                    \
  row(small, "up to 64 k products, any feature of a case")                                       \
      row(tile_borders, "counts at and beside multiples of tile heights") row(                   \
          skewed, "a few experts take most rows")                                                \
          row(empties, "empty experts at the front, in the middle, at the end and in runs") row( \
              single_rows, "experts of 0 to 3 rows")                                             \
              row(many_experts, "31 to 1025 experts, around powers of two") row(                 \
                  recorded, "routings recorded while models were trained, rows scaled down")     \
                  row(conventions, "every convention with padding rows, capacity and tails")     \
                      row(strides, "gaps between rows and experts, base pointers off 256 bytes") \
                          row(primes, "prime K and N")                                           \
                              row(long_reduction, "reductions of 512 to 4,096") row(             \
                                  many_tiles,                                                    \
                                  "more than two declared tiles in rows, columns and reduction")

namespace assay {

#define ASSAY_DECLARE(generator, sentence) CaseSpec draw_##generator(Rng&, const Manifest&);
ASSAY_GENERATORS(ASSAY_DECLARE)
#undef ASSAY_DECLARE

std::span<const Generator> all_generators() {
#define ASSAY_LIST(generator, sentence) {#generator, sentence, draw_##generator},
  static const Generator kGenerators[] = {ASSAY_GENERATORS(ASSAY_LIST)};
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
  Rng rng(child_state(seed, static_cast<std::uint64_t>(index)));
  CaseSpec spec = generator.draw(rng, manifest);
  if (check.prepare != nullptr) { check.prepare(spec, manifest); }
  // A preparation may have changed pass or format: bases stay multiples of the elements they now
  // point at.
  for (const Role role : kAllRoles) {
    const Index size = size_bytes(format_of(spec, role));
    spec.base[role] -= spec.base[role] % size;
  }
  return spec;
}

}  // namespace assay
