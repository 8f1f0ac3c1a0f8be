#include "oracle/tally.h"

#include <tuple>

namespace assay::oracle {

std::array<bool, kTrivialCount> trivials_of(const Product& product, const JudgeOptions& options) {
  std::array<bool, kTrivialCount> takes_part{};
  const bool skips = options.skip_trivial;
  takes_part[static_cast<int>(Trivial::kZeros)] = !skips && !options.skip_zeros_and_scaled;
  takes_part[static_cast<int>(Trivial::kScaled)] = !skips && !options.skip_zeros_and_scaled;
  takes_part[static_cast<int>(Trivial::kRowsRotated)] = !skips;
  takes_part[static_cast<int>(Trivial::kPrevious)] = !skips && product.previous.data != nullptr;
  return takes_part;
}

void Tally::offer_worst(const Witness& witness) {
  const auto place = [](const Witness& w) { return std::tie(w.product, w.row, w.col); };
  if (!worst || witness.ratio > worst->ratio ||
      (witness.ratio == worst->ratio && place(witness) < place(*worst))) {
    worst = witness;
  }
}

void Tally::merge(const Tally& other) {
  judgement.elements += other.judgement.elements;
  judgement.wrong += other.judgement.wrong;
  judgement.escalated += other.judgement.escalated;
  judgement.overflowing |= other.judgement.overflowing;
  if (other.worst) { offer_worst(*other.worst); }
  for (int i = 0; i < kTrivialCount; ++i) {
    judgement.trivial_differs[i] += other.judgement.trivial_differs[i];
    took_part[i] |= other.took_part[i];
    rejected[i] |= other.rejected[i];
  }
}

Judgement Tally::finish() const {
  Judgement result = judgement;
  if (worst) {
    result.worst = *worst;
    result.worst_ratio = worst->ratio;
  }
  for (int i = 0; i < kTrivialCount; ++i) {
    result.trivial_accepted[i] = took_part[i] && !rejected[i];
  }
  return result;
}

Point previous_answer(const Product& product, Index row, Index col) {
  const Matrix& previous = product.previous;
  const std::uint32_t bits = previous.bits(row, col);
  const Format out = product.got.format;
  if (previous.format == out) { return point_of(out, bits); }
  return point_of(out, round_nearest(out, to_double(previous.format, bits)));
}

}  // namespace assay::oracle
