#include "properties/aspect.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace assay {
namespace {

struct Row {
  std::string_view name, what;
};

// In the order of the enumerators.
constexpr Row kRows[] = {
    {"values", "wrong values"},
    {"empty_gradient", "wrong gradient of an expert without rows"},
    {"unwritten", "owned elements left unwritten"},
    {"stray_write", "bytes written outside the owned elements"},
    {"input_changed", "inputs or offsets changed"},
    {"out_of_bounds", "memory touched outside an operand"},
    {"status", "a status other than the manifest promises"},
    {"not_repeatable", "other bits when the same case runs again"},
    {"relation", "results of related cases disagree"},
    {"manifest", "not what the manifest declares"},
    {"leftover", "state left behind by a call"},
    {"sanitizer", "a sanitizer reports an error"},
    {"crash", "the kernel crashed"},
    {"hang", "the kernel hung"},
};
constexpr auto kAspects = [] {
  std::array<Aspect, std::size(kRows)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<Aspect>(i); }
  return all;
}();
static_assert(kAspects.back() == Aspect::kHang);

const Row& row_of(Aspect aspect) { return kRows[static_cast<std::size_t>(aspect)]; }

}  // namespace

std::span<const Aspect> all_aspects() { return kAspects; }
std::string_view name(Aspect aspect) { return row_of(aspect).name; }
std::string_view what_is_wrong(Aspect aspect) { return row_of(aspect).what; }

bool is_of_elements(Aspect aspect) {
  switch (aspect) {
    case Aspect::kValues:
    case Aspect::kEmptyGradient:
    case Aspect::kUnwritten:
    case Aspect::kNotRepeatable:
    case Aspect::kRelation:
    case Aspect::kManifest:
      return true;
    default:
      return false;
  }
}

std::optional<Aspect> parse_aspect(std::string_view word) {
  const auto found = std::ranges::find(kAspects, word, [](Aspect aspect) { return name(aspect); });
  return found == kAspects.end() ? std::nullopt : std::optional(*found);
}

std::optional<Aspect> headline(const std::vector<FailedAspect>& failed) {
  return failed.empty() ? std::nullopt : std::optional(failed.front().aspect);
}

bool has_aspect(const std::vector<FailedAspect>& failed, Aspect aspect) {
  return std::ranges::find(failed, aspect, &FailedAspect::aspect) != failed.end();
}

}  // namespace assay
