// The scale of another block, none, or one applied in another way.
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "src/diagnosis/hypotheses/table.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

struct ScaledSide {
  oracle::Factor factor;
  Role role;

  bool is_a() const { return factor == oracle::Factor::kA; }
};
using Sides = std::vector<ScaledSide>;

oracle::Matrix& side_of(oracle::Product& product, const ScaledSide& side) {
  return side.is_a() ? product.a : product.b;
}

Sides scaled_sides(const Evidence& evidence) {
  Sides sides;
  for (const oracle::Factor factor : {oracle::Factor::kA, oracle::Factor::kB}) {
    const Role role = role_of(evidence.problem.spec.pass, factor).role;
    if (evidence.problem.scales[role].present()) { sides.push_back({factor, role}); }
  }
  return sides;
}

// One operand or the other, and both.
std::vector<Sides> sets_of_sides(const Evidence& evidence) {
  const Sides all = scaled_sides(evidence);
  std::vector<Sides> sets;
  for (const ScaledSide& side : all) { sets.push_back({side}); }
  if (all.size() > 1) { sets.push_back(all); }
  return sets;
}

std::string names_of(const Sides& sides) {
  std::string names;
  for (const ScaledSide& side : sides) {
    (names += names.empty() ? "" : " and ") += name(side.role);
  }
  return names;
}

// The blocks of a grid along the reduction and across it.
struct Direction {
  Index& block;
  Index& blocks;
  Index& stride;
};
Direction along(oracle::ScaleGrid& grid, const ScaledSide& side) {
  if (side.is_a()) { return {grid.block_cols, grid.cols, grid.col_stride}; }
  return {grid.block_rows, grid.rows, grid.row_stride};
}
Direction across(oracle::ScaleGrid& grid, const ScaledSide& side) {
  if (side.is_a()) { return {grid.block_rows, grid.rows, grid.row_stride}; }
  return {grid.block_cols, grid.cols, grid.col_stride};
}

oracle::ScaleGrid moved(const oracle::ScaleGrid& grid, const ScaledSide& side, Index along,
                        Index across) {
  return side.is_a() ? grid.moved(across * grid.block_rows, along * grid.block_cols)
                     : grid.moved(along * grid.block_rows, across * grid.block_cols);
}

// Claims about one set of operands.
class Claimer {
 public:
  Claimer(const Evidence& evidence, const Sides& sides, std::vector<Claim>& claims)
      : evidence_(evidence), sides_(sides), names_(names_of(sides)), claims_(claims) {}

  // `sentence` has {} for the operands. change(grid, side, expert) is false where it changes
  // nothing; experts for which no side changes are left out.
  template <class Change>
  void add(std::string_view key, std::string_view sentence, const Change& change) const {
    Claim claim{.key = fmt::format("{} {}", names_, key),
                .sentence = fmt::format(fmt::runtime(sentence), names_)};
    claim.parts = changed_products(evidence_, [&](oracle::Product& product, Index expert) {
      bool changed = false;
      for (const ScaledSide& side : sides_) {
        changed = change(side_of(product, side).scales, side, expert) || changed;
      }
      return changed;
    });
    if (!claim.parts.empty()) { claims_.push_back(std::move(claim)); }
  }

  const Evidence& evidence() const { return evidence_; }

 private:
  const Evidence& evidence_;
  const Sides& sides_;
  std::string names_;
  std::vector<Claim>& claims_;
};

using Grid = oracle::ScaleGrid;

void propose_neighbours(const Claimer& claimer) {
  for (const Index step : {1, -1}) {
    const std::string_view which = step > 0 ? "next" : "previous";
    claimer.add(fmt::format("along {}", step),
                fmt::format("{{}} has the scale of the {} block along the reduction", which),
                [&](Grid& grid, const ScaledSide& side, Index) {
                  if (along(grid, side).blocks < 2) { return false; }
                  grid = moved(grid, side, step, 0);
                  return true;
                });
    claimer.add(fmt::format("across {}", step),
                fmt::format("{{}} has the scale of the {} block across the reduction", which),
                [&](Grid& grid, const ScaledSide& side, Index) {
                  if (across(grid, side).blocks < 2) { return false; }
                  grid = moved(grid, side, 0, step);
                  return true;
                });
  }
}

// `count` blocks have the scale of the first one of them.
bool join_blocks(const Direction& direction, Index count) {
  if (direction.blocks < 2) { return false; }
  direction.block *= count;
  direction.stride *= count;
  direction.blocks = (direction.blocks - 1) / count + 1;
  return true;
}

