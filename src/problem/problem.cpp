#include "src/problem/problem.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "src/core/parallel.h"
#include "src/core/require.h"
#include "src/problem/case_text.h"
#include "src/problem/fill_source.h"
#include "src/problem/format_bits.h"
#include "src/problem/quantise.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

constexpr Index kTurnedTile = 64;
constexpr Index kPieceElements = Index{1} << 18;
constexpr Index kParallelElements = Index{1} << 20;  // below, threads cost more than they save

// Lines of one part, made by one thread.
struct Piece {
  Role role;
  Index expert, first_line, lines;
};

Side side_of(Pass pass, Role role) {
  if (role == output_role(pass)) { return Side::kC; }
  return role == operation(pass).a.role ? Side::kA : Side::kB;
}

// Codes of an exact fill whose blocks have scales: smaller by the scale, a power of two.
class ScaledSource final : public LineSource {
 public:
  ScaledSource(std::unique_ptr<LineSource> numbers, const FillPart& part, const OperandBlock& block)
      : numbers_(std::move(numbers)),
        part_(part),
        block_(block),
        layout_(format_bits(part.format)) {}

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    numbers_->read(line, first, count, codes);
    const std::uint32_t magnitude = (std::uint32_t{1} << layout_.sign_bit) - 1;
    for (Index i = 0; i < count; ++i) {
      if ((codes[i] & magnitude) == 0) { continue; }
      codes[i] -= static_cast<std::uint32_t>(exponent(line, first + i)) << layout_.fraction_bits;
    }
  }

 private:
  int exponent(Index line, Index position) const {
    // A line of w is a column of it.
    const Index row = part_.role == Role::kW ? position : line;
    const Index col = part_.role == Role::kW ? line : position;
    const bool shared = part_.role != Role::kW && block_.rows == 0 && block_.cols == 0;
    return exact_scale_exponent(*part_.spec, part_.role, shared ? 0 : part_.expert,
                                block_.rows == 0 ? 0 : row / block_.rows,
                                block_.cols == 0 ? 0 : col / block_.cols);
  }

  std::unique_ptr<LineSource> numbers_;
  FillPart part_;
  OperandBlock block_;
  FormatBits layout_;
};

std::unique_ptr<LineSource> make_exact_numbers(const FillPart& part) {
  return part.spec->fill == Fill::kCoded ? make_coded_source(part) : make_exact_source(part);
}

std::unique_ptr<LineSource> make_source(const FillPart& part) {
  if (!is_exact(part.spec->fill)) { return make_real_source(part); }
  std::unique_ptr<LineSource> numbers = make_exact_numbers(part);
  const std::optional<OperandBlock> block = input_block(*part.spec, part.role);
  if (!block || !has_room_for_scales(part.format)) { return numbers; }
  return std::make_unique<ScaledSource>(std::move(numbers), part, *block);
}

// Narrows codes to the format's bytes at address, address + stride, ...
template <class Code>
void store_codes(const std::uint32_t* codes, Index count, std::byte* address) {
  auto* out = reinterpret_cast<Code*>(address);  // dense operands are aligned to their elements
  for (Index i = 0; i < count; ++i) { out[i] = static_cast<Code>(codes[i]); }
}

void store_codes(Format format, const std::uint32_t* codes, Index count, std::byte* address) {
  switch (size_bytes(format)) {
    case 1:
      return store_codes<std::uint8_t>(codes, count, address);
    case 2:
      return store_codes<std::uint16_t>(codes, count, address);
    default:
      return store_codes<std::uint32_t>(codes, count, address);
  }
}

void fill_lines(LineSource& source, const Piece& piece, const FillPart& part, DenseOperand& operand,
                Index first_row) {
  std::array<std::uint32_t, LineSource::kChunk> codes;
  for (Index line = piece.first_line; line < piece.first_line + piece.lines; ++line) {
    for (Index first = 0; first < part.positions; first += LineSource::kChunk) {
      const Index count = std::min(LineSource::kChunk, part.positions - first);
      source.read(line, first, count, codes.data());
      store_codes(operand.format, codes.data(), count, operand.element(first_row + line, first));
    }
  }
}

