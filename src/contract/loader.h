// LoadedKernel: a kernel's two ABI functions, from a table of this program or from a shared object.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "src/contract/assay/abi.h"
#include "src/contract/manifest.h"
#include "src/core/error.h"

namespace assay {

struct BuiltinKernel {
  std::string_view name;
  std::string_view summary;
  assay_manifest_function manifest;
  assay_run_function run;
};
struct LoadedKernel {
  std::string spec;           // as the user wrote it: `cpu`, `./lib.so`
  std::string manifest_json;  // as the kernel gave it
  Manifest manifest;
  assay_run_function run = nullptr;
  std::shared_ptr<void> library;  // keeps a shared object mapped
};

// `py:FILE.py` and `py:FILE.py:NAME` name a Python kernel, which only a worker process of its own
// can run.
bool is_python(std::string_view spec);

// The name of one of `builtins`, a path that contains '/' or ends in `.so`, or
// `tvmffi:LIB.so:FUNCTION` (tvm_ffi.h).
// Errors: unknown name (the built-in ones are listed), a Python kernel, a library that does not
// load, lacks a symbol, was built for a larger assay_call, or has a manifest that is refused. Only
// a worker process may call this on a path.
Result<LoadedKernel> load_kernel(const std::string& spec, std::span<const BuiltinKernel> builtins);

}  // namespace assay
