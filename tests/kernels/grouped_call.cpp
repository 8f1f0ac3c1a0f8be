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

assay_dtype dtype_of(Format format) {
  switch (format) {
    case Format::kBf16:
      return {4, 16, 1};
    case Format::kFp16:
      return {2, 16, 1};
    default:
      return {2, 32, 1};
  }
}

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
  const Role out = output_role(spec.pass);
  const auto format = [&](Role role) { return role == out ? spec.out : spec.in; };
  const bool enk = spec.weights == WeightsLayout::kEnk;
  const Index rows = layout_.physical_rows;
  place(Role::kX, format(Role::kX), {rows, spec.k}, spec.ld.x, 0);
  place(Role::kY, format(Role::kY), {rows, spec.n}, spec.ld.y, 0);
  place(Role::kW, format(Role::kW), {spec.experts(), enk ? spec.n : spec.k, enk ? spec.k : spec.n},
        spec.ld.w, spec.wpitch);
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    if (role != out || spec.acc > 0) { fill(role); }
    operands_[role].expected = operands_[role].memory;
  }
  compute_expected();
  workspace_.assign(kWorkspaceFloats, std::numeric_limits<float>::quiet_NaN());
  message_.assign(256, '\0');
  call_.struct_size_bytes = sizeof call_;
  call_.pass = static_cast<std::int32_t>(spec.pass);
  call_.weights = enk ? ASSAY_ENK : ASSAY_EKN;
  call_.accumulate = spec.acc > 0 ? 1 : 0;
  call_.experts = spec.experts();
  call_.k = spec.k;
  call_.n = spec.n;
  call_.rows = rows;
  call_.pad = spec.pad;
  call_.cap = buffer_rows(spec);
  call_.x = &operands_.x.tensor;
  call_.w = &operands_.w.tensor;
  call_.y = &operands_.y.tensor;
  call_.workspace = workspace_.data();
  call_.workspace_bytes = workspace_.size() * sizeof(float);
  call_.tactic = spec_.tactic.c_str();
  call_.message = message_.data();
  call_.message_bytes = message_.size();
  make_offsets();
}

void GroupedCall::place(Role role, Format format, std::vector<std::int64_t> shape, Index ld,
                        Index pitch) {
  Operand& operand = operands_[role];
  operand.format = format;
  operand.shape = std::move(shape);
  const std::size_t axes = operand.shape.size();
  operand.strides.assign(axes, 1);
  operand.strides[axes - 2] = operand.shape[axes - 1] + ld;
  if (axes == 3) { operand.strides[0] = operand.shape[1] * operand.strides[1] + pitch; }
  const Index elements = operand.shape[0] * operand.strides[0];
  operand.memory.resize(static_cast<std::size_t>(elements * size_bytes(format)) + 2 * kGuardBytes);
  poison(operand.memory);
  const auto address = reinterpret_cast<std::uintptr_t>(operand.memory.data());
  const auto base = static_cast<std::size_t>(spec_.base[role]);
  operand.first = (256 - address % 256) % 256 + base;
  operand.tensor = {operand.memory.data() + operand.first,
                    {1, 0},
                    static_cast<std::int32_t>(axes),
                    dtype_of(format),
                    operand.shape.data(),
                    operand.strides.data(),
                    0};
}

std::size_t GroupedCall::offset(Role role, Index expert, Index row, Index col) const {
  const Operand& operand = operands_[role];
  Index flat = 0;
  if (role == Role::kW) {
    const bool enk = spec_.weights == WeightsLayout::kEnk;
    flat = expert * operand.strides[0] + (enk ? col : row) * operand.strides[1] + (enk ? row : col);
  } else {
    flat = (layout_.starts[static_cast<std::size_t>(expert)] + row) * operand.strides[0] + col;
  }
  return operand.first + static_cast<std::size_t>(flat * size_bytes(operand.format));
}

std::byte* GroupedCall::element(Role role, Index expert, Index row, Index col) {
  return operands_[role].memory.data() + offset(role, expert, row, col);
}

Index GroupedCall::rows_of(Role role, Index expert) const {
  return role == Role::kW ? spec_.k : layout_.counts[static_cast<std::size_t>(expert)];
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
  const bool fwd = spec_.pass == Pass::kFwd, wgrad = spec_.pass == Pass::kWgrad;
  const Index depth = fwd     ? spec_.k
                      : wgrad ? layout_.counts[static_cast<std::size_t>(expert)]
                              : spec_.n;
  if (wgrad && spec_.acc > 0 && depth == 0) {
    return;  // C is kept
  }
  const std::vector<double> a = dense(fwd || wgrad ? Role::kX : Role::kY, expert, wgrad);
  const std::vector<double> b = dense(wgrad ? Role::kY : Role::kW, expert, fwd || wgrad);
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

void GroupedCall::make_array(Array& array, const std::vector<Index>& values, bool wide,
                             std::vector<std::int64_t> shape) {
  const std::size_t size = wide ? 8 : 4;
  array.memory.resize(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<std::int32_t>(values[i]);
    std::memcpy(array.memory.data() + i * size,
                wide ? static_cast<const void*>(&values[i]) : &narrow, size);
  }
  array.shape = std::move(shape);
  array.strides.assign(array.shape.size(), 1);
  if (array.shape.size() == 2) { array.strides[0] = array.shape[1]; }
  array.tensor = {array.memory.data(),
                  {1, 0},
                  static_cast<std::int32_t>(array.shape.size()),
                  {0, static_cast<std::uint8_t>(8 * size), 1},
                  array.shape.data(),
                  array.strides.data(),
                  0};
}

void GroupedCall::make_offsets() {
  const OffsetArrays arrays = encode_offsets(layout_, spec_.offsets, frame_of(spec_));
  const bool wide = spec_.offsets.type == IndexType::kI64;
  const Convention convention = spec_.offsets.convention;
  call_.convention = static_cast<std::int32_t>(convention);
  if (convention == Convention::kProblems) {
    make_array(sizes_, arrays.sizes, wide, {spec_.experts(), 3});
    call_.sizes = &sizes_.tensor;
    for (Index expert = 0; expert < spec_.experts(); ++expert) {
      x_ptrs_.push_back(element(Role::kX, expert, 0, 0));
      w_ptrs_.push_back(element(Role::kW, expert, 0, 0));
      y_ptrs_.push_back(element(Role::kY, expert, 0, 0));
    }
    call_.x_ptrs = x_ptrs_.data();
    call_.w_ptrs = w_ptrs_.data();
    call_.y_ptrs = y_ptrs_.data();
    return;
  }
  make_array(offsets_, arrays.values, wide, {static_cast<Index>(arrays.values.size())});
  call_.offsets = &offsets_.tensor;
  if (convention == Convention::kStarts) {
    make_array(sizes_, arrays.sizes, wide, {spec_.experts()});
    call_.sizes = &sizes_.tensor;
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
                         name(role), byte, byte / size, operand.strides[operand.strides.size() - 2],
                         decode(operand.format, load_bits(operand.format, element)),
                         decode(operand.format, load_bits(operand.format, wanted)));
    }
  }
  return "";
}

}  // namespace assay