void propose_first_of_several(const Claimer& claimer) {
  for (const Index tile : {8, 16, 32, 64, 128, 256}) {
    claimer.add(fmt::format("tile {}", tile),
                fmt::format("{} rows or columns of {{}} have the scale of the first one", tile),
                [&](Grid& grid, const ScaledSide& side, Index) {
                  const Index block = across(grid, side).block;
                  if (block >= tile || tile % block != 0) { return false; }
                  return join_blocks(across(grid, side), tile / block);
                });
  }
  for (const Index count : {2, 4}) {
    claimer.add(
        fmt::format("joined {}", count),
        fmt::format("{} blocks of {{}} along the reduction have the scale of the first", count),
        [&](Grid& grid, const ScaledSide& side, Index) {
          return join_blocks(along(grid, side), count);
        });
  }
}

// Blocks that are not reached: the last one, or all but the first.
void propose_stopped(const Claimer& claimer) {
  for (const bool first : {true, false}) {
    claimer.add(first ? "stops at once" : "stops before the last",
                first ? "all of {} along the reduction has its first scale"
                      : "the last block of {} along the reduction has the scale of the one before",
                [&](Grid& grid, const ScaledSide& side, Index) {
                  const Direction direction = along(grid, side);
                  if (direction.blocks < 2) { return false; }
                  direction.blocks = first ? 1 : direction.blocks - 1;
                  return true;
                });
  }
}

void propose_another_length(const Claimer& claimer) {
  for (const bool twice : {true, false}) {
    claimer.add(twice ? "long" : "short",
                fmt::format("the scales of {{}} hold for blocks {} as long along the reduction",
                            twice ? "twice" : "half"),
                [&](Grid& grid, const ScaledSide& side, Index) {
                  const Direction direction = along(grid, side);
                  if (direction.blocks < 2 || (!twice && direction.block % 2 != 0)) {
                    return false;
                  }
                  direction.block = twice ? 2 * direction.block : direction.block / 2;
                  return true;
                });
  }
}

// Points a grid at rows of blocks of the dense scales; false where there are none.
bool point_at(const Claimer& claimer, const ScaledSide& side, Index first, Index end, Grid& grid) {
  const DenseScales& scales = claimer.evidence().problem.scales[side.role];
  if (first < 0 || first >= end || end > scales.rows) { return false; }
  grid.data = scales.element(first, 0);
  const bool turned = role_of(claimer.evidence().problem.spec.pass, side.factor).transposed;
  (turned ? grid.cols : grid.rows) = end - first;
  return true;
}

void propose_other_experts(const Claimer& claimer) {
  const Evidence& evidence = claimer.evidence();
  const auto from = [&](Grid& grid, const ScaledSide& side, Index expert, Index other) {
    const DenseScales& scales = evidence.problem.scales[side.role];
    if (scales.shared || other < 0 || other >= evidence.experts()) { return false; }
    return other == expert ||
           point_at(claimer, side, scales.first[other], scales.first[other + 1], grid);
  };
  if (evidence.experts() < 2) { return; }
  claimer.add("expert 0", "every expert's {} has the scales of expert 0",
              [&](Grid& grid, const ScaledSide& side, Index expert) {
                return from(grid, side, expert, 0);
              });
  for (const Index step : {1, -1}) {
    claimer.add(fmt::format("expert {}", step),
                fmt::format("{{}} has the scales of the {} expert", step > 0 ? "next" : "previous"),
                [&](Grid& grid, const ScaledSide& side, Index expert) {
                  return from(grid, side, expert, expert + step);
                });
  }
}

// Rows of an expert whose scales are looked for at another place of the batch.
void propose_miscounted_rows(const Claimer& claimer) {
  const Problem& problem = claimer.evidence().problem;
  const auto begin_at = [&](std::string_view key, std::string_view sentence, Index least_block,
                            const auto& first) {
    claimer.add(key, sentence, [&](Grid& grid, const ScaledSide& side, Index expert) {
      const DenseScales& scales = problem.scales[side.role];
      const bool aligned = scale_starts_of(problem.spec) == ScaleStarts::kAligned;
      if (!scales.by_rows() || aligned || scales.block_rows < least_block) { return false; }
      return point_at(claimer, side, first(scales, expert), scales.rows, grid);
    });
  };
  begin_at("batch", "scales of {} are counted from the first row of the batch in every expert", 1,
           [](const DenseScales&, Index) { return Index{0}; });
  begin_at("whole", "scales of {} leave out the short last block of the experts before", 2,
           [&](const DenseScales& scales, Index expert) {
             Index blocks = 0;
             for (Index before = 0; before < expert; ++before) {
               blocks += problem.spec.rows[before] / scales.block_rows;
             }
             return blocks;
           });
  begin_at("start", "scales of {} begin at the expert's first row divided by the block", 2,
           [&](const DenseScales& scales, Index expert) {
             return problem.layout.starts[expert] / scales.block_rows;
           });
}

