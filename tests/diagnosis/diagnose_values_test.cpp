// Diagnoses of wrong values; diagnose_test.cpp has those of wrong places.
#include <cmath>
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/format.h"
#include "src/diagnosis/hypotheses/hypothesis.h"
#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(Diagnose, AccumulationThatOverwrites) {
  const auto mistake = answers([](Problem& problem) { problem.spec.acc = 0; });
  const Diagnosis diagnosis =
      diagnosis_of("pass=wgrad out=fp32 acc=1 k=12 n=10 rows=37,0,21 fill=integers", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "accumulation_lost");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("overwritten"));
}

// Each element of the bias becomes change(bias, expert, col).
template <class Change>
auto with_bias(Change change) {
  return answers([change](Problem& problem) {
    const DenseOperand was = problem.bias;
    for (Index expert = 0; expert < was.rows; ++expert) {
      for (Index col = 0; col < was.cols; ++col) {
        const double value = change(was, expert, col);
        store_bits(was.format, problem.bias.element(expert, col), encode(was.format, value));
      }
    }
  });
}
double bias_at(const DenseOperand& bias, Index expert, Index col) {
  return decode(bias.format, load_bits(bias.format, bias.element(expert, col)));
}

TEST(Diagnose, ABiasOfAnotherExpertOrAddedElsewhere) {
  struct Example {
    const char* says;
    double (*change)(const DenseOperand& bias, Index expert, Index col);
  };
  const Example examples[] = {
      {"of expert 0",
       [](const DenseOperand& bias, Index, Index col) { return bias_at(bias, 0, col); }},
      {"of the next expert",
       [](const DenseOperand& bias, Index expert, Index col) {
         return bias_at(bias, std::min(expert + 1, bias.rows - 1), col);
       }},
      {"of the expert before",
       [](const DenseOperand& bias, Index expert, Index col) {
         return bias_at(bias, std::max<Index>(expert - 1, 0), col);
       }},
      {"is not added", [](const DenseOperand&, Index, Index) { return 0.0; }},
      {"is added twice", [](const DenseOperand& bias, Index expert,
                            Index col) { return 2 * bias_at(bias, expert, col); }},
      {"is not added to the columns after the last whole 8",
       [](const DenseOperand& bias, Index expert, Index col) {
         return col < 16 ? bias_at(bias, expert, col) : 0.0;
       }},
      {"first element",
       [](const DenseOperand& bias, Index expert, Index) { return bias_at(bias, expert, 0); }},
      {"rounded to bf16", [](const DenseOperand& bias, Index expert, Index col) {
         return decode(Format::kBf16, encode(Format::kBf16, bias_at(bias, expert, col)));
       }}};
  for (const Example& example : examples) {
    const bool rounds = std::string_view(example.says).starts_with("rounded");
    const std::string line = "pass=fwd in=fp32 bias=fp32 k=9 n=21 rows=7,0,5,12 seed=3 fill=" +
                             std::string(rounds ? "normal" : "integers");
    const Diagnosis diagnosis = diagnosis_of(line, with_bias(example.change));
    EXPECT_EQ(diagnosis.hypothesis, "wrong_bias") << example.says;
    EXPECT_THAT(diagnosis.sentence, HasSubstr(example.says));
  }
}

TEST(Diagnose, AProductAddedOnceMore) {
  const auto mistake = answers([](Problem& problem) { ++problem.spec.acc; });
  EXPECT_EQ(diagnosis_of("pass=wgrad out=fp32 acc=1 k=12 n=10 rows=37,0,21 fill=integers", mistake)
                .hypothesis,
            "product_added_again");
}

// fp32 in and out, so that the product in too few bits is all that is wrong.
TEST(Diagnose, PartialSumsInBf16) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const auto products = products_of(problem, outcome.output.data());
    for (const oracle::Product& product : products) {
      for (Index row = 0; row < product.got.rows; ++row) {
        for (Index col = 0; col < product.got.cols; ++col) {
          double sum = 0;
          for (Index first = 0; first < product.a.cols; first += 32) {
            double part = 0;
            for (Index k = first; k < std::min(product.a.cols, first + 32); ++k) {
              part += oracle::to_double(product.a.format, product.a.bits(row, k)) *
                      oracle::to_double(product.b.format, product.b.bits(k, col));
            }
            sum += oracle::to_double(oracle::Format::kBf16,
                                     oracle::round_nearest(oracle::Format::kBf16, part));
          }
          auto* at = static_cast<std::byte*>(const_cast<void*>(product.got.data)) +
                     (row * product.got.row_stride + col * product.got.col_stride) * 4;
          store_bits(Format::kFp32, at, encode(Format::kFp32, sum));
        }
      }
    }
  };
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd out=fp32 k=200 n=24 rows=5,3,7 fill=anchored seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "narrow_partial_sums");
  EXPECT_THAT(diagnosis.sentence, AllOf(HasSubstr("bf16"), HasSubstr("32")));
}

