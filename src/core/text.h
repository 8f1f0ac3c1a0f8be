// Small helpers for reading words and quoting them in one-line messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/index.h"

namespace assay {

// 'text' for a message: unprintable bytes as \xNN, long texts cut in the middle, so that a message
// stays one line.
std::string quote(std::string_view text);

// In characters: what is longer is cut in the middle where it is printed.
inline constexpr std::size_t kNameLength = 120, kSentenceLength = 1000;
inline constexpr std::size_t kAnyLength = std::string_view::npos;

// What a kernel or a file says, as one line of UTF-8 that a terminal shows as it stands: control
// characters are blanks; bytes that are no UTF-8, and characters that are not seen or turn the
// direction of writing, are '?'.
std::string one_line(std::string_view text, std::size_t most = kAnyLength);
// The same of a text of several lines.
std::string plain_lines(std::string_view text);

// A name of somebody else's inside a sentence of ours: as it is where it is a plain word, else in
// quotes, so that its end is seen.
std::string name_text(std::string_view name);

// A word as a shell takes it: as it is where nothing in it is special, else in single quotes, or as
// $'...' where a terminal would not show it.
std::string shell_word(std::string_view word);

// Letters and digits alone, in lower case: `Expert_ID` is `expertid`.
std::string plain_word(std::string_view word);

// The pieces between blanks, tabs and line ends; never empty ones.
std::vector<std::string_view> split_words(std::string_view text);

// The pieces between separators outside parentheses; "" gives one empty piece.
std::vector<std::string_view> split_outside_parentheses(std::string_view text, char separator);

std::string_view trim(std::string_view text);

// Decimal digits alone, no sign, no blanks; nothing when malformed or too large.
std::optional<Index> parse_index(std::string_view text);
std::optional<std::uint64_t> parse_u64(std::string_view text);

}  // namespace assay
