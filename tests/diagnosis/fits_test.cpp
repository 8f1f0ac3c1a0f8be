// No hypothesis claims what the case that it is printed with does not have.
#include "src/diagnosis/hypotheses/fits.h"

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/diagnosis/hypotheses/hypothesis.h"
#include "tests/core/sanitized.h"
#include "tests/diagnosis/mistakes.h"

namespace assay {
namespace {

// Each element one unit in the last place off, whatever it is.
void spoil_all(const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
  const Index size = size_bytes(problem.output().format);
  for (std::size_t i = 0; i < outcome.output.size(); i += static_cast<std::size_t>(size)) {
    outcome.output[i] ^= std::byte{1};
  }
}

struct Absent {
  const char* hypothesis;
  const char* line;  // has nothing of it
};

constexpr const char* kOneExpert = "pass=fwd k=4 n=4 rows=5 fill=integers";
constexpr const char* kEightBits = "pass=fwd in=e4m3 out=bf16 k=4 n=4 rows=5,2 fill=integers";
constexpr const char* kEmptyNeighbour = "pass=fwd k=4 n=4 rows=5,0 fill=special";
constexpr Absent kAbsent[] = {
    {"narrow_integer_sums", kEightBits},
    {"scales_read_elsewhere", "pass=fwd in=e4m3/block128 out=bf16 k=4 n=4 rows=5,2"},
    {"shifted_by_one_expert", kOneExpert},
    {"expert_0_weights_for_all", kOneExpert},
    {"expert_0_weights_for_all", "pass=fwd k=4 n=4 rows=5,0,0 fill=integers"},
    {"neighbour_experts_weights", kOneExpert},
    {"neighbour_experts_gradient", "pass=wgrad out=fp32 k=4 n=4 rows=0,5 fill=integers"},
    {"weight_pointers_ignored", "pass=fwd k=4 n=4 rows=5,3 offsets=problems fill=integers"},
    {"transposed_weights", "pass=fwd k=1 n=9 rows=5,3 fill=integers"},
    {"pitch_ignored", kOneExpert},
    {"padded_width_taken_for_pitch", "pass=fwd k=128 n=128 rows=2 fill=integers"},
    {"start_rounded_down", "pass=fwd k=4 n=4 rows=0,5 fill=integers"},
    {"accumulation_lost", kOneExpert},
    {"wrong_bias", kOneExpert},
    {"product_added_again", "pass=wgrad out=fp32 k=4 n=4 rows=0 fill=integers"},
    {"reduction_tail_dropped", "pass=wgrad out=fp32 k=4 n=4 rows=0 fill=integers"},
    {"only_one_block_of_the_reduction", "pass=wgrad out=fp32 k=4 n=4 rows=0,0 fill=integers"},
    {"block_of_the_reduction_repeated", "pass=fwd k=8 n=4 rows=5 fill=integers"},
    {"sums_not_cleared", "pass=fwd k=9 n=4 rows=5,8 fill=integers"},
    {"tail_rows_contracted", "pass=wgrad out=fp32 k=4 n=4 rows=2,3 fill=integers"},
    {"reduction_read_past", "pass=wgrad out=fp32 k=4 n=4 rows=0 fill=integers"},
    {"row_of_the_neighbour", "pass=fwd k=4 n=4 rows=0,1 fill=integers"},
    {"narrow_partial_sums", "pass=fwd k=1 n=4 rows=5 fill=integers"},
    {"subnormal_operands_read_as_zero", kOneExpert},
    {"subnormal_outputs_written_as_zero", kOneExpert},
    {"operands_converted", kOneExpert},
    {"subnormals_or_overflow", kOneExpert},
    {"never_written", kOneExpert},
    {"old_output_read", kOneExpert},
    {"workspace_read", kOneExpert},
    {"special_values_lost", kOneExpert},
    {"neighbours_special_values", kOneExpert},
    {"neighbours_special_values", "pass=fwd k=4 n=4 rows=5 fill=special"},
    {"neighbours_special_values", kEmptyNeighbour},
    {"outside_memory_read", kOneExpert},
    {"index_overflow", kOneExpert},
    {"changes_between_runs", kOneExpert},
    {"scales_left_out", kEightBits},
    {"scale_of_another_block", kEightBits},
    {"scale_misread", kEightBits},
    {"tensor_scale_misread", kEightBits},
    {"output_scale_misread", kEightBits},
    {"rounded_before_it_is_stored", kEightBits},
    {"codes_misread", kOneExpert},
    {"empty_sum_scaled", kEightBits},
    {"codes_in_the_others_format", kEightBits},
};

const Hypothesis& hypothesis_named(std::string_view name) {
  const auto all = all_hypotheses();
  return *std::ranges::find(all, name, &Hypothesis::name);
}

TEST(Fits, NothingThatTheCaseDoesNotHave) {
  std::map<std::string, std::vector<std::string_view>> absent_of;  // a line's hypotheses
  for (const Absent& absent : kAbsent) { absent_of[absent.line].push_back(absent.hypothesis); }
  const std::size_t diagnosed = testing::sanitized_share(static_cast<int>(absent_of.size()));
  std::size_t lines = 0;
  for (const auto& [line, hypotheses] : absent_of) {
    FakeSession session(spoil_all, testing::every_manifest());
    const auto evidence = gather_evidence(session, parsed(line));
    ASSERT_TRUE(evidence.has_value()) << line;
    for (const std::string_view hypothesis : hypotheses) {
      EXPECT_FALSE(hypothesis_named(hypothesis).fits(*evidence)) << hypothesis << " of " << line;
    }
    if (++lines > diagnosed) { continue; }
    const std::string named = diagnose(session, {parsed(line)}).hypothesis;
    for (const std::string_view hypothesis : hypotheses) { EXPECT_NE(named, hypothesis) << line; }
  }
}

TEST(Fits, EveryHypothesisButTheMostGeneralHasACaseWithoutIt) {
  for (const Hypothesis& hypothesis : all_hypotheses()) {
    const bool general = hypothesis.fits == has_elements || hypothesis.fits == has_products ||
                         hypothesis.fits == has_zeros;
    const bool known = std::ranges::any_of(
        kAbsent, [&](const Absent& absent) { return absent.hypothesis == hypothesis.name; });
    EXPECT_TRUE(general || known) << hypothesis.name;
  }
}

// What goes wrong with special values only is no mistake of addresses.
TEST(Fits, AShapeThatIsRightWithPlainValuesIsNotMisread) {
  const auto flushes = [](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    if (problem.spec.fill != Fill::kSpecial) { return; }
    const DenseOperand& output = problem.output();
    for (Index row = 0; row < output.rows; ++row) {
      for (Index col = 0; col < output.cols; col += 2) {
        const Index at = (row * output.cols + col) * size_bytes(output.format);
        const double value =
            decode(output.format, load_bits(output.format, outcome.output.data() + at));
        if (!(value > 0)) { continue; }
        store_bits(output.format, outcome.output.data() + at, traits(output.format).nan[0]);
      }
    }
  };
  const Diagnosis diagnosis = diagnosis_of(
      "pass=wgrad in=fp32 out=fp32 k=2 n=65 rows=3,0,3,3 offsets=counts weights=ekn fill=special "
      "seed=74913",
      flushes);
  for (const Hypothesis& hypothesis : all_hypotheses()) {
    if (hypothesis.about == Hypothesis::About::kShape) {
      EXPECT_NE(diagnosis.hypothesis, hypothesis.name) << diagnosis.sentence;
    }
  }
}

}  // namespace
}  // namespace assay
