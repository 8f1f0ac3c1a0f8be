// The case line of a crash: printed when a sanitizer or a signal ends the process, so that what can
// be pasted back stands in the output, not only in libFuzzer's artifact.
#pragma once

#include <string_view>

namespace assay {

// Remembers the line about to run (`kernel` with its options, as the command takes them), and from
// the first call on watches for signals and reports.
void remember_line(std::string_view line, std::string_view kernel);
void forget_line();

// Prints the remembered line and its replay command to stderr, once a line.
void print_remembered_line();

}  // namespace assay
