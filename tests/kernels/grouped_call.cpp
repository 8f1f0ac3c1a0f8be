#include "tests/kernels/grouped_call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "src/core/require.h"

namespace assay {
namespace {

constexpr std::size_t kGuardBytes = 512;
constexpr std::size_t kWorkspaceFloats = 1 << 15;
constexpr std::size_t kMessageBytes = 256;

// A NaN in each of the formats.
void poison(std::vector<std::byte>& memory) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = std::byte{static_cast<unsigned char>(i % 2 == 0 ? 0xc3 : 0x7f)};
  }
}

// Bits as a function of their place.
std::uint32_t bits_at(Role role, std::uint64_t seed, Index expert, Index row, Index col) {
  std::uint64_t hash = seed;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(role), static_cast<std::uint64_t>(expert),
        static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash >> 20);
}

// Mostly of moderate size, so that not every sum is NaN or infinite; any bits once in 64 elements.
std::uint32_t wild_bits(Format format, std::uint32_t random) {
  if (random % 64 == 0) {
    return format == Format::kFp32 ? random * 0x9e3779b9u : random >> 7 & 0xffffu;
  }
  const double magnitude = static_cast<double>(random >> 8) * 0x1p-23;
  return encode(format, random % 2 == 0 ? magnitude : -magnitude);
}

std::uint32_t canonical_nan(Format format) {
  return format == Format::kBf16 ? 0x7fc0u : format == Format::kFp16 ? 0x7e00u : 0x7fc00000u;
}

}  // namespace

GroupedCall::GroupedCall(const CaseSpec& spec, Values values)
    : spec_(spec), values_(values), layout_(lay_out_rows(spec)) {
  spec_.told = spec_.offsets;
  facts_ = facts_of(spec_, layout_.physical_rows);
  for (const Role role : kAllRoles) {
    place(role);
    if (role != output_role(spec.pass) || spec.acc > 0) { fill(role); }
    operands_[role].before = operands_[role].expected = operands_[role].memory;
  }
  compute_expected();
  workspace_.assign(kWorkspaceFloats, std::numeric_limits<float>::quiet_NaN());
  facts_.workspace = reinterpret_cast<std::uint64_t>(workspace_.data());
  facts_.workspace_bytes = workspace_.size() * sizeof(float);
  make_offsets();
  build_call(facts_, {}, tensors_, call_);
  message_.assign(kMessageBytes, '\0');
  call_.message = message_.data();
  call_.message_bytes = message_.size();
}

void GroupedCall::place(Role role) {
  Operand& operand = operands_[role];
  TensorRecord& record = facts_.operands[role].elements;
  operand.format = format_of(spec_, role);
  const Index elements = record.shape[0] * record.strides[0];
  operand.memory.resize(static_cast<std::size_t>(elements * size_bytes(operand.format)) +
                        2 * kGuardBytes);
  poison(operand.memory);
  const auto address = reinterpret_cast<std::uintptr_t>(operand.memory.data());
  const auto base = static_cast<std::size_t>(spec_.base[role]);
  operand.first = (256 - address % 256) % 256 + base;
  record.address = address + operand.first;
}

std::size_t GroupedCall::offset(Role role, Index expert, Index row, Index col) const {
  const Operand& operand = operands_[role];
  const std::int64_t* const strides = facts_.operands[role].elements.strides;
  Index flat = 0;
  if (role == Role::kW) {
    const bool enk = spec_.weights == WeightsLayout::kEnk;
    flat = expert * strides[0] + (enk ? col : row) * strides[1] + (enk ? row : col);
  } else {
    flat = (layout_.starts[expert] + row) * strides[0] + col;
  }
  return operand.first + static_cast<std::size_t>(flat * size_bytes(operand.format));
}

std::byte* GroupedCall::element(Role role, Index expert, Index row, Index col) {
  return operands_[role].memory.data() + offset(role, expert, row, col);
}

Index GroupedCall::rows_of(Role role, Index expert) const {
  return role == Role::kW ? spec_.k : layout_.counts[expert];
}

Index GroupedCall::cols_of(Role role) const { return role == Role::kX ? spec_.k : spec_.n; }

void GroupedCall::fill(Role role) {
  Operand& operand = operands_[role];
  for (Index expert = 0; expert < spec_.experts(); ++expert) {
    for (Index row = 0; row < rows_of(role, expert); ++row) {
      for (Index col = 0; col < cols_of(role); ++col) {
        const std::uint32_t random = bits_at(role, spec_.seed, expert, row, col);
        const std::uint32_t bits =
            values_ == Values::kAnyBits
                ? wild_bits(operand.format, random)
                : encode(operand.format, static_cast<double>(random % 5) - 2);
        store_bits(operand.format, operand.memory.data() + offset(role, expert, row, col), bits);
      }
    }
  }
}

double GroupedCall::value(Role role, Index expert, Index row, Index col) const {
  const Operand& operand = operands_[role];
  return decode(operand.format,
                load_bits(operand.format, operand.memory.data() + offset(role, expert, row, col)));
}

std::vector<double> GroupedCall::dense(Role role, Index expert, bool transposed) const {
  const Index rows = transposed ? cols_of(role) : rows_of(role, expert);
  const Index cols = transposed ? rows_of(role, expert) : cols_of(role);
  std::vector<double> matrix;
  matrix.reserve(static_cast<std::size_t>(rows * cols));
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) {
      matrix.push_back(transposed ? value(role, expert, col, row) : value(role, expert, row, col));
    }
  }
  return matrix;
}

