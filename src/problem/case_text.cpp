#include "src/problem/case_text.h"

#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_words.h"
#include "src/problem/limits.h"
#include "src/problem/offsets.h"
#include "src/problem/rng.h"
#include "src/problem/routing.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

// Texts of the values as they were given; words() order.
using Values = std::vector<std::optional<std::string_view>>;

std::string all_keys() {
  std::string keys;
  for (const CaseWord& word : case_words()) {
    if (!keys.empty()) { keys += ' '; }
    keys += word.key;
  }
  return keys;
}

Result<Values> collect_values(std::string_view text) {
  Values values(case_words().size());
  for (const std::string_view word : split_words(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return make_error(
          fmt::format("{} is not a key=value word; allowed keys: {}", quote(word), all_keys()));
    }
    const std::string_view key = word.substr(0, equals);
    std::size_t i = 0;
    while (i < values.size() && case_words()[i].key != key) { ++i; }
    if (i == values.size()) {
      return make_error(
          fmt::format("{}: unknown key {}; allowed keys: {}", quote(word), quote(key), all_keys()));
    }
    if (values[i]) {
      return make_error(fmt::format("{}: the key {} is repeated", quote(word), key));
    }
    values[i] = word.substr(equals + 1);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (case_words()[i].required && !values[i]) {
      return make_error(fmt::format("{} lacks {}=; allowed: {}", quote(text), case_words()[i].key,
                                    case_words()[i].forms));
    }
  }
  return values;
}

bool is_given(const Values& values, std::string_view key) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (case_words()[i].key == key) { return values[i].has_value(); }
  }
  return false;
}

// One piece between commas: a count, value*count or a generator.
Status append_rows(std::vector<Index>& rows, std::string_view piece, std::uint64_t seed) {
  if (piece.find('(') != std::string_view::npos) {
    Result<std::vector<Index>> more = expand_generator(piece, seed);
    ASSAY_TRY(more);
    rows.insert(rows.end(), more->begin(), more->end());
  } else {
    const std::size_t star = piece.find('*');
    const bool is_run = star != std::string_view::npos;
    const auto value = parse_index(piece.substr(0, star));
    const auto count = is_run ? parse_index(piece.substr(star + 1)) : std::optional<Index>(1);
    if (!value || !count || *count < 1 || *count > kMaxExperts || *value > kMaxRows) {
      return make_error(
          fmt::format("{} is not a count, value*count (count 1 to {}) or generator, as 7, 0*31, "
                      "zipf(1.1,total=64,experts=8)",
                      quote(piece), kMaxExperts));
    }
    rows.insert(rows.end(), static_cast<std::size_t>(*count), *value);
  }
  if (static_cast<Index>(rows.size()) > kMaxExperts) {
    return make_error(fmt::format("{} makes more than {} experts", quote(piece), kMaxExperts));
  }
  return {};
}

// Words that the case's scales do not bear: they would be dropped.
Status check_scale_words(const CaseSpec& spec) {
  const auto refuse = [](std::string_view key, const auto& value, std::string_view why) {
    return make_error(fmt::format("{}: {}", quote(fmt::format("{}={}", key, value)), why));
  };
  if (spec.scale_pitch > 0 && !has_scales_of_rows(spec)) {
    return refuse("scale_pitch", spec.scale_pitch, "neither x nor y is read with scales");
  }
  if (scale_layout_of(spec) != spec.scale_layout) {
    return refuse("scale_layout", name(spec.scale_layout),
                  spec.in.scaled() ? "a single scale lies in no tile; allowed: blocks as row, mx, "
                                     "nv, block128"
                                   : "no operand has scales; allowed: in=e4m3/mx and its like");
  }
  if (spec.scale_pitch > 0 && scale_layout_of(spec) != ScaleLayout::kStrided) {
    return refuse("scale_pitch", spec.scale_pitch,
                  "tiles of scale_layout=32_4_4 have no pitch; allowed: scale_pitch=0");
  }
  if (scale_starts_of(spec) != spec.scale_starts) {
    if (scale_layout_of(spec) != ScaleLayout::kStrided) {
      return refuse("scale_starts", name(spec.scale_starts),
                    "tiles of scale_layout=32_4_4 begin with each expert; allowed: compact");
    }
    if (!takes_scale_starts(spec)) {
      return refuse("scale_starts", name(spec.scale_starts),
                    "no block of scales has several rows of x or y; allowed: compact");
    }
    return refuse(
        "scale_starts", name(spec.scale_starts),
        fmt::format("wants every expert to begin at a multiple of the {} rows of a block; "
                    "allowed: pad={} or cap={}, or multiples",
                    rows_of_scale_blocks(spec), rows_of_scale_blocks(spec),
                    rows_of_scale_blocks(spec)));
  }
  return {};
}

}  // namespace

