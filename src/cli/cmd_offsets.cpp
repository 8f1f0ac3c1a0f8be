// assay offsets: what an array of offsets says in one convention, and how the others say it.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "src/cli/command.h"
#include "src/problem/case_text.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

struct OffsetsWords {
  std::string values, sizes, from, to;
  std::int64_t experts = 0, rows = -1, pad = 1, cap = 0, tail = 0, k = 1, n = 1;
  std::string pass = "fwd";
};

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass pass : kAllPasses) { names.emplace_back(name(pass)); }
  return names;
}

void define(CLI::App& app, OffsetsWords& options) {
  app.add_option("ARRAY", options.values, "whole numbers with commas: 3,3,8")->required();
  app.add_option("--sizes", options.sizes, "of starts: the counts; of problems: M,N,K triples");
  app.add_option("--experts", options.experts, "of row_ids: default the largest id and one")
      ->check(whole_number(1, 1 << 20));
  app.add_option("--rows", options.rows, "physical rows; default: as many as the array needs")
      ->check(whole_number(0, INT64_MAX));
  app.add_option("--pad", options.pad, "each expert starts at a multiple of this")
      ->check(whole_number(1, 1 << 20));
  app.add_option("--cap", options.cap, "of masked: rows of each buffer")
      ->check(whole_number(0, INT64_MAX));
  app.add_option("--k", options.k, "of problems: K")->check(whole_number(1, INT64_MAX));
  app.add_option("--n", options.n, "of problems: N")->check(whole_number(1, INT64_MAX));
  app.add_option("--pass", options.pass, "of problems: which of M, N, K counts rows")
      ->check(one_of(pass_names()));
}

Result<std::vector<Index>> numbers(const std::string& text) {
  std::vector<Index> values;
  for (const char* at = text.data(); !text.empty();) {
    Index value = 0;
    const auto read = std::from_chars(at, text.data() + text.size(), value);
    const bool ends = read.ptr == text.data() + text.size();
    if (read.ec != std::errc{} || (!ends && *read.ptr != ',')) {
      return make_error(
          fmt::format("'{}' is not a list of whole numbers with commas, as 3,3,8", text));
    }
    values.push_back(value);
    if (ends) { break; }
    at = read.ptr + 1;
  }
  return values;
}

Pass pass_of(const std::string& text) {
  const auto named = [&](Pass pass) { return name(pass) == text; };
  return *std::find_if(std::begin(kAllPasses), std::end(kAllPasses), named);
}

OffsetsFrame frame_for(const OffsetsWords& options, const OffsetArrays& arrays) {
  const ConventionTraits& row = traits(arrays.kind.convention);
  const bool said = row.has_row_entries && options.experts > 0;
  OffsetsFrame frame{.experts = said ? options.experts : row.experts(arrays),
                     .pad = options.pad,
                     .cap = options.cap,
                     .k = options.k,
                     .n = options.n,
                     .pass = pass_of(options.pass)};
  if (row.has_buffers && frame.cap == 0 && !arrays.values.empty()) {
    frame.cap = std::max<Index>(1, *std::max_element(arrays.values.begin(), arrays.values.end()));
  }
  frame.physical_rows = options.rows >= 0 ? options.rows : row.rows(arrays, frame);
  return frame;
}

struct Input {
  OffsetArrays arrays;
  OffsetsFrame frame;
};

Result<Input> read_input(const OffsetsWords& options, const OffsetsKind& kind) {
  Input input;
  input.arrays.kind = kind;
  auto values = numbers(options.values);
  ASSAY_TRY(values);
  auto sizes = numbers(options.sizes);
  ASSAY_TRY(sizes);
  input.arrays.values = std::move(*values);
  input.arrays.sizes = std::move(*sizes);
  const ConventionTraits& row = traits(kind.convention);
  if (row.has_sizes() && options.sizes.empty()) {
    return make_error(fmt::format("{} needs --sizes: {}", name(kind), row.sizes));
  }
  if (!row.has_sizes() && !options.sizes.empty()) {
    const std::string with_sizes =
        names_of_conventions([](const ConventionTraits& each) { return each.has_sizes(); });
    return make_error(fmt::format("{} takes no --sizes; allowed for {}", name(kind), with_sizes));
  }
  input.frame = frame_for(options, input.arrays);
  if (input.frame.experts < 1) {
    return make_error(
        fmt::format("'{}' holds no expert in the convention {}", options.values, name(kind)));
  }
  return input;
}

// The same rows at the same places; where empty experts start is nobody's concern.
bool same_places(const RowLayout& a, const RowLayout& b) {
  if (a.counts != b.counts) { return false; }
  for (std::size_t g = 0; g < a.starts.size(); ++g) {
    if (a.counts[g] > 0 && a.starts[g] != b.starts[g]) { return false; }
  }
  return true;
}

// How a target convention tells the rows where they are, if it can.
std::optional<OffsetArrays> told_in_place(const RowLayout& layout, const OffsetsKind& to,
                                          OffsetsFrame frame) {
  if (traits(to.convention).has_buffers && frame.cap == 0) { return std::nullopt; }
  OffsetArrays arrays = encode_offsets(layout, to, frame);
  const auto read = decode_offsets(arrays, frame);
  if (!read || !same_places(*read, layout)) { return std::nullopt; }
  return arrays;
}

