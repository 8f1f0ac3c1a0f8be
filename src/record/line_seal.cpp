#include "src/record/line_seal.h"

#include <sys/random.h>

#include <fmt/format.h>

#include "src/core/digest.h"
#include "src/core/require.h"

namespace assay {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kRun = R"(,"run":")", kSeal = R"(","seal":")", kEnd = R"("})";
constexpr std::size_t kSealLength =
    kRun.size() + kDigits + kSeal.size() + kDigits + kEnd.size();  // of a sealed line

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The two words of a sealed line's end.
struct SealWords {
  std::string_view run, seal;
};
SealWords words_of(std::string_view line) {
  const std::string_view suffix = line.substr(line.size() - kSealLength);
  return {suffix.substr(kRun.size(), kDigits),
          suffix.substr(kRun.size() + kDigits + kSeal.size(), kDigits)};
}

}  // namespace

std::string new_run_id() {
  std::uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {}
  return fmt::format("{:016x}", number);
}

bool is_sealed(std::string_view line) {
  if (line.size() <= kSealLength) { return false; }
  const SealWords words = words_of(line);
  return is_hexadecimal(words.run) && is_hexadecimal(words.seal) &&
         line.substr(line.size() - kSealLength) ==
             fmt::format("{}{}{}{}{}", kRun, words.run, kSeal, words.seal, kEnd);
}

std::string LineSeal::next(std::string_view line) {
  last_ = sha256_hex(fmt::format("{}\n{}", last_, line)).substr(0, kDigits);
  return last_;
}

std::string LineSeal::close(std::string_view object) {
  ASSAY_REQUIRE(object.ends_with('}'), object.size());
  std::string line = fmt::format("{}{}{}", object.substr(0, object.size() - 1), kRun, run_);
  const std::string seal = next(line);
  return line.append(kSeal).append(seal).append(kEnd).append("\n");
}

Result<std::string> LineSeal::open(std::string_view line) {
  if (!is_sealed(line)) { return make_error("the line does not end in its run and seal"); }
  const SealWords words = words_of(line);
  if (run_.empty()) { run_ = words.run; }
  if (words.run != run_) {
    return make_error(fmt::format(
        "the line is of run {}, the record of run {}: it certifies neither", words.run, run_));
  }
  const std::string_view sealed = line.substr(0, line.size() - kSealLength + kRun.size() + kDigits);
  if (next(sealed) != words.seal) {
    return make_error(
        "the line does not follow from the lines before it: one of them was changed, moved or "
        "lost");
  }
  return std::string(line.substr(0, line.size() - kSealLength)) + "}";
}

}  // namespace assay