// w [k, n]: a line is a column, so tiles of lines are turned before they are stored.
void fill_columns(LineSource& source, const Piece& piece, const FillPart& part,
                  DenseOperand& operand, Index first_row) {
  std::array<std::uint32_t, kTurnedTile * kTurnedTile> codes, turned;
  for (Index first = 0; first < part.positions; first += kTurnedTile) {
    const Index count = std::min(kTurnedTile, part.positions - first);
    for (Index tile = 0; tile < piece.lines; tile += kTurnedTile) {
      const Index lines = std::min(kTurnedTile, piece.lines - tile);
      for (Index i = 0; i < lines; ++i) {
        source.read(piece.first_line + tile + i, first, count,
                    codes.data() + static_cast<std::size_t>(i * kTurnedTile));
      }
      for (Index position = 0; position < count; ++position) {
        for (Index i = 0; i < lines; ++i) {
          turned[position * kTurnedTile + i] = codes[i * kTurnedTile + position];
        }
        store_codes(operand.format,
                    turned.data() + static_cast<std::size_t>(position * kTurnedTile), lines,
                    operand.element(first_row + first + position, piece.first_line + tile));
      }
    }
  }
}

void fill_piece(Problem& problem, int exact_bits, Index most_rows, const Piece& piece) {
  const FillPart part =
      describe_part(problem.spec, exact_bits, most_rows, piece.role, piece.expert);
  const std::unique_ptr<LineSource> source = make_source(part);
  DenseOperand& operand = problem.operands[piece.role];
  if (piece.role != Role::kW) {
    const Index first_row = problem.dense_starts[piece.expert];
    return fill_lines(*source, piece, part, operand, first_row);
  }
  const bool enk = problem.spec.weights == WeightsLayout::kEnk;
  const Index first_row = piece.expert * (enk ? part.lines : part.positions);
  enk ? fill_lines(*source, piece, part, operand, first_row)
      : fill_columns(*source, piece, part, operand, first_row);
}

// One line an expert.
void fill_bias(Problem& problem, int exact_bits, Index most_rows) {
  const CaseSpec& spec = problem.spec;
  DenseOperand& bias = problem.bias;
  bias.format = *spec.bias;
  bias.rows = spec.experts();
  bias.cols = spec.n;
  bias.bits.resize(static_cast<std::size_t>(bias.rows * bias.cols * size_bytes(bias.format)));
  for (Index expert = 0; expert < bias.rows; ++expert) {
    FillPart part = describe_part(spec, exact_bits, most_rows, Role::kY, expert);
    part.format = bias.format;
    part.lines = 1;
    const std::unique_ptr<LineSource> source =
        is_exact(spec.fill) ? make_exact_numbers(part) : make_real_source(part);
    fill_lines(*source, {Role::kY, expert, 0, 1}, part, bias, expert);
  }
}

// Without the operands that are quantised, where they are.
std::vector<Piece> cut_into_pieces(const CaseSpec& spec, bool quantises) {
  std::vector<Piece> pieces;
  for (const Role role : kAllRoles) {
    if (role == output_role(spec.pass) && spec.acc == 0) { continue; }
    if (quantises && is_quantised(spec, role)) { continue; }
    const Index positions = role == Role::kY ? spec.n : spec.k;
    const Index step = (kPieceElements / positions / kTurnedTile + 1) * kTurnedTile;
    for (Index expert = 0; expert < spec.experts(); ++expert) {
      const Index lines = role == Role::kW ? spec.n : spec.rows[expert];
      for (Index line = 0; line < lines; line += step) {
        pieces.push_back({role, expert, line, std::min(step, lines - line)});
      }
    }
  }
  return pieces;
}

void size_operands(Problem& problem) {
  const CaseSpec& spec = problem.spec;
  const Index rows = problem.dense_starts.back();
  const auto size = [&](Role role, Index operand_rows) {
    DenseOperand& operand = problem.operands[role];
    const Index cols = storage_cols(spec, role);
    operand.format = format_of(spec, role);
    operand.rows = operand_rows;
    operand.cols = cols;
    operand.bits.resize(static_cast<std::size_t>(operand_rows * cols * size_bytes(operand.format)));
  };
  size(Role::kX, rows);
  size(Role::kY, rows);
  size(Role::kW, spec.experts() * storage_rows(spec));
}

}  // namespace

