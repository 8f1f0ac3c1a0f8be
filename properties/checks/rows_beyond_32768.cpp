// More rows than 16 bits count, signed or not, in one expert and in total.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "properties/generators/draw.h"
#include "properties/support/case_run.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

// Beyond 2^15 and 2^16 in one expert and in total, a multiple of 2^16 itself, which is 0 in 16
// bits, and many rows of many experts.
const std::vector<Index> kRows[] = {
    {3, 32769, 2},
    {5, 65537, 1},
    {65536},
    std::vector<Index>(17, 4096),
    {1, 0, 70000},
    std::vector<Index>(64, 1024),
    std::vector<Index>(9, 3700),
    {2, 131073},
    std::vector<Index>(256, 300),
    {0, 131072, 3},
    {32768, 0, 32768},
};
// A CPU has not the time for these.
const std::vector<Index> kRowsOnADevice[] = {{7, (Index{1} << 20) + 1, 3}, {Index{1} << 21, 1}};

constexpr Index kSide = 4;  // of k and n: the rows are what counts

void enumerate(CaseSpec& spec, const Manifest& manifest, Index index) {
  std::vector<std::vector<Index>> kinds(std::begin(kRows), std::end(kRows));
  if (manifest.device == "cuda") {
    kinds.insert(kinds.begin(), std::begin(kRowsOnADevice), std::end(kRowsOnADevice));
  }
  const Index kind = index % std::ssize(kinds), round = index / std::ssize(kinds);
  set_nth_pass(spec, manifest, kind + round);
  spec.rows = kinds[kind];
  spec.k = align_up(kSide, manifest.k_multiple);
  spec.n = align_up(kSide, manifest.n_multiple);
  spec.pad = 1;
  spec.tail = 0;
  const bool buffers = traits(spec.offsets.convention).has_buffers;
  spec.cap = buffers ? *std::ranges::max_element(spec.rows) : 0;
  settle_fill(spec);
}

std::optional<std::string> not_applicable(const Manifest& manifest) {
  constexpr Index kBorder = 32768;
  if (manifest.max_rows == 0 || manifest.max_rows > kBorder) { return std::nullopt; }
  return "the manifest declares at most " + std::to_string(manifest.max_rows) + " rows";
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 112, .quick = 6, .ci = 22, .peers = 13, .full = 66},
};

}  // namespace

Check rows_beyond_32768() {
  return {.name = "rows_beyond_32768",
          .summary = "More rows than 16 bits count, signed or not, in one expert and in total.",
          .guards_against = "16-bit row indices and counts (kind J)",
          .advice = "A row number was kept in 16 bits, or a grid dimension beyond 65,535 was used.",
          .order = 430,
          .draws = kDraws,
          .not_applicable = not_applicable,
          .prepare = nullptr,
          .run = judge_case_whole,
          .enumerate = enumerate};
}

}  // namespace assay