// Outputs of `from` are added to those at (row, col): sums that nobody cleared.
TEST(Diagnose, SumsOfTheTileBeforeStay) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const Index cols = problem.output().cols;
    const std::vector<std::byte> exact = outcome.output;
    const auto value = [&](Index row, Index col) {
      return decode(Format::kFp32, load_bits(Format::kFp32, exact.data() + (row * cols + col) * 4));
    };
    for (Index row = 0; row < problem.output().rows; ++row) {
      for (Index col = 16; col < cols; ++col) {
        store_bits(Format::kFp32, outcome.output.data() + (row * cols + col) * 4,
                   encode(Format::kFp32, value(row, col) + value(row, col - 16)));
      }
    }
  };
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd out=fp32 k=40 n=24 rows=5,3,7 fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "sums_not_cleared");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("16 columns apart"));
}

TEST(Diagnose, ABlockOfTheReductionAddedTwice) {
  const auto mistake = answers([](Problem& problem) {
    DenseOperand& x = problem.operands.x;
    for (Index row = 0; row < x.rows; ++row) {
      for (Index col = 32; col < x.cols; ++col) {
        store_bits(
            x.format, x.element(row, col),
            encode(x.format, 2 * decode(x.format, load_bits(x.format, x.element(row, col)))));
      }
    }
  });
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd out=fp32 k=40 n=24 rows=5,3,7 fill=integers seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "block_of_the_reduction_repeated");
}

TEST(Diagnose, OutputTruncatedInsteadOfRounded) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    Problem wide = problem;
    wide.operands.y.format = Format::kFp32;
    wide.operands.y.bits.resize(2 * problem.operands.y.bits.size());
    const std::vector<std::byte> exact = exact_output(wide);
    for (std::size_t i = 0; i < exact.size() / 4; ++i) {
      store_bits(Format::kBf16, outcome.output.data() + 2 * i,
                 load_bits(Format::kFp32, exact.data() + 4 * i) >> 16);
    }
  };
  EXPECT_EQ(diagnosis_of("pass=fwd k=800 n=12 rows=5,3,7 fill=integers seed=3", mistake).hypothesis,
            "output_truncated");
}

FakeSession::Mistake element_by_element(double (*change)(double exact)) {
  return [change](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const Format out = problem.output().format;
    const Index size = size_bytes(out);
    for (Index at = 0; at < static_cast<Index>(outcome.output.size()); at += size) {
      std::byte* element = outcome.output.data() + at;
      store_bits(out, element, encode(out, change(decode(out, load_bits(out, element)))));
    }
  };
}

TEST(Diagnose, AScaledOutput) {
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd out=fp32 k=40 n=24 rows=5,3,7 fill=normal seed=3",
                   element_by_element([](double exact) { return exact * 1.0625; }));
  EXPECT_EQ(diagnosis.hypothesis, "scaled");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("1.06"));
}

TEST(Diagnose, SpecialValuesThatAreLost) {
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd k=40 n=24 rows=5,3,7 fill=special seed=3",
                   element_by_element([](double exact) { return std::isnan(exact) ? 0 : exact; }));
  EXPECT_EQ(diagnosis.hypothesis, "special_values_lost");
}

TEST(Diagnose, TiesThatGoAwayFromZero) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    Problem wide = problem;
    wide.operands.y.format = Format::kFp32;
    wide.operands.y.bits.resize(2 * problem.operands.y.bits.size());
    const std::vector<std::byte> exact = exact_output(wide);
    for (std::size_t i = 0; i < exact.size() / 4; ++i) {
      store_bits(Format::kBf16, outcome.output.data() + 2 * i,
                 (load_bits(Format::kFp32, exact.data() + 4 * i) + 0x8000) >> 16);
    }
  };
  EXPECT_EQ(diagnosis_of("pass=fwd k=800 n=12 rows=5,3,7 fill=integers seed=3", mistake).hypothesis,
            "ties_away_from_zero");
}

// What the call before was asked, where it had as many experts and rows.
TEST(Diagnose, TheRoutingOfTheCallBefore) {
  auto before = std::make_shared<std::vector<Index>>();
  const auto mistake = [before](const Problem& problem, const RunOptions&, Index,
                                Outcome& outcome) {
    if (!before->empty() && *before != problem.spec.rows) {
      std::fill(outcome.output.begin(), outcome.output.end(), std::byte{1});
    }
    *before = problem.spec.rows;
  };
  EXPECT_EQ(diagnosis_of(kForward, mistake).hypothesis, "stale_routing");
}