Result<CaseSpec> parse_case(std::string_view text) {
  const Result<Values> values = collect_values(text);
  ASSAY_TRY(values);
  CaseSpec spec;
  std::string_view rows;
  for (std::size_t i = 0; i < values->size(); ++i) {
    const CaseWord& word = case_words()[i];
    if (!(*values)[i]) { continue; }
    const std::string_view value = *(*values)[i];
    if (word.read == nullptr) {
      rows = value;
      continue;
    }
    if (const Status read = word.read(spec, value); !read) {
      return make_error(fmt::format("{}: {}; allowed: {}",
                                    quote(fmt::format("{}={}", word.key, value)),
                                    read.error().message, word.forms));
    }
  }
  if (!is_given(*values, "out")) {
    const std::optional<Format> out = default_output(spec.in);
    if (!out) {
      return make_error(fmt::format("{} lacks out=; with in={} it is {}", quote(text),
                                    inputs_text(spec.in, spec.pass), outputs_text(spec.in)));
    }
    spec.out = *out;
  }
  if (!is_given(*values, "told")) { spec.told = spec.offsets; }
  Result<std::vector<Index>> counts = parse_rows(rows, spec.seed);
  if (!counts) { return make_error(fmt::format("rows: {}", counts.error().message)); }
  spec.rows = std::move(*counts);
  ASSAY_TRY(check_case(spec));
  ASSAY_TRY(check_scale_words(spec));
  return spec;
}

Result<std::vector<Index>> parse_rows(std::string_view text, std::uint64_t seed) {
  std::vector<Index> rows;
  std::uint64_t generator_seed = seed;
  for (const std::string_view piece : split_outside_parentheses(text, ',')) {
    ASSAY_TRY(append_rows(rows, piece, generator_seed));
    if (piece.find('(') != std::string_view::npos) {
      generator_seed = child_state(generator_seed, 0);
    }
  }
  Index total = 0;
  for (const Index count : rows) {
    if (count > kMaxRows - total) {
      return make_error(fmt::format("{} adds up to more than {} rows", quote(text), kMaxRows));
    }
    total += count;
  }
  return rows;
}

Result<OffsetsKind> parse_offsets_kind(std::string_view text) {
  const std::vector<std::string_view> parts = split_outside_parentheses(text, ':');
  for (const Convention convention : kAllConventions) {
    if (name(convention) != parts[0]) { continue; }
    OffsetsKind kind{convention, IndexType::kI32, OffsetsPlace::kDevice};
    bool typed = false, placed = false, known = true;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const bool is_type = parts[i] == "i32" || parts[i] == "i64";
      const bool is_place = parts[i] == "host" || parts[i] == "device";
      known = known && ((is_type && !typed && !placed) || (is_place && !placed));
      typed = typed || is_type;
      placed = placed || is_place;
      if (parts[i] == "i64") { kind.type = IndexType::kI64; }
      if (parts[i] == "host") { kind.place = OffsetsPlace::kHost; }
    }
    if (known && is_offsets_kind(kind)) { return kind; }
    return make_error(fmt::format("{} is not a form of {}; allowed: {}", quote(text), parts[0],
                                  offsets_forms(convention)));
  }
  return make_error(
      fmt::format("unknown convention {}; allowed: ends, starts, indptr, counts, row_ids, "
                  "masked, padded_ends, problems",
                  quote(parts[0])));
}

std::ostream& operator<<(std::ostream& stream, const CaseSpec& spec) {
  return stream << short_text(spec);
}

}  // namespace assay
