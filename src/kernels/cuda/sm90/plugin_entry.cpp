// The sm90 kernel as a shared object of its own: the two symbols of the ABI. Not part of the
// library.
#include "src/kernels/cuda/sm90/sm90_kernel.h"

extern "C" {

__attribute__((visibility("default"))) const char* assay_manifest_v1(void) {
  return assay::sm90_manifest();
}

__attribute__((visibility("default"))) int assay_run_v1(const assay_call* call) {
  return assay::sm90_run(call);
}

}  // extern "C"
