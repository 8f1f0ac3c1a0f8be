#include "src/record/finding_json.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/json_object.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

void value_and_hex(JsonFields& json, double& value) {
  json.lenient("value", value);
  json.note("hex", fmt::format("{:a}", value));
}

void number(JsonFields& json, const char* field, double& value, std::uint32_t& bits,
            Format format) {
  json.object(field, [&](JsonFields& inner) {
    value_and_hex(inner, value);
    inner.text(
        "bits", [&] { return fmt::format("0x{:0{}x}", bits, 2 * size_bytes(format)); },
        [&](const std::string& text) -> Status {
          const char* end = text.data() + text.size();
          const bool prefixed = text.starts_with("0x");
          const auto read = std::from_chars(text.data() + (prefixed ? 2 : 0), end, bits, 16);
          if (prefixed && read.ec == std::errc{} && read.ptr == end) { return {}; }
          return make_error(quote(text) + " is not a number such as 0x3f80");
        });
  });
}

void case_of(JsonFields& json, const char* field, CaseSpec& spec) {
  json.text(
      field, [&] { return canonical_text(spec); },
      [&](const std::string& line) -> Status {
        auto read = parse_case(line);
        ASSAY_TRY(read);
        spec = std::move(*read);
        return {};
      });
}

// Made once: each line of a record is read by them.
const JsonFields::Words& aspect_names() {
  static const JsonFields::Words kNames = [] {
    JsonFields::Words names;
    for (const Aspect aspect : all_aspects()) { names.push_back(name(aspect)); }
    return names;
  }();
  return kNames;
}

const JsonFields::Words& verdict_names() {
  static const JsonFields::Words kNames = [] {
    JsonFields::Words names;
    for (int i = 0; i < kVerdictKinds; ++i) { names.push_back(name(static_cast<VerdictKind>(i))); }
    names.insert(names.end(), {"Refused", "Mistrusted"});  // as older records have them
    return names;
  }();
  return kNames;
}

// Left out where one check alone has met it.
void checks_of(JsonFields& json, Finding& finding, const Registry& names) {
  std::vector<std::string> checks;
  if (finding.checks.size() > 1) {
    for (const Check* check : finding.checks) { checks.emplace_back(check->name); }
  }
  json.sparse("checks", checks);
  if (!json.reads()) { return; }
  for (const std::string& name : checks) {
    finding.checks.push_back(names.check(name));
    if (finding.checks.back() == nullptr) { json.fail("checks", unknown_check(name)); }
  }
  if (finding.checks.empty()) { finding.checks = {finding.check}; }
}

void diagnosis_of(JsonFields& json, Diagnosis& diagnosis) {
  json.object("diagnosis", [&](JsonFields& inner) {
    inner.raw(
        "hypothesis",
        [&] { return diagnosis.hypothesis.empty() ? Json(nullptr) : Json(diagnosis.hypothesis); },
        [&](const Json& value) -> Status {
          if (value.is_null()) { return {}; }
          if (!value.is_string()) { return make_error(quoted(value) + " is not a string"); }
          diagnosis.hypothesis = value.get<std::string>();
          return {};
        });
    inner.lenient("sentence", diagnosis.sentence);
    inner.lenient("explainedShare", diagnosis.share);
    inner.lenient("hypothesesTried", diagnosis.tried);
    inner.lenient("where", diagnosis.where);
  });
}

}  // namespace

void fields(JsonFields& json, Entry& entry, Format format) {
  json.lenient("expert", entry.expert);
  json.lenient("row", entry.row);
  json.lenient("column", entry.col);
  number(json, "exact", entry.exact, entry.exact_bits, format);
  number(json, "got", entry.got, entry.got_bits, format);
  json.object("bound", [&](JsonFields& bound) { value_and_hex(bound, entry.bound); });
  json.lenient("errorOverBound", entry.ratio);
}

void fields(JsonFields& json, Tile& tile) {
  json.lenient("row", tile.row);
  json.lenient("column", tile.col);
  json.lenient("rows", tile.rows, Within{1});
  json.lenient("columns", tile.cols, Within{1});
  json.lenient("wrong", tile.wrong);
  json.lenient("errorOverBound", tile.worst_ratio);
}

