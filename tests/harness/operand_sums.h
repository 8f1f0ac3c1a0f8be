// Every matrix of a case's products on a device against the oracle's sums of the dense operands.
#pragma once

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "src/harness/judge/fingerprint_case.h"
#include "src/harness/judge/judge_case.h"

namespace assay {

// Requires: the outcome is that of the session's last run, whose operands stay.
inline void expect_sums_of_dense_operands(Session& session, const Problem& problem,
                                          const Outcome& outcome) {
  using oracle::Factor;
  std::mt19937_64 random(1);
  const auto products = products_of(problem, outcome.output.data());
  for (Index expert = 0; expert < static_cast<Index>(products.size()); ++expert) {
    const oracle::Product& product = products[expert];
    const oracle::Matrix* const matrices[] = {&product.a, &product.b, &product.c, &product.got};
    for (const Factor factor : {Factor::kA, Factor::kB, Factor::kC, Factor::kGot}) {
      const oracle::Matrix& dense = *matrices[static_cast<int>(factor)];
      if (dense.data == nullptr && factor == Factor::kC) { continue; }
      std::vector<oracle::Residue> vector;
      for (Index col = 0; col < dense.cols; ++col) {
        vector.push_back(oracle::Residue::reduced(random() % oracle::kPrime));
      }
      const oracle::IntegerForm form{static_cast<int>(random() % 3) - 2, 1 << 22};
      const auto expected = oracle::multiply_modulo(dense, form, vector);
      const auto got = session.multiply(operand_matrix(problem, expert, factor), form, vector);
      ASSERT_TRUE(got.has_value()) << got.error().message;
      ASSERT_EQ(got->bad_rows, expected.bad_rows);
      ASSERT_EQ(got->any_bad, expected.any_bad);
      for (Index row = 0; row < dense.rows; ++row) {
        if (expected.bad_rows[row] != 0) { continue; }
        ASSERT_EQ(got->values[row].value(), expected.values[row].value())
            << "expert " << expert << " matrix " << static_cast<int>(factor) << " row " << row;
      }
      if (expected.any_bad) { continue; }
      ASSERT_EQ(got->largest, expected.largest);
    }
  }
}

}  // namespace assay
