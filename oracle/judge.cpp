#include "oracle/judge.h"

namespace assay::oracle {

std::string_view name(Trivial trivial) {
  switch (trivial) {
    case Trivial::kZeros:
      return "zeros";
    case Trivial::kRowsRotated:
      return "rows_rotated";
    case Trivial::kScaled:
      return "scaled";
    case Trivial::kPrevious:
      return "previous";
  }
  return "";
}

bool Judgement::inconclusive() const {
  if (overflowing) { return true; }
  for (int i = 0; i < kTrivialCount; ++i) {
    if (trivial_differs[i] > 0 && trivial_accepted[i]) { return true; }
  }
  return false;
}

}  // namespace assay::oracle
