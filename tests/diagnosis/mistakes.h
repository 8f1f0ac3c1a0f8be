// What the tests of diagnoses share: kernels with a known mistake, and the cases that show it.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/diagnosis/diagnose.h"
#include "src/harness/memory/poison.h"
#include "src/problem/case_text.h"
#include "tests/campaign/fake_kernel.h"
#include "tests/problem/parsed.h"

namespace assay {

using testing::FakeSession;

// A mistake made on every case, whatever its shape.
inline Diagnosis diagnosis_anywhere(const std::string& text, FakeSession::Mistake mistake) {
  const CaseSpec spec = parsed(text);
  Manifest manifest = testing::every_manifest();
  manifest.formats.push_back({spec.in, spec.out});
  manifest.wgrad_formats.push_back({spec.in, spec.out});
  FakeSession session(std::move(mistake), manifest);
  return diagnose(session, {spec});
}

// A mistake made only on cases of this shape (its rows in any order).
inline Diagnosis diagnosis_of(const std::string& text, FakeSession::Mistake mistake) {
  const auto shape = [](const CaseSpec& spec) {
    std::vector<Index> sizes = spec.rows;
    std::sort(sizes.begin(), sizes.end());
    sizes.insert(sizes.end(), {spec.k, spec.n});
    return sizes;
  };
  const std::vector<Index> only = shape(parsed(text));
  if (!mistake) { return diagnosis_anywhere(text, {}); }
  return diagnosis_anywhere(
      text, [=](const Problem& problem, const RunOptions& options, Index run, Outcome& outcome) {
        if (shape(problem.spec) == only) { mistake(problem, options, run, outcome); }
      });
}

// The right answer to a changed problem.
template <class Change>
FakeSession::Mistake answers(const Change& change) {
  return [change](const Problem& problem, const RunOptions&, Index, Outcome& outcome) {
    Problem other = problem;
    change(other);
    outcome.output = exact_output(other);
  };
}

// Forward drops what is left of k after whole blocks.
inline FakeSession::Mistake drops_tail_of_k(Index block) {
  return answers([block](Problem& problem) {
    DenseOperand& x = problem.operands.x;
    for (Index row = 0; row < x.rows; ++row) {
      for (Index col = x.cols / block * block; col < x.cols; ++col) {
        store_bits(x.format, x.element(row, col), 0);
      }
    }
  });
}

// Visits elements of one operand as (expert, element of the expert's weights).
inline void copy_weights(Problem& problem, Index to, Index from, const Problem& source) {
  DenseOperand& w = problem.operands.w;
  const Index bytes = problem.spec.k * problem.spec.n * size_bytes(w.format);
  std::memcpy(w.bits.data() + to * bytes, source.operands.w.bits.data() + from * bytes,
              static_cast<std::size_t>(bytes));
}

inline void unwrite(const Problem& problem, const RunOptions& options, Outcome& outcome, Index row,
                    Index col) {
  const DenseOperand& output = problem.output();
  store_bits(output.format,
             outcome.output.data() + (row * output.cols + col) * size_bytes(output.format),
             unwritten_bits(output.format, options.poison));
}

inline constexpr const char* kForward = "pass=fwd k=40 n=24 rows=5,3,7 fill=integers seed=3";
inline constexpr const char* kReal = "pass=fwd k=40 n=24 rows=5,3,7 fill=normal seed=3";
inline constexpr const char* kGradient =
    "pass=wgrad out=fp32 k=12 n=10 rows=37,0,21 fill=integers seed=3";

}  // namespace assay
