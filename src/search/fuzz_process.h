// FuzzProcess: assay-fuzz as a child process, and the lines that it reports.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "src/core/error.h"

namespace assay {

// Beside this executable, in the build folder `fuzz` beside its own, or where ASSAY_FUZZER says.
// Errors: there is none; the message says how to build it.
Result<std::string> find_fuzzer();

class FuzzProcess {
 public:
  // Starts `program` on a kernel with libFuzzer's words; its own output goes to log_file.
  static Result<std::unique_ptr<FuzzProcess>> start(const std::string& program,
                                                    const std::string& kernel,
                                                    const std::vector<std::string>& words,
                                                    const std::string& log_file);
  ~FuzzProcess();  // kills what still runs
  FuzzProcess(const FuzzProcess&) = delete;
  FuzzProcess& operator=(const FuzzProcess&) = delete;

  // The next line, waited for up to `seconds`; nothing when none came, or none will (see ended).
  std::optional<std::string> next_line(double seconds);
  bool ended() const { return ended_; }  // its end of the pipe is closed
  // Exit code, or 128 + signal. Waits.
  int exit_code();

 private:
  FuzzProcess(pid_t pid, int descriptor) : pid_(pid), descriptor_(descriptor) {}

  pid_t pid_ = -1;
  int descriptor_ = -1;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace assay
