// A cause fits the case that it is printed with, whatever larger cases show.
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/model/model.h"
#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::byte* at(const Problem& problem, Outcome& outcome, Index element) {
  return outcome.output.data() + element * size_bytes(problem.output().format);
}
void spoil(const Problem& problem, Outcome& outcome, Index element) {
  const Format format = problem.output().format;
  store_bits(format, at(problem, outcome, element), traits(format).nan[0]);
}

// As of row tiles: shifting all experts would have made the first four rows wrong, too.
TEST(DiagnoseFit, WeightsOfTheNextExpertInOneRowAreNotAllExpertsShifted) {
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=9 n=6 rows=5,0 fill=integers seed=3",
                         [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
                           if (problem.spec.experts() < 2) { return; }
                           Problem other = problem;
                           copy_weights(other, 0, 1, problem);
                           const std::vector<std::byte> next = exact_output(other);
                           const Index row = problem.spec.n * size_bytes(problem.output().format);
                           for (Index i = 4; i < problem.spec.rows[0]; ++i) {
                             std::memcpy(outcome.output.data() + i * row, next.data() + i * row,
                                         static_cast<std::size_t>(row));
                           }
                         });
  EXPECT_EQ(diagnosis.hypothesis, "operands_of_another_expert") << diagnosis.sentence;
  EXPECT_THAT(diagnosis.sentence,
              HasSubstr("y of expert 0, row 4, is multiplied from the w of expert 1"));
}

TEST(DiagnoseFit, WhatTheCaseShowsThoughLargerOnesAreWrongOtherwise) {
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=1 n=1 rows=1 fill=integers seed=3",
                         [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
                           const Format format = problem.output().format;
                           const Index elements = problem.output().rows * problem.output().cols;
                           if (elements == 1) { return spoil(problem, outcome, 0); }
                           for (Index i = 0; i < elements; ++i) {
                             store_bits(format, at(problem, outcome, i),
                                        encode(format, static_cast<double>(1000 + i * 37 % 500)));
                           }
                         });
  EXPECT_EQ(diagnosis.hypothesis, "outside_memory_read") << diagnosis.sentence;
  EXPECT_EQ(diagnosis.share, 1);
}

TEST(DiagnoseFit, TheRowAfterTheOnlyOneIsPoison) {
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=3 n=2 rows=1 tail=1 fill=integers seed=3",
                         [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
                           const DenseOperand& output = problem.output();
                           Problem next = problem;
                           DenseOperand& x = next.operands.x;
                           const Index row = x.cols * size_bytes(x.format);
                           std::memmove(x.bits.data(), x.bits.data() + row,
                                        static_cast<std::size_t>((x.rows - 1) * row));
                           outcome.output = exact_output(next);
                           for (Index col = 0; col < output.cols; ++col) {
                             spoil(problem, outcome, (output.rows - 1) * output.cols + col);
                           }
                         });
  EXPECT_EQ(diagnosis.hypothesis, "row_of_the_neighbour") << diagnosis.sentence;
}

TEST(DiagnoseFit, OnlyTheLastExpertContractsWhatIsBehindIt) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=wgrad out=fp32 k=2 n=3 rows=2,4,1 offsets=masked fill=integers seed=3",
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        const RowLayout& layout = problem.layout;
        if (layout.starts.back() + layout.counts.back() == layout.physical_rows) { return; }
        const Index last = problem.output().rows * problem.output().cols;
        for (Index i = last - problem.spec.k * problem.spec.n; i < last; ++i) {
          spoil(problem, outcome, i);
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "tail_rows_contracted");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("the last expert's own"));
}

