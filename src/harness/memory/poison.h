// PoisonPattern: what memory holds that no kernel may use or change. Two variants, so that a byte
// that looks untouched in both runs was not written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/core/index.h"
#include "src/problem/case_spec.h"
#include "src/problem/format.h"

namespace assay {

class PoisonPattern {
 public:
  // NaN, infinity and the largest finite number in turn, of both signs.
  static const PoisonPattern& of(Format format, int variant);
  // One NaN again and again: owned output elements before the call.
  static const PoisonPattern& unwritten(Format format, int variant);
  // The same of a call whose output is to be clear.
  static const PoisonPattern& zeros();
  // Indices far outside every array, of both signs.
  static const PoisonPattern& of(IndexType type, int variant);
  // NaN: around scales.
  static const PoisonPattern& of(ScaleFormat format);
  // Pointers that no machine maps; workspace.
  static const PoisonPattern& of_bytes(int variant);

  // `offset` is the distance of `to` from the operand's first byte, so that elements stay aligned.
  void fill(std::byte* to, Index bytes, Index offset) const;
  // The first byte that differs from the pattern, or -1.
  Index first_difference(const std::byte* at, Index bytes, Index offset) const;

 private:
  PoisonPattern(const std::vector<std::uint64_t>& values, Index value_bytes);
  Index phase(Index offset) const;

  Index period_ = 1;
  std::vector<std::byte> block_;
};

// The NaN of PoisonPattern::unwritten.
std::uint32_t unwritten_bits(Format format, int variant);

}  // namespace assay
