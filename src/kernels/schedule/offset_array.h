// OffsetArray: a call's offsets in device memory, as every GPU kernel reads them: expert after
// expert, or all experts at once by a scan. Whatever the array holds, all rows lie in [0, rows).
#pragma once

#include <cstdint>

#include "src/core/host_device.h"
#include "src/core/index.h"

namespace assay {

struct OffsetArray {
  enum class Kind : std::int32_t { kEnds, kCounts };

  const void* data = nullptr;  // of expert 0: an indptr's leading 0 lies before it
  std::int32_t* status = nullptr;
  std::int32_t experts = 0;
  std::int32_t rows = 0;  // below 2^30
  Kind kind = Kind::kEnds;
  bool wide = false;          // int64
  bool leading_zero = false;  // an entry lies before expert 0's and must be 0

  ASSAY_HOST_DEVICE Index entry(std::int32_t expert) const {
    return wide ? static_cast<Index>(static_cast<const std::int64_t*>(data)[expert])
                : static_cast<Index>(static_cast<const std::int32_t*>(data)[expert]);
  }

  // The end of an expert's rows is the combination of the terms of all experts up to it: their
  // greatest end or the sum of their counts, never past the rows. Combining is associative and
  // has 0 as its neutral element.
  ASSAY_HOST_DEVICE std::int32_t term(Index entry_value) const {
    return entry_value < 0 ? 0 : entry_value > rows ? rows : static_cast<std::int32_t>(entry_value);
  }
  ASSAY_HOST_DEVICE std::int32_t combine(std::int32_t a, std::int32_t b) const {
    if (kind == Kind::kEnds) { return a > b ? a : b; }
    return a > rows - b ? rows : a + b;
  }

  // Whether an entry says what was read from it: rows [first, end).
  ASSAY_HOST_DEVICE bool agrees(Index entry_value, std::int32_t first, std::int32_t end) const {
    return entry_value == (kind == Kind::kEnds ? end : end - first);
  }
  ASSAY_HOST_DEVICE bool leading_entry_is_valid() const { return !leading_zero || entry(-1) == 0; }
};

}  // namespace assay
