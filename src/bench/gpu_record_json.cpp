// GpuRecord as JSON and back.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/bench/gpu_record.h"
#include "src/core/text.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "assay-bench-gpu/1";
constexpr ContestantKind kAllKinds[] = {ContestantKind::kRoof, ContestantKind::kBaseline,
                                        ContestantKind::kKernel};

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json line_json(const TimedLine& line) {
  return {{"name", line.name},
          {"tactic", line.tactic},
          {"kind", name(line.kind)},
          {"rounds", line.rounds},
          {"seconds", line.seconds},
          {"spread", line.spread},
          {"flopPerSecond", line.flop_per_second},
          {"ofRoof", optional_number(line.of_roof)},
          {"overBestBaseline", optional_number(line.over_baseline)},
          {"overFloor", line.over_floor},
          {"wrong", line.wrong},
          {"trouble", line.trouble}};
}

Json product_json(const TimedProduct& product) {
  Json json{{"case", product.case_name},
            {"pass", name(product.pass)},
            {"k", product.k},
            {"n", product.n},
            {"experts", product.experts},
            {"rows", product.rows},
            {"largest", product.largest},
            {"empty", product.empty},
            {"flop", product.flop},
            {"floorSeconds", product.floor_seconds},
            {"memoryBound", product.memory_bound},
            {"bestBaseline", product.best_baseline}};
  json["contestants"] = Json::array();
  for (const TimedLine& line : product.lines) { json["contestants"].push_back(line_json(line)); }
  return json;
}

// The value of that name; `at` refuses one that there is not.
template <class Enum, std::size_t kCount>
Enum named(const Enum (&all)[kCount], const std::string& word) {
  Json places;
  for (std::size_t i = 0; i < kCount; ++i) { places[std::string(name(all[i]))] = i; }
  return all[places.at(word).get<std::size_t>()];
}

TimedLine read_line(const Json& json) {
  TimedLine line;
  line.name = json.at("name").get<std::string>();
  line.tactic = json.at("tactic").get<std::string>();
  line.kind = named(kAllKinds, json.at("kind").get<std::string>());
  line.rounds = json.at("rounds").get<int>();
  line.seconds = json.at("seconds").get<double>();
  line.spread = json.at("spread").get<double>();
  line.flop_per_second = json.at("flopPerSecond").get<double>();
  line.of_roof = optional_number(json.at("ofRoof"));
  line.over_baseline = optional_number(json.at("overBestBaseline"));
  line.over_floor = json.at("overFloor").get<double>();
  line.wrong = json.at("wrong").get<bool>();
  line.trouble = json.at("trouble").get<std::string>();
  return line;
}

TimedProduct read_product(const Json& json) {
  TimedProduct product;
  product.case_name = json.at("case").get<std::string>();
  product.pass = named(kAllPasses, json.at("pass").get<std::string>());
  product.k = json.at("k").get<Index>();
  product.n = json.at("n").get<Index>();
  product.experts = json.at("experts").get<Index>();
  product.rows = json.at("rows").get<Index>();
  product.largest = json.at("largest").get<Index>();
  product.empty = json.at("empty").get<Index>();
  product.flop = json.at("flop").get<double>();
  product.floor_seconds = json.at("floorSeconds").get<double>();
  product.memory_bound = json.at("memoryBound").get<bool>();
  product.best_baseline = json.at("bestBaseline").get<std::string>();
  for (const Json& line : json.at("contestants")) { product.lines.push_back(read_line(line)); }
  return product;
}

GpuRecord read_record(const Json& json) {
  GpuRecord record;
  record.gpu = json.at("gpu").get<std::string>();
  record.driver = json.at("driver").get<std::string>();
  record.runtime = json.at("runtime").get<std::string>();
  record.cublas = json.at("cublas").get<std::string>();
  record.in = json.at("in").get<std::string>();
  record.weights = json.at("weights").get<std::string>();
  record.copy_bytes_per_second = json.at("copyBytesPerSecond").get<double>();
  record.bare_seconds = json.at("bareSeconds").get<double>();
  for (const Json& product : json.at("products")) {
    record.products.push_back(read_product(product));
  }
  return record;
}

}  // namespace

std::string record_json(const GpuRecord& record) {
  Json json{{"format", kFormat},
            {"gpu", record.gpu},
            {"driver", record.driver},
            {"runtime", record.runtime},
            {"cublas", record.cublas},
            {"in", record.in},
            {"weights", record.weights},
            {"copyBytesPerSecond", record.copy_bytes_per_second},
            {"bareSeconds", record.bare_seconds}};
  json["products"] = Json::array();
  for (const TimedProduct& product : record.products) {
    json["products"].push_back(product_json(product));
  }
  json["tactics"] = Json::array();
  for (const TacticChoice& choice : tactic_choices(record)) {
    json["tactics"].push_back({{"case", choice.case_name},
                               {"kernel", choice.kernel},
                               {"pass", name(choice.pass)},
                               {"winner", choice.here},
                               {"uniformWinner", choice.uniform},
                               {"costOfUniformWinner", choice.cost},
                               {"costOfDefault", choice.default_cost}});
  }
  return json.dump(1) + "\n";
}

Result<GpuRecord> parse_record(const std::string& json, const std::string& file) {
  try {
    const Json read = Json::parse(json);
    const std::string format = read.at("format").get<std::string>();
    if (format != kFormat) {
      return make_error(
          fmt::format("{}: the format is {}, expected '{}'", file, quote(format), kFormat));
    }
    return read_record(read);
  } catch (const Json::exception& error) {
    return make_error(fmt::format("{} is no record of `bench gpu --json`: {}", file, error.what()));
  }
}

}  // namespace assay
