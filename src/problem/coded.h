// The coded fill: every output of a case is one digit of where it was read from, so
// that a run of neighbouring outputs spells (row and expert of A, expert of B, reduction index).
//
// out[m, n] = A[m, r] B[r, n] with exactly one nonzero product in each output:
//   the last reduction indices, one for each digit of A's row and expert, hold that digit in A and
//   1 in those columns n of B that show it (n modulo the number of digits); of the others A holds a
//   1 at a single r(m), and B there holds the digit of its expert or of r that column n shows.
// Digits run from 1 to base (127, or the largest odd integer of few bits: 15 for e4m3, 7 for e5m2),
// so 0 means that nothing was read. C, or a bias of outputs in fp32, holds multiples of 4096 beside
// which the digits are told apart.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/problem/case_spec.h"

namespace assay {

// A's row is m, as Operation counts it.
struct CodedDigit {
  enum class Of : std::uint8_t { kRow, kRowExpert, kExpert, kReduction };
  Of of = Of::kRow;
  Index place = 1;  // base^i
};

// How one expert of a case is coded.
struct CodedScheme {
  std::vector<CodedDigit> digits;  // column n shows digits[n % size]; those of A come first
  Index a_digits = 0;              // at reduction indices reduction-1, reduction-2, ...
  Index base = 127;
  Index reduction = 0;
  Index expert = 0;
  Index times = 1;          // calls that add up
  bool c_is_coded = false;  // C holds multiples of kCodedCUnit, else 0
  std::uint64_t state = 0;

  Index position(Index row) const;          // r(row)
  Index a_value(Index row, Index r) const;  // A[row, r]
  Index b_value(Index r, Index col) const;  // B[r, col]
};
inline constexpr Index kCodedCUnit = 4096;

CodedScheme coded_scheme(const CaseSpec& spec, Index expert, int exact_bits = 24);
// The same when the largest count of spec.rows is known.
CodedScheme coded_scheme(const CaseSpec& spec, Index expert, int exact_bits, Index most_rows);

// What a run of outputs spells. A field is absent when one of its digits is not in the run, is 0,
// or no digit at all; it is known modulo base^(its digits in the scheme).
struct CodedReading {
  std::optional<Index> row, row_expert, expert, reduction;
};
// outputs are out[m, first_col], out[m, first_col + 1], ...; scheme.digits.size() of them suffice.
CodedReading read_coded(const CodedScheme& scheme, std::span<const double> outputs,
                        Index first_col);

}  // namespace assay
