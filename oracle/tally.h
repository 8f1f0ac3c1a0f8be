// Tally: what is known of a case while its elements are being judged, mergeable in any order.
#pragma once

#include <array>
#include <optional>

#include "oracle/judge.h"
#include "oracle/rule.h"

namespace assay::oracle {

// Which trivial answers take part in a product.
std::array<bool, kTrivialCount> trivials_of(const Product& product, const JudgeOptions& options);

struct Tally {
  Judgement judgement;  // all but the worst element and trivial_accepted
  std::optional<Witness> worst;
  std::array<bool, kTrivialCount> took_part{};  // in some element
  std::array<bool, kTrivialCount> rejected{};   // in some element

  // The fixed order of elements breaks ties, so that threads do not show.
  void offer_worst(const Witness& witness);
  void merge(const Tally& other);
  Judgement finish() const;
};

// The element of `previous` as a result of the output format.
Point previous_answer(const Product& product, Index row, Index col);

}  // namespace assay::oracle
