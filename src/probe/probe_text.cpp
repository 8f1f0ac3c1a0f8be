// The probe's findings for people, and as a manifest to paste.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/core/json_text.h"
#include "src/core/require.h"
#include "src/core/text.h"
#include "src/probe/experiments.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json names(const std::vector<T>& items) {
  Json json = Json::array();
  for (const T& item : items) { json.push_back(std::string(name(item))); }
  return json;
}

Json combinations(const std::vector<Combination>& formats) {
  Json json = Json::array();
  for (const Combination& format : formats) {
    json.push_back({{"in", input_name(format)}, {"out", name(format.out)}});
  }
  return json;
}

Json arithmetic_json(const DeclaredArithmetic& arithmetic) {
  Json json;
  if (arithmetic.is_int32()) {
    json = {{"kind", "int32"}};
  } else if (arithmetic.kind == DeclaredArithmetic::Kind::kFma) {
    json = {{"kind", "fma"}, {"fused", arithmetic.fused}};
  } else {
    json = {{"kind", "tensor_core"},
            {"products_per_step", arithmetic.products_per_step},
            {"fraction_bits", arithmetic.fraction_bits},
            {"out_bits", arithmetic.out_bits}};
  }
  if (arithmetic.int32_sums && !arithmetic.is_int32()) { json["integers"] = "int32"; }
  json["order"] = arithmetic.ascending ? "ascending" : "any";
  if (arithmetic.scales != DeclaredArithmetic::Scales::kUndeclared) {
    using Scales = DeclaredArithmetic::Scales;
    json["scales"] = arithmetic.scales == Scales::kSums           ? "sums"
                     : arithmetic.scales == Scales::kOperands     ? "operands"
                     : arithmetic.scales == Scales::kOperandsBf16 ? "operands_bf16"
                     : arithmetic.scales == Scales::kOperandsFp16 ? "operands_fp16"
                     : arithmetic.scales == Scales::kSumsOneByOne ? "sums_one_by_one"
                                                                  : "end";
  }
  if (arithmetic.promotion_interval > 0) {
    json["promotion_interval"] = arithmetic.promotion_interval;
  }
  if (arithmetic.splits > 1) { json["splits"] = arithmetic.splits; }
  if (arithmetic.partials != "fp32") { json["partials"] = arithmetic.partials; }
  return json;
}

Json subnormals_json(const Subnormals& subnormals) {
  if (!subnormals.any_flushed()) { return "kept"; }
  return {{"inputs", names(subnormals.flushed_inputs)},
          {"outputs", names(subnormals.flushed_outputs)}};
}

constexpr const char* kContractWords[] = {"untouched", "zeroed", "undefined"};

Json field_json(const Manifest& probed, const std::string& field) {
  if (field == "name") { return probed.name; }
  if (field == "device") { return probed.device; }
  if (field == "passes") { return names(probed.passes); }
  if (field == "formats") { return combinations(probed.formats); }
  if (field == "wgrad_formats") { return combinations(probed.wgrad_formats); }
  if (field == "weights") { return names(probed.weights); }
  if (field == "offsets") { return names(probed.offsets); }
  if (field == "accumulate") { return probed.accumulate; }
  if (field == "base_bytes") { return probed.base_bytes; }
  if (field == "k_multiple") { return probed.k_multiple; }
  if (field == "n_multiple") { return probed.n_multiple; }
  if (field == "row_multiple") { return probed.row_multiple; }
  if (field == "ld_multiple") { return probed.ld_multiple; }
  if (field == "tail_rows") { return kContractWords[static_cast<int>(probed.tail_rows)]; }
  if (field == "padding_rows") { return kContractWords[static_cast<int>(probed.padding_rows)]; }
  if (field == "padding_input") {
    return probed.padding_input == PaddingInput::kZeros ? "zeros" : "anything";
  }
  if (field == "strides") { return probed.dense_strides ? "dense" : "any"; }
  if (field == "subnormals") { return subnormals_json(probed.subnormals); }
  if (field == "stream_ordered") { return probed.stream_ordered; }
  if (field == "graph_capturable") { return probed.graph_capturable; }
  if (field == "deterministic") { return probed.deterministic; }
  if (field == "batch_invariant") { return probed.batch_invariant; }
  if (field == "conversion") { return probed.conversion; }
  ASSAY_REQUIRE(field == "arithmetic", field);
  return arithmetic_json(probed.arithmetic);
}

}  // namespace

std::string arithmetic_text(const DeclaredArithmetic& arithmetic) {
  return json_text(arithmetic_json(arithmetic));
}

std::string manifest_json(const Manifest& probed) {
  Json json = Json::object();
  for (const std::string& field : probed.declared_fields) {
    json[field] = field_json(probed, field);
  }
  // A field a line, as a manifest is written by hand.
  std::string text = "{";
  for (const auto& [field, value] : json.items()) {
    text += fmt::format("{}\n  \"{}\": {}", text == "{" ? "" : ",", field, json_text(value));
  }
  return text + "\n}\n";
}

std::string with_fields(const std::string& json, const Manifest& additions) {
  Json object = try_parse_json(json);
  if (!object.is_object()) { object = Json::object(); }
  for (const std::string& field : additions.declared_fields) {
    object[field] = field_json(additions, field);
  }
  return json_text(object);
}

std::string probe_table(const ProbeReport& report) {
  std::size_t topic = 0, value = 0;
  constexpr std::size_t kWidest = 44;
  for (const ProbeRow& row : report.rows) {
    topic = std::max(topic, row.topic.size());
    value = std::max(value, std::min(row.value.size(), kWidest));
  }
  std::string text;
  for (const ProbeRow& row : report.rows) {
    std::string line = one_line(
        fmt::format("{:<{}}  {:<{}}  {}", row.topic, topic, row.value, value, row.evidence));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  for (const std::string& sentence : report.disagreements) {
    text += fmt::format("disagreement: {}\n", one_line(sentence));
  }
  return text;
}

}  // namespace assay
