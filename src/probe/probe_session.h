// ProbeSession: one kernel on the bench: small exact cases, tried in both placements, and what came
// of them.
#pragma once

#include <string>

#include "src/probe/probe.h"
#include "src/problem/case_spec.h"
#include "src/problem/problem.h"

namespace assay {

enum class Answer : std::uint8_t { kRight, kWrong, kRefused, kError, kCrashed, kHung };
std::string_view name(Answer answer);

struct Attempt {
  Answer answer = Answer::kWrong;
  std::string why{};  // one line; empty when right
  bool tail_written = false, padding_written = false;
  Outcome low{};  // placement low, or of the one run
  bool right() const { return answer == Answer::kRight; }
};

class ProbeSession {
 public:
  explicit ProbeSession(Session& kernel) : kernel_(kernel), own_(kernel.manifest()) {}
  ~ProbeSession() { kernel_.assume(own_); }
  ProbeSession(const ProbeSession&) = delete;
  ProbeSession& operator=(const ProbeSession&) = delete;

  const Manifest& own() const { return own_; }  // as the kernel declares it
  // The rows that nobody owns are observed under these contracts.
  void expect_rows(UnownedRows tail, UnownedRows padding, PaddingInput input);
  // The first of them: nobody's rows stay, and padding rows of the inputs hold what is declared.
  void expect_untouched_rows();
  // The case as the declared demands on experts and rows have it.
  CaseSpec placed(CaseSpec spec) const;

  // Every owned element right in both placements, and nothing written but tail and padding rows.
  // Values are integers that every accumulator holds. Impossible cases are kRefused.
  // Placed first, unless its rows are the experiment.
  enum class Rows : std::uint8_t { kPlaced, kAsTheyAre };
  Attempt try_case(const CaseSpec& spec, Rows rows = Rows::kPlaced);
  bool right(const CaseSpec& spec) { return try_case(spec).right(); }
  // The same of one run.
  Attempt try_run(const Problem& problem, const RunOptions& options);
  Outcome run(const Problem& problem, const RunOptions& options = {});
  // Too many hangs: what is left is not tried.
  bool gives_up() const { return hung_ >= kMostHangs || !not_run_.empty(); }
  Index runs() const { return runs_; }
  // Why calls could not be made that every machine has room for, or none at all; empty: they could.
  const std::string& not_run() const { return not_run_; }

 private:
  static constexpr int kMostHangs = 2;

  Session& kernel_;
  Manifest own_;
  Index runs_ = 0;
  int hung_ = 0;
  std::string not_run_;
};

// Sums that every accumulator holds.
ProblemOptions problem_options();

// The case with one kind of arrays, told as they are; pad and cap as the kind needs them.
CaseSpec with_offsets(CaseSpec spec, const OffsetsKind& kind);

}  // namespace assay
