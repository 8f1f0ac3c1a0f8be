#include "fuzz/note.h"

#include <cctype>

namespace assay {
namespace {

constexpr std::size_t kLongestNote = 60;

bool wanted = false;
std::string current;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

bool wants_notes() { return wanted; }
void want_notes() { wanted = true; }
const std::string& last_note() { return current; }

void note(std::string_view text) {
  current.clear();
  for (const char c : text) {
    if (is_letter_or_digit(c)) {
      current += c;
    } else if (!current.empty() && current.back() != '_') {
      current += '_';
    }
    if (current.size() == kLongestNote) { break; }
  }
  while (!current.empty() && current.back() == '_') { current.pop_back(); }
}

std::string message_words(std::string_view message) {
  constexpr int kEnough = 4;
  std::string words;
  int count = 0;
  bool quoted = false;
  std::string word;
  for (const char c : std::string(message) + ' ') {
    if (c == '\'') {
      quoted = !quoted;
      word.clear();
      continue;
    }
    if (quoted) { continue; }
    if (is_letter_or_digit(c)) {
      word += c;
      continue;
    }
    // Words alone: a number is a value of this input.
    if (!word.empty() && is_letter(word.front())) {
      words += (words.empty() ? "" : "_") + word;
      ++count;
    }
    word.clear();
    if ((c == ':' || c == ',' || c == ';') && count >= kEnough) { break; }
  }
  return words;
}

}  // namespace assay