// How a target convention tells the same rows; its own placement of experts may differ.
Result<std::pair<OffsetArrays, RowLayout>> retold(const std::vector<Index>& counts,
                                                  const OffsetsKind& to,
                                                  const OffsetsWords& options, Index tail) {
  const ConventionTraits& row = traits(to.convention);
  CaseSpec spec;
  spec.pass = pass_of(options.pass);
  spec.k = options.k;
  spec.n = options.n;
  spec.rows = counts;
  spec.offsets = spec.told = to;
  spec.pad = row.expresses_gaps ? options.pad : 1;
  spec.cap = row.has_buffers ? options.cap : 0;
  spec.tail = row.has_buffers ? 0 : tail;
  const auto valid = parse_case(canonical_text(spec));
  ASSAY_TRY(valid);
  const RowLayout layout = lay_out_rows(*valid);
  return std::pair{encode_offsets(layout, to, frame_of(*valid)), layout};
}

std::string list(const std::vector<Index>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

void print_arrays(const OffsetArrays& arrays, const std::string& note) {
  fmt::print("{:<16} {}", name(arrays.kind), list(arrays.values));
  if (!arrays.sizes.empty()) { fmt::print("  sizes {}", list(arrays.sizes)); }
  fmt::print("{}\n", note.empty() ? "" : "  (" + note + ")");
}

int convert(const CLI::App& app, const OffsetsWords& options) {
  const auto from = parse_offsets_kind(options.from);
  ASSAY_TRY_INPUT(app, from);
  const auto input = read_input(options, *from);
  ASSAY_TRY_INPUT(app, input);
  const auto layout = decode_offsets(input->arrays, input->frame);
  ASSAY_TRY_INPUT(app, layout);
  const Index used = std::accumulate(layout->counts.begin(), layout->counts.end(), Index{0});
  const Index tail =
      options.pad > 1 || traits(from->convention).has_buffers ? 0 : layout->physical_rows - used;
  std::vector<OffsetsKind> targets;
  if (options.to.empty()) {
    for (const Convention convention : kAllConventions) {
      targets.push_back({.convention = convention});
    }
    fmt::print("{:<16} {}\n", "rows", list(layout->counts));
  } else {
    const auto to = parse_offsets_kind(options.to);
    ASSAY_TRY_INPUT(app, to);
    targets.push_back(*to);
  }
  for (const OffsetsKind& to : targets) {
    if (const auto in_place = told_in_place(*layout, to, input->frame)) {
      print_arrays(*in_place, "");
      continue;
    }
    const auto told = retold(layout->counts, to, options, tail);
    if (!told && !options.to.empty()) { return refuse_input(app, told.error().message); }
    if (!told) {
      fmt::print("{:<16} cannot: {}\n", name(to), told.error().message);
      continue;
    }
    const bool moves = !same_places(told->second, *layout);
    print_arrays(
        told->first,
        moves ? fmt::format("rows move: experts start at {}", list(told->second.starts)) : "");
  }
  return kExitPassed;
}

int validate(const CLI::App& app, const OffsetsWords& options) {
  if (!options.from.empty()) {
    const auto kind = parse_offsets_kind(options.from);
    ASSAY_TRY_INPUT(app, kind);
    const auto input = read_input(options, *kind);
    ASSAY_TRY_INPUT(app, input);
    const auto layout = decode_offsets(input->arrays, input->frame);
    ASSAY_TRY_INPUT(app, layout);
    fmt::print("valid {}: {} experts, rows {}\n", name(*kind), layout->counts.size(),
               list(layout->counts));
    return kExitPassed;
  }
  // Which conventions the numbers could be, and what each would mean: the usual mix-up shows here.
  bool any = false;
  for (const Convention convention : kAllConventions) {
    const auto input = read_input(options, {.convention = convention});
    const auto layout = input ? decode_offsets(input->arrays, input->frame)
                              : Result<RowLayout>(tl::unexpected(input.error()));
    any = any || layout.has_value();
    if (layout) {
      fmt::print("{:<16} valid: rows {}\n", name(convention), list(layout->counts));
    } else {
      fmt::print("{:<16} no: {}\n", name(convention), layout.error().message);
    }
  }
  return any ? kExitPassed : kExitBadInput;
}

}  // namespace

int run_offsets(const Words& words) {
  CLI::App app("Reads an array of offsets in one convention; converts or validates it.", "offsets");
  OffsetsWords options;
  CLI::App* convert_app = app.add_subcommand("convert", "tell the same rows in other conventions");
  define(*convert_app, options);
  convert_app->add_option("--from", options.from, "what the array is: ends, indptr:i64, ...")
      ->required();
  convert_app->add_option("--to", options.to, "default: a table of all conventions");
  CLI::App* validate_app = app.add_subcommand("validate", "name the first bad entry");
  define(*validate_app, options);
  validate_app->add_option("--as", options.from,
                           "what the array is; default: which conventions it could be");
  app.require_subcommand(1);
  if (const auto exit = parse_words(app, words)) { return *exit; }
  return convert_app->parsed() ? convert(app, options) : validate(app, options);
}

}  // namespace assay
