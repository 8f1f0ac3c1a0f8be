// Judges a strip of columns of one product by enclosures, escalating what they leave undecided.
#pragma once

#include "oracle/enclosure.h"
#include "oracle/rule.h"
#include "oracle/tally.h"

namespace assay::oracle {

struct ProductPlan {
  const Product* product = nullptr;
  Index first_element = 0;  // in the whole case
  EnclosureTerms terms;
  Rule rule;
  bool exact_input = false;
  bool with_gauge = true;  // some verdict depends on S
};
ProductPlan plan_product(const Product& product, const Arithmetic& arithmetic,
                         const JudgeOptions& options, Index first_element);

struct Strip {
  Index product = 0, first_col = 0, cols = 0;
};
void judge_strip(const ProductPlan& plan, const Strip& strip, Index block_rows,
                 const JudgeOptions& options, Tally& tally);

}  // namespace assay::oracle
