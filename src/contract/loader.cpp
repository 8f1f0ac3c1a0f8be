#include "src/contract/loader.h"

#include <dlfcn.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/contract/tvm_ffi.h"

namespace assay {
namespace {

bool is_path(std::string_view spec) {
  return spec.find('/') != std::string_view::npos || spec.ends_with(".so");
}

Result<LoadedKernel> load(const std::string& spec, const char* json, assay_run_function run,
                          std::shared_ptr<void> library) {
  if (json == nullptr) {
    return make_error(fmt::format("kernel '{}': assay_manifest_v1 returned no text", spec));
  }
  Result<Manifest> parsed = parse_manifest(json);
  if (!parsed) { return make_error(fmt::format("kernel '{}': {}", spec, parsed.error().message)); }
  return LoadedKernel{spec, json, std::move(*parsed), run, std::move(library)};
}

std::string last_dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "no reason given";
}

template <class Function>
Result<Function> symbol(const std::string& spec, void* library, const char* name) {
  dlerror();
  void* address = dlsym(library, name);
  if (address == nullptr) {
    return make_error(
        fmt::format("kernel '{}' does not export '{}': a kernel exports assay_manifest_v1 and "
                    "assay_run_v1 as C "
                    "functions ({})",
                    spec, name, last_dl_error()));
  }
  return reinterpret_cast<Function>(address);
}

// A kernel built with a later header may read past the end of the call that this Assay passes.
Status check_abi_size(const std::string& spec, void* library) {
  const auto* bytes = static_cast<const std::uint64_t*>(dlsym(library, "assay_call_bytes_v1"));
  if (bytes == nullptr || *bytes <= sizeof(assay_call)) { return {}; }
  return make_error(
      fmt::format("kernel '{}' is built for an assay_call of {} bytes, this Assay passes {}: build "
                  "it with this version's assay/abi.h, or update Assay",
                  spec, *bytes, sizeof(assay_call)));
}

Result<std::shared_ptr<void>> open_library(const std::string& spec, const std::string& file) {
  // dlopen looks a name without '/' up in the system's folders; a user means the file in the
  // current folder.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  std::shared_ptr<void> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) { dlclose(handle); }
  });
  if (library == nullptr) {
    return make_error(fmt::format("kernel '{}' does not load: {}", spec, last_dl_error()));
  }
  return library;
}

Result<LoadedKernel> load_library(const std::string& spec) {
  auto library = open_library(spec, spec);
  ASSAY_TRY(library);
  const auto manifest = symbol<assay_manifest_function>(spec, library->get(), "assay_manifest_v1");
  ASSAY_TRY(manifest);
  const auto run = symbol<assay_run_function>(spec, library->get(), "assay_run_v1");
  ASSAY_TRY(run);
  ASSAY_TRY(check_abi_size(spec, library->get()));
  return load(spec, (*manifest)(), *run, std::move(*library));
}

// Its manifest is the library's, where it has one, else nothing but a name.
Result<LoadedKernel> load_tvm_ffi(const std::string& spec) {
  const auto named = parse_tvm_ffi(spec);
  ASSAY_TRY(named);
  auto library = open_library(spec, named->path);
  ASSAY_TRY(library);
  void* const function = dlsym(library->get(), ("__tvm_ffi_" + named->function).c_str());
  if (function == nullptr) {
    return make_error(fmt::format("kernel '{}': '{}' does not export '__tvm_ffi_{}' ({})", spec,
                                  named->path, named->function, last_dl_error()));
  }
  const auto run = adapt_tvm_ffi(library->get(), function, named->arguments);
  if (!run) { return make_error(fmt::format("kernel '{}': {}", spec, run.error().message)); }
  void* const manifest = dlsym(library->get(), "assay_manifest_v1");
  const std::string name_alone = fmt::format(R"({{"name": "{}"}})", named->function);
  const char* const json = manifest == nullptr
                               ? name_alone.c_str()
                               : reinterpret_cast<assay_manifest_function>(manifest)();
  return load(spec, json, *run, std::move(*library));
}

}  // namespace

bool is_python(std::string_view spec) { return spec.starts_with("py:"); }

Result<LoadedKernel> load_kernel(const std::string& spec, std::span<const BuiltinKernel> builtins) {
  for (const BuiltinKernel& kernel : builtins) {
    if (kernel.name == spec) { return load(spec, kernel.manifest(), kernel.run, nullptr); }
  }
  if (is_python(spec)) {
    return make_error(fmt::format("kernel '{}': Python runs in a worker process only", spec));
  }
  if (is_tvm_ffi(spec)) { return load_tvm_ffi(spec); }
  if (is_path(spec)) { return load_library(spec); }
  std::vector<std::string_view> names;
  for (const BuiltinKernel& kernel : builtins) { names.push_back(kernel.name); }
  return make_error(
      fmt::format("unknown kernel '{}': built in are {}; a shared object is written as a path, "
                  "./name.so, a Python kernel as py:name.py, a TVM-FFI "
                  "function as tvmffi:name.so:function",
                  spec, fmt::join(names, ", ")));
}

}  // namespace assay
