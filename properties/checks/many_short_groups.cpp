// Dozens of experts with a few rows each, so that one worker crosses many borders in a row.
#include <vector>

#include "properties/generators/draw.h"
#include "properties/support/case_run.h"

namespace assay {
namespace {

void prepare(CaseSpec& spec, const Manifest&) {
  const std::size_t experts = 48 + spec.seed % 80;
  std::vector<Index> rows(experts);
  for (std::size_t expert = 0; expert < experts; ++expert) {
    rows[expert] = static_cast<Index>((spec.seed / 7 + expert * 5) % 9);
  }
  spec.rows = rows;
  if (spec.cap > 0) { spec.cap = 8; }
  keep_narrow(spec);
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 109, .quick = 20, .ci = 96, .peers = 64, .full = 320},
};

}  // namespace

Check many_short_groups() {
  return {.name = "many_short_groups",
          .summary =
              "Dozens of experts with a few rows each, so that one worker crosses many "
              "borders in a row.",
          .guards_against =
              "descriptor updates that race with loads in flight, state kept across a group "
              "switch (kinds N, O)",
          .advice =
              "Many experts of few rows are wrong: tiles of several experts in one block, or "
              "counters that wrap. Look at the walk from one expert to the next.",
          .order = 400,
          .draws = kDraws,
          .not_applicable = always_applies,
          .prepare = prepare,
          .run = judge_case_whole};
}

}  // namespace assay
