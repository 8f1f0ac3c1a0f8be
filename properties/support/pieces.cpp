#include "properties/support/pieces.h"

#include <numeric>
#include <utility>

#include "properties/generators/fit.h"
#include "src/core/require.h"

namespace assay {
namespace {

Index row_bytes(const DenseOperand& operand) { return operand.cols * size_bytes(operand.format); }

void append_rows(DenseOperand& to, const DenseOperand& from, Index first, Index count) {
  const auto begin = from.bits.begin() + first * row_bytes(from);
  to.bits.insert(to.bits.end(), begin, begin + count * row_bytes(from));
  to.rows += count;
}

// Scales of the piece's blocks of rows, or of its expert.
void append_scales(DenseScales& to, const DenseScales& from, const Piece& piece) {
  if (!from.present()) { return; }
  Index first = from.first[piece.source], count = from.first[piece.source + 1] - first;
  if (from.shared) { count = to.bits.empty() ? 1 : 0; }
  if (from.tensors > 0 && (to.tensor_scales.empty() || !from.jagged)) {
    to.tensor_scales.push_back(from.tensor_scale(piece.source));
  }
  if (from.by_rows()) {
    first += piece.first / from.block_rows;
    count = scale_blocks(piece.count, from.block_rows);
  }
  const std::byte* begin = from.element(first, 0);
  to.bits.insert(to.bits.end(), begin, begin + (from.element(first + count, 0) - begin));
  to.rows += count;
}

void place(Problem& problem) {
  problem.layout = lay_out_rows(problem.spec);
  problem.offsets = encode_offsets(problem.layout, problem.spec.offsets, frame_of(problem.spec));
  problem.dense_starts.assign(1, 0);
  for (const Index count : problem.spec.rows) {
    problem.dense_starts.push_back(problem.dense_starts.back() + count);
  }
}

}  // namespace

std::vector<Piece> all_pieces(const Problem& problem) {
  std::vector<Piece> pieces;
  for (Index expert = 0; expert < problem.spec.experts(); ++expert) {
    pieces.push_back({expert, 0, problem.spec.rows[expert]});
  }
  return pieces;
}

Problem with_pieces(const Problem& problem, const std::vector<Piece>& pieces,
                    const Manifest& manifest) {
  Problem result;
  result.spec = problem.spec;
  result.spec.rows.clear();
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    result.operands[role].format = problem.operands[role].format;
    result.operands[role].cols = problem.operands[role].cols;
  }
  result.bias.format = problem.bias.format;
  result.bias.cols = problem.bias.cols;
  const Index weight_rows = problem.operands.w.rows / problem.spec.experts();
  const Index multiple = cut_multiple(problem);
  for (const Piece& piece : pieces) {
    ASSAY_REQUIRE(piece.first + piece.count <= problem.spec.rows[piece.source], piece.source,
                  piece.first, piece.count);
    const Index first = problem.dense_starts[piece.source] + piece.first;
    result.spec.rows.push_back(piece.count);
    append_rows(result.operands.x, problem.operands.x, first, piece.count);
    append_rows(result.operands.y, problem.operands.y, first, piece.count);
    append_rows(result.operands.w, problem.operands.w, piece.source * weight_rows, weight_rows);
    if (problem.spec.bias) { append_rows(result.bias, problem.bias, piece.source, 1); }
    ASSAY_REQUIRE(piece.first % multiple == 0, piece.first, multiple);
    for (const Role role : kAllRoles) {
      append_scales(result.scales[role], problem.scales[role], piece);
    }
  }
  // Those that shared a matrix may now be others.
  if (result.spec.pointers == Pointers::kShared) { result.spec.pointers = Pointers::kScattered; }
  fit_places(result.spec, manifest);
  for (const Role role : kAllRoles) {
    const DenseScales laid_out = lay_out_scales(result.spec, role);
    DenseScales& scales = result.scales[role];
    ASSAY_REQUIRE(std::ssize(scales.bits) == laid_out.bytes(), name(role), scales.bits.size());
    std::vector<std::byte> bits = std::move(scales.bits);
    std::vector<float> tensor_scales = std::move(scales.tensor_scales);
    ASSAY_REQUIRE(std::ssize(tensor_scales) == laid_out.tensors, name(role), laid_out.tensors);
    scales = laid_out;
    scales.bits = std::move(bits);
    scales.tensor_scales = std::move(tensor_scales);
  }
  place(result);
  return result;
}

Index cut_multiple(const Problem& problem) {
  Index multiple = 1;
  for (const Role role : kAllRoles) {
    const DenseScales& scales = problem.scales[role];
    if (scales.by_rows()) { multiple = std::lcm(multiple, scales.block_rows); }
  }
  return multiple;
}

bool has_values_of(const CaseSpec& spec, const CaseSpec& other) {
  CaseSpec placed = spec;
  placed.offsets = other.offsets;
  placed.told = other.told;
  placed.pad = other.pad;
  placed.cap = other.cap;
  placed.tail = other.tail;
  placed.ld = other.ld;
  placed.wpitch = other.wpitch;
  placed.base = other.base;
  placed.scale_pitch = other.scale_pitch;
  placed.scale_layout = other.scale_layout;
  placed.scale_starts = other.scale_starts;
  placed.tactic = other.tactic;
  // Experts that share a matrix have other values.
  const bool shared = other.pointers == Pointers::kShared;
  if ((spec.pointers == Pointers::kShared) == shared) { placed.pointers = other.pointers; }
  return placed == other;
}

Problem relaid(const Problem& problem, const CaseSpec& spec) {
  ASSAY_REQUIRE(spec.rows == problem.spec.rows);
  Problem result = problem;
  result.spec = spec;
  place(result);
  return result;
}

ByteRange output_bytes(const Problem& problem, Index expert) {
  const DenseOperand& output = problem.output();
  if (reduces_rows(problem.spec.pass)) {
    const Index rows = output.rows / problem.spec.experts();
    return {expert * rows * row_bytes(output), rows * row_bytes(output)};
  }
  return {problem.dense_starts[expert] * row_bytes(output),
          problem.spec.rows[expert] * row_bytes(output)};
}

}  // namespace assay
