// A grouped product in device memory with guards and poison, its reference, and their comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "src/kernels/abi.h"

namespace assay::trial {

void check_cuda(cudaError_t error, const char* what);

enum class Fill { kIntegers, kUniform };

struct Options {
  int pass = ASSAY_FWD;
  int weights = ASSAY_ENK;
  bool fp16 = false;
  bool fp32_out = false;
  bool accumulate = false;
  int convention = ASSAY_OFFSETS_ENDS;
  bool wide_offsets = false;
  std::int64_t k = 64, n = 64;
  std::vector<std::int64_t> rows;  // of each expert
  std::int64_t tail = 0;
  std::int64_t gap = 0;  // elements between rows, a multiple of 8
  Fill fill = Fill::kIntegers;
  std::string tactic = "default";

  std::string text() const;
};

struct Buffer {  // with kGuardBytes on either side
  std::uint8_t* memory = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

class Problem {
 public:
  explicit Problem(const Options& options);
  ~Problem();
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  // Fills the output with poison (or C, when it accumulates), guards and gaps too.
  void poison();
  // One call; the message when it is not OK, else empty.
  std::string run(int (*kernel)(const assay_call*), cudaStream_t stream);
  // Elements of the output, or bytes around them, that differ from the reference.
  std::int64_t mismatches();
  int status() const;
  // The output, guards and gaps included.
  std::vector<std::uint32_t> output_words();
  // Another routing of the same total.
  void set_rows(const std::vector<std::int64_t>& rows);
  // Replaces the offsets' array by garbage.
  void set_offsets(const std::vector<std::int64_t>& entries);
  // Bytes changed around the output and in its gaps: what garbage must leave alone.
  std::int64_t stray_bytes();

  void set_tactic(const std::string& tactic) { options_.tactic = tactic; }

 private:
  Buffer& out();
  std::int64_t out_rows() const;
  void compute_reference();

  Options options_;
  std::int64_t experts_, rows_, total_ = 0;
  Buffer x_, w_, y_, reference_;
  std::int64_t ld_x_, ld_w_, ld_y_, pitch_;
  void* offsets_ = nullptr;
  std::int32_t* ends_ = nullptr;  // true ends, for the reference
  std::int32_t* status_ = nullptr;
  void* workspace_ = nullptr;
  unsigned long long* counter_ = nullptr;
};

}  // namespace assay::trial
