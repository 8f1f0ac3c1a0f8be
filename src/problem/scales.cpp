#include "src/problem/scales.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/problem/power_of_two.h"
#include "src/problem/problem.h"
#include "src/problem/rng.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

constexpr std::uint64_t kScaleChild = 300;
// Of exact fills: 2^0 to 2^4, e4m3 codes stay normal numbers; or 2^0 to 2^3, which the fill pays
// for.
constexpr int kExponents = 5, kPaidExponents = 4;
// And 2^-1 to 2^-4 for tensors: with what blocks have for that, 2^8 at most, as e4m3 holds.
constexpr int kTensorExponents = 4;
constexpr int kOutputExponents = 4;  // 2^-1 to 2^-4 likewise
constexpr Index kOfTensor = -1;      // in the place of a block

struct FormatAndBlock {
  ScaleFormat format;
  ScaleBlock block;
  bool tensor_scale = false;
};

FormatAndBlock block_of(const Scaling& scaling, Role role) {
  constexpr Index kDeepSeek = 128, kMx = 32, kNv = 16;
  switch (scaling.recipe) {
    case Recipe::kRow:
      return {ScaleFormat::kFp32, {1, 0}};
    case Recipe::kBlock128:
      return {ScaleFormat::kFp32, {role == Role::kW ? kDeepSeek : 1, kDeepSeek}};
    case Recipe::kMx:
      return {ScaleFormat::kE8m0, {1, kMx}};
    case Recipe::kNv:
      return {ScaleFormat::kE4m3, {1, kNv}, true};
    case Recipe::kBlocks:
      return {scaling.format, scaling.block};
    default:
      return {ScaleFormat::kFp32, {}};
  }
}

struct BlockPlace {
  Index expert, row, col;
  Index blocks;  // of the expert, so that a single one keeps its value
};

class ScaleValues {
 public:
  ScaleValues(const CaseSpec& spec, Role role, ScaleFormat format, bool of_tensors)
      : spec_(spec), role_(role), format_(format), of_tensors_(of_tensors) {}

  std::uint32_t at(const BlockPlace& place) const {
    if (role_ == output_role(spec_.pass)) { return of_output(place); }
    if (is_exact(spec_.fill)) {
      const int exponent = exact_scale_exponent(spec_, role_, place.expert, place.row, place.col);
      return encode(format_, power_of_two(exponent - tensor_exponent(place.expert)));
    }
    const std::uint64_t word = random_at(place);
    constexpr Index kLeastBlocks = 4;  // fewer would leave nothing untouched
    if (spec_.fill == Fill::kSpecial && place.blocks >= kLeastBlocks && word % 16 < 4) {
      return special(word);
    }
    const int exponent = -static_cast<int>((word >> 8) % 7);
    const double fraction = 0.5 + static_cast<double>((word >> 16) & 0x7fffff) * 0x1p-24;
    return encode(format_, fraction * power_of_two(exponent));
  }

  // Of an expert's w; of all of x or y that of expert 0.
  float of_tensor(Index expert) const {
    if (is_exact(spec_.fill)) { return static_cast<float>(power_of_two(tensor_exponent(expert))); }
    const ScaleValues floats(spec_, role_, ScaleFormat::kFp32, false);
    const bool for_all = role_ != Role::kW;
    const BlockPlace place{expert, kOfTensor, kOfTensor, for_all ? 1 : spec_.experts()};
    // NaN for all rows leaves nothing else to see: in one case of eight.
    if (for_all && spec_.fill == Fill::kSpecial && floats.random_at(place) % 8 == 0) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    return static_cast<float>(decode(ScaleFormat::kFp32, floats.at(place)));
  }

