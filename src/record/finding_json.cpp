#include "src/record/finding_json.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

Json number_with_bits(double value, std::uint32_t bits, Format format) {
  return {{"value", number_json(value)},
          {"hex", fmt::format("{:a}", value)},
          {"bits", fmt::format("0x{:0{}x}", bits, 2 * size_bytes(format))}};
}

void read_bits(JsonObject& object, std::uint32_t& to) {
  std::string text;
  object.require("bits");
  object.read("bits", text);
  const char* end = text.data() + text.size();
  const bool prefixed = text.starts_with("0x");
  const auto read = std::from_chars(text.data() + (prefixed ? 2 : 0), end, to, 16);
  if (!prefixed || read.ec != std::errc{} || read.ptr != end) {
    object.fail("bits", fmt::format("{} is no 0x number", quote(text)));
  }
}

// A nested object read by `read`, its first error kept by the outer one.
template <class Read>
void read_nested(JsonObject& outer, const char* field, const Read& read) {
  outer.read_object(field, [&](const Json& json) {
    JsonObject object(json, field);
    read(object);
    return object.finish();
  });
}

void read_value(JsonObject& outer, const char* field, double& value, std::uint32_t& bits) {
  read_nested(outer, field, [&](JsonObject& object) {
    object.read_number("value", value);
    object.find("hex");
    read_bits(object, bits);
  });
}

void read_aspect(JsonObject& object, Aspect& aspect) {
  std::vector<std::string_view> words;
  for (const Aspect one : all_aspects()) { words.push_back(name(one)); }
  const int at = object.read_word("aspect", words);
  if (at >= 0) { aspect = all_aspects()[static_cast<std::size_t>(at)]; }
}

Result<CaseSpec> read_case(JsonObject& object, const char* field) {
  std::string line;
  object.require(field);
  object.read(field, line);
  auto spec = parse_case(line);
  if (!spec) { object.fail(field, spec.error().message); }
  return spec;
}

void read_diagnosis(JsonObject& outer, Diagnosis& diagnosis) {
  read_nested(outer, "diagnosis", [&](JsonObject& object) {
    if (const Json* name = object.require("hypothesis"); name && !name->is_null()) {
      object.read("hypothesis", diagnosis.hypothesis);
    }
    object.read("sentence", diagnosis.sentence);
    object.read_number("explainedShare", diagnosis.share);
    object.read_index("hypothesesTried", 0, kMost, diagnosis.tried);
    object.read("where", diagnosis.where);
  });
}

void read_checks(JsonObject& object, const BatteryNames& names, Finding& finding) {
  const auto find = [&](const char* field, const std::string& name) {
    const Check* check = names.check(name);
    if (!check) {
      object.fail(field, unknown_check(name) + "; the record is of another version of assay");
    }
    return check;
  };
  std::string name;
  object.require("check");
  object.read("check", name);
  finding.check = find("check", name);
  std::vector<std::string> others;
  object.read_texts("checks", others);
  for (const std::string& other : others) { finding.checks.push_back(find("checks", other)); }
  if (finding.checks.empty()) { finding.checks = {finding.check}; }
}

Result<FailedAspect> read_failed(const Json& json) {
  if (!json.is_object()) { return make_error(quoted(json) + " is not {aspect, reason}"); }
  JsonObject object(json, "alsoWrong");
  FailedAspect failed;
  object.require("aspect");
  read_aspect(object, failed.aspect);
  object.read("reason", failed.reason);
  ASSAY_TRY(object.finish());
  return failed;
}

Result<Tile> read_tile(const Json& json) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no tile"); }
  JsonObject object(json, "tiles");
  Tile tile;
  object.read_index("row", 0, kMost, tile.row);
  object.read_index("column", 0, kMost, tile.col);
  object.read_index("rows", 1, kMost, tile.rows);
  object.read_index("columns", 1, kMost, tile.cols);
  object.read_index("wrong", 0, kMost, tile.wrong);
  object.read_number("errorOverBound", tile.worst_ratio);
  ASSAY_TRY(object.finish());
  return tile;
}