FillPart describe_part(const CaseSpec& spec, int exact_bits, Index most_rows, Role role,
                       Index expert) {
  FillPart part;
  part.spec = &spec;
  part.exact_bits = exact_bits;
  part.most_rows = most_rows;
  part.expert = expert;
  part.role = role;
  part.side = side_of(spec.pass, role);
  part.format = format_of(spec, role);
  const Index rows = spec.rows[expert];
  part.lines = role == Role::kW ? spec.n : rows;
  part.positions = role == Role::kY ? spec.n : spec.k;
  const Operation& op = operation(spec.pass);
  part.reduction = axis_sizes(spec, rows)[op.depth()];
  // x and y have lines of rows, w has a line for each n.
  const Axis summed = role == op.b.role ? op.b.rows() : op.depth();
  part.reduces_lines = summed == Axis::kRows || (role == Role::kW && summed == Axis::kN);
  const auto state_of = [&](Index of) {
    return child_state(mix_bits(spec.seed), static_cast<std::uint64_t>(of));
  };
  const Index owner = weights_owner(spec, expert);
  if (role == Role::kW) { part.expert = owner; }
  // Both factors of a product are made from one plan, even where the weights are another expert's.
  part.expert_state = state_of(owner);
  part.state = child_state(state_of(part.expert), static_cast<std::uint64_t>(role));
  return part;
}

namespace {

// The case with numbers of fp32 in the place of codes and scales.
CaseSpec before_quantising(const CaseSpec& spec) {
  CaseSpec real = spec;
  for (Input* input : {&real.in.a, &real.in.b}) {
    if (input->scaling.present()) { *input = {.format = Format::kFp32}; }
  }
  real.out = Format::kFp32;
  real.acc = 0;
  real.bias.reset();
  real.base = {};
  return real;
}

}  // namespace

Problem make_problem(const CaseSpec& spec, const ProblemOptions& options) {
  const Status valid = check_case(spec);
  ASSAY_REQUIRE(valid.has_value(), valid.error().message);
  Problem problem;
  problem.spec = spec;
  problem.layout = lay_out_rows(spec);
  problem.offsets = encode_offsets(problem.layout, spec.offsets, frame_of(spec));
  problem.dense_starts.push_back(0);
  Index most_rows = 0;
  for (const Index rows : spec.rows) {
    problem.dense_starts.push_back(problem.dense_starts.back() + rows);
    most_rows = std::max(most_rows, rows);
  }
  size_operands(problem);
  for (const Role role : kAllRoles) { problem.scales[role] = make_scales(spec, role); }
  const CaseSpec real = before_quantising(spec);
  // Numbers of fp32 may be too many where codes are not.
  const bool quantises =
      spec.fill == Fill::kNormal && spec.in.scaled() && check_case(real).has_value();
  const std::vector<Piece> pieces = cut_into_pieces(spec, quantises);
  Index elements = 0;
  for (const Piece& piece : pieces) {
    elements += piece.lines * (piece.role == Role::kY ? spec.n : spec.k);
  }
  const int threads = elements < kParallelElements ? 1 : options.threads;
  parallel_for(static_cast<Index>(pieces.size()), threads, [&](int, Index i) {
    fill_piece(problem, options.exact_bits, most_rows, pieces[i]);
  });
  if (spec.bias) { fill_bias(problem, options.exact_bits, most_rows); }
  if (!quantises) { return problem; }
  const Problem numbers = make_problem(real, options);
  for (const Role role : kAllRoles) {
    if (is_quantised(spec, role)) { quantise(spec, role, numbers.operands[role], problem); }
  }
  return problem;
}

bool has_special_values(Fill fill) { return fill == Fill::kSpecial || fill == Fill::kExtreme; }

bool is_exact(Fill fill) {
  return fill == Fill::kIntegers || fill == Fill::kAnchored || fill == Fill::kCoded ||
         fill == Fill::kSparse;
}

}  // namespace assay