void propose_transposed(const Claimer& claimer) {
  claimer.add("transposed", "the scales of {} are read in the other order of rows and columns",
              [](Grid& grid, const ScaledSide&, Index) {
                if (grid.rows < 2 || grid.cols < 2) { return false; }
                const bool by_rows = grid.col_stride == 1;
                grid.row_stride = by_rows ? 1 : grid.cols;
                grid.col_stride = by_rows ? grid.rows : 1;
                return true;
              });
}

}  // namespace

void propose_scales_left_out(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Sides& sides : sets_of_sides(evidence)) {
    Claimer(evidence, sides, claims)
        .add("left out", "the scales of {} are not applied",
             [](Grid& grid, const ScaledSide&, Index) { return grid = {}, true; });
  }
}

void propose_scale_of_another_block(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Sides& sides : sets_of_sides(evidence)) {
    const Claimer claimer(evidence, sides, claims);
    propose_other_experts(claimer);
    propose_neighbours(claimer);
    propose_first_of_several(claimer);
    propose_stopped(claimer);
    propose_another_length(claimer);
    propose_miscounted_rows(claimer);
    propose_transposed(claimer);
  }
}

namespace {

// Other numbers for a scale.
struct Misreading {
  const char* key;
  const char* sentence;
  double (*of)(double scale);
};
constexpr Misreading kMisreadings[] = {
    {"twice", "the scales of {} are applied twice", [](double s) { return s * s; }},
    {"doubled", "the scales of {} are taken twice as large", [](double s) { return 2 * s; }},
    {"halved", "the scales of {} are taken half as large", [](double s) { return s / 2; }},
    {"inverse", "{} is divided by its scales", [](double s) { return 1 / s; }},
    {"bf16", "the scales of {} are rounded to bf16",
     [](double s) { return decode(Format::kBf16, encode(Format::kBf16, s)); }},
    {"power", "the scales of {} are cut to powers of two",
     [](double s) { return s > 0 ? std::exp2(std::floor(std::log2(s))) : s; }},
    {"up", "the scales of {} are one unit in the last place too large",
     [](double s) { return double{std::nextafter(static_cast<float>(s), 3e38F)}; }},
    {"down", "the scales of {} are one unit in the last place too small",
     [](double s) { return double{std::nextafter(static_cast<float>(s), 0.0F)}; }},
    {"zero", "zero scales of {} are taken for 1", [](double s) { return s == 0 ? 1 : s; }},
    {"nan", "NaN scales of {} are taken for an infinity",
     [](double s) { return std::isnan(s) ? double{HUGE_VAL} : s; }}};

using Floats = std::shared_ptr<const std::vector<std::byte>>;

Floats misread(const DenseScales& scales, const Misreading& reading) {
  auto floats = std::make_shared<std::vector<std::byte>>();
  for (Index row = 0; row < scales.rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) {
      const double scale = decode(scales.format, scales.load(row, col));
      const auto value = static_cast<float>(reading.of(scale));
      const auto* bytes = reinterpret_cast<const std::byte*>(&value);
      floats->insert(floats->end(), bytes, bytes + sizeof value);
    }
  }
  return floats;
}

void claim_misreading(const Evidence& evidence, const Misreading& reading, const Sides& sides,
                      std::vector<Claim>& claims) {
  PerOperand<Floats> floats;
  for (const ScaledSide& side : sides) {
    floats[side.role] = misread(evidence.problem.scales[side.role], reading);
  }
  const std::size_t before = claims.size();
  Claimer(evidence, sides, claims)
      .add(reading.key, reading.sentence, [&](Grid& grid, const ScaledSide& side, Index expert) {
        const DenseScales& scales = evidence.problem.scales[side.role];
        grid.format = oracle::ScaleFormat::kFp32;
        grid.data = floats[side.role]->data() +
                    scales.first[expert] * scales.cols * static_cast<Index>(sizeof(float));
        return true;
      });
  for (std::size_t i = before; i < claims.size(); ++i) {
    for (ClaimedPart& part : claims[i].parts) {
      for (const ScaledSide& side : sides) { part.storage.push_back(floats[side.role]); }
    }
  }
}

}  // namespace

void propose_scale_misread(const Evidence& evidence, std::vector<Claim>& claims) {
  for (const Sides& sides : sets_of_sides(evidence)) {
    for (const Misreading& reading : kMisreadings) {
      claim_misreading(evidence, reading, sides, claims);
    }
  }
}

}  // namespace assay
