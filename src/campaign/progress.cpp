#include "src/campaign/progress.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "src/core/counted.h"

namespace assay {
namespace {

constexpr int kBarColumns = 24;
constexpr double kSecondsBetweenLines = 10;

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return !term || std::string_view(term) == "dumb";
}

}  // namespace

bool takes_colour(int file_descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return ::isatty(file_descriptor) && (!no_colour || !*no_colour) && !dumb_terminal();
}

std::string progress_text(const Progress& progress, int bar_columns) {
  const double share =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total)
                         : 1;
  std::string bar;
  if (bar_columns > 0) {
    const int full = static_cast<int>(share * bar_columns);
    bar = fmt::format("[{:#<{}}{:.<{}}]  ", "", full, "", bar_columns - full);
  }
  std::string text = fmt::format("{:>3.0f} %  {}{}/{}  {:.0f} cases/s  {:.0f} s left", 100 * share,
                                 bar, progress.done, progress.total, progress.cases_per_second(),
                                 progress.seconds_left);
  if (progress.findings > 0) { text += "  " + counted(progress.findings, "finding"); }
  return text + fmt::format("  {}", progress.check);
}

ProgressView::ProgressView() : terminal_(::isatty(STDERR_FILENO) && !dumb_terminal()) {}

ProgressView::~ProgressView() { clear(); }

void ProgressView::show(const Progress& progress) {
  show(progress.seconds, progress_text(progress, kBarColumns), progress_text(progress, 0));
}

void ProgressView::show(double seconds, const std::string& drawn, const std::string& plain) {
  if (terminal_) {
    fmt::print(stderr, "\r\x1b[K{}", drawn);
    std::fflush(stderr);
    drawn_ = true;
  } else if (!(seconds < next_line_seconds_)) {
    next_line_seconds_ = seconds + kSecondsBetweenLines;
    fmt::print(stderr, "{}\n", plain);
  }
}

void ProgressView::clear() {
  if (!drawn_) { return; }
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace assay
