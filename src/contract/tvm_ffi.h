// Kernels behind TVM-FFI's one calling convention, as FlashInfer and CuTe DSL ship them: functions
// without a manifest, whose arguments the user names.
#pragma once

#include <string>
#include <string_view>

#include "src/contract/assay/abi.h"
#include "src/core/error.h"

namespace assay {

// `tvmffi:LIB.so:FUNCTION` or `tvmffi:LIB.so:FUNCTION:ARGUMENTS`; ARGUMENTS is a comma list of x,
// w, y, offsets, sizes (tensors), pass, convention, weights, accumulate, experts, k, n, rows, pad,
// cap (integers), workspace and stream (pointers), and `x,w,y,offsets` where it is left out. A call
// that needs something the function is not told (a pass but fwd, accumulation) is refused.
bool is_tvm_ffi(std::string_view spec);

struct TvmFfiName {
  std::string path, function;
  std::string arguments = "x,w,y,offsets";
};
Result<TvmFfiName> parse_tvm_ffi(const std::string& spec);

// The ABI's run function for a function at `address` of a library that dlopen has opened. One a
// process: a worker has one kernel. Errors: an argument that is none of the list. Source:
// https://tvm.apache.org/ffi/get_started/stable_c_abi.html
Result<assay_run_function> adapt_tvm_ffi(void* library, void* address,
                                         const std::string& arguments);

}  // namespace assay
