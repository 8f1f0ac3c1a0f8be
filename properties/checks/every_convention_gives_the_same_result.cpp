// The same routing told in every convention that the kernel takes gives the same bits.
#include <fmt/format.h>

#include "properties/generators/fit.h"
#include "properties/support/relation.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

std::optional<std::string> not_applicable(const Manifest& manifest) {
  if (manifest.offsets.size() > 1) { return std::nullopt; }
  return "the kernel takes one convention";
}

void prepare(CaseSpec& spec, const Manifest& manifest) {
  // A layout that every convention can tell: no padding, no capacity, no tail.
  spec.pad = 1;
  spec.cap = 0;
  spec.tail = 0;
  spec.offsets = spec.told = manifest.offsets.front();
  make_rows_whole(spec, manifest);
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  const Problem problem = problem_for(spec, manifest);
  CaseRun first = run_and_judge(kernel, problem);
  Verdict& verdict = first.verdict;
  if (!nothing_wrong(verdict)) { return verdict; }
  for (const OffsetsKind& kind : manifest.offsets) {
    if (kind == spec.offsets) { continue; }
    CaseSpec other = spec;
    other.offsets = other.told = kind;
    if (!traits(kind.convention).by_pointers) { other.pointers = Pointers::kInOrder; }
    const Problem told = relaid(problem, other);
    const Outcome outcome = kernel.run(told, {});
    if (!accept_outcome(verdict, told, manifest, outcome, &first)) {
      say_where(verdict, fmt::format("offsets={}: ", name(kind)));
      verdict.inner = other;
      return verdict;
    }
    if (!same_case_repeats_bits(manifest, spec)) { continue; }
    require_same_bits(verdict, problem, first.low.output, outcome.output,
                      fmt::format("offsets={} beside {}", name(kind), name(spec.offsets)),
                      Aspect::kRelation);
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 81, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "empties", .seed = 82, .quick = 8, .ci = 38, .peers = 26, .full = 128},
    {.generator = "scaled", .seed = 157, .quick = 6, .ci = 18, .peers = 9, .full = 72},
};

}  // namespace

Check every_convention_gives_the_same_result() {
  return {.name = "every_convention_gives_the_same_result",
          .summary =
              "The same routing told in every convention that the kernel takes gives the "
              "same bits.",
          .guards_against = "one entry point that reads sizes where another reads ends (kind F)",
          .advice =
              "One offset convention that the manifest lists is read differently from the others. "
              "Run the case once for each of them; `assay offsets` converts the arrays.",
          .order = 230,
          .draws = kDraws,
          .not_applicable = not_applicable,
          .prepare = prepare,
          .run = run};
}

}  // namespace assay
