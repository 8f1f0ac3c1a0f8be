// GpuRecord as JSON and back.
#include <nlohmann/json.hpp>

#include "src/bench/gpu_record.h"
#include "src/core/json_fields.h"
#include "src/core/json_text.h"

namespace assay {
namespace {

JsonFields::Words names_of_kinds() {
  return {name(ContestantKind::kRoof), name(ContestantKind::kBaseline),
          name(ContestantKind::kKernel)};
}

JsonFields::Words names_of_passes() {
  JsonFields::Words words;
  for (const Pass pass : kAllPasses) { words.push_back(name(pass)); }
  return words;
}

}  // namespace

void fields(JsonFields& json, TimedLine& line) {
  json("name", line.name);
  json("tactic", line.tactic);
  json.word("kind", line.kind, names_of_kinds());
  json("rounds", line.rounds);
  json("seconds", line.seconds);
  json("spread", line.spread);
  json("flopPerSecond", line.flop_per_second);
  json("ofRoof", line.of_roof);
  json("overBestBaseline", line.over_baseline);
  json("overFloor", line.over_floor);
  json("wrong", line.wrong);
  json("trouble", line.trouble);
}

void fields(JsonFields& json, TimedProduct& product) {
  json("case", product.case_name);
  json.word("pass", product.pass, names_of_passes());
  json("k", product.k);
  json("n", product.n);
  json("experts", product.experts);
  json("rows", product.rows);
  json("largest", product.largest);
  json("empty", product.empty);
  json("flop", product.flop);
  json("floorSeconds", product.floor_seconds);
  json("memoryBound", product.memory_bound);
  json("bestBaseline", product.best_baseline);
  json("contestants", product.lines);
}

void fields(JsonFields& json, TacticChoice& choice) {
  json("case", choice.case_name);
  json("kernel", choice.kernel);
  json.word("pass", choice.pass, names_of_passes());
  json("winner", choice.here);
  json("uniformWinner", choice.uniform);
  json("costOfUniformWinner", choice.cost);
  json("costOfDefault", choice.default_cost);
}

void fields(JsonFields& json, GpuRecord& record) {
  json.constant("format", "assay-bench-gpu/1");
  json("gpu", record.gpu);
  json("driver", record.driver);
  json("runtime", record.runtime);
  json("cublas", record.cublas);
  json("in", record.in);
  json("weights", record.weights);
  json("copyBytesPerSecond", record.copy_bytes_per_second);
  json("bareSeconds", record.bare_seconds);
  json("products", record.products);
  // A function of the products, for people.
  auto choices = json.reads() ? std::vector<TacticChoice>{} : tactic_choices(record);
  json("tactics", choices);
}

std::string record_json(const GpuRecord& record) { return json_text(json_of(record), 1) + "\n"; }

Result<GpuRecord> parse_record(const std::string& json, const std::string& file) {
  GpuRecord record;
  ASSAY_TRY(parse_fields(json, file, [&](JsonFields& object) { fields(object, record); }));
  return record;
}

}  // namespace assay
