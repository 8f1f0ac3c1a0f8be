// Integers modulo p = 2^61 - 1.
#pragma once

#include <cstdint>

namespace assay::oracle {

inline constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

class Residue {
 public:
  constexpr Residue() = default;
  static constexpr Residue of(std::int64_t value) {
    const std::int64_t rest = value % static_cast<std::int64_t>(kPrime);
    return Residue(
        static_cast<std::uint64_t>(rest < 0 ? rest + static_cast<std::int64_t>(kPrime) : rest));
  }
  // Requires: value < p.
  static constexpr Residue reduced(std::uint64_t value) { return Residue(value); }
  constexpr std::uint64_t value() const { return value_; }

  friend constexpr Residue operator+(Residue x, Residue y) { return fold(x.value_ + y.value_); }
  friend constexpr Residue operator-(Residue x, Residue y) {
    return fold(x.value_ + kPrime - y.value_);
  }
  friend constexpr Residue operator*(Residue x, Residue y) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x.value_) * y.value_;
    return fold((static_cast<std::uint64_t>(product) & kPrime) +
                static_cast<std::uint64_t>(product >> 61));
  }
  friend constexpr bool operator==(Residue, Residue) = default;

 private:
  explicit constexpr Residue(std::uint64_t value) : value_(value) {}
  static constexpr Residue fold(std::uint64_t value) {
    return Residue(value >= kPrime ? value - kPrime : value);
  }
  std::uint64_t value_ = 0;
};

}  // namespace assay::oracle
