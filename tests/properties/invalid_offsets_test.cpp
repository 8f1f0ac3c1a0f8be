// What invalid_offsets_do_what_the_manifest_says puts into a kernel's arrays.
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "properties/check.h"
#include "properties/generators/draw.h"
#include "properties/generators/generator.h"
#include "src/problem/offsets.h"
#include "src/problem/operation.h"
#include "src/problem/row_layout.h"
#include "tests/campaign/fake_kernel.h"

namespace assay {
namespace {

using testing::FakeSession;

Manifest refusing(Convention convention) {
  Manifest manifest = testing::every_manifest();
  manifest.offsets = {{.convention = convention}};
  manifest.invalid_offsets = InvalidOffsets::kRefused;
  return manifest;
}

using Sees = std::function<bool(const OffsetArrays& arrays, const CaseSpec& spec)>;

// Runs the check on the cases that profile ci draws; true where a kernel that refuses what `sees`
// finds invalid, and nothing else, passes all of them.
bool passes(Convention convention, const Sees& sees) {
  const Check& check = *find_check("invalid_offsets_do_what_the_manifest_says");
  const Manifest manifest = refusing(convention);
  FakeSession kernel(
      [&](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
        if (sees(problem.offsets, problem.spec)) { outcome.status = RunStatus::kError; }
      },
      manifest);
  for (const Draw& draw : check.draws) {
    for (Index index = 0; index < draw.ci; ++index) {
      const CaseSpec spec =
          nth_case(*find_generator(draw.generator), check, manifest, draw.seed, index);
      if (check.run(kernel, spec).kind == VerdictKind::kFailed) { return false; }
    }
  }
  return true;
}

bool is_invalid(const OffsetArrays& arrays, const CaseSpec& spec) {
  return !validate_offsets(arrays, frame_of(spec));
}

OffsetArrays sound(const CaseSpec& spec, const OffsetArrays& arrays) {
  return encode_offsets(lay_out_rows(spec), arrays.kind, frame_of(spec));
}

TEST(InvalidOffsets, AKernelThatSeesAllPasses) {
  for (const Convention convention : kAllConventions) {
    EXPECT_TRUE(passes(convention, is_invalid)) << name(convention);
  }
}

TEST(InvalidOffsets, EverySizeOfAGroupIsWrongInEveryWay) {
  // M, N and K with what is wrong of each: its sign, how far off.
  std::set<std::string> seen;
  passes(Convention::kProblems, [&](const OffsetArrays& arrays, const CaseSpec& spec) {
    const OffsetArrays right = sound(spec, arrays);
    for (std::size_t i = 0; i < right.sizes.size(); ++i) {
      const Index is = arrays.sizes[i], was = right.sizes[i];
      if (is == was) { continue; }
      const std::string size(1, "MNK"[i % 3]);
      const std::string pass(name(spec.pass));
      seen.insert(pass + " " + size + (is < 0 ? " negative" : is == 0 ? " zero" : " positive"));
      if (is - was == 1 || was - is == 1) { seen.insert(pass + " " + size + " by one"); }
    }
    return is_invalid(arrays, spec);
  });
  for (const Pass pass : kAllPasses) {
    for (const char size : std::string("MNK")) {
      // Fewer rows of a group are a sound group: only its other sizes cannot be zero.
      const bool is_rows = size == (pass == Pass::kWgrad ? 'K' : 'M');
      for (const std::string how : {"negative", "zero", "positive", "by one"}) {
        const std::string what = std::string(name(pass)) + " " + size + " " + how;
        if (!is_rows || how == "negative" || how == "positive") {
          EXPECT_TRUE(seen.contains(what)) << what;
        }
      }
    }
  }
}

TEST(InvalidOffsets, SizesThatAreNotReadAreNoticed) {
  EXPECT_FALSE(passes(Convention::kProblems, [](OffsetArrays arrays, const CaseSpec& spec) {
    const Operation& op = operation(spec.pass);
    const OffsetArrays right = sound(spec, arrays);
    const Axis axes[] = {op.m(), op.n(), op.depth()};
    for (std::size_t i = 0; i < arrays.sizes.size(); ++i) {
      if (axes[i % 3] != Axis::kRows) { arrays.sizes[i] = right.sizes[i]; }
    }
    return is_invalid(arrays, spec);
  }));
  EXPECT_FALSE(passes(Convention::kStarts, [](OffsetArrays arrays, const CaseSpec& spec) {
    arrays.sizes = sound(spec, arrays).sizes;
    return is_invalid(arrays, spec);
  }));
}

}  // namespace
}  // namespace assay
