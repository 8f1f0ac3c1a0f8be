// Aspect: what a judgement can find wrong with a kernel. A finding is filed under it, whichever
// check met it: any case can show any of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class Aspect : std::uint8_t {
  kValues,
  kEmptyGradient,
  kUnwritten,
  kStrayWrite,
  kInputChanged,
  kOutOfBounds,
  kStatus,
  kNotRepeatable,
  kRelation,
  kManifest,
  kLeftover,
  kSanitizer,
  kCrash,
  kHang
};
std::span<const Aspect> all_aspects();

std::string_view name(Aspect aspect);           // one word: `stray_write`
std::string_view what_is_wrong(Aspect aspect);  // for people: `bytes written outside ...`
std::optional<Aspect> parse_aspect(std::string_view word);

// Whether elements of the output are what is wrong, which many mistakes come to.
bool is_of_elements(Aspect aspect);

// One thing that is wrong, in a line.
struct FailedAspect {
  Aspect aspect = Aspect::kValues;
  std::string reason{};
  friend bool operator==(const FailedAspect&, const FailedAspect&) = default;
};

// The first, under which a finding is filed. Nothing where none is known, as in old records.
std::optional<Aspect> headline(const std::vector<FailedAspect>& failed);
bool has_aspect(const std::vector<FailedAspect>& failed, Aspect aspect);

}  // namespace assay
