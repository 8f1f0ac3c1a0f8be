#include "src/record/domain_json.h"

#include <limits>

namespace assay {
namespace {

constexpr Index kMost = std::numeric_limits<Index>::max();

Json range_json(const Domain::Range<Index>& range) {
  return range.empty ? Json(nullptr) : Json::array({range.least, range.most});
}

void read_range(JsonObject& object, const char* field, Domain::Range<Index>& range) {
  const Json* value = object.require(field);
  if (!value || value->is_null()) { return; }
  const bool pair = value->is_array() && value->size() == 2 && (*value)[0].is_number_integer() &&
                    (*value)[1].is_number_integer();
  if (!pair) { return object.fail(field, quoted(*value) + " is neither null nor [least, most]"); }
  range = {.least = (*value)[0], .most = (*value)[1], .empty = false};
}

void read_counts(JsonObject& object, const char* field, std::map<std::string, Index>& counts) {
  const Json* value = object.require(field);
  if (!value) { return; }
  if (!value->is_object()) {
    return object.fail(field, quoted(*value) + " is no object of counts");
  }
  for (const auto& [key, count] : value->items()) {
    if (!count.is_number_unsigned()) { return object.fail(field, quoted(count) + " is no count"); }
    counts[key] = count.get<Index>();
  }
}

void read_passes(JsonObject& object, Domain& domain) {
  std::map<std::string, Index> counts;
  read_counts(object, "casesOfPass", counts);
  for (const Pass pass : kAllPasses) {
    domain.cases[static_cast<std::size_t>(pass)] = counts[std::string(name(pass))];
  }
  if (counts.size() != kPassCount) { object.fail("casesOfPass", "names a pass that there is not"); }
}

}  // namespace

Json domain_json(const Domain& domain) {
  Json cases = Json::object();
  for (const Pass pass : kAllPasses) {
    cases[std::string(name(pass))] = domain.cases[static_cast<std::size_t>(pass)];
  }
  return {{"distinctCases", domain.total()},     {"casesOfPass", cases},
          {"formats", domain.formats},           {"offsets", domain.conventions},
          {"weights", domain.weights},           {"fills", domain.fills},
          {"tactics", domain.tactics},           {"manyTiles", domain.many_tiles},
          {"accumulating", domain.accumulating}, {"experts", range_json(domain.experts)},
          {"rows", range_json(domain.rows)},     {"k", range_json(domain.k)},
          {"n", range_json(domain.n)},           {"products", range_json(domain.products)}};
}

Result<Domain> read_domain(const Json& json) {
  if (!json.is_object()) { return make_error(quoted(json) + " is no domain"); }
  JsonObject object(json, "domain");
  Domain domain;
  Index distinct = 0;
  object.read_index("distinctCases", 0, kMost, distinct);
  read_passes(object, domain);
  read_counts(object, "formats", domain.formats);
  read_counts(object, "offsets", domain.conventions);
  read_counts(object, "weights", domain.weights);
  read_counts(object, "fills", domain.fills);
  read_counts(object, "tactics", domain.tactics);
  read_counts(object, "manyTiles", domain.many_tiles);
  object.read_index("accumulating", 0, kMost, domain.accumulating);
  read_range(object, "experts", domain.experts);
  read_range(object, "rows", domain.rows);
  read_range(object, "k", domain.k);
  read_range(object, "n", domain.n);
  read_range(object, "products", domain.products);
  if (distinct != domain.total()) { object.fail("distinctCases", "is not the sum of casesOfPass"); }
  ASSAY_TRY(object.finish());
  return domain;
}

}  // namespace assay