void fields(JsonFields& json, ExpertTiles& expert) {
  json.lenient("expert", expert.expert);
  json.lenient("tilesAcross", expert.tiles_across);
  json("tiles", expert.tiles);
}

void fields(JsonFields& json, TileMap& map) {
  json.lenient("tileRows", map.tile_rows, Within{1});
  json.lenient("tileColumns", map.tile_cols, Within{1});
  json("experts", map.experts);
}

void fields(JsonFields& json, FailedAspect& failed) {
  json.word("aspect", failed.aspect, aspect_names());
  json.lenient("reason", failed.reason);
}

void aspects_of(JsonFields& json, Verdict& verdict) {
  std::vector<FailedAspect>& failed = verdict.failed;
  std::string first(failed.empty() ? "" : name(failed.front().aspect));
  aspect_field(json, first);
  if (json.reads() && !first.empty()) {
    // An unknown word was reported by the field.
    const Aspect aspect = parse_aspect(first).value_or(Aspect::kValues);
    failed = {{.aspect = aspect, .reason = verdict.reason}};
  }
  if (failed.empty()) { return; }
  std::vector<FailedAspect> others(failed.begin() + 1, failed.end());
  if (json.reads() || !others.empty()) { json.lenient("alsoWrong", others); }
  if (json.reads()) { failed.insert(failed.end(), others.begin(), others.end()); }
}

void inner_case(JsonFields& json, Verdict& verdict) {
  // One that is none is of no use to anybody.
  const bool is_case = verdict.inner && check_case(*verdict.inner);
  std::string line = is_case ? canonical_text(*verdict.inner) : "";
  json.sparse("innerCase", line);
  if (!json.reads() || line.empty()) { return; }
  const auto read = parse_case(line);
  if (!read) { return json.fail("innerCase", read.error().message); }
  verdict.inner = *read;
}

void aspect_field(JsonFields& json, std::string& aspect) {
  json.sparse("aspect", aspect);
  if (aspect.empty() || parse_aspect(aspect)) { return; }
  json.fail("aspect",
            fmt::format("{} is none of {}", quote(aspect), fmt::join(aspect_names(), ", ")));
}

void verdict_kind(JsonFields& json, VerdictKind& kind) {
  constexpr VerdictKind kOlder[] = {VerdictKind::kUnsupported, VerdictKind::kInconclusive};
  auto at = static_cast<int>(kind);
  json.word("verdict", at, verdict_names());
  kind = at < kVerdictKinds ? static_cast<VerdictKind>(at) : kOlder[at - kVerdictKinds];
}

void fields(JsonFields& json, Finding& finding, const Registry& names) {
  Verdict& verdict = finding.verdict;
  json.text(
      "check", [&] { return std::string(finding.check->name); },
      [&](const std::string& check) -> Status {
        finding.check = names.check(check);
        if (finding.check) { return {}; }
        return make_error(unknown_check(check) + "; the record is of another version of assay");
      });
  checks_of(json, finding, names);
  verdict_kind(json, verdict.kind);
  json.lenient("reason", verdict.reason);
  aspects_of(json, verdict);
  case_of(json, "case", finding.shrunk);
  case_of(json, "originalCase", finding.original);
  inner_case(json, verdict);
  json.lenient("shrinkTries", finding.shrink_tries);
  json.lenient("wrongElements", verdict.wrong_elements);
  json.lenient("elements", verdict.elements);
  json.nullable("worst", verdict.worst.has_value(), [&](JsonFields& worst) {
    if (json.reads()) { verdict.worst.emplace(); }
    fields(worst, *verdict.worst, finding.shrunk.out);
  });
  if (json.reads() && verdict.worst) { verdict.worst_ratio = verdict.worst->ratio; }
  diagnosis_of(json, finding.diagnosis);
  json.sparse("before", finding.before);
  json.lenient("replay", finding.replay);
  json.lenient("tiles", finding.tiles);
}

Json finding_json(const Finding& finding) { return json_of(finding, Registry{}); }

}  // namespace assay
