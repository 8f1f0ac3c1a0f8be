// The registry of checks: one row a check, in the order in which they are listed and reported.
#include <algorithm>
#include <iterator>

#include "properties/check.h"
#include "src/core/text.h"

#define ASSAY_CHECKS(row)                                                                         \
  row(exact_integers_match_bitwise) row(anchored_integers_match_bitwise) row(                     \
      real_values_stay_within_the_bound) row(bits_follow_the_declared_arithmetic)                 \
      row(special_values_propagate) row(every_owned_element_is_written) row(                      \
          nothing_else_is_written) row(nothing_outside_is_read) row(dirty_memory_changes_nothing) \
          row(workspace_may_be_dirty_and_is_reusable) row(empty_experts_get_zero_gradient) row(   \
              accumulation_keeps_empty_experts) row(accumulation_adds_twice)                      \
              row(experts_do_not_leak_into_each_other) row(expert_order_is_irrelevant) row(       \
                  splitting_an_expert_changes_no_row) row(split_gradients_add_up)                 \
                  row(inserting_empty_experts_changes_nothing) row(tail_rows_change_nothing) row( \
                      rows_do_not_depend_on_the_batch) row(scaling_by_two_is_exact)               \
                      row(forward_and_gradients_are_adjoint) row(                                 \
                          every_convention_gives_the_same_result)                                 \
                          row(invalid_offsets_do_what_the_manifest_says) row(                     \
                              misaligned_operands_are_right_or_refused) row(k_and_n_tails)        \
                              row(zero_rows_in_total) row(one_expert) row(very_many_experts) row( \
                                  repeated_runs_give_the_same_bits)                               \
                                  row(graph_replay_follows_new_offsets) row(                      \
                                      capture_needs_no_sync) row(the_given_stream_is_honoured)    \
                                      row(concurrent_calls_do_not_meet) row(                      \
                                          the_operands_device_is_used) row(every_tactic_passes)   \
                                          row(every_declared_combination_runs) row(               \
                                              a_sequence_of_shapes_leaks_nothing)                 \
                                              row(calls_leave_nothing_behind) row(                \
                                                  many_short_groups) row(sanitizers_stay_silent)  \
                                                  row(indices_beyond_2_31) row(rows_beyond_32768) \
                                                      row(useful_row_fraction)                    \
                                                          row(time_over_the_loop)                 \
                                                              row(time_over_the_aligned_case)     \
                                                                  row(host_time_per_call)

namespace assay {

#define ASSAY_DECLARE(check) Check check();
ASSAY_CHECKS(ASSAY_DECLARE)
#undef ASSAY_DECLARE

std::span<const Check> all_checks() {
#define ASSAY_LIST(check) check(),
  static const Check kChecks[] = {ASSAY_CHECKS(ASSAY_LIST)};
#undef ASSAY_LIST
  return kChecks;
}

const Check* find_check(std::string_view name) {
  const auto checks = all_checks();
  const auto found = std::ranges::find(checks, name, &Check::name);
  return found == checks.end() ? nullptr : &*found;
}

std::string unknown_check(std::string_view name) {
  struct Renamed {
    std::string_view was, is;
  };
  constexpr Renamed kRenamed[] = {{"not_slower_than_the_loop", "time_over_the_loop"},
                                  {"no_silent_slow_path", "time_over_the_aligned_case"}};
  const auto* const found = std::ranges::find(kRenamed, name, &Renamed::was);
  return found == std::end(kRenamed)
             ? "unknown check " + quote(name)
             : "check " + quote(name) + " is called " + std::string(found->is) + " now";
}

std::string_view name(VerdictKind kind) {
  constexpr std::string_view kNames[] = {"Passed",        "Failed", "Unsupported",
                                         "Crashed",       "Hung",   "Inconclusive",
                                         "NotApplicable", "NotRun", "Measured"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace assay
