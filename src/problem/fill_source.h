// LineSource: where the element codes of one expert's part of one operand come from.
#pragma once

#include <cstdint>
#include <memory>

#include "src/core/index.h"
#include "src/problem/case_spec.h"

namespace assay {

// What an operand is to the product out[m, n] = A[m, r] B[r, n]; C is what the output holds before.
enum class Side : std::uint8_t { kA, kB, kC };

// One expert's part of one operand. It is made in lines: a row of x or y; of w the k elements of
// one n, whatever its layout, so that both layouts hold the same values.
struct FillPart {
  const CaseSpec* spec = nullptr;
  int exact_bits = 24;
  Index most_rows = 0;  // of all experts
  Index expert = 0;
  Role role = Role::kX;
  Format format = Format::kBf16;
  Side side = Side::kA;
  bool reduces_lines = false;  // r counts lines, not positions within a line
  Index lines = 0;
  Index positions = 0;
  Index reduction = 0;             // length of r
  std::uint64_t expert_state = 0;  // random state of the expert, shared by its operands
  std::uint64_t state = 0;         // of this part

  Index free_count() const { return reduces_lines ? positions : lines; }
};
FillPart describe_part(const CaseSpec& spec, int exact_bits, Index most_rows, Role role,
                       Index expert);

class LineSource {
 public:
  static constexpr Index kChunk = 512;  // positions at most in a call
  virtual ~LineSource() = default;
  // Writes the codes of positions [first, first + count). Requires: first a multiple of 64.
  virtual void read(Index line, Index first, Index count, std::uint32_t* codes) = 0;
};

std::unique_ptr<LineSource> make_exact_source(const FillPart& part);  // integers, anchored, sparse
std::unique_ptr<LineSource> make_coded_source(const FillPart& part);
std::unique_ptr<LineSource> make_real_source(const FillPart& part);

}  // namespace assay