std::uint32_t GroupedCall::expected_bits(const double* a, const double* b, Index depth,
                                         double c) const {
  if (values_ == Values::kSmallIntegers) {
    double sum = 0;
    for (Index step = 0; step < depth; ++step) { sum += a[step] * b[step]; }
    return encode(spec_.out, spec_.acc > 0 ? c + spec_.acc * sum : sum);
  }
  auto sum = static_cast<float>(c);
  for (int time = 0; time < std::max(1, spec_.acc); ++time) {
    for (Index step = 0; step < depth; ++step) {
      sum = std::fma(static_cast<float>(a[step]), static_cast<float>(b[step]), sum);
    }
  }
  return std::isnan(sum) ? canonical_nan(spec_.out) : encode(spec_.out, sum);
}

// out [m, n]: rows of a and columns of b are made contiguous first.
void GroupedCall::expect_product(Index expert) {
  const Role out = output_role(spec_.pass);
  const Operation& op = operation(spec_.pass);
  const Index depth = axis_sizes(spec_, layout_.counts[expert])[op.depth()];
  if (op.reduces_rows() && spec_.acc > 0 && depth == 0) {
    return;  // C is kept
  }
  const std::vector<double> a = dense(op.a.role, expert, op.a.transposed);
  const std::vector<double> b = dense(op.b.role, expert, !op.b.transposed);
  Operand& operand = operands_[out];
  for (Index row = 0; row < rows_of(out, expert); ++row) {
    for (Index col = 0; col < cols_of(out); ++col) {
      const double c = spec_.acc > 0 ? value(out, expert, row, col) : 0.0;
      store_bits(operand.format, operand.expected.data() + offset(out, expert, row, col),
                 expected_bits(a.data() + row * depth, b.data() + col * depth, depth, c));
    }
  }
}

void GroupedCall::compute_expected() {
  for (Index expert = 0; expert < spec_.experts(); ++expert) { expect_product(expert); }
}

TensorRecord GroupedCall::array(const std::vector<Index>& values,
                                std::vector<std::byte>& memory) const {
  const bool wide = spec_.offsets.type == IndexType::kI64;
  const std::size_t size = wide ? 8 : 4;
  memory.resize(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<std::int32_t>(values[i]);
    std::memcpy(memory.data() + i * size, wide ? static_cast<const void*>(&values[i]) : &narrow,
                size);
  }
  return index_array(reinterpret_cast<std::uint64_t>(memory.data()),
                     static_cast<Index>(memory.size()), spec_.offsets.type);
}

void GroupedCall::make_offsets() {
  const OffsetArrays arrays = encode_offsets(layout_, spec_.offsets, frame_of(spec_));
  const ConventionTraits& row = traits(spec_.offsets.convention);
  if (!row.by_pointers) {
    facts_.offsets = array(arrays.values, offsets_);
    if (row.has_sizes()) { facts_.sizes = array(arrays.sizes, sizes_); }
    return;
  }
  facts_.sizes = array(arrays.sizes, sizes_);
  facts_.sizes.dims = 2;
  facts_.sizes.shape[0] = spec_.experts();
  facts_.sizes.shape[1] = facts_.sizes.strides[0] = 3;
  facts_.sizes.strides[1] = 1;
  for (const Role role : kAllRoles) {
    for (Index expert = 0; expert < spec_.experts(); ++expert) {
      pointers_[role].push_back(element(role, expert, 0, 0));
    }
    facts_.operands[role].pointers = reinterpret_cast<std::uint64_t>(pointers_[role].data());
  }
}

int GroupedCall::run(assay_run_function kernel, int threads) {
  call_.threads = threads;
  int code = ASSAY_OK;
  for (int time = 0; time < std::max(1, spec_.acc) && code == ASSAY_OK; ++time) {
    code = kernel(&call_);
  }
  message_.resize(std::strlen(message_.c_str()));
  return code;
}

void GroupedCall::start_over() {
  for (const Role role : kAllRoles) {
    std::ranges::copy(operands_[role].before, operands_[role].memory.begin());
  }
  std::ranges::fill(workspace_, std::numeric_limits<float>::quiet_NaN());
  message_.assign(kMessageBytes, '\0');
  call_.message = message_.data();
}

const std::vector<std::byte>& GroupedCall::output_bytes() const {
  return operands_[output_role(spec_.pass)].memory;
}

std::string GroupedCall::difference() const {
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    const Operand& operand = operands_[role];
    const auto [got, expected] =
        std::mismatch(operand.memory.begin(), operand.memory.end(), operand.expected.begin());
    if (got != operand.memory.end()) {
      const Index size = size_bytes(operand.format);
      const auto byte = got - operand.memory.begin() - static_cast<Index>(operand.first);
      const auto* element = operand.memory.data() + operand.first + byte / size * size;
      const auto* wanted = operand.expected.data() + operand.first + byte / size * size;
      return fmt::format("{} differs at byte {} (element {} of row stride {}): {} for {}",
                         name(role), byte, byte / size, row_pitch(spec_, role),
                         decode(operand.format, load_bits(operand.format, element)),
                         decode(operand.format, load_bits(operand.format, wanted)));
    }
  }
  return "";
}

}  // namespace assay
