// The numbers of a format as places on a line: place 0 is zero (both signs), place i the i-th
// number above it, the place after the largest finite number is infinity (e4m3: NaN by overflow).
// Neighbouring numbers have neighbouring places, so rounding and comparing are integer matters.
#pragma once

#include <cstdint>

#include "oracle/format.h"

namespace assay::oracle {

using Place = std::int32_t;

constexpr Place infinite_place(Format format) {
  return static_cast<Place>(shape(format).max_finite) + 1;
}

// A result that may be a number or NaN.
struct Point {
  bool nan = false;
  Place place = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

// Where an element's bits stand; every NaN is alike and both zeros are.
Point point_of(Format format, std::uint32_t bits);
// Nearest place, ties to even, of a value that is not NaN. Monotone.
Place round_to_line(Format format, double value);
// Bits of a place; a zero takes the given sign. Infinity of e4m3 is its NaN.
std::uint32_t bits_at(Format format, Place place, bool negative_zero = false);
std::uint32_t bits_of(Format format, const Point& point);

// The real number half way between a place and the next one up, exactly: below it rounding goes
// down, at it to the even one. Infinity counts as the number that would follow the largest.
double midpoint_above(Format format, Place place);

}  // namespace assay::oracle
