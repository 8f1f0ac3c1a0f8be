#include "src/contract/manifest.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "src/contract/contradictions.h"
#include "src/contract/declared_arithmetic.h"
#include "src/contract/json_words.h"
#include "src/core/json_object.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/problem/offsets.h"

namespace assay {
namespace {

constexpr Index kLargest = std::numeric_limits<Index>::max();
// Larger ones leave room for few cases, or none that memory holds.
constexpr Index kLargestMultiple = 1 << 12;
constexpr Index kLargestTile = 1 << 12;
constexpr std::size_t kLongestManifest = 1 << 20;
constexpr int kDeepestNesting = 16;
constexpr Index kLargestCapability = 999;
constexpr Index kLargestAlignment = 1 << 12;  // of a workspace: a page

// Names of an enum's values, in place of the list as it is.
template <class Enum, std::size_t kCount>
void read_names(JsonObject& object, const char* field, const Enum (&all)[kCount],
                std::vector<Enum>& to) {
  const Json* array = object.find(field);
  if (array == nullptr) { return; }
  std::string allowed;
  for (const Enum each : all) { (allowed += allowed.empty() ? "" : ", ") += name(each); }
  if (array->is_array() && array->empty()) {
    return object.fail(field, "the list is empty; allowed: " + allowed);
  }
  to.clear();
  object.read_words(field, array, allowed, [&](const std::string& word) {
    const auto* found =
        std::find_if(std::begin(all), std::end(all), [&](Enum each) { return name(each) == word; });
    return found != std::end(all) && (to.push_back(*found), true);
  });
}

void read_combinations(JsonObject& object, const char* field, const Json* array,
                       std::vector<Combination>& to) {
  if (array == nullptr) { return; }
  const std::string allowed =
      R"(an array of {"in": "bf16", "out": "fp32"}, formats )" + format_names();
  if (!array->is_array() || array->empty()) {
    return object.fail(field, fmt::format("{} is not {}", quoted(*array), allowed));
  }
  to.clear();
  for (const Json& item : *array) {
    const bool pair = item.is_object() && item.size() == 2 && item.contains("in") &&
                      item.contains("out") && item["in"].is_string() && item["out"].is_string();
    const auto parsed =
        pair ? parse_combination(item["in"].get<std::string>(), item["out"].get<std::string>())
             : make_error("");
    if (!parsed) {
      const std::string& why = parsed.error().message;
      return object.fail(field, why.empty() ? fmt::format("{} is not {}", quoted(item), allowed)
                                            : fmt::format("{}: {}", quoted(item), why));
    }
    const Combination& combination = *parsed;
    if (std::find(to.begin(), to.end(), combination) != to.end()) {
      return object.fail(field, fmt::format("{} is listed twice", quoted(item)));
    }
    to.push_back(combination);
  }
}

void read_domain(JsonObject& object, Manifest& manifest) {
  object.require("name");
  object.read("name", manifest.name);
  object.read_word("device", {"cpu", "cuda"});
  object.read("device", manifest.device);
  object.read_index("least_capability", 1, kLargestCapability, manifest.least_capability);
  object.read_index("most_capability", 1, kLargestCapability, manifest.most_capability);
  read_names(object, "passes", kAllPasses, manifest.passes);
  read_combinations(object, "formats", object.find("formats"), manifest.formats);
  manifest.wgrad_formats = manifest.formats;
  read_combinations(object, "wgrad_formats", object.find("wgrad_formats"), manifest.wgrad_formats);
  read_names(object, "weights", kAllWeightsLayouts, manifest.weights);
  object.read_words("offsets", object.find("offsets"),
                    "a case's offsets kinds (ends, starts:i64, counts:i64:host, ...)",
                    [&](const std::string& word) {
                      const Result<OffsetsKind> kind = parse_offsets_kind(word);
                      return kind && (manifest.offsets.push_back(*kind), true);
                    });
  object.read("accumulate", manifest.accumulate);
  object.read_words("bias", object.find("bias"), "bf16, fp16, fp32", [&](const std::string& word) {
    const auto format = format_named(word);
    return format && is_bias_format(*format) && (manifest.bias.push_back(*format), true);
  });
  if (const int added = object.read_word("bias_added", {"first", "last"}); added >= 0) {
    manifest.bias_added = static_cast<BiasAdded>(added + 1);
  }
}

// What an incomplete manifest leaves out is possible until it is probed.
void take_everything_left_out(Manifest& manifest) {
  if (!manifest.declares("passes")) { manifest.passes.assign(kAllPasses, std::end(kAllPasses)); }
  if (!manifest.declares("weights")) {
    manifest.weights = {WeightsLayout::kEnk, WeightsLayout::kEkn};
  }
  if (!manifest.declares("offsets")) { manifest.offsets = all_offsets_kinds(); }
  if (manifest.declares("formats")) { return; }
  for (const Format in : kAllFormats) {
    if (traits(in).packed() > 1) { continue; }  // nobody multiplies those without scales
    for (const Format out : outputs_of(in)) { manifest.formats.push_back({in, out}); }
  }
  if (!manifest.declares("wgrad_formats")) { manifest.wgrad_formats = manifest.formats; }
}

// As a case's tactic.
bool can_be_spelt(const std::string& tactic) {
  CaseSpec spec;
  spec.k = spec.n = 1;
  spec.rows = {1};
  spec.tactic = tactic;
  return check_case(spec).has_value();
}

void read_tactics(JsonObject& object, Manifest& manifest) {
  object.read_words("tactics", object.find("tactics"),
                    "words of up to 64 letters, digits, _ . - + :, \"default\" not among them",
                    [&](const std::string& word) {
                      manifest.tactics.push_back(word);
                      return word != "default" && can_be_spelt(word);
                    });
  const Json* tiles = object.find("tiles");
  if (tiles == nullptr) { return; }
  if (!tiles->is_object()) {
    return object.fail("tiles", fmt::format("{} is not an object", quoted(*tiles)));
  }
  for (const auto& [tactic, tile] : tiles->items()) {
    const bool numbers = tile.is_array() && tile.size() == 3 &&
                         std::all_of(tile.begin(), tile.end(), [](const Json& extent) {
                           return extent.is_number_unsigned() && extent.get<std::uint64_t>() >= 1 &&
                                  extent.get<std::uint64_t>() <= kLargestTile;
                         });
    if (!numbers) {
      return object.fail("tiles", fmt::format("{} of {} is not [rows, columns, reduction]",
                                              quoted(tile), quote(tactic)));
    }
    if (tactic != "default" && std::find(manifest.tactics.begin(), manifest.tactics.end(),
                                         tactic) == manifest.tactics.end()) {
      return object.fail("tiles",
                         fmt::format("{} is not one of the tactics, nor default", quote(tactic)));
    }
    manifest.tiles.push_back(
        {tactic, tile[0].get<Index>(), tile[1].get<Index>(), tile[2].get<Index>()});
  }
}

// A number, or an object of numbers by pass: their least common multiple suits every pass.
void read_multiple(JsonObject& object, const char* field, Index& to,
                   std::optional<MultipleByPass>& by_pass) {
  const Json* value = object.find(field);
  if (value == nullptr || !value->is_object()) {
    return object.read_index(field, 1, kLargestMultiple, to);
  }
  JsonObject passes(*value, field);
  MultipleByPass multiples;
  passes.read_index("fwd", 1, kLargestMultiple, multiples.fwd);
  passes.read_index("dgrad", 1, kLargestMultiple, multiples.dgrad);
  passes.read_index("wgrad", 1, kLargestMultiple, multiples.wgrad);
  if (const Status status = passes.finish(); !status) { return object.keep(status.error()); }
  to = std::lcm(std::lcm(multiples.fwd, multiples.dgrad), multiples.wgrad);
  if (to > kLargestMultiple) {
    return object.fail(field, fmt::format("{} has the least common multiple {}, more than {}",
                                          quoted(*value), to, kLargestMultiple));
  }
  by_pass = multiples;
}

void read_workspace(JsonObject& object, Manifest& manifest) {
  object.read_index("workspace_alignment", 1, kLargestAlignment, manifest.workspace_alignment);
  const Json* value = object.find("workspace_bytes");
  if (value == nullptr || !value->is_string()) {
    Index bytes = 0;
    object.read_index("workspace_bytes", 0, kLargest, bytes);
    manifest.workspace_bytes = static_cast<std::uint64_t>(bytes);
    return;
  }
  auto formula = Formula::parse(value->get<std::string>());
  if (!formula) { return object.fail("workspace_bytes", formula.error().message); }
  manifest.workspace_formula = std::move(*formula);
}

void read_scale_pitches(JsonObject& object, Manifest& manifest) {
  const Json* value = object.find("scale_pitches");
  if (value == nullptr) { return; }
  const bool numbers =
      value->is_array() && !value->empty() && std::ranges::all_of(*value, [](const Json& pitch) {
        return pitch.is_number_unsigned() && pitch.get<std::uint64_t>() <= kLargestMultiple;
      });
  if (!numbers) {
    return object.fail("scale_pitches",
                       fmt::format("{} is not a list of 0 (row by row) and multiples up to {} that "
                                   "columns are apart",
                                   quoted(*value), kLargestMultiple));
  }
  manifest.scale_pitches = value->get<std::vector<Index>>();
}

void read_limits(JsonObject& object, Manifest& manifest) {
  read_scale_pitches(object, manifest);
  read_names(object, "scale_layouts", kAllScaleLayouts, manifest.scale_layouts);
  read_names(object, "scale_starts", kAllScaleStarts, manifest.scale_starts);
  object.read_index("base_bytes", 1, 256, manifest.base_bytes);
  read_multiple(object, "k_multiple", manifest.k_multiple, manifest.k_multiples);
  read_multiple(object, "n_multiple", manifest.n_multiple, manifest.n_multiples);
  object.read_index("row_multiple", 1, kLargestMultiple, manifest.row_multiple);
  object.read_index("least_rows", 1, kLargestMultiple, manifest.least_rows);
  object.read_index("total_rows_multiple", 1, kLargestMultiple, manifest.total_rows_multiple);
  object.read_index("ld_multiple", 1, kLargestMultiple, manifest.ld_multiple);
  read_flag(object, "strides", "any", "dense", manifest.dense_strides);
  object.read_index("max_experts", 1, kLargest, manifest.max_experts);
  object.read_index("max_rows", 1, kLargest, manifest.max_rows);
  read_workspace(object, manifest);
  object.read_words("compiled_for", object.find("compiled_for"), "k, n, experts, rows, strides",
                    [&](const std::string& word) {
                      const std::pair<const char*, bool*> flags[] = {
                          {"k", &manifest.compiled_for.k},
                          {"n", &manifest.compiled_for.n},
                          {"experts", &manifest.compiled_for.experts},
                          {"rows", &manifest.compiled_for.rows},
                          {"strides", &manifest.compiled_for.strides}};
                      for (const auto& [name, flag] : flags) {
                        if (word == name) { return *flag = true; }
                      }
                      return false;
                    });
}

// true, or an array of formats.
void read_flushed(JsonObject& object, const char* field, std::vector<Format>& to) {
  const Json* value = object.find(field);
  if (value == nullptr) { return; }
  if (value->is_boolean()) {
    if (value->get<bool>()) { to.assign(std::begin(kAllFormats), std::end(kAllFormats)); }
    return;
  }
  object.read_words(field, value, format_names() + " (or true, for all)",
                    [&](const std::string& word) {
                      const auto format = format_named(word);
                      return format && (to.push_back(*format), true);
                    });
}

void read_subnormals(JsonObject& object, Subnormals& subnormals) {
  const Json* value = object.find("subnormals");
  if (value == nullptr) { return; }
  if (value->is_object()) {
    JsonObject flushed(*value, "subnormals");
    read_flushed(flushed, "inputs", subnormals.flushed_inputs);
    read_flushed(flushed, "outputs", subnormals.flushed_outputs);
    if (const Status status = flushed.finish(); !status) { object.keep(status.error()); }
    return;
  }
  const std::string word = value->is_string() ? value->get<std::string>() : "";
  if (word != "kept" && word != "ftz") {
    return object.fail("subnormals",
                       fmt::format("{} is none of kept, ftz, {{\"inputs\": [\"bf16\"], "
                                   "\"outputs\": true}}",
                                   quoted(*value)));
  }
  if (word == "kept") { return; }
  // No instruction flushes codes of 8 bits.
  std::ranges::remove_copy_if(kAllFormats, std::back_inserter(subnormals.flushed_inputs),
                              [](Format format) { return traits(format).code; });
  subnormals.flushed_outputs = {Format::kFp32, Format::kBf16};
}

void read_behaviour(JsonObject& object, Manifest& manifest) {
  const std::vector<std::string_view> rows = {"untouched", "zeroed", "undefined"};
  read_enum(object, "tail_rows", rows, manifest.tail_rows);
  read_enum(object, "padding_rows", rows, manifest.padding_rows);
  read_enum(object, "padding_input", {"anything", "zeros"}, manifest.padding_input);
  read_subnormals(object, manifest.subnormals);
  read_enum(object, "overflow", {"inf", "saturated", "codes_saturated"}, manifest.overflow);
  object.read_word("conversion", {"none", "tf32_rz", "tf32_rna", "bf16"});
  object.read("conversion", manifest.conversion);
  read_enum(object, "invalid_offsets", {"refused", "flagged", "memory_safe", "undefined"},
            manifest.invalid_offsets);
  object.read("stream_ordered", manifest.stream_ordered);
  object.read("graph_capturable", manifest.graph_capturable);
  object.read("deterministic", manifest.deterministic);
  object.read("batch_invariant", manifest.batch_invariant);
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view json) {
  if (json.size() > kLongestManifest) {
    return make_error(
        fmt::format("manifest: {} bytes, more than {}", json.size(), kLongestManifest));
  }
  const auto in_manifest = [](const Error& error) {
    return make_error("manifest: " + error.message);
  };
  const Result<Json> document = parse_json_object(json, kDeepestNesting);
  if (!document) { return in_manifest(document.error()); }
  Manifest manifest;
  manifest.declared = document->dump(-1, ' ', false, Json::error_handler_t::replace);
  JsonObject object(*document, "");
  for (const auto& [field, value] : document->items()) {
    manifest.declared_fields.push_back(field);
  }
  read_domain(object, manifest);
  take_everything_left_out(manifest);
  read_tactics(object, manifest);
  read_limits(object, manifest);
  read_behaviour(object, manifest);
  Status arithmetic;
  if (const Json* value = object.find("arithmetic")) {
    arithmetic = read_arithmetic(*value, manifest.arithmetic);
  }
  refuse_contradictions(object, manifest);
  if (const Status status = object.finish(); !status) { return in_manifest(status.error()); }
  if (!arithmetic) { return in_manifest(arithmetic.error()); }
  return manifest;
}

}  // namespace assay
