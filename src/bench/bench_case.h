// BenchCase: a shape and its rows per expert, which the GPU bench times in all passes.
#pragma once

#include <string>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

struct BenchCase {
  std::string name;
  Index k = 0, n = 0;
  std::vector<Index> rows;  // of each expert

  Index experts() const { return static_cast<Index>(rows.size()); }
  Index total() const;
  Index largest() const;
  Index empty() const;  // experts without rows
  double useful_flop() const { return 2.0 * static_cast<double>(total() * k) * double(n); }
  // Bytes that a pass must read and write at least: each operand once, weights of busy experts
  // only, every gradient.
  double least_bytes(Pass pass, Index element_bytes) const;
};

// Lines `name,k,n,rows of expert 0,1,...`; lines that start with # are comments. `file` is for
// messages. Errors: file, line and word, and what was expected; a repeated name.
Result<std::vector<BenchCase>> parse_bench_cases(const std::string& text, const std::string& file);
Result<std::vector<BenchCase>> read_bench_cases(const std::string& path);
// corpus/bench/cases.csv.
std::string bench_cases_path();

// Equal shares of the same total, the first experts take the remainder.
std::vector<Index> spread_evenly(const std::vector<Index>& rows);
// The same experts with equal shares, and its name: `NAME, uniform`.
std::string uniform_name(const std::string& name);
BenchCase uniform_partner(const BenchCase& recorded);

}  // namespace assay