TEST(Diagnose, OperandsConvertedToTf32) {
  const auto mistake = answers([](Problem& problem) {
    for (DenseOperand* operand : {&problem.operands.x, &problem.operands.w}) {
      for (Index row = 0; row < operand->rows; ++row) {
        for (Index col = 0; col < operand->cols; ++col) {
          const std::uint32_t bits = load_bits(Format::kFp32, operand->element(row, col));
          store_bits(Format::kFp32, operand->element(row, col), bits & 0xffffe000u);
        }
      }
    }
  });
  const Diagnosis diagnosis =
      diagnosis_of("pass=fwd in=fp32 out=fp32 k=40 n=24 rows=5,3,7 fill=normal seed=3", mistake);
  EXPECT_EQ(diagnosis.hypothesis, "operands_converted");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("tf32 by truncation"));
}

TEST(Diagnose, ResultsThatChangeBetweenRuns) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index run, Outcome& outcome) {
    const Format out = problem.output().format;
    for (Index element = 0; element < 40; ++element) {
      store_bits(out, outcome.output.data() + element * size_bytes(out),
                 encode(out, static_cast<double>(1000 + 37 * run + element)));
    }
  };
  EXPECT_EQ(diagnosis_of(kForward, mistake).hypothesis, "changes_between_runs");
}

TEST(Diagnose, MemoryOutsideTheOperands) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const Format out = problem.output().format;
    for (Index element = 0; element < 30; ++element) {
      store_bits(out, outcome.output.data() + element * size_bytes(out), 0x7fc0);
    }
  };
  EXPECT_EQ(diagnosis_of(kForward, mistake).hypothesis, "outside_memory_read");
}

TEST(Diagnose, TailRowsContractedIntoAGradient) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const Index last = 2 * problem.spec.k * problem.spec.n;
    for (Index element = 0; element < problem.spec.k * problem.spec.n; ++element) {
      store_bits(Format::kFp32, outcome.output.data() + (last + element) * 4, 0x7fc00000);
    }
  };
  EXPECT_EQ(diagnosis_of("pass=wgrad out=fp32 k=12 n=10 rows=37,4,21 tail=3 fill=integers", mistake)
                .hypothesis,
            "tail_rows_contracted");
}

TEST(Diagnose, SaysWhenNothingExplainsIt) {
  const auto mistake = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    const Format out = problem.output().format;
    const Index elements = std::min<Index>(40, problem.output().rows * problem.output().cols);
    for (Index element = 0; element < elements; ++element) {
      store_bits(out, outcome.output.data() + element * size_bytes(out),
                 encode(out, static_cast<double>(1000 + 37 * element)));
    }
  };
  const Diagnosis diagnosis = diagnosis_anywhere(kForward, mistake);
  EXPECT_EQ(diagnosis.hypothesis, "");
  EXPECT_EQ(diagnosis.tried, static_cast<Index>(all_hypotheses().size()));
  EXPECT_FALSE(diagnosis.where.empty());
}

TEST(Diagnose, ATailRowThatIsWritten) {
  const Diagnosis diagnosis = diagnosis_of(
      "pass=fwd k=4 n=4 rows=2,1 tail=1",
      [](const Problem&, const RunOptions& options, Index, Outcome& outcome) {
        if (options.poison == 0) {
          return;  // it writes the poison itself
        }
        outcome.faults.push_back(
            {.where = MemoryFault::Where::kTailRow, .operand = "y", .row = 0, .col = 0});
      });
  EXPECT_EQ(diagnosis.hypothesis, "stray_write");
  EXPECT_THAT(diagnosis.sentence, HasSubstr("a tail row was written: row 0 of y"));
}

TEST(Diagnose, AStatusWordThatIsSetOnValidOffsets) {
  const Diagnosis diagnosis = diagnosis_of(
      "pass=fwd k=4 n=4 rows=2,1",
      [](const Problem&, const RunOptions&, Index, Outcome& outcome) { outcome.status_word = 1; });
  EXPECT_EQ(diagnosis.hypothesis, "status_word_set");
}

TEST(Diagnose, WhatACallLeavesChangedComesBeforeWhatItComputes) {
  const Diagnosis diagnosis =
      diagnosis_of(kForward, [](const Problem&, const RunOptions&, Index, Outcome& outcome) {
        outcome.leftover = "left the SSE control word changed: flush-to-zero is on";
        outcome.output[0] ^= std::byte{0x40};
      });
  EXPECT_EQ(diagnosis.hypothesis, "surroundings_changed");
}

TEST(Diagnose, ARightPlainRunHasNoDiagnosis) {
  const Diagnosis diagnosis = diagnosis_of(kForward, {});
  EXPECT_EQ(diagnosis.hypothesis, "");
  EXPECT_EQ(diagnosis.where, "");
}

TEST(Hypotheses, HaveNamesOfTheirOwn) {
  std::vector<std::string_view> names;
  for (const Hypothesis& hypothesis : all_hypotheses()) { names.push_back(hypothesis.name); }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace assay
