#include "src/cli/help/check_advice.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "src/campaign/profile.h"

namespace assay {
namespace {

struct Advice {
  std::string_view check, text;
};

constexpr Advice kAdvice[] = {
    {"exact_integers_match_bitwise",
     "Rounding is no excuse here: a term is missing, doubled or from elsewhere. Read the shrunk "
     "case and the tile map: wrong rows from an expert's border on point to offsets, wrong columns "
     "to the N tail, a constant factor of K to a lost or repeated K tile."},
    {"anchored_integers_match_bitwise",
     "If exact_integers_match_bitwise passes and this fails, the sum is kept in too few bits: look "
     "for 16-bit partial sums, for a split reduction that adds rounded partials, for an "
     "accumulator "
     "narrower than the manifest says."},
    {"real_values_stay_within_the_bound",
     "The error is larger than the declared arithmetic can make. Either the manifest declares a "
     "better arithmetic than the kernel has (probe it), or terms are lost on some inputs only."},
    {"bits_follow_the_declared_arithmetic",
     "The values are within the bound but not as declared: order of the sum, width of the "
     "accumulator, rounding of partials or of the store. Correct the manifest or the kernel."},
    {"special_values_propagate",
     "NaN, infinity, minus zero or subnormals came out differently. Look for masks that multiply "
     "by "
     "zero, for flushing of subnormals, for a saturating store that the manifest does not "
     "declare."},
    {"every_owned_element_is_written",
     "The element kept the poison that was there before. A tile is never visited, or an early exit "
     "skips the store: empty experts, last tile, zero K."},
    {"nothing_else_is_written",
     "A store went past what the contract owns: into tail rows, gaps between rows, the guard pages "
     "or an input. Check the predicate of the epilogue on the last row and column of an expert."},
    {"nothing_outside_is_read",
     "A value outside an expert's own rows and columns reached the result, or a page outside an "
     "operand was touched. Masked loads must not load, and masked products must not be added: NaN "
     "times zero is NaN."},
    {"dirty_memory_changes_nothing",
     "The result depends on what the output or the workspace held. Something is read before it is "
     "written: an accumulator that is not cleared, a split's partial sum, a semaphore."},
    {"workspace_may_be_dirty_and_is_reusable",
     "The kernel expects a clean workspace or leaves it unusable for the next call. Clear what you "
     "need in the stream, at the start of the call."},
    {"empty_experts_get_zero_gradient",
     "No tile is scheduled for an expert without rows, so nobody writes its gradient. Schedule one "
     "that stores zeros, or clear the output first."},
    {"accumulation_keeps_empty_experts",
     "Accumulating into the gradient of an expert without rows must leave it as it was. The store "
     "of zeros that is right without accumulation is wrong with it."},
    {"accumulation_adds_twice",
     "C is not added exactly once: it was overwritten, added in every split, or rounded between "
     "two "
     "accumulations."},
    {"experts_do_not_leak_into_each_other",
     "Changing one expert's operands changed another's result. Look at the search for the expert "
     "of "
     "a tile and at tiles that straddle a border."},
    {"expert_order_is_irrelevant",
     "The result of an expert depends on which number it has. Look for expert 0 used as a default, "
     "for scales or descriptors indexed by tile instead of expert."},
    {"splitting_an_expert_changes_no_row",
     "Rows of one expert cut into two with the same weights gave other results. Look at tiles that "
     "begin at an expert's first row, and at rows that are not aligned."},
    {"split_gradients_add_up",
     "The gradients of two halves of an expert do not sum to that of the whole. The reduction over "
     "rows drops or repeats some at the end of an expert."},
    {"inserting_empty_experts_changes_nothing",
     "An expert without rows shifted the others. Search by the exclusive end: several experts may "
     "end at the same row."},
    {"tail_rows_change_nothing",
     "Rows past the last end reached a result. The last expert's last tile reads or contracts "
     "them; "
     "mask by the end offset, not by the number of rows of the tensor."},
    {"rows_do_not_depend_on_the_batch",
     "A row's bits changed with the other rows although batch_invariant is declared. A tactic or a "
     "split was chosen from the batch; fix it or do not declare it."},
    {"scaling_by_two_is_exact",
     "Twice the input is not twice the output although nothing over- or underflows: a constant is "
     "added, a threshold or a scale is applied."},
    {"forward_and_gradients_are_adjoint",
     "Forward and gradients do not belong to one linear map: usually one pass reads the weights "
     "transposed or in another layout than the others."},
    {"every_convention_gives_the_same_result",
     "One offset convention that the manifest lists is read differently from the others. Run the "
     "case once for each of them; `assay offsets` converts the arrays."},
    {"invalid_offsets_do_what_the_manifest_says",
     "Invalid offsets were not refused, flagged or kept memory-safe as declared. Validate on the "
     "device before the first load, or declare invalid_offsets undefined."},
    {"misaligned_operands_are_right_or_refused",
     "A base pointer or stride off the alignment gave wrong numbers instead of a refusal. Check it "
     "in the call and answer ASSAY_UNSUPPORTED, and say so in the manifest."},
    {"k_and_n_tails",
     "K or N that is no multiple of the tile is wrong. Look at the last K step and the last column "
     "tile: bytes of the copy, predicate of the load, predicate of the store."},
    {"zero_rows_in_total",
     "A call without any row must write nothing in fwd and dX and zeros in dW, and must not fail. "
     "Look for a grid of zero blocks and for a division by the number of rows."},
    {"one_expert",
     "The grouped call of one expert is a plain product and is wrong. Start here: it is the "
     "smallest "
     "case there is."},
    {"very_many_experts",
     "Something has room for fewer experts than this: a table in shared memory, an 8-bit or 10-bit "
     "index, a scan within one warp. Raise it, or declare max_experts and refuse."},
    {"repeated_runs_give_the_same_bits",
     "The same call gave other bits although deterministic is declared: an atomic sum, a race, a "
     "read of uninitialised memory. Run compute-sanitizer's racecheck on the replay line."},
    {"graph_replay_follows_new_offsets",
     "A captured graph replayed with new offsets used the old ones. Something is read on the host "
     "while capturing; read offsets on the device, or do not declare graph_capturable."},
    {"capture_needs_no_sync",
     "The call cannot be captured: it synchronises, allocates, or copies from the device to the "
     "host. Move that out of the call."},
    {"the_given_stream_is_honoured",
     "Work ran in another stream than the given one, before its inputs were ready or after its "
     "outputs were read. Pass the stream to every launch and copy."},
    {"concurrent_calls_do_not_meet",
     "Two calls at once disturbed each other: static state, a shared workspace, a cached "
     "descriptor. "
     "Keep all state in the call."},
    {"the_operands_device_is_used",
     "With another device current, the kernel ran there. Set the device from the operands, and "
     "restore it."},
    {"every_tactic_passes",
     "One tactic is wrong where others are right; the case names it. Test it alone with "
     "tactic=NAME "
     "before you trust a heuristic that may pick it."},
    {"every_declared_combination_runs",
     "The manifest declares a combination of pass, format, layout and convention that the kernel "
     "refuses or gets wrong. Correct one of them."},
    {"a_sequence_of_shapes_leaks_nothing",
     "A case is right alone and wrong after others in the same process: something is cached by a "
     "key "
     "that is too small, or state is left behind. The replay line is the sequence's last case."},
    {"calls_leave_nothing_behind",
     "Something is made in each call and never freed, or a process that a call starts lives on. "
     "Make it once and keep it, or free it before the call returns; a cache has to have an end."},
    {"many_short_groups",
     "Many experts of few rows are wrong: tiles of several experts in one block, or counters that "
     "wrap. Look at the walk from one expert to the next."},
    {"sanitizers_stay_silent",
     "A sanitizer reported an access or a race that the results do not show. Its report names the "
     "line; build with -lineinfo."},
    {"indices_beyond_2_31",
     "An element offset was computed in 32 bits. Widen before the product, not after: rows * "
     "stride "
     "and expert * pitch are the usual places."},
    {"rows_beyond_32768",
     "A row number was kept in 16 bits, or a grid dimension beyond 65,535 was used."},
    {"useful_row_fraction",
     "Never a verdict. A low share says that smaller tiles would help on such routings. It depends "
     "on the case alone, not on the kernel."},
    {"time_over_the_loop",
     "Never a verdict. Above one, the grouping costs more than it saves on these shapes. Other "
     "work "
     "on the machine is in the figure: `assay bench` measures with more care."},
    {"time_over_the_aligned_case",
     "Never a verdict. A large ratio is a fallback that nobody announced."},
    {"host_time_per_call",
     "Never a verdict. A call that costs the host as long as the kernel runs, or that returns late "
     "while the stream is held, synchronises."},
    {"the_manifest_agrees_with_the_probe",
     "`assay probe KERNEL` shows each experiment with its evidence. Correct the manifest where the "
     "kernel does less than it says, or the kernel where the manifest is what was meant."},
};

// The generators of a profile that a check gets, with their counts.
std::string cases_in(std::string_view check, const std::string& profile_name) {
  const auto profile = load_profile(profile_name, every_name());
  if (!profile) { return ""; }
  Index count = 0;
  std::string generators;
  for (const BatteryLine& line : profile->lines) {
    if (line.check != check) { continue; }
    count += line.count;
    if (generators.find(line.generator) == std::string::npos) {
      generators += (generators.empty() ? "" : ", ") + line.generator;
    }
  }
  if (count == 0) { return fmt::format("none in profile {}", profile_name); }
  return fmt::format("{} in profile {} ({})", count, profile_name, generators);
}

std::string wrapped(std::string_view text, std::size_t width = 76) {
  std::string out = "  ", word;
  std::size_t column = 2;
  const auto flush = [&] {
    if (column + word.size() > width && column > 2) {
      out += "\n  ";
      column = 2;
    } else if (column > 2) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' && !word.empty()) {
      flush();
    } else if (c != ' ') {
      word += c;
    }
  }
  if (!word.empty()) { flush(); }
  return out + "\n";
}

std::string_view heading_of_advice(const Check& check) {
  return check.measures ? "What the figure says" : "When it fails";
}

}  // namespace

std::string_view advice_of(std::string_view check) {
  const auto* found = std::find_if(std::begin(kAdvice), std::end(kAdvice),
                                   [&](const Advice& advice) { return advice.check == check; });
  return found == std::end(kAdvice) ? "" : found->text;
}

std::string check_page(const Check& check) {
  return fmt::format("{}\n\nIt tests\n{}\nIt is for\n{}\nCases\n{}\n{}\n{}\nAgain\n{}", check.name,
                     wrapped(check.sentence), wrapped(check.field_bug),
                     wrapped(cases_in(check.name, "ci")), heading_of_advice(check),
                     wrapped(advice_of(check.name)),
                     wrapped(fmt::format("assay run CASE --kernel KERNEL --check {}", check.name)));
}

std::string check_page_markdown(const Check& check) {
  return fmt::format("## {}\n\n{}\n\n**It is for** {}.\n\n**Cases:** {}.\n\n**{}:** {}\n",
                     check.name, check.sentence, check.field_bug, cases_in(check.name, "ci"),
                     heading_of_advice(check), advice_of(check.name));
}

}  // namespace assay
