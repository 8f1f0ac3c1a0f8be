#include "properties/support/sanitizer.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr int kReported = 86;  // the tool's exit status when it has reports
constexpr std::string_view kMark = "========= ";

bool can_run(const std::filesystem::path& file) { return ::access(file.c_str(), X_OK) == 0; }

// A file in the folder for temporary files, gone with its scope.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    std::error_code error;
    path_ = (std::filesystem::temp_directory_path(error) / "assay-cases-XXXXXX").string();
    const int fd = ::mkstemp(path_.data());
    good_ = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (fd >= 0) { ::close(fd); }
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  bool good() const { return good_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool good_ = false;
};

// The tool's own lines; what follows its banner.
std::vector<std::string> marked_lines(const std::string& output) {
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(kMark) && !line.starts_with("========= COMPUTE-SANITIZER")) {
      lines.push_back(line.substr(kMark.size()));
    }
  }
  return lines;
}

}  // namespace

std::string find_sanitizer() {
  if (const char* const named = std::getenv("ASSAY_SANITIZER")) {
    return can_run(named) ? named : "";
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = std::filesystem::path(folder) / "compute-sanitizer";
    if (can_run(file)) { return file; }
  }
  const char* const usual = "/usr/local/cuda/bin/compute-sanitizer";
  return can_run(usual) ? usual : "";
}

SanitizerRun read_sanitizer(const std::string& output, int exit_status) {
  SanitizerRun run;
  const std::vector<std::string> lines = marked_lines(output);
  const bool refused = output.find("Device not supported") != std::string::npos ||
                       output.find("not supported on this") != std::string::npos;
  if (!refused && exit_status == 0) {
    run.ran = run.silent = true;
    return run;
  }
  run.ran = !refused && exit_status == kReported && !lines.empty();
  run.report = lines.empty() ? fmt::format("exit status {}", exit_status) : lines.front();
  if (lines.size() > 1) { run.report += "; " + lines.back(); }
  return run;
}

SanitizerRun run_sanitizer(const std::string& sanitizer, std::string_view tool,
                           const std::string& command, const std::string& kernel,
                           std::span<const CaseSpec> cases) {
  std::string text;
  for (const CaseSpec& spec : cases) { text += canonical_text(spec) + "\n"; }
  const TemporaryFile file(text);
  if (!file.good()) { return {.report = "cannot write the cases to a file"}; }
  // Allocations of their own size, so that the tool sees where each ends.
  const std::string line = fmt::format(
      "ASSAY_DEVICE_MEMORY=plain {} --tool {} --error-exitcode {} {} run --in-process --kernel {} "
      "--cases {} 2>&1",
      shell_word(sanitizer), tool, kReported, shell_word(command), shell_word(kernel),
      shell_word(file.path()));
  std::FILE* const pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) { return {.report = "cannot start " + sanitizer}; }
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t length = 0; (length = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), length);
  }
  const int status = ::pclose(pipe);
  return read_sanitizer(output, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

}  // namespace assay
