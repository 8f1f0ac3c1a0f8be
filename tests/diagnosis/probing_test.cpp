// Mistakes that no hypothesis foretells, told by what each output was multiplied from.
#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/diagnosis/probing/operand_map.h"
#include "src/diagnosis/probing/probe.h"
#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

// Elements of a dense output: rows are those of all experts, one after another.
std::byte* element(const Problem& problem, Outcome& outcome, Index row, Index col) {
  const DenseOperand& output = problem.output();
  return outcome.output.data() + (row * output.cols + col) * size_bytes(output.format);
}
void copy_element(const Problem& problem, Outcome& outcome, Index row, Index col, Index from_row,
                  Index from_col) {
  std::memcpy(element(problem, outcome, row, col), element(problem, outcome, from_row, from_col),
              static_cast<std::size_t>(size_bytes(problem.output().format)));
}

constexpr const char* kWide = "pass=fwd k=9 n=32 rows=3,5 fill=integers seed=3";

TEST(Probing, AColumnBlockTakenFromAnother) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      kWide, [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        for (Index row = problem.dense_starts[1]; row < problem.output().rows; ++row) {
          for (Index col = 16; col < std::min<Index>(problem.spec.n, 32); ++col) {
            copy_element(problem, outcome, row, col, row, col - 16);
          }
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "columns_of_others");
  EXPECT_THAT(diagnosis.sentence,
              HasSubstr("y of expert 1, columns 16 to 31, is what columns 0 to 15 should be"));
  EXPECT_EQ(diagnosis.share, 1);
}

TEST(Probing, HalvesOfNExchanged) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      kWide, [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        const Outcome right = outcome;
        const DenseOperand& output = problem.output();
        const Index half = output.cols / 2, size = size_bytes(output.format);
        for (Index row = 0; row < output.rows && output.cols % 2 == 0; ++row) {
          const Index first = row * output.cols * size;
          std::memcpy(outcome.output.data() + first, right.output.data() + first + half * size,
                      static_cast<std::size_t>(half * size));
          std::memcpy(outcome.output.data() + first + half * size, right.output.data() + first,
                      static_cast<std::size_t>(half * size));
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "columns_of_others");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("they are exchanged"));
}

TEST(Probing, OldValuesOfTheFirstExpertForAll) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& c = problem.output();
    const Index bytes = problem.spec.k * problem.spec.n * size_bytes(c.format);
    for (Index g = 1; g < problem.spec.experts() && problem.spec.acc > 0; ++g) {
      std::memcpy(c.bits.data() + g * bytes, c.bits.data(), static_cast<std::size_t>(bytes));
    }
  });
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=wgrad out=fp32 k=6 n=5 rows=3,4,2 acc=1 fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "old_values_of_another_expert") << diagnosis.sentence;
  EXPECT_THAT(diagnosis.sentence,
              HasSubstr("w of expert 1 adds to are the old values of expert 0"));
}

TEST(Probing, ColumnsThatATacticLoses) {
  Manifest manifest = testing::every_manifest();
  manifest.tactics = {"wide"};
  FakeSession session(
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        if (problem.spec.tactic != "wide") { return; }
        for (Index row = 0; row < problem.output().rows; ++row) {
          for (Index col = 24; col < problem.spec.n; ++col) {
            std::memset(element(problem, outcome, row, col), 0, 2);
          }
        }
      },
      manifest);
  const Diagnosis diagnosis =
      diagnose(session, {parsed("pass=fwd k=9 n=32 rows=3,5 tactic=wide fill=integers seed=3")});
  EXPECT_THAT(diagnosis.hypothesis, ::testing::AnyOf("elements_left_out", "zeros_left"));
  EXPECT_THAT(diagnosis.sentence, HasSubstr("tactic=wide")) << diagnosis.sentence;
}

TEST(Probing, RowsOfOneCount) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=fwd k=9 n=6 rows=4,12 fill=integers seed=3",
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        for (Index g = 0; g < problem.spec.experts(); ++g) {
          const Index first = problem.dense_starts[static_cast<std::size_t>(g)];
          for (Index row = 8; row < 12 && problem.spec.rows[g] == 12; ++row) {
            for (Index col = 0; col < problem.spec.n; ++col) {
              copy_element(problem, outcome, first + row, col, first + row - 8, col);
            }
          }
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "rows_of_others");
  EXPECT_THAT(diagnosis.sentence,
              HasSubstr("y of expert 1, rows 8 to 11, is what rows 0 to 3 should be"));
  EXPECT_THAT(diagnosis.sentence, HasSubstr("only where an expert has exactly 12 rows"));
}

// y of each expert but the first is its own and that of the one before it.
TEST(Probing, SumsThatStayBetweenExperts) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=fwd out=fp32 k=9 n=6 rows=4,4,4 fill=integers seed=3",
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        const Outcome right = outcome;
        const DenseOperand& output = problem.output();
        const auto value = [&](const Outcome& from, Index row, Index col) {
          const Index at = (row * output.cols + col) * size_bytes(output.format);
          return decode(output.format, load_bits(output.format, from.output.data() + at));
        };
        for (std::size_t g = 1; g < problem.spec.rows.size(); ++g) {
          const Index rows = std::min(problem.spec.rows[g], problem.spec.rows[g - 1]);
          for (Index row = 0; row < rows; ++row) {
            for (Index col = 0; col < output.cols; ++col) {
              const Index own = problem.dense_starts[g] + row;
              const double sum =
                  value(right, own, col) + value(right, problem.dense_starts[g - 1] + row, col);
              store_bits(output.format, element(problem, outcome, own, col),
                         encode(output.format, sum));
            }
          }
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "sums_of_another_expert") << diagnosis.sentence;
  EXPECT_THAT(diagnosis.sentence, HasSubstr("sums are not cleared between experts"));
}

TEST(Probing, AsksNothingWhereAHypothesisForetellsAll) {
  FakeSession session(answers([](Problem& problem) {
    const Problem right = problem;
    for (Index g = 1; g < problem.spec.experts(); ++g) { copy_weights(problem, g, 0, right); }
  }));
  const CaseSpec spec = parsed(kWide);
  const auto evidence = gather_evidence(session, spec);
  ASSERT_TRUE(evidence.has_value());
  const Index before = session.runs();
  ASSERT_TRUE(probe(session, *evidence).has_value());
  EXPECT_LE(session.runs() - before, kMostProbes + kMostTriedSizes);
  EXPECT_EQ(diagnose(session, {spec}).hypothesis, "expert_0_weights_for_all");
}

TEST(Probing, SaysNothingOfAKernelThatIsRight) {
  FakeSession wrong([](const Problem&, const RunOptions&, Index, Outcome& outcome) {
    outcome.output[0] ^= std::byte{1};
  });
  const auto evidence = gather_evidence(wrong, parsed(kWide));
  ASSERT_TRUE(evidence.has_value());
  FakeSession right;
  EXPECT_FALSE(probe(right, *evidence).has_value());
}

}  // namespace
}  // namespace assay
