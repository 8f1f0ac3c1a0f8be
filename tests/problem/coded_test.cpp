#include "src/problem/coded.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "src/problem/problem.h"
#include "tests/problem/product_view.h"
#include "tests/problem/random_case.h"

namespace assay {
namespace {

Index power(Index base, Index exponent) {
  Index value = 1;
  for (; exponent > 0; --exponent) { value *= base; }
  return value;
}

Index digits_of(const CodedScheme& scheme, CodedDigit::Of of) {
  return std::count_if(scheme.digits.begin(), scheme.digits.end(),
                       [of](const CodedDigit& digit) { return digit.of == of; });
}

// What the outputs of row m spell, when row and expert of A and expert of B are given.
CodedReading read_row(const Problem& problem, Index expert, Index m) {
  const CodedScheme scheme = coded_scheme(problem.spec, expert);
  const ProductView view(problem, expert);
  std::vector<double> outputs;
  for (Index n = 0; n < view.n(); ++n) {
    outputs.push_back(exact_output_of(view, m, n, std::max(1, problem.spec.acc)).value);
  }
  return read_coded(scheme, outputs, 0);
}

RC_GTEST_PROP(Coded, NeighbouringOutputsSpellWhereTheyWereReadFrom, ()) {
  CaseSpec spec = *any_case();
  spec.in.a.scaling = spec.in.b.scaling = {};  // numbers are code times scale: scales_test.cpp
  spec.fill = Fill::kCoded;
  const Problem problem = make_problem(spec);
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    const CodedScheme scheme = coded_scheme(spec, expert);
    const ProductView view(problem, expert);
    if (view.n() < static_cast<Index>(scheme.digits.size()) || view.reduction() == 0) { continue; }
    for (Index m = 0; m < view.m(); ++m) {
      const CodedReading reading = read_row(problem, expert, m);
      RC_ASSERT(reading.expert == weights_owner(spec, expert));
      RC_ASSERT(reading.reduction == scheme.position(m));
      const auto modulus = [&](CodedDigit::Of of) {
        return power(scheme.base, digits_of(scheme, of));
      };
      if (scheme.a_digits >= 1) { RC_ASSERT(reading.row == m % modulus(CodedDigit::Of::kRow)); }
      if (scheme.a_digits >= 2) {
        RC_ASSERT(reading.row_expert == expert % modulus(CodedDigit::Of::kRowExpert));
      }
    }
  }
}

RC_GTEST_PROP(Coded, EveryOutputHasOneNonzeroProduct, ()) {
  CaseSpec spec = *any_case();
  spec.in.a.scaling = spec.in.b.scaling = {};  // numbers are code times scale: scales_test.cpp
  spec.fill = Fill::kCoded;
  const Problem problem = make_problem(spec);
  for (Index expert = 0; expert < spec.experts(); ++expert) {
    const ProductView view(problem, expert);
    for (Index m = 0; m < view.m() && view.reduction() > 0; ++m) {
      for (Index n = 0; n < view.n(); ++n) {
        Index nonzeros = 0;
        for (Index r = 0; r < view.reduction(); ++r) {
          nonzeros += view.a(m, r) * view.b(r, n) != 0 ? 1 : 0;
        }
        RC_ASSERT(nonzeros == 1);
      }
    }
  }
}

CaseSpec example() {
  return parse_case("pass=fwd k=200 n=16 rows=300,7,150 fill=coded seed=4").value();
}

TEST(Coded, NamesTheExpertWhoseWeightsWereRead) {
  const Problem problem = make_problem(example());
  const ProductView rows(problem, 0), weights(problem, 2);
  std::vector<double> outputs(16, 0);
  for (Index n = 0; n < 16; ++n) {
    for (Index r = 0; r < 200; ++r) { outputs[n] += rows.a(250, r) * weights.b(r, n); }
  }
  const CodedReading reading = read_coded(coded_scheme(problem.spec, 0), outputs, 0);
  EXPECT_EQ(reading.row, 250);
  EXPECT_EQ(reading.row_expert, 0);
  EXPECT_EQ(reading.expert, 2);
}

TEST(Coded, ADroppedReductionTailLosesTheRow) {
  const Problem problem = make_problem(example());
  const ProductView view(problem, 0);
  std::vector<double> outputs(16, 0);
  for (Index n = 0; n < 16; ++n) {
    for (Index r = 0; r < 199; ++r) { outputs[n] += view.a(9, r) * view.b(r, n); }
  }
  const CodedReading reading = read_coded(coded_scheme(problem.spec, 0), outputs, 0);
  EXPECT_FALSE(reading.row.has_value());
  EXPECT_EQ(reading.expert, 0);
}

TEST(Coded, ReadsARunThatStartsAnywhere) {
  const Problem problem = make_problem(example());
  const CodedScheme scheme = coded_scheme(problem.spec, 0);
  const ProductView view(problem, 0);
  std::vector<double> outputs;
  for (std::size_t i = 0; i < scheme.digits.size(); ++i) {
    outputs.push_back(exact_output_of(view, 130, 5 + static_cast<Index>(i), 1).value);
  }
  const CodedReading reading = read_coded(scheme, outputs, 5);
  EXPECT_EQ(reading.row, 130);
  EXPECT_EQ(reading.reduction, scheme.position(130));
}

TEST(Coded, ValuesThatAreNoDigitsSpellNothing) {
  const CodedScheme scheme = coded_scheme(example(), 0);
  for (const double value : {0.0, 0.5, 128.0, -3.0, 1e30, std::nan("")}) {
    const CodedReading reading = read_coded(scheme, std::vector<double>(16, value), 0);
    EXPECT_FALSE(reading.row || reading.row_expert || reading.expert || reading.reduction) << value;
  }
}

}  // namespace
}  // namespace assay
