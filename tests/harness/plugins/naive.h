/* A grouped product in plain loops, right for bf16 and fp32, offsets ends, starts and problems. The
 * plug-ins that misbehave call it too. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "src/contract/assay/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NAIVE_MANIFEST(more)                                                                     \
  const char* assay_manifest_v1(void) {                                                          \
    return "{\"name\": \"test\", \"passes\": [\"fwd\", \"dgrad\", \"wgrad\"],"                   \
           "\"formats\": [{\"in\": \"bf16\", \"out\": \"bf16\"}, {\"in\": \"bf16\", \"out\": "   \
           "\"fp32\"}, {\"in\": \"fp32\", \"out\": \"fp32\"}], \"weights\": [\"enk\", \"ekn\"]," \
           "\"offsets\": [\"ends\", \"starts\", \"problems\"], \"accumulate\": true,"            \
           "\"deterministic\": true, \"arithmetic\": {\"kind\": \"fma\", \"fused\": true, "      \
           "\"order\": \"ascending\"}" more "}";                                                 \
  }

const char* assay_manifest_v1(void);
int assay_run_v1(const assay_call* call);

static inline float naive_load(const assay_tensor* t, const char* at) {
  if (t->dtype.bits == 32) {
    float value;
    memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t bits;
  memcpy(&bits, at, sizeof bits);
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static inline void naive_store(const assay_tensor* t, char* at, float value) {
  if (t->dtype.bits == 32) {
    memcpy(at, &value, sizeof value);
    return;
  }
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  const uint32_t rounded = isnan(value) ? 0x7fff0000u : wide + 0x7fffu + ((wide >> 16) & 1u);
  const uint16_t bits = (uint16_t)(rounded >> 16);
  memcpy(at, &bits, sizeof bits);
}

/* A matrix in memory: strides in bytes. */
typedef struct {
  const assay_tensor* tensor;
  char* data;
  int64_t rows, cols, row_bytes, col_bytes;
} naive_matrix;

static inline naive_matrix naive_transposed(naive_matrix m) {
  const naive_matrix t = {m.tensor, m.data, m.cols, m.rows, m.col_bytes, m.row_bytes};
  return t;
}

static inline int64_t naive_index(const assay_tensor* t, int64_t i) {
  return t->dtype.bits == 32 ? ((const int32_t*)t->data)[i] : ((const int64_t*)t->data)[i];
}

static inline void naive_group(const assay_call* call, int64_t g, int64_t* start, int64_t* count) {
  const int64_t x_row_bytes = call->x->strides[0] * (call->x->dtype.bits / 8);
  switch (call->convention) {
    case ASSAY_OFFSETS_ENDS:
      *start = g == 0 ? 0 : naive_index(call->offsets, g - 1);
      *count = naive_index(call->offsets, g) - *start;
      return;
    case ASSAY_OFFSETS_STARTS:
      *start = naive_index(call->offsets, g);
      *count = naive_index(call->sizes, g);
      return;
    default:
      *start = ((const char*)call->x_ptrs[g] - (const char*)call->x->data) / x_row_bytes;
      *count = naive_index(call->sizes, 3 * g + (call->pass == ASSAY_WGRAD ? 2 : 0));
  }
}

static inline naive_matrix naive_rows(const assay_tensor* t, int64_t start, int64_t count) {
  const int64_t bytes = t->dtype.bits / 8;
  const naive_matrix m = {t,
                          (char*)t->data + start * t->strides[0] * bytes,
                          count,
                          t->shape[1],
                          t->strides[0] * bytes,
                          t->strides[1] * bytes};
  return m;
}

/* w_g [k, n]. */
static inline naive_matrix naive_weights(const assay_call* call, int64_t g) {
  const assay_tensor* t = call->w;
  const int64_t bytes = t->dtype.bits / 8;
  char* data = call->convention == ASSAY_OFFSETS_PROBLEMS
                   ? (char*)call->w_ptrs[g]
                   : (char*)t->data + g * t->strides[0] * bytes;
  const naive_matrix m = {
      t, data, t->shape[1], t->shape[2], t->strides[1] * bytes, t->strides[2] * bytes};
  return call->weights == ASSAY_ENK ? naive_transposed(m) : m;
}

static inline void naive_multiply(naive_matrix a, naive_matrix b, naive_matrix out,
                                  int accumulate) {
  for (int64_t i = 0; i < out.rows; ++i) {
    for (int64_t j = 0; j < out.cols; ++j) {
      char* to = out.data + i * out.row_bytes + j * out.col_bytes;
      float sum = accumulate ? naive_load(out.tensor, to) : 0.0f;
      for (int64_t l = 0; l < a.cols; ++l) {
        sum = fmaf(naive_load(a.tensor, a.data + i * a.row_bytes + l * a.col_bytes),
                   naive_load(b.tensor, b.data + l * b.row_bytes + j * b.col_bytes), sum);
      }
      naive_store(out.tensor, to, sum);
    }
  }
}

static inline int naive_run(const assay_call* call) {
  for (int64_t g = 0; g < call->experts; ++g) {
    int64_t start, count;
    naive_group(call, g, &start, &count);
    const naive_matrix x = naive_rows(call->x, start, count);
    const naive_matrix y = naive_rows(call->y, start, count);
    const naive_matrix w = naive_weights(call, g);
    if (call->pass == ASSAY_FWD) { naive_multiply(x, w, y, call->accumulate); }
    if (call->pass == ASSAY_DGRAD) { naive_multiply(y, naive_transposed(w), x, call->accumulate); }
    if (call->pass == ASSAY_WGRAD) { naive_multiply(naive_transposed(x), y, w, call->accumulate); }
  }
  return ASSAY_OK;
}

static inline char* naive_data(const assay_tensor* t) { return (char*)t->data; }

/* Bytes of all rows of x or y, with their gaps. */
static inline int64_t naive_extent(const assay_tensor* t) {
  return t->shape[0] * t->strides[0] * (t->dtype.bits / 8);
}

/* Returns an answer with its message. */
static inline int naive_answer(const assay_call* call, int status, const char* message) {
  snprintf(call->message, call->message_bytes, "%s", message);
  return status;
}

#ifdef __cplusplus
}
#endif
