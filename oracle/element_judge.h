// Judges single elements of a product by their enclosures, and by the exact oracle where those
// leave a question open.
#pragma once

#include <optional>

#include "oracle/fast/enclosed_rule.h"
#include "oracle/fast/enclosure.h"
#include "oracle/tally.h"

namespace assay::oracle {

struct ProductPlan {
  const Product* product = nullptr;
  Index index = 0;          // in the case
  Index first_element = 0;  // likewise
  EnclosureTerms terms;
  Rule rule;
  bool with_gauge = true;  // some verdict depends on S
};
// Fills in all but index and first_element.
void plan_product(const Product& product, const Arithmetic& arithmetic, bool exact_input,
                  ProductPlan& plan);

// One row of a strip of columns: y' and S' (null where it was not computed).
struct RowView {
  Index row = 0;
  const double* y = nullptr;
  const double* gauge = nullptr;
};

class ElementJudge {
 public:
  ElementJudge(const ProductPlan& plan, Index first_col, const JudgeOptions& options, Tally& tally);

  bool takes_part(Trivial trivial) const { return takes_part_[static_cast<int>(trivial)]; }

  // Element i of the strip in full; `before` is the row above, null in the first row.
  void judge(const RowView& view, const RowView* before, Index i);
  // The rotated answer alone: `before` is the row that it takes this element from.
  void judge_rotated(const RowView& view, const RowView& before, Index i);
  // An element that is known to be wrong or right counts apart from its ratio.
  void count(Index row, Index i, bool right);
  void offer_ratio(Index row, Index i, double ratio, bool right);

 private:
  // An element, its enclosed verdict and, once asked for, its exact one.
  struct Subject {
    Index row = 0, col = 0;
    bool special = false;
    Enclosed element{};
    EnclosedVerdict verdict{};
    std::optional<ExactVerdict> exact{};
  };
  Subject subject_at(const RowView& view, Index i) const;
  const ExactVerdict& truth(Subject& subject);
  void judge_output(Subject& subject);
  template <class ExactAnswer>
  void cross_examine(Subject& subject, Trivial trivial, const EnclosedVerdict::Points& answer,
                     const ExactAnswer& exact_answer);
  double ratio(const Subject& subject, const Point& got, bool right) const;

  const ProductPlan& plan_;
  const Product& product_;
  Index first_col_;
  const JudgeOptions& options_;
  std::array<bool, kTrivialCount> takes_part_;
  Tally& tally_;
};

}  // namespace assay::oracle
