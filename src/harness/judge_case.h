// From a Problem and an Outcome to the oracle and back.
#pragma once

#include <vector>

#include "oracle/judge.h"
#include "src/harness/outcome.h"
#include "src/kernels/manifest.h"
#include "src/problem/problem.h"

namespace assay {

oracle::Format to_oracle(Format format);
oracle::Arithmetic to_oracle(const Manifest& manifest, Format in);

// One product an expert over the problem's dense operands and `output` (dense, as Outcome::output).
std::vector<oracle::Product> products_of(const Problem& problem, const void* output);

struct CaseJudgeOptions {
  bool exact_oracle = false;  // judge by the exact oracle alone
  int threads = 1;
  std::vector<std::uint8_t>* wrong_map = nullptr;
};
oracle::Judgement judge_output(const Problem& problem, const std::vector<std::byte>& output, const Manifest& manifest,
                               const CaseJudgeOptions& options = {});

// What a perfect kernel writes: the dense output, exact and rounded once.
std::vector<std::byte> exact_output(const Problem& problem);

}  // namespace assay
