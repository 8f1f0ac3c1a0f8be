#include "src/contract/declared_arithmetic.h"

#include <initializer_list>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/contract/json_words.h"

namespace assay {
namespace {

constexpr int kFp32FractionBits = 23;

// The model holds the exact sum of a step in the 53 bits of a double: each of its terms is below
// 2^(fraction bits + 2).
int most_fraction_bits(const DeclaredArithmetic& arithmetic) {
  int bits = 51;
  for (int terms = arithmetic.products_per_step + 1; terms > 1; terms = (terms + 1) / 2) { --bits; }
  return bits;
}

}  // namespace

Status read_arithmetic(const Json& value, DeclaredArithmetic& arithmetic) {
  if (!value.is_object()) {
    return make_error(fmt::format("field 'arithmetic': {} is not an object", quoted(value)));
  }
  JsonObject object(value, "arithmetic");
  object.require("kind");
  read_enum(object, "kind", {"undeclared", "fma", "tensor_core", "int32"}, arithmetic.kind);
  read_flag(object, "order", "any", "ascending", arithmetic.ascending);
  object.read_int("splits", 1, 1 << 20, arithmetic.splits);
  object.read_word("partials", {"fp32", "fp16", "bf16"});
  object.read("partials", arithmetic.partials);
  object.read_int("promotion_interval", 0, 1 << 20, arithmetic.promotion_interval);
  const std::vector<std::string_view> ways = {"operands",      "sums",          "end",
                                              "operands_bf16", "operands_fp16", "sums_one_by_one"};
  if (const int scales = object.read_word("scales", ways); scales >= 0) {
    arithmetic.scales = static_cast<DeclaredArithmetic::Scales>(scales + 1);
  }
  object.read_int("products_per_step", 1, 1024, arithmetic.products_per_step);
  object.read_int("fraction_bits", 1, most_fraction_bits(arithmetic), arithmetic.fraction_bits);
  object.read_int("out_bits", 1, kFp32FractionBits, arithmetic.out_bits);
  object.read("fused", arithmetic.fused);
  const auto only_with = [&](DeclaredArithmetic::Kind kind, const char* kind_name,
                             std::initializer_list<const char*> fields) {
    for (const char* field : fields) {
      if (value.contains(field) && arithmetic.kind != kind) {
        object.fail(field, fmt::format("belongs to kind \"{}\" only", kind_name));
      }
    }
  };
  only_with(DeclaredArithmetic::Kind::kTensorCore, "tensor_core",
            {"products_per_step", "fraction_bits", "out_bits"});
  only_with(DeclaredArithmetic::Kind::kFma, "fma", {"fused"});
  const bool integers_alone = arithmetic.is_int32();
  arithmetic.int32_sums = object.read_word("integers", {"int32"}) >= 0 || integers_alone;
  if (integers_alone && value.contains("integers")) {
    object.fail("integers", "belongs to kinds \"fma\" and \"tensor_core\": kind \"int32\" says it");
  }
  if (arithmetic.int32_sums && !arithmetic.multiplies_sums()) {
    object.fail("scales",
                "sums of integers take \"sums\", \"sums_one_by_one\" and \"end\": a code times its "
                "scale is no integer");
  }
  if (arithmetic.promotion_interval > 0 && !arithmetic.scales_each_sum() &&
      (integers_alone || arithmetic.kind == DeclaredArithmetic::Kind::kFma)) {
    object.fail("promotion_interval", "belongs to kind \"tensor_core\", or to scales \"sums\"");
  }
  if (arithmetic.kind == DeclaredArithmetic::Kind::kUndeclared && value.size() > 1) {
    object.fail("kind", "\"undeclared\" takes no other field");
  }
  if (arithmetic.splits > 1 && arithmetic.ascending) {
    object.fail("order", "\"ascending\" is one chain, so splits is 1");
  }
  return object.finish();
}

}  // namespace assay
