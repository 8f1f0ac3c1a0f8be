#include "src/diagnosis/diagnose.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/format.h"
#include "src/diagnosis/hypotheses/hypothesis.h"
#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(Diagnose, WeightsOfExpertZeroForAll) {
  const auto mistake = answers([](Problem& problem) {
    const Problem right = problem;
    for (Index g = 1; g < problem.spec.experts(); ++g) { copy_weights(problem, g, 0, right); }
  });
  for (const char* text : {kForward, kReal}) {
    const Diagnosis diagnosis = diagnosis_of(text, mistake);
    EXPECT_EQ(diagnosis.hypothesis, "expert_0_weights_for_all") << diagnosis.sentence;
    EXPECT_EQ(diagnosis.share, 1);
  }
}

TEST(Diagnose, WeightsOfTheNextExpert) {
  const auto mistake = answers([](Problem& problem) {
    const Problem right = problem;
    for (Index g = 0; g + 1 < problem.spec.experts(); ++g) {
      copy_weights(problem, g, g + 1, right);
    }
  });
  EXPECT_EQ(diagnosis_of(kForward, mistake).hypothesis, "neighbour_experts_weights");
}

TEST(Diagnose, ACaseThatHadToBeRefused) {
  Manifest manifest = testing::every_manifest();
  manifest.weights = {WeightsLayout::kEkn};
  FakeSession session(answers([](Problem& problem) { problem.operands.x.bits[0] ^= std::byte{1}; }),
                      manifest);
  const Diagnosis diagnosis = diagnose(session, {parsed(kForward)});
  EXPECT_EQ(diagnosis.hypothesis, "not_refused");
  EXPECT_EQ(diagnosis.sentence,
            "the manifest excludes this case (weights=enk is not among the manifest's weights), so "
            "the kernel has to return ASSAY_UNSUPPORTED");
}

TEST(Diagnose, TransposedWeights) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& w = problem.operands.w;
    const DenseOperand right = w;
    const Index size = size_bytes(w.format), k = problem.spec.k, n = problem.spec.n;
    for (Index g = 0; g < problem.spec.experts(); ++g) {
      for (Index i = 0; i < k; ++i) {
        for (Index j = 0; j < n; ++j) {
          std::memcpy(w.bits.data() + ((g * n + j) * k + i) * size,
                      right.bits.data() + ((g * k + i) * n + j) * size,
                      static_cast<std::size_t>(size));
        }
      }
    }
  });
  EXPECT_EQ(diagnosis_of(kForward, mistake).hypothesis, "transposed_weights");
}

TEST(Diagnose, DroppedTailOfK) {
  const auto mistake = drops_tail_of_k(16);
  const Diagnosis diagnosis = diagnosis_of(kForward, mistake);
  EXPECT_EQ(diagnosis.hypothesis, "reduction_tail_dropped");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("blocks of 16"));
}

// One product that is dropped looks like any other zero.
TEST(Diagnose, ACaseOfOneElementIsSettledByLargerOnes) {
  const auto mistake = drops_tail_of_k(64);
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd out=fp32 k=1 n=1 rows=1 fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "reduction_tail_dropped");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("blocks of 64"));
}

TEST(Diagnose, ASplitOfTheReductionThatIsNotAdded) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& x = problem.operands.x;
    for (Index row = 0; row < x.rows; ++row) {
      for (Index col = 27; col < x.cols; ++col) { store_bits(x.format, x.element(row, col), 0); }
    }
  });
  const Diagnosis diagnosis = diagnosis_of(kReal, mistake);
  EXPECT_EQ(diagnosis.hypothesis, "reduction_tail_dropped");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("only the first 27 of 40 products"));
}

TEST(Diagnose, AGradientInTheOtherLayout) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const std::vector<std::byte> right = outcome.output;
    const Index k = problem.spec.k, n = problem.spec.n;
    for (Index g = 0; g < problem.spec.experts(); ++g) {
      for (Index i = 0; i < k; ++i) {
        for (Index j = 0; j < n; ++j) {
          std::memcpy(outcome.output.data() + ((g * k + i) * n + j) * 4,
                      right.data() + ((g * n + j) * k + i) * 4, 4);
        }
      }
    }
  };
  EXPECT_EQ(diagnosis_of(kGradient, mistake).hypothesis, "transposed_weights");
}

TEST(Diagnose, DroppedTailOfTheRowsOfAGradient) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& x = problem.operands.x;
    for (std::size_t g = 0; g < problem.spec.rows.size(); ++g) {
      for (Index row = problem.spec.rows[g] / 16 * 16; row < problem.spec.rows[g]; ++row) {
        for (Index col = 0; col < x.cols; ++col) {
          store_bits(x.format, x.element(problem.dense_starts[g] + row, col), 0);
        }
      }
    }
  });
  EXPECT_EQ(diagnosis_of(kGradient, mistake).hypothesis, "reduction_tail_dropped");
}

TEST(Diagnose, RowOfTheNeighbour) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& x = problem.operands.x;
    const auto row = static_cast<std::size_t>(x.cols * size_bytes(x.format));
    std::memmove(x.bits.data(), x.bits.data() + row, x.bits.size() - row);
  });
  EXPECT_EQ(diagnosis_of(kForward, mistake).hypothesis, "row_of_the_neighbour");
}

