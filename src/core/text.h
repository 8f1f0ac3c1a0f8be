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

// What a kernel said, as one line of UTF-8: control characters are blanks, bytes that are no UTF-8
// are '?'.
std::string one_line(std::string_view text);

// A word as a shell takes it: as it is where nothing in it is special, else in single quotes.
std::string shell_word(std::string_view word);

// The pieces between blanks, tabs and line ends; never empty ones.
std::vector<std::string_view> split_words(std::string_view text);

// The pieces between separators outside parentheses; "" gives one empty piece.
std::vector<std::string_view> split_outside_parentheses(std::string_view text, char separator);

std::string_view trim(std::string_view text);

// Decimal digits alone, no sign, no blanks; nothing when malformed or too large.
std::optional<Index> parse_index(std::string_view text);
std::optional<std::uint64_t> parse_u64(std::string_view text);

}  // namespace assay
