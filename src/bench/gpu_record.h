// GpuRecord: what one run of the GPU bench measured, as it is stored, printed and compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/bench/bench_case.h"

namespace assay {

enum class ContestantKind : std::uint8_t {
  kRoof,      // one dense product of as many operations
  kBaseline,  // another way to the same result
  kKernel
};
std::string_view name(ContestantKind kind);

// A contestant's samples, one a round, in the order of the rounds.
struct Contest {
  std::string name;
  std::string tactic{};  // "" where there is no choice
  ContestantKind kind = ContestantKind::kKernel;
  std::vector<double> seconds{};  // empty where it was not timed
  std::string trouble{};          // why it was not timed, or what is wrong with its answer
  bool wrong = false;             // the answer is, before or after timing
};

struct TimedLine {
  std::string name, tactic;
  ContestantKind kind = ContestantKind::kKernel;
  int rounds = 0;      // 0: not timed, for the reason in `trouble`
  double seconds = 0;  // median
  double spread = 0;   // between the quartiles, as a share of the median
  double flop_per_second = 0;
  // Medians of ratios inside a round; absent where the other was not timed.
  std::optional<double> of_roof;        // the roof's time over this one's
  std::optional<double> over_baseline;  // the best baseline's time over this one's
  double over_floor = 0;                // time over the memory floor
  std::string trouble;
  bool wrong = false;

  bool timed() const { return rounds > 0; }
  std::string label() const { return tactic.empty() ? name : name + " " + tactic; }
};

struct TimedProduct {
  std::string case_name;
  Pass pass{};
  Index k = 0, n = 0, experts = 0, rows = 0, largest = 0, empty = 0;
  double flop = 0;
  double floor_seconds = 0;   // bytes that must move over the speed of a copy
  bool memory_bound = false;  // the floor lies above the roof's time
  std::string best_baseline;  // "": none was timed
  std::vector<TimedLine> lines;

  // What counts: the share of the floor where memory binds, else of the roof.
  std::optional<double> share(const TimedLine& line) const;
};
TimedProduct summarise(const BenchCase& shape, Pass pass, double floor_seconds,
                       const std::vector<Contest>& contests);

struct GpuRecord {
  std::string gpu;
  std::string driver, runtime, cublas;  // versions; cublas "": not loaded
  std::string in, weights;              // operand format, layout of w
  double copy_bytes_per_second = 0;     // device to device, read and written
  double bare_seconds = 0;              // what the events time around nothing
  std::vector<TimedProduct> products;
};
std::string record_json(const GpuRecord& record);
// Errors: not JSON, or not a record; `file` is for messages.
Result<GpuRecord> parse_record(const std::string& json, const std::string& file);

// Which tactic is the fastest on a routing, and on equal rows of the same total.
struct TacticChoice {
  std::string case_name, kernel;
  Pass pass{};
  std::string here, uniform;  // the winners
  double cost = 0;            // of the uniform rows' winner here: its time over the winner's - 1
  double default_cost = 0;    // of `default` here, likewise
};
// Of every kernel, pass and case whose uniform partner was timed too, with two tactics or more.
std::vector<TacticChoice> tactic_choices(const GpuRecord& record);

// A kernel whose share fell by more than 3 % of what it was.
struct Worse {
  std::string what;
  double before = 0, now = 0;
};
struct Comparison {
  Index compared = 0;
  std::vector<Worse> worse;
};
// Errors: another GPU, format or layout; nothing in common.
Result<Comparison> compare_records(const GpuRecord& now, const GpuRecord& before);

// One line a product, for the one who waits.
std::string product_line(const TimedProduct& product);
std::string record_markdown(const GpuRecord& record);

}  // namespace assay
