// From a Problem and an Outcome to the oracle and back.
#pragma once

#include <optional>
#include <vector>

#include "oracle/fingerprint/fingerprint.h"
#include "oracle/judge.h"
#include "src/contract/manifest.h"
#include "src/harness/call/outcome.h"
#include "src/problem/problem.h"

namespace assay {

oracle::Format to_oracle(Format format);
// What the manifest declares, as the oracle takes it, for this case.
oracle::Arithmetic to_oracle(const Manifest& manifest, const CaseSpec& spec);

// One product an expert, as the pass's Operation says, over the problem's dense operands and
// `output` (dense, as Outcome::output). Requires: problem and output outlive the products.
std::vector<oracle::Product> products_of(const Problem& problem, const void* output);

// The operand that is the products' a, b or c.
FactorRole role_of(Pass pass, oracle::Factor factor);

struct CaseJudgeOptions {
  bool exact_oracle = false;  // judge by the exact oracle alone
  int threads = 1;
  std::vector<std::uint8_t>* wrong_map = nullptr;
  // Another case's exact output of the same shape, a trivial wrong answer that must be rejected.
  const std::vector<std::byte>* previous = nullptr;
};
oracle::Judgement judge_output(const Problem& problem, const std::vector<std::byte>& output,
                               const Manifest& manifest, const CaseJudgeOptions& options = {});

// What a perfect kernel writes: the dense output, exact and rounded once.
std::vector<std::byte> exact_output(const Problem& problem);
// The exact output of the case before in a row of seeds: what a kernel leaves that does nothing.
std::vector<std::byte> previous_output(const Problem& problem);

// The bit-for-bit part of wgrad: the first element of an expert without rows that is not +0, or,
// when accumulating, not C (C = -0 or NaN may change: C + 0 is a legal way to keep it; so may a
// subnormal one where those are flushed). row and col are of dW_g [k, n].
struct EmptyGradientError {
  Index expert = 0, row = 0, col = 0;
  std::uint32_t got_bits = 0, expected_bits = 0;
};
std::optional<EmptyGradientError> first_wrong_empty_gradient(const Problem& problem,
                                                             const std::vector<std::byte>& output,
                                                             const Subnormals& subnormals = {});

}  // namespace assay