Result<ExpertTiles> read_expert(const Json& json) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no expert of a tile map"); }
  JsonObject object(json, "experts");
  ExpertTiles expert;
  object.read_index("expert", 0, kMost, expert.expert);
  object.read_index("tilesAcross", 0, kMost, expert.tiles_across);
  const Json* tiles = object.require("tiles");
  ASSAY_TRY(object.finish());
  for (const Json& item : *tiles) {
    auto tile = read_tile(item);
    ASSAY_TRY(tile);
    expert.tiles.push_back(*tile);
  }
  return expert;
}

}  // namespace

Json number_json(double value) {
  if (std::isnan(value)) { return "nan"; }
  if (std::isinf(value)) { return value > 0 ? "inf" : "-inf"; }
  return value;
}

Json entry_json(const Entry& entry, Format format) {
  return {
      {"expert", entry.expert},
      {"row", entry.row},
      {"column", entry.col},
      {"exact", number_with_bits(entry.exact, entry.exact_bits, format)},
      {"got", number_with_bits(entry.got, entry.got_bits, format)},
      {"bound", {{"value", number_json(entry.bound)}, {"hex", fmt::format("{:a}", entry.bound)}}},
      {"errorOverBound", number_json(entry.ratio)}};
}

Result<Entry> read_entry(const Json& json) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no element"); }
  JsonObject object(json, "worst");
  Entry entry;
  object.read_index("expert", 0, kMost, entry.expert);
  object.read_index("row", 0, kMost, entry.row);
  object.read_index("column", 0, kMost, entry.col);
  read_value(object, "exact", entry.exact, entry.exact_bits);
  read_value(object, "got", entry.got, entry.got_bits);
  read_nested(object, "bound", [&](JsonObject& bound) {
    bound.read_number("value", entry.bound);
    bound.find("hex");
  });
  object.read_number("errorOverBound", entry.ratio);
  ASSAY_TRY(object.finish());
  return entry;
}

Json finding_json(const Finding& finding) {
  Json checks = Json::array();
  for (const Check* check : finding.checks) { checks.push_back(check->name); }
  Json json{
      {"check", finding.check->name},           {"checks", checks},
      {"verdict", name(finding.verdict.kind)},  {"reason", finding.verdict.reason},
      {"case", canonical_text(finding.shrunk)}, {"originalCase", canonical_text(finding.original)},
      {"shrinkTries", finding.shrink_tries},    {"wrongElements", finding.verdict.wrong_elements},
      {"elements", finding.verdict.elements}};
  add_aspects(json, finding.verdict);
  json["worst"] = finding.verdict.worst ? entry_json(*finding.verdict.worst, finding.shrunk.out)
                                        : Json(nullptr);
  const Diagnosis& diagnosis = finding.diagnosis;
  json["diagnosis"] = {
      {"hypothesis", diagnosis.hypothesis.empty() ? Json(nullptr) : Json(diagnosis.hypothesis)},
      {"sentence", diagnosis.sentence},
      {"explainedShare", number_json(diagnosis.share)},
      {"hypothesesTried", diagnosis.tried},
      {"where", diagnosis.where}};
  if (!finding.before.empty()) { json["before"] = finding.before; }
  json["replay"] = finding.replay;
  json["tiles"] = finding.tiles ? tiles_json(*finding.tiles) : Json(nullptr);
  return json;
}