// An operand whose blocks of `block` elements lie `pitch` apart, read as if they lay close
// together: what stands in the gaps is not a number.
void read_as_if_dense(DenseOperand& operand, Index block, Index pitch) {
  const DenseOperand right = operand;
  const std::uint32_t nan = encode(right.format, std::numeric_limits<double>::quiet_NaN());
  for (Index at = 0; at < right.rows * right.cols; ++at) {
    const Index from = at / pitch * block + at % pitch;
    const std::byte* source = right.bits.data() + from * size_bytes(right.format);
    store_bits(right.format, operand.bits.data() + at * size_bytes(right.format),
               at % pitch < block ? load_bits(right.format, source) : nan);
  }
}

TEST(Diagnose, ARowStrideThatIsIgnored) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& x = problem.operands.x;
    read_as_if_dense(x, x.cols, x.cols + problem.spec.ld.x);
  });
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=9 n=6 rows=4,3 ld=x:3,w:0,y:0 fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "pitch_ignored");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("the row stride of x"));
}

TEST(Diagnose, APitchBetweenExpertsThatIsIgnored) {
  const auto mistake = answers([](Problem& problem) {
    const Index weights = problem.spec.k * problem.spec.n;
    read_as_if_dense(problem.operands.w, weights, weights + problem.spec.wpitch);
  });
  const Diagnosis diagnosis =
      diagnosis_anywhere("pass=fwd k=9 n=6 rows=4,3 wpitch=5 fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "pitch_ignored");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("pitch between experts"));
}

// Expert g takes the rows that follow its own; nobody takes those of expert 0.
FakeSession::Mistake ends_read_as_starts() {
  return [](const Problem& problem, const RunOptions& options, Index, Outcome& outcome) {
    Problem other = problem;
    for (Index g = 1; g < problem.spec.experts(); ++g) { copy_weights(other, g, g - 1, problem); }
    outcome.output = exact_output(other);
    for (Index row = 0; row < problem.spec.rows[0]; ++row) {
      for (Index col = 0; col < problem.output().cols; ++col) {
        unwrite(problem, options, outcome, row, col);
      }
    }
  };
}

TEST(Diagnose, EndsReadAsStarts) {
  const Diagnosis diagnosis = diagnosis_of(kForward, ends_read_as_starts());
  EXPECT_EQ(diagnosis.hypothesis, "convention_mixup");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("hold ends, the kernel reads them as starts"));
}

TEST(Diagnose, CountsReadAsEnds) {
  // counts 5,3,7 as ends: expert 0 takes rows 0-4, expert 2 rows 3-6 of physical rows, expert 1
  // none.
  const auto mistake = [](const Problem& problem, const RunOptions& options, Index,
                          Outcome& outcome) {
    Problem by_last = problem;
    for (Index g = 0; g < 2; ++g) { copy_weights(by_last, g, 2, problem); }
    const std::vector<std::byte> last = exact_output(by_last);
    const Index cols = problem.output().cols;
    const auto row_bytes = static_cast<std::size_t>(cols * size_bytes(problem.output().format));
    for (Index row = 0; row < 15; ++row) {
      const std::size_t at = static_cast<std::size_t>(row) * row_bytes;
      if (row >= 3 && row < 7) {
        std::memcpy(outcome.output.data() + at, last.data() + at, row_bytes);
      }
      if (row >= 7) {
        for (Index col = 0; col < cols; ++col) { unwrite(problem, options, outcome, row, col); }
      }
    }
  };
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd k=40 n=24 rows=5,3,7 offsets=counts fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "convention_mixup");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("hold counts, the kernel reads them as ends"));
}

TEST(Diagnose, ExpertsThatAreNeverWritten) {
  const auto mistake = [](const Problem& problem, const RunOptions& options, Index,
                          Outcome& outcome) {
    for (Index row = 5; row < 8; ++row) {
      for (Index col = 0; col < 24; ++col) { unwrite(problem, options, outcome, row, col); }
    }
  };
  const Diagnosis diagnosis = diagnosis_of(kForward, mistake);
  EXPECT_EQ(diagnosis.hypothesis, "never_written");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("whole experts"));
  EXPECT_EQ(diagnosis.where, "72 of 360 elements; expert 1 rows 0-2 columns 0-23");
}

TEST(Diagnose, ColumnsThatAreNeverWritten) {
  const auto mistake = [](const Problem& problem, const RunOptions& options, Index,
                          Outcome& outcome) {
    for (Index row = 0; row < 15; ++row) {
      for (Index col = 12; col < 24; ++col) { unwrite(problem, options, outcome, row, col); }
    }
  };
  const Diagnosis diagnosis = diagnosis_of(kForward, mistake);
  EXPECT_EQ(diagnosis.hypothesis, "never_written");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("columns"));
}

TEST(Diagnose, TheGradientOfAnEmptyExpertIsNeverWritten) {
  const auto mistake = [](const Problem& problem, const RunOptions& options, Index,
                          Outcome& outcome) {
    const Index rows = problem.output().rows / 3;
    for (Index row = rows; row < 2 * rows; ++row) {
      for (Index col = 0; col < problem.output().cols; ++col) {
        unwrite(problem, options, outcome, row, col);
      }
    }
  };
  const Diagnosis diagnosis = diagnosis_of(kGradient, mistake);
  EXPECT_EQ(diagnosis.hypothesis, "never_written");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("without rows"));
}

// Dropping all of a short reduction looks the same: longer ones tell them apart.
TEST(Diagnose, ZerosThatWereNeverComputed) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const auto half = static_cast<Index>(outcome.output.size()) / 2;
    const Index row = problem.output().cols * size_bytes(problem.output().format);
    std::fill_n(outcome.output.begin(), half / row * row, std::byte{0});
  };
  EXPECT_EQ(diagnosis_anywhere(kForward, mistake).hypothesis, "zeros_left");
}

}  // namespace
}  // namespace assay
