/* A forward product of fp32 behind TVM-FFI's C ABI, whose value is declared here from its
   documentation: ends, weights [experts, k, n], arguments x, w, y, offsets. */
#include <stddef.h>
#include <stdint.h>

#include "src/contract/assay/abi.h"

typedef struct {
  int32_t type_index;
  uint32_t padding;
  union {
    int64_t v_int64;
    void* v_ptr;
  } value;
} any_value;

enum { TENSOR = 7 };

/* As libtvm_ffi keeps an error that a function has raised. */
typedef struct {
  uint64_t references;
  int32_t type_index;
  uint32_t padding;
  void* deleter;
  struct {
    const char* data;
    size_t size;
  } kind, message;
} error_object;
static error_object too_few = {1, 67, 0, 0, {"TypeError", 9}, {"4 tensors are taken", 19}};
static error_object* raised;

void TVMFFIErrorMoveFromRaised(error_object** error) {
  *error = raised;
  raised = 0;
}
int TVMFFIObjectDecRef(error_object* error) { return error == &too_few ? 0 : -1; }

static int raise_too_few(void) {
  raised = &too_few;
  return -1;
}

int __tvm_ffi_grouped(void* handle, const any_value* args, int32_t count, any_value* result) {
  (void)handle;
  (void)result;
  if (count != 4) return raise_too_few();
  for (int i = 0; i < 4; ++i) {
    if (args[i].type_index != TENSOR) return -1;
  }
  const assay_tensor *x = args[0].value.v_ptr, *w = args[1].value.v_ptr, *y = args[2].value.v_ptr;
  const assay_tensor* ends = args[3].value.v_ptr;
  if (x->dtype.bits != 32 || y->dtype.bits != 32 || ends->dtype.bits != 32) return -2;
  int64_t row = 0;
  for (int64_t expert = 0; expert < ends->shape[0]; ++expert) {
    const float* const weights = (const float*)w->data + expert * w->strides[0];
    for (; row < ((const int32_t*)ends->data)[expert]; ++row) {
      for (int64_t col = 0; col < y->shape[1]; ++col) {
        float sum = 0;
        for (int64_t k = 0; k < x->shape[1]; ++k) {
          sum +=
              ((const float*)x->data)[row * x->strides[0] + k] * weights[k * w->strides[1] + col];
        }
        ((float*)y->data)[row * y->strides[0] + col] = sum;
      }
    }
  }
  return 0;
}
