// Number tables of JSON: lists of any depth, objects of experts, and lists of records.
#include <algorithm>

#include <fmt/format.h>

#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/core/text.h"
#include "src/import/number_tables.h"

namespace assay {
namespace {

struct Context {
  std::string where{};
  Meaning meaning = Meaning::kUnknown;
  Index k = 0, n = 0;

  Context inside(const std::string& name) const {
    Context context = *this;
    context.where += name;
    return context;
  }
};

std::optional<Index> whole(const Json& value) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) { return std::nullopt; }
  if (value.is_number_integer()) { return value.get<Index>(); }
  if (!value.is_number_float()) { return std::nullopt; }
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  const auto number = value.get<double>();
  if (!(number >= -kMostExact && number <= kMostExact)) { return std::nullopt; }
  const auto truncated = static_cast<Index>(number);
  return static_cast<double>(truncated) == number ? std::optional(truncated) : std::nullopt;
}

bool all_scalars(const Json& value) {
  return std::ranges::none_of(value, [](const Json& item) { return item.is_structured(); });
}

class JsonWalk {
 public:
  explicit JsonWalk(const ImportSource& source) : source_(source) {}

  Result<NumberTables> walk() {
    ASSAY_TRY(visit(*source_.json, {}));
    return std::move(tables_);
  }

 private:
  tl::unexpected<Error> refuse(const Context& context, const std::string& why) const {
    return source_.refuse(
        0, fmt::format("{}: {}", context.where.empty() ? "the whole" : context.where, why));
  }

  Result<NumberRow> row_of(const Json& list, const Context& context) {
    NumberRow row{{}, context.where};
    for (const Json& item : list) {
      const auto value = whole(item);
      if (!value) {
        return refuse(context.inside(fmt::format("[{}]", row.values.size())),
                      quoted(item) + " is not a whole number");
      }
      row.values.push_back(*value);
    }
    if (row.values.empty()) { return refuse(context, "an empty list has no experts"); }
    cells_ += static_cast<Index>(row.values.size());
    if (cells_ > kMostImportedCounts) {
      return refuse(context, fmt::format("more than {} numbers", kMostImportedCounts));
    }
    return row;
  }

  Status visit(const Json& value, const Context& context) {
    if (value.is_object()) { return visit_object(value, context); }
    if (value.is_array()) { return visit_list(value, context); }
    return refuse(context, quoted(value) + " is not a list or an object of numbers");
  }

  // A list of numbers is a row; a list of such lists is a block; records are loads.
  Status visit_list(const Json& list, const Context& context) {
    if (list.empty()) { return refuse(context, "an empty list has no experts"); }
    if (is_record(list.front())) { return visit_records(list, context); }
    NumberBlock block{.rows = {},
                      .where = context.where,
                      .meaning = context.meaning,
                      .k = context.k,
                      .n = context.n};
    if (all_scalars(list)) {
      auto row = row_of(list, context);
      ASSAY_TRY(row);
      block.rows.push_back(std::move(*row));
      tables_.blocks.push_back(std::move(block));
      return {};
    }
    const bool of_rows = std::ranges::all_of(
        list, [](const Json& item) { return item.is_array() && all_scalars(item); });
    std::size_t at = 0;
    for (const Json& item : list) {
      const Context inside = context.inside(fmt::format("[{}]", at++));
      if (!of_rows) {
        ASSAY_TRY(visit(item, inside));
        continue;
      }
      auto row = row_of(item, inside);
      ASSAY_TRY(row);
      block.rows.push_back(std::move(*row));
    }
    if (of_rows) { tables_.blocks.push_back(std::move(block)); }
    return {};
  }

