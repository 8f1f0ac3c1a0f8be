#include "src/record/domain_json.h"

#include "src/core/json_object.h"

namespace assay {
namespace {

// [least, most], or null.
void range(JsonFields& json, const char* field, Domain::Range<Index>& range) {
  json.raw(
      field,
      [&] {
        return range.empty ? Json(nullptr) : Json::array({range.least, range.most});
      },
      [&](const Json& value) -> Status {
        if (value.is_null()) { return {}; }
        const bool pair = value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
                          value[1].is_number_integer();
        if (!pair) { return make_error(quoted(value) + " is neither null nor [least, most]"); }
        range = {.least = value[0], .most = value[1], .empty = false};
        return {};
      });
}

void cases_of_pass(JsonFields& json, Domain& domain) {
  json.object("casesOfPass", [&](JsonFields& passes) {
    for (const Pass pass : kAllPasses) {
      passes(name(pass).data(), domain.cases[static_cast<std::size_t>(pass)]);
    }
  });
}

}  // namespace

void fields(JsonFields& json, CaseSizes& sizes) {
  json("experts", sizes.experts);
  json("rows", sizes.rows);
  json("k", sizes.k);
  json("n", sizes.n);
}

void fields(JsonFields& json, Domain& domain) {
  Index distinct = domain.total();
  json("distinctCases", distinct);
  cases_of_pass(json, domain);
  json("formats", domain.formats);
  json("offsets", domain.conventions);
  json("weights", domain.weights);
  json("fills", domain.fills);
  json("tactics", domain.tactics);
  json("manyTiles", domain.many_tiles);
  json("accumulating", domain.accumulating);
  json.sparse("biased", domain.biased);
  range(json, "experts", domain.experts);
  range(json, "rows", domain.rows);
  range(json, "k", domain.k);
  range(json, "n", domain.n);
  range(json, "products", domain.products);
  json.sparse("largestKN", domain.largest_k_n);
  json.sparse("largestRowsK", domain.largest_rows_k);
  json.sparse("largestRowsN", domain.largest_rows_n);
  json.sparse("largestRowsExperts", domain.largest_rows_experts);
  json.sparse("mostExperts", domain.most_experts);
  if (distinct != domain.total()) { json.fail("distinctCases", "is not the sum of casesOfPass"); }
}

}  // namespace assay
