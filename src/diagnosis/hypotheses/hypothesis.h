// Hypothesis: a mistake that a kernel may have made, told as claims about what its output then
// holds.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/diagnosis/evidence.h"

namespace assay {

// A rectangle of one product's elements and what a claim says of it.
struct ClaimedPart {
  enum class Kind : std::uint8_t {
    kValue,      // the oracle accepts the output as an answer to `product`
    kBits,       // these bits, row-major
    kUnwritten,  // never written
    kTainted,    // depends on memory outside the operands
    kWrong       // wrong, whatever stands there
  };
  Kind kind = Kind::kWrong;
  Index expert = 0;
  Index row = 0, col = 0, rows = 0, cols = 0;
  oracle::Product product{};          // kValue; got is set by the scoring
  oracle::Arithmetic arithmetic{};    // kValue
  bool multiplied = false;            // kValue: the product is of what is multiplied
  std::vector<std::uint32_t> bits{};  // kBits
  // kValue: what `product` points into where that is not the problem; gaps in it are not a number,
  // so that an element that depends on memory outside will do.
  std::shared_ptr<const std::vector<std::byte>> memory{};
  // kValue: whatever else `product` points into.
  std::vector<std::shared_ptr<const std::vector<std::byte>>> storage{};
};

struct Claim {
  std::string key;         // the same claim about another case has the same key
  std::string sentence{};  // for people
  std::vector<ClaimedPart> parts{};
};

struct Hypothesis {
  enum class Kind : std::uint8_t {
    kCause,
    kCauseOnExactFills,  // it has nothing to say of real-valued ones
    kObservation,  // what other runs of the same case showed: true there, whatever others show
    kDescription   // says how the output differs, not why: a cause as good is preferred
  };
  // What the claim is about; of values, it may hold where the same shape with plain ones is right.
  enum class About : std::uint8_t { kShape, kValues };
  std::string_view name;
  void (*propose)(const Evidence& evidence, std::vector<Claim>& claims);
  // Whether the case has what the claim speaks of. Asked of the case that a finding is printed
  // with: what others suggest must be possible there.
  bool (*fits)(const Evidence& evidence);
  About about = About::kShape;
  Kind kind = Kind::kCause;
};
bool may_explain(const Hypothesis& hypothesis, const Evidence& evidence);

// hypotheses/table.cpp: one row each; of equally good ones the first wins.
std::span<const Hypothesis> all_hypotheses();

struct ClaimScore {
  double explained = 0;     // share of the wrong elements that it foretells
  double contradicted = 0;  // share of the right elements that it says are something else
  double value() const { return explained * (1 - contradicted / 2); }
};
ClaimScore score(const Evidence& evidence, const Claim& claim);

// The whole of one expert's product as a part, and a block of its rows.
ClaimedPart whole_part(const Evidence& evidence, Index expert, ClaimedPart::Kind kind);
ClaimedPart rows_part(const Evidence& evidence, Index expert, Index row, Index rows,
                      ClaimedPart::Kind kind);
// One kValue part an expert, with `change(product, expert)` applied; experts for which it returns
// false are left out.
template <class Change>
std::vector<ClaimedPart> changed_products(const Evidence& evidence, const Change& change) {
  std::vector<ClaimedPart> parts{};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kValue);
    if (change(part.product, expert)) { parts.push_back(std::move(part)); }
  }
  return parts;
}

// Only the elements for which chosen(expert, row, col) holds, as parts of one element.
template <class Chosen>
std::vector<ClaimedPart> elements_where(const Evidence& evidence, ClaimedPart::Kind kind,
                                        const Chosen& chosen) {
  std::vector<ClaimedPart> parts;
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    const oracle::Matrix& got = evidence.product(expert).got;
    for (Index row = 0; row < got.rows; ++row) {
      for (Index col = 0; col < got.cols; ++col) {
        if (!chosen(expert, row, col)) { continue; }
        ClaimedPart part{.kind = kind, .expert = expert, .row = row, .col = col};
        part.rows = part.cols = 1;
        parts.push_back(std::move(part));
      }
    }
  }
  return parts;
}

}  // namespace assay
