#include "src/campaign/artifact.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "src/core/digest.h"
#include "src/kernels/registry.h"

namespace assay {
namespace {

// The file that a kernel's name holds.
std::string path_of(const std::string& kernel) {
  constexpr std::string_view kPython = "py:", kTvmFfi = "tvmffi:";
  if (kernel.starts_with(kPython)) {
    const std::string file = kernel.substr(kPython.size());
    return file.ends_with(".py") ? file : file.substr(0, file.rfind(':'));
  }
  if (!kernel.starts_with(kTvmFfi)) { return kernel; }
  const std::string rest = kernel.substr(kTvmFfi.size());
  return rest.substr(0, rest.rfind(':'));
}

bool is_built_in(const std::string& kernel) {
  const auto kernels = builtin_kernels();
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const BuiltinKernel& row) { return row.name == kernel; });
}

}  // namespace

std::string artifact_file(const std::string& kernel) {
  return is_built_in(kernel) ? "" : path_of(kernel);
}

bool is_artifact_name(std::string_view name) {
  constexpr std::string_view kNot("/\0", 2);
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(kNot) == std::string_view::npos;
}

Result<Artifact> artifact_of(const std::string& kernel) {
  if (is_built_in(kernel)) {
    const auto digests = source_digests();
    const auto found = std::find_if(digests.begin(), digests.end(), [&](const SourceDigest& row) {
      return row.kernel == kernel && !row.sha256.empty();
    });
    if (found == digests.end()) {
      return make_error(
          fmt::format("kernel '{}' has no digest of its sources: cmake/AssayDigests.cmake "
                      "has a row for each built-in kernel",
                      kernel));
    }
    return Artifact{.name = kernel, .is_file = false, .sha256 = std::string(found->sha256)};
  }
  const std::string path = path_of(kernel);
  const auto digest = sha256_of_file(path);
  ASSAY_TRY(digest);
  return Artifact{.name = std::filesystem::path(path).filename().string(), .sha256 = *digest};
}

}  // namespace assay