  // Fields that name a shape hold for what lies beside them. Where a field's name says that it
  // holds ids or loads, the others (weights, times) are left alone.
  Status visit_object(const Json& object, Context context) {
    if (object.empty()) { return refuse(context, "an empty object has no experts"); }
    if (is_of_experts(object)) { return visit_experts(object, context); }
    bool named = false;
    for (const auto& [key, value] : object.items()) {
      const std::string plain = plain_word(key);
      named |= value.is_structured() && meaning_of_name(plain) != Meaning::kUnknown;
      const auto number = whole(value);
      if (!number || *number <= 0) { continue; }
      if (plain == "k" || plain == "hidden" || plain == "hiddensize") { context.k = *number; }
      if (plain == "n" || plain == "intermediate" || plain == "intermediatesize") {
        context.n = *number;
      }
    }
    bool any = false;
    for (const auto& [key, value] : object.items()) {
      Context inside = context.inside((context.where.empty() ? "" : ".") + key);
      const Meaning meaning = meaning_of_name(plain_word(key));
      if (!value.is_structured() || (named && meaning == Meaning::kUnknown)) { continue; }
      if (meaning != Meaning::kUnknown) { inside.meaning = meaning; }
      ASSAY_TRY(visit(value, inside));
      any = true;
    }
    return any ? Status{} : refuse(context, "no list and no object of experts in it");
  }

  // {"0": 12, "expert_1": 0, ...}
  static bool is_of_experts(const Json& object) {
    return std::ranges::all_of(object.items(), [](const auto& item) {
      return expert_number(item.key()).has_value() && item.value().is_number();
    });
  }

  Status visit_experts(const Json& object, const Context& context) {
    ExpertCounts counts;
    for (const auto& [key, value] : object.items()) {
      const auto count = whole(value);
      const Context inside = context.inside("." + key);
      if (!count || *count < 0) { return refuse(inside, quoted(value) + " is not a count"); }
      const Status added = counts.add(context.where, *expert_number(key), *count);
      if (!added) { return refuse(inside, added.error().message); }
    }
    return keep(counts, context);
  }

  // [{"layer": 0, "expert": 1, "count": 12}, ...]
  static bool is_record(const Json& item) {
    const RecordFields fields = fields_of(item);
    return fields.expert != nullptr && fields.count != nullptr;
  }

  struct RecordFields {
    const Json* expert = nullptr;
    const Json* count = nullptr;
    std::string group{};  // the other whole numbers, as `step 3 layer 0`
  };
  static RecordFields fields_of(const Json& item) {
    RecordFields fields;
    if (!item.is_object()) { return fields; }
    for (const auto& [key, value] : item.items()) {
      const std::string plain = plain_word(key);
      if (!value.is_number()) { continue; }
      if (plain == "expert" || plain == "expertid" || plain == "expertidx") {
        fields.expert = &value;
      } else if (plain == "count" || plain == "tokens" ||
                 meaning_of_name(plain) == Meaning::kLoads) {
        fields.count = &value;
      } else if (plain == "layer" || plain == "layerid" || plain == "layeridx" || plain == "step" ||
                 plain == "iteration") {
        fields.group +=
            fmt::format("{}{} {}", fields.group.empty() ? "" : " ", plain, json_text(value));
      }
    }
    return fields;
  }

  Status visit_records(const Json& list, const Context& context) {
    ExpertCounts counts;
    std::size_t at = 0;
    for (const Json& item : list) {
      const Context inside = context.inside(fmt::format("[{}]", at++));
      const RecordFields fields = fields_of(item);
      const auto expert = fields.expert ? whole(*fields.expert) : std::nullopt;
      const auto count = fields.count ? whole(*fields.count) : std::nullopt;
      if (!expert || !count || *count < 0) {
        return refuse(inside, quoted(item) + " is not an expert with a count");
      }
      const Status added = counts.add(fields.group, *expert, *count);
      if (!added) { return refuse(inside, added.error().message); }
    }
    return keep(counts, context);
  }

  Status keep(const ExpertCounts& counts, const Context& context) {
    for (NumberBlock& block : counts.blocks()) {
      implied_ += static_cast<Index>(block.rows.front().values.size());
      if (implied_ > kMostImpliedCounts) {
        return refuse(context, fmt::format("more than {} counts", kMostImpliedCounts));
      }
      block.k = context.k;
      block.n = context.n;
      tables_.blocks.push_back(block);
    }
    return {};
  }

  const ImportSource& source_;
  NumberTables tables_;
  Index cells_ = 0, implied_ = 0;  // in lists; in objects of experts
};

}  // namespace

Result<NumberTables> read_json_tables(const ImportSource& source) {
  return JsonWalk(source).walk();
}

}  // namespace assay