 private:
  int tensor_exponent(Index expert) const {
    return of_tensors_ ? turned_exponent(kScaleChild + 1, kTensorExponents, expert) : 0;
  }
  // -1 to -count, neighbouring experts differently.
  int turned_exponent(std::uint64_t child, int count, Index expert) const {
    const std::uint64_t phase =
        child_state(child_state(spec_.seed, child), static_cast<std::uint64_t>(role_)) %
        static_cast<std::uint64_t>(count);
    const Index own = role_ == Role::kW ? expert : 0;
    return -1 - static_cast<int>((static_cast<Index>(phase) + 3 * own) % count);
  }

  // What a sum is multiplied by: finite and above zero.
  std::uint32_t of_output(const BlockPlace& place) const {
    if (spec_.fill == Fill::kCoded) { return encode(format_, 1); }
    if (is_exact(spec_.fill)) {
      const int exponent = turned_exponent(kScaleChild + 2, kOutputExponents, place.expert);
      return encode(format_, power_of_two(exponent));
    }
    const std::uint64_t word = random_at(place);
    const bool extreme = spec_.fill == Fill::kSpecial && role_ == Role::kW;
    if (extreme && word % 4 == 0) {
      return encode(format_, power_of_two((word & 4) != 0 ? 8 : -8));
    }
    const double fraction = 0.5 + static_cast<double>((word >> 16) & 0x7fffff) * 0x1p-24;
    return encode(format_, fraction * power_of_two(-static_cast<int>((word >> 8) % 6)));
  }

  std::uint64_t random_at(const BlockPlace& place) const {
    std::uint64_t state = child_state(mix_bits(spec_.seed), kScaleChild);
    for (const std::uint64_t of :
         {static_cast<std::uint64_t>(role_), static_cast<std::uint64_t>(place.expert),
          static_cast<std::uint64_t>(place.row), static_cast<std::uint64_t>(place.col)}) {
      state = child_state(state, of);
    }
    return state;
  }

  std::uint32_t special(std::uint64_t word) const {
    const bool has_zero = format_ != ScaleFormat::kE8m0;
    switch ((word >> 4) & 3) {
      case 0:
        return traits(format_).nan;
      case 1:
        return encode(format_, has_zero ? 0 : power_of_two(-20));
      case 2:
        return encode(format_, format_ == ScaleFormat::kE4m3 ? 256 : power_of_two(20));
      default:
        // Of one operand alone: the product of two such scales is a zero.
        return encode(format_,
                      role_ == operation(spec_.pass).a.role && has_zero
                          ? format_ == ScaleFormat::kE4m3 ? power_of_two(-9) : power_of_two(-130)
                          : power_of_two(-7));
    }
  }

  const CaseSpec& spec_;
  Role role_;
  ScaleFormat format_;
  bool of_tensors_;
};

}  // namespace

std::optional<OperandBlock> scale_block(const CaseSpec& spec, Role role) {
  if (role != output_role(spec.pass)) { return input_block(spec, role); }
  return spec.out.scaled ? std::optional(OperandBlock{}) : std::nullopt;
}

std::optional<OperandBlock> input_block(const CaseSpec& spec, Role role) {
  const Operation& op = operation(spec.pass);
  if (!op.reads(role)) { return std::nullopt; }
  const Scaling& scaling = spec.in.of(spec.pass, role).scaling;
  if (!scaling.present()) { return std::nullopt; }
  const auto [format, block, tensor] = block_of(scaling, role);
  const bool is_a = role == op.a.role;
  // Rows of A and columns of B are across; a transposed operand has its own axes the other way.
  const bool across_is_rows = is_a != (is_a ? op.a : op.b).transposed;
  return across_is_rows ? OperandBlock{format, block.across, block.along, tensor}
                        : OperandBlock{format, block.along, block.across, tensor};
}

std::uint32_t DenseScales::load(Index row, Index col) const {
  std::uint32_t code = 0;
  std::memcpy(&code, element(row, col),
              static_cast<std::size_t>(traits(format).size_bytes));  // little-endian hosts
  return code;
}

