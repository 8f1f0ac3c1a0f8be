// GroupedCall: a case laid out in memory by the simplest means, run through the C ABI and compared
// with plain loops, bit for bit.
#pragma once

#include <string>
#include <vector>

#include "src/contract/call_builder.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {

enum class Values : std::uint8_t {
  kSmallIntegers,  // every order of summation is exact; expected from sums in double
  kAnyBits,  // NaN, infinities and subnormals among them; expected from a chain of std::fma, first
             // step first
};

class GroupedCall {
 public:
  explicit GroupedCall(const CaseSpec& spec, Values values = Values::kSmallIntegers);
  GroupedCall(const GroupedCall&) = delete;
  GroupedCall& operator=(const GroupedCall&) = delete;

  // Makes the call spec.acc times, at least once; answers the last code.
  int run(assay_run_function kernel, int threads = 0);
  // For another run of the same case: memory is as it was before the first.
  void start_over();
  const std::string& message() const { return message_; }
  // What differs from the expected memory, every byte of x, w and y included; "" when nothing does.
  std::string difference() const;
  // The bytes of the output operand, gaps and guards included.
  const std::vector<std::byte>& output_bytes() const;
  // Element (row, col) of an expert's [rows, k], [k, n] or [rows, n] matrix.
  std::byte* element(Role role, Index expert, Index row, Index col);

  assay_call& call() { return call_; }
  const RowLayout& layout() const { return layout_; }

 private:
  struct Operand {
    Format format = Format::kFp32;
    std::vector<std::byte> memory, before, expected;
    std::size_t first = 0;  // byte of the first element
  };

  void place(Role role);
  void fill(Role role);
  void compute_expected();
  void expect_product(Index expert);
  std::uint32_t expected_bits(const double* a, const double* b, Index depth, double c) const;
  // An expert's matrix as doubles, row-major; rows and columns exchanged where asked for.
  std::vector<double> dense(Role role, Index expert, bool transposed) const;
  Index rows_of(Role role, Index expert) const;
  Index cols_of(Role role) const;
  double value(Role role, Index expert, Index row, Index col) const;
  std::size_t offset(Role role, Index expert, Index row, Index col) const;
  TensorRecord array(const std::vector<Index>& values, std::vector<std::byte>& memory) const;
  void make_offsets();

  CaseSpec spec_;
  Values values_;
  RowLayout layout_;
  PerOperand<Operand> operands_;
  std::vector<std::byte> offsets_, sizes_;
  PerOperand<std::vector<void*>> pointers_;
  std::vector<float> workspace_;
  std::string message_;
  CallFacts facts_;
  CallTensors tensors_{};
  assay_call call_{};
};

}  // namespace assay