// A stride that is ignored between rows changes nothing where each expert has one.
TEST(DiagnoseFit, AStrideThatReadsNoGapIsNotIgnored) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=fwd in=fp32 k=1 n=16 rows=0,1 weights=ekn ld=x:0,w:1,y:0 fill=normal",
      [](const Problem& problem, const RunOptions& options, Index, Outcome& outcome) {
        if (options.output_cleared) { return; }
        const DenseOperand& output = problem.output();
        for (std::size_t g = 0; g < problem.spec.rows.size(); ++g) {
          if (problem.spec.rows[g] != 1) { continue; }
          unwrite(problem, options, outcome, problem.dense_starts[g], output.cols - 2);
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "old_output_read") << diagnosis.sentence;
}

// Each element holds what was written to its address, where experts adjoin.
TEST(DiagnoseFit, AGradientWrittenAsIfExpertsAdjoined) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=wgrad out=fp32 k=2 n=3 rows=4,3,2 wpitch=2 fill=integers seed=3",
      [](const Problem& problem, const RunOptions& options, Index, Outcome& outcome) {
        const Outcome right = outcome;
        const DenseOperand& output = problem.output();
        const Index size = problem.spec.k * problem.spec.n;
        for (Index g = 0; g < problem.spec.experts(); ++g) {
          for (Index i = 0; i < size; ++i) {
            const Index address = g * (size + problem.spec.wpitch) + i, own = g * size + i;
            if (address < problem.spec.experts() * size) {
              std::memcpy(at(problem, outcome, own), right.output.data() + address * 4, 4);
            } else {
              unwrite(problem, options, outcome, own / output.cols, own % output.cols);
            }
          }
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "pitch_ignored") << diagnosis.sentence;
  EXPECT_THAT(diagnosis.sentence, HasSubstr("the gradient's pitch between experts"));
}

// The first routing of a size is kept, so that the case's own run is right.
TEST(DiagnoseFit, TheRoutingOfTheFirstCallOfItsSize) {
  const auto kept = std::make_shared<std::vector<Index>>();
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=fwd k=3 n=2 rows=0,1 fill=integers seed=3",
      [kept](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        const std::vector<Index>& rows = problem.spec.rows;
        if (kept->size() != rows.size()) { *kept = rows; }
        if (*kept != rows) { outcome.output[0] ^= std::byte{0x40}; }
      });
  EXPECT_EQ(diagnosis.hypothesis, "stale_routing");
}

TEST(DiagnoseFit, AnErrorIsNotARightRun) {
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=3 n=2 rows=1 fill=integers seed=3",
                         [](const Problem&, const RunOptions&, Index, Outcome& outcome) {
                           outcome.status = RunStatus::kError;
                           outcome.message = "no such tactic";
                         });
  EXPECT_EQ(diagnosis.hypothesis, "");
  EXPECT_EQ(diagnosis.sentence, "a plain run returns an error: no such tactic");
}

// Within the bound: one product of thousands is lost, and the bits tell.
TEST(DiagnoseFit, BitsOfSubnormalOperandsReadAsZero) {
  const Diagnosis diagnosis = diagnosis_anywhere(
      "pass=wgrad in=fp16 out=fp16 k=159 n=32 rows=163 offsets=starts weights=ekn fill=normal "
      "seed=378147",
      [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        oracle::Arithmetic arithmetic{.kind = oracle::Arithmetic::Kind::kFp32, .ascending = true};
        arithmetic.subnormals.inputs = 0xFF;
        for (const oracle::Product& product : products_of(problem, outcome.output.data())) {
          const Index offset =
              static_cast<const std::byte*>(product.got.data) - outcome.output.data();
          oracle::predict(product, arithmetic, outcome.output.data() + offset);
        }
      });
  EXPECT_EQ(diagnosis.hypothesis, "subnormal_operands_read_as_zero") << diagnosis.where;
}

// A result that is nearer to the exact one than declared is not at another's address.
TEST(DiagnoseFit, BitsThatAreNotAsDeclaredAreNoMistakeOfAddresses) {
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=13 n=8 rows=1 fill=cancelling seed=7",
                         [](const Problem&, const RunOptions&, Index, Outcome&) {});
  EXPECT_EQ(diagnosis.hypothesis, "") << diagnosis.sentence;
}

}  // namespace
}  // namespace assay