void DenseScales::store(Index row, Index col, std::uint32_t code) {
  std::memcpy(element(row, col), &code, static_cast<std::size_t>(traits(format).size_bytes));
}

Index scale_blocks(Index length, Index block) {
  return block == 0 ? 1 : (length + block - 1) / block;
}

DenseScales lay_out_scales(const CaseSpec& spec, Role role) {
  DenseScales scales;
  const std::optional<OperandBlock> block = scale_block(spec, role);
  if (!block) { return scales; }
  scales.format = block->format;
  scales.block_rows = block->rows;
  scales.block_cols = block->cols;
  const MatrixAxes axes = axes_of(role);
  scales.cols = scale_blocks(axis_sizes(spec, 0)[axes.cols], block->cols);
  scales.jagged = axes.rows == Axis::kRows;
  scales.shared = scales.jagged && block->rows == 0 && block->cols == 0;
  Index row = 0;
  for (const Index rows : spec.rows) {
    scales.first.push_back(row);
    if (!scales.shared) { row += scale_blocks(axis_sizes(spec, rows)[axes.rows], block->rows); }
  }
  scales.first.push_back(row);
  scales.rows = scales.shared ? 1 : row;
  if (block->tensor_scale) { scales.tensors = scales.jagged ? 1 : spec.experts(); }
  return scales;
}

DenseScales make_scales(const CaseSpec& spec, Role role) {
  DenseScales scales = lay_out_scales(spec, role);
  if (!scales.present()) { return scales; }
  scales.bits.resize(static_cast<std::size_t>(scales.bytes()));
  const ScaleValues values(spec, role, scales.format, scales.tensors > 0);
  for (Index tensor = 0; tensor < scales.tensors; ++tensor) {
    scales.tensor_scales.push_back(
        values.of_tensor(scales.jagged ? 0 : weights_owner(spec, tensor)));
  }
  const Index experts = scales.shared ? 1 : spec.experts();
  for (Index expert = 0; expert < experts; ++expert) {
    const Index owner = role == Role::kW ? weights_owner(spec, expert) : expert;
    const Index first = scales.first[expert];
    const Index count = scales.shared ? 1 : scales.first[expert + 1] - first;
    for (Index row = 0; row < count; ++row) {
      for (Index col = 0; col < scales.cols; ++col) {
        scales.store(first + row, col, values.at({owner, row, col, count * scales.cols}));
      }
    }
  }
  return scales;
}

void fill_scales(DenseScales& scales, double value) {
  const std::uint32_t code = encode(scales.format, value);
  for (Index row = 0; row < scales.rows; ++row) {
    for (Index col = 0; col < scales.cols; ++col) { scales.store(row, col, code); }
  }
}

bool has_room_for_scales(Format format) { return traits(format).min_exponent <= 1 - kExponents; }

int exact_scale_bits(const CaseSpec& spec, Role role) {
  const bool pays = input_block(spec, role) && !has_room_for_scales(format_of(spec, role));
  // The digits of the coded fill are read as they are: its scales are 1.
  return pays && spec.fill != Fill::kCoded ? kPaidExponents - 1 : 0;
}

int exact_scale_bits(const CaseSpec& spec) {
  const Operation& op = operation(spec.pass);
  return exact_scale_bits(spec, op.a.role) + exact_scale_bits(spec, op.b.role);
}

int exact_scale_exponent(const CaseSpec& spec, Role role, Index expert, Index block_row,
                         Index block_col) {
  const bool room = has_room_for_scales(format_of(spec, role));
  if (!room && spec.fill == Fill::kCoded) { return 0; }
  const std::uint64_t phase =
      child_state(child_state(spec.seed, kScaleChild), static_cast<std::uint64_t>(role)) % 16;
  return static_cast<int>((static_cast<Index>(phase) + 3 * expert + block_row + 2 * block_col) %
                          (room ? kExponents : kPaidExponents));
}

}  // namespace assay
