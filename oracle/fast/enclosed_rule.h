// The acceptance rule where y and S are known only to lie in intervals: yes, no, or undecided.
#pragma once

#include <cstdint>

#include "oracle/fast/enclosure.h"
#include "oracle/rule.h"

namespace assay::oracle {

enum class Answer : std::uint8_t { kNo, kYes, kUndecided };

// What the rule may say of one element. Wherever the answer is not kUndecided it is the one that
// ExactVerdict gives.
class EnclosedVerdict {
 public:
  EnclosedVerdict() = default;
  // Requires: y is finite.
  EnclosedVerdict(const Rule& rule, const Enclosed& element);
  // Of a result that is NaN or infinite; gauge_high belongs to its finite terms. or_nan: it may be
  // NaN, too, for operands that are flushed.
  static EnclosedVerdict special(const Rule& rule, double value, double gauge_high, bool or_nan);
  Answer accepts(const Point& got) const;
  // Whether `other`, an interval of points, differs from RN(y).
  struct Points {
    bool nan = false;
    Place low = 0, high = 0;
  };
  const Points& rounded() const { return rounded_; }
  Answer accepts(const Points& answer) const;
  bool may_overflow() const { return may_overflow_; }

 private:
  Points rounded_;
  Allowed surely_, possibly_;
  bool may_overflow_ = false;
};

Answer differ(const EnclosedVerdict::Points& one, const EnclosedVerdict::Points& other);
// The trivial answer x 1.02.
EnclosedVerdict::Points scaled_points(const Rule& rule, const Enclosed& element);

}  // namespace assay::oracle
