// ByteReader: small numbers out of a fuzzer's bytes. Total: past the end it keeps giving zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/core/index.h"

namespace assay {

class ByteReader {
 public:
  ByteReader(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool at_end() const { return left_ == 0; }

  std::uint8_t byte() {
    if (left_ == 0) { return 0; }
    --left_;
    return *data_++;
  }

  // In [0, bound). Requires: 1 <= bound <= 65536.
  Index below(Index bound) {
    if (bound <= 1) { return 0; }
    const Index low = byte();
    return (bound <= 256 ? low : low + 256 * Index{byte()}) % bound;
  }
  Index between(Index first, Index last) { return first + below(last - first + 1); }

  // Any 64-bit number; one byte for those from 0 to 239, so that most inputs stay small.
  Index number() {
    const Index first = byte();
    if (first < 240) { return first; }
    const int width_bytes = first < 246 ? 1 : first < 250 ? 2 : first < 253 ? 4 : 8;
    std::uint64_t bits = 0;
    for (int i = 0; i < width_bytes; ++i) { bits |= std::uint64_t{byte()} << (8 * i); }
    // Odd markers are negative.
    const auto value = static_cast<Index>(bits);
    return first % 2 == 1 ? -1 - (value & INT64_MAX) : value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace assay
