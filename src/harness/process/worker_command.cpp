// Which program serves a kernel.
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "src/contract/loader.h"
#include "src/core/text.h"
#include "src/harness/process/worker_process.h"

namespace assay {
namespace {

// The package comes first, in the place of the current folder, where a user's file may be called
// assay.py.
constexpr const char* kStartPython =
    "import sys; sys.path[0] = sys.argv.pop(1); from assay.worker import main; main()";

// The folder that holds the Python package `assay` with its library: beside the worker as built, in
// lib/ as installed, around it in a wheel.
Result<std::string> find_python_package(const std::string& worker) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(worker).parent_path();
  for (const char* const place : {"python", "../lib/assay/python", "../.."}) {
    if (fs::exists(folder / place / "assay" / "worker.py")) { return (folder / place).string(); }
  }
  return make_error(
      fmt::format("the Python package assay is neither in '{}/python' nor in "
                  "'{}/../lib/assay/python'",
                  folder.string(), folder.string()));
}

Result<std::string> find_python(const std::string& kernel) {
  const char* const wanted = std::getenv("ASSAY_PYTHON");
  const std::string name = wanted != nullptr && *wanted != '\0' ? wanted : "python3";
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), X_OK) == 0) { return name; }
  } else {
    const char* const path = std::getenv("PATH");
    for (const std::string_view folder :
         split_outside_parentheses(path != nullptr ? path : "", ':')) {
      const std::string file = fmt::format("{}/{}", folder, name);
      if (access(file.c_str(), X_OK) == 0) { return file; }
    }
  }
  return make_error(
      fmt::format("kernel '{}' needs a Python interpreter, and '{}' cannot be executed: install "
                  "python3, or name one in ASSAY_PYTHON",
                  kernel, name));
}

}  // namespace

Result<WorkerCommand> worker_command(const std::string& kernel, const std::string& worker_path) {
  const auto worker = find_worker(worker_path);
  ASSAY_TRY(worker);
  if (!is_python(kernel)) { return WorkerCommand{*worker, kernel}; }
  const auto package = find_python_package(*worker);
  ASSAY_TRY(package);
  const auto python = find_python(kernel);
  ASSAY_TRY(python);
  // -u: what the kernel prints before a crash is seen.
  return WorkerCommand{*python, "-u", "-c", kStartPython, *package, kernel};
}

}  // namespace assay
