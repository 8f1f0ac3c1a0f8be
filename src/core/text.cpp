#include "src/core/text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace assay {
namespace {

constexpr std::size_t kQuotedBytes = 72;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void append_printable(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

// Bytes of the UTF-8 character that `text` begins with; 0: it begins with none. Overlong forms,
// surrogates and what is beyond U+10FFFF are none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) { return 1; }
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4 || text.size() < length) { return 0; }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) { return 0; }
  }
  const unsigned char second = byte(1);
  const bool allowed = (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0) &&
                       (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90);
  return allowed ? length : 0;
}

std::uint32_t code_point(std::string_view character) {
  if (character.size() == 1) { return static_cast<unsigned char>(character[0]); }
  std::uint32_t code = static_cast<unsigned char>(character[0]) & (0xffu >> (character.size() + 1));
  for (const char c : character.substr(1)) {
    code = (code << 6) | (static_cast<unsigned char>(c) & 63);
  }
  return code;
}

struct CodeRange {
  std::uint32_t first, last;
};
// Unicode's characters that are ignored where they are not known, its marks of direction, and codes
// that are not characters. Source: DerivedCoreProperties.txt (Default_Ignorable_Code_Point),
// PropList.txt (Bidi_Control), of Unicode 15.
constexpr CodeRange kUnseen[] = {
    {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},  {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},  {0x3164, 0x3164},
    {0xfdd0, 0xfdef}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},  {0xfff0, 0xfffb},
    {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

// A character as it may be printed; "": bytes that are none.
std::string_view shown_as(std::string_view character) {
  if (character.empty()) { return "?"; }
  const std::uint32_t code = code_point(character);
  // C1 controls (U+0080 to U+009F) move a terminal's cursor as the C0 ones do.
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) { return " "; }
  const bool unseen = std::any_of(std::begin(kUnseen), std::end(kUnseen), [&](CodeRange range) {
    return range.first <= code && code <= range.last;
  });
  return unseen || (code & 0xfffe) == 0xfffe ? "?" : character;
}

bool is_plain_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_./:=,@%+-").find(c) != std::string_view::npos;
  };
  return !word.empty() && std::all_of(word.begin(), word.end(), is_plain);
}

template <class T>
std::optional<T> parse_digits(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') { return std::nullopt; }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) { return std::nullopt; }
  return value;
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "'";
  if (text.size() <= kQuotedBytes) {
    append_printable(out, text);
  } else {
    append_printable(out, text.substr(0, kQuotedBytes / 2));
    out += "...";
    append_printable(out, text.substr(text.size() - kQuotedBytes / 4));
  }
  return out += "'";
}

std::string one_line(std::string_view text, std::size_t most) {
  std::vector<std::string_view> shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    shown.push_back(shown_as(text.substr(i, length)));
    i += std::max<std::size_t>(length, 1);
  }
  constexpr std::string_view kCut = "...";
  std::string line;
  const std::size_t kept = most > kCut.size() ? most - kCut.size() : 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown.size() > most && i == kept - kept / 3) {
      line += kCut;
      i = shown.size() - kept / 3;
    }
    if (i < shown.size()) { line += shown[i]; }
  }
  return line;
}

std::string plain_lines(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += one_line(text.substr(at, end - at));
    if (end == text.size()) { return lines; }
    lines += '\n';
    at = end + 1;
  }
}

std::string name_text(std::string_view name) {
  if (is_plain_word(name) && name.size() <= kNameLength) { return std::string(name); }
  std::string quoted = "'";
  for (const char c : one_line(name, kNameLength)) {
    quoted += c == '\'' ? "\\'" : std::string(1, c);
  }
  return quoted + "'";
}

std::string shell_word(std::string_view word) {
  if (is_plain_word(word)) { return std::string(word); }
  if (one_line(word) == word) {
    std::string text = "'";
    for (const char c : word) { text += c == '\'' ? std::string("'\\''") : std::string(1, c); }
    return text + "'";
  }
  std::string text = "$'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') { text += '\\'; }
    append_printable(text, {&c, 1});
  }
  return text + "'";
}

std::string plain_word(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) { plain += static_cast<char>(std::tolower(byte)); }
  }
  return plain;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && is_blank(text[i])) { ++i; }
    const std::size_t first = i;
    while (i < text.size() && !is_blank(text[i])) { ++i; }
    if (i > first) { words.push_back(text.substr(first, i - first)); }
  }
  return words;
}

std::vector<std::string_view> split_outside_parentheses(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  std::size_t first = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') { ++depth; }
    if (text[i] == ')') { --depth; }
    if (text[i] == separator && depth <= 0) {
      pieces.push_back(text.substr(first, i - first));
      first = i + 1;
    }
  }
  pieces.push_back(text.substr(first));
  return pieces;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) { text.remove_prefix(1); }
  while (!text.empty() && is_blank(text.back())) { text.remove_suffix(1); }
  return text;
}

std::optional<Index> parse_index(std::string_view text) { return parse_digits<Index>(text); }

std::optional<std::uint64_t> parse_u64(std::string_view text) {
  return parse_digits<std::uint64_t>(text);
}

}  // namespace assay
