// The acceptance rule: RN(y - E) <= got <= RN(y + E), on the number line of the output format.
#pragma once

#include "oracle/error_bound.h"
#include "oracle/exact/exact.h"
#include "oracle/judge.h"
#include "oracle/number_line.h"

namespace assay::oracle {

// The results that one element may have.
struct Allowed {
  Format format = Format::kBf16;
  bool nan = false;            // NaN and nothing else
  bool any_nonfinite = false;  // the arithmetic may have overflowed on the way
  bool or_nan = false;         // flushed operands meet an infinity
  bool flushes = false;        // a subnormal result may be written as zero
  Place lowest = 0, highest = 0;

  bool accepts(const Point& got) const;
  // Some result of the interval is subnormal, and may therefore be zero.
  bool accepts_flushed() const;
};

// One rule for a whole product: the bound, and what happens at the end of the format's range.
struct Rule {
  Format format = Format::kBf16;
  ErrorBound bound;
  bool saturates = false;
  Flushing subnormals{};

  bool flushes_output() const { return subnormals.output(format); }
  // The largest place that a kernel writes for a large number.
  Place clamp(Place place) const;
};
Rule rule_of(const Product& product, const Arithmetic& arithmetic, const OperandRange& a,
             const OperandRange& b, bool exact_input);

// What the rule says of one element whose exact value is known.
struct ExactVerdict {
  ExactValue exact;
  Point rounded;     // RN(y), clamped where the kernel saturates
  double gauge = 0;  // S, rounded up
  double bound = 0;  // E
  Allowed allowed;
  bool overflowing = false;
};
ExactVerdict judge_value(const Rule& rule, ExactValue exact);

// The trivial wrong answer x 1.02 to this element.
Point scaled_answer(const Rule& rule, const ExactVerdict& verdict);
// The witness of got, its place in the case left open.
Witness witness_of(const Rule& rule, const ExactVerdict& verdict, std::uint32_t got_bits);

}  // namespace assay::oracle
