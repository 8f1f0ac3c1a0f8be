// A few words on what an input reached, as a file name can hold them: corpora are named by it
// (fuzz/name_corpus.py), since nobody can read a hash.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// Only a replay with --notes asks; a fuzzer spends no time on it.
bool wants_notes();
void want_notes();

// Replaces the note of the current input: letters, digits and single _ of `text`, at most 60.
void note(std::string_view text);
const std::string& last_note();

// The words of a one-line message up to the first colon or comma that follows four words, values
// and quoted words left out.
std::string message_words(std::string_view message);

}  // namespace assay