Result<Finding> read_finding(const Json& json, const BatteryNames& names) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no finding"); }
  JsonObject object(json, "");
  Finding finding;
  read_checks(object, names, finding);
  read_verdict_kind(object, finding.verdict.kind);
  object.read("reason", finding.verdict.reason);
  read_aspects(object, finding.verdict);
  auto shrunk = read_case(object, "case"), original = read_case(object, "originalCase");
  object.read_index("shrinkTries", 0, kMost, finding.shrink_tries);
  object.read_index("wrongElements", 0, kMost, finding.verdict.wrong_elements);
  object.read_index("elements", 0, kMost, finding.verdict.elements);
  if (const Json* worst = object.find("worst"); worst && !worst->is_null()) {
    const auto entry = read_entry(*worst);
    ASSAY_TRY(entry);
    finding.verdict.worst = *entry;
    finding.verdict.worst_ratio = entry->ratio;
  }
  read_diagnosis(object, finding.diagnosis);
  object.read_texts("before", finding.before);
  object.read("replay", finding.replay);
  if (const Json* tiles = object.find("tiles"); tiles && !tiles->is_null()) {
    auto map = read_tiles(*tiles);
    ASSAY_TRY(map);
    finding.tiles = std::move(*map);
  }
  ASSAY_TRY(object.finish());
  finding.shrunk = std::move(*shrunk);
  finding.original = std::move(*original);
  return finding;
}

Json tiles_json(const TileMap& map) {
  Json json{{"tileRows", map.tile_rows}, {"tileColumns", map.tile_cols}};
  json["experts"] = Json::array();
  for (const ExpertTiles& expert : map.experts) {
    Json tiles = Json::array();
    for (const Tile& tile : expert.tiles) {
      tiles.push_back({{"row", tile.row},
                       {"column", tile.col},
                       {"rows", tile.rows},
                       {"columns", tile.cols},
                       {"wrong", tile.wrong},
                       {"errorOverBound", number_json(tile.worst_ratio)}});
    }
    json["experts"].push_back(
        {{"expert", expert.expert}, {"tilesAcross", expert.tiles_across}, {"tiles", tiles}});
  }
  return json;
}

Result<TileMap> read_tiles(const Json& json) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no tile map"); }
  JsonObject object(json, "tiles");
  TileMap map;
  object.read_index("tileRows", 1, kMost, map.tile_rows);
  object.read_index("tileColumns", 1, kMost, map.tile_cols);
  const Json* experts = object.require("experts");
  if (experts && !experts->is_array()) { object.fail("experts", "is no array"); }
  ASSAY_TRY(object.finish());
  for (const Json& item : *experts) {
    auto expert = read_expert(item);
    ASSAY_TRY(expert);
    map.experts.push_back(std::move(*expert));
  }
  return map;
}

void add_aspects(Json& json, const Verdict& verdict) {
  if (verdict.failed.empty()) { return; }
  json["aspect"] = name(verdict.failed.front().aspect);
  if (verdict.failed.size() == 1) { return; }
  Json others = Json::array();
  for (auto failed = verdict.failed.begin() + 1; failed != verdict.failed.end(); ++failed) {
    others.push_back({{"aspect", name(failed->aspect)}, {"reason", failed->reason}});
  }
  json["alsoWrong"] = others;
}

void read_aspects(JsonObject& object, Verdict& verdict) {
  const Json* others = object.find("alsoWrong");
  if (!object.find("aspect")) { return; }
  FailedAspect first{.reason = verdict.reason};
  read_aspect(object, first.aspect);
  verdict.failed = {first};
  if (!others) { return; }
  if (!others->is_array()) {
    return object.fail("alsoWrong", quoted(*others) + " is not an array");
  }
  for (const Json& item : *others) {
    const auto failed = read_failed(item);
    if (!failed) { return object.fail("alsoWrong", failed.error().message); }
    verdict.failed.push_back(*failed);
  }
}

void read_verdict_kind(JsonObject& object, VerdictKind& kind) {
  std::vector<std::string_view> words;
  for (int i = 0; i < kVerdictKinds; ++i) { words.push_back(name(static_cast<VerdictKind>(i))); }
  // As older records have them.
  constexpr VerdictKind kOlder[] = {VerdictKind::kUnsupported, VerdictKind::kInconclusive};
  words.insert(words.end(), {"Refused", "Mistrusted"});
  object.require("verdict");
  const int at = object.read_word("verdict", words);
  if (at >= 0) {
    kind = at < kVerdictKinds ? static_cast<VerdictKind>(at) : kOlder[at - kVerdictKinds];
  }
}

}  // namespace assay
