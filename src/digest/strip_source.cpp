#include "src/digest/strip_source.h"

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

// Where the literal that begins at `at` ends.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const bool raw = text[at] == '"' && at > 0 && text[at - 1] == 'R';
  if (raw) {
    const std::size_t open = std::min(text.find('(', at), text.size());
    const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
  }
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[at] || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

// Whether a ' stands inside a number, as in 1'000.
bool separates_digits(std::string_view text, std::size_t at) {
  return text[at] == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
}

}  // namespace

std::string strip_source(std::string_view text) {
  std::string out;
  const auto blank = [&] {
    if (!out.empty() && out.back() != ' ') { out += ' '; }
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
      blank();
    } else if ((text[i] == '"' || text[i] == '\'') && !separates_digits(text, i)) {
      const std::size_t end = end_of_literal(text, i);
      out += text.substr(i, end - i);
      i = end;
    } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      blank();
      ++i;
    } else {
      out += text[i++];
    }
  }
  while (!out.empty() && out.back() == ' ') { out.pop_back(); }
  return out;
}

std::string in_depfile(std::string_view path) {
  std::string word;
  for (const char c : path) {
    if (c == ' ' || c == '#') { word += '\\'; }
    if (c == '$') { word += '$'; }
    word += c;
  }
  return word;
}

std::vector<std::string> quoted_includes(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("#include")) { continue; }
    const std::size_t open = line.find('"');
    const std::size_t close = open == line.npos ? open : line.find('"', open + 1);
    if (close != line.npos) { names.emplace_back(line.substr(open + 1, close - open - 1)); }
  }
  return names;
}

}  // namespace assay
