/* Plain loops in fp32 that take one offset convention (CONVENTION) and never ask which one they are
   told: a kernel as a stranger's binary is. Its manifest says nothing but a name. */
#include <string.h>

#include "src/contract/assay/abi.h"

const char* assay_manifest_v1(void) { return "{\"name\": \"black_box\"}"; }

typedef struct {
  const float* a;
  const float* b;
  float* out;
  int64_t m, n, depth;
  int64_t a_row, a_col, b_row, b_col, out_row, out_col; /* strides */
} product;

static void multiply(const product* p) {
  for (int64_t i = 0; i < p->m; ++i) {
    for (int64_t j = 0; j < p->n; ++j) {
      float sum = 0;
      for (int64_t r = 0; r < p->depth; ++r) {
        sum += p->a[i * p->a_row + r * p->a_col] * p->b[r * p->b_row + j * p->b_col];
      }
      p->out[i * p->out_row + j * p->out_col] = sum;
    }
  }
}

static void run_expert(const assay_call* call, float* x, float* w, float* y, int64_t rows) {
  const int64_t x_row = call->x->strides[0], y_row = call->y->strides[0];
  const int enk = call->weights == ASSAY_ENK;
  const int64_t w_k = enk ? 1 : call->w->strides[1], w_n = enk ? call->w->strides[1] : 1;
  product p = {x, w, y, rows, call->n, call->k, x_row, 1, w_k, w_n, y_row, 1};
  if (call->pass == ASSAY_DGRAD) {
    product d = {y, w, x, rows, call->k, call->n, y_row, 1, w_n, w_k, x_row, 1};
    p = d;
  } else if (call->pass == ASSAY_WGRAD) {
    product g = {x, y, w, call->k, call->n, rows, 1, x_row, y_row, 1, w_k, w_n};
    p = g;
  }
  multiply(&p);
}

static void run_rows(const assay_call* call, int64_t expert, int64_t first, int64_t rows) {
  run_expert(call, (float*)call->x->data + first * call->x->strides[0],
             (float*)call->w->data + expert * call->w->strides[0],
             (float*)call->y->data + first * call->y->strides[0], rows);
}

/* Rows of one expert, one after another in the array of row ids. */
static void run_row_ids(const assay_call* call, const int32_t* ids) {
  for (int64_t g = 0; g < call->experts; ++g) {
    int64_t first = 0, rows = 0;
    for (int64_t row = 0; row < call->rows; ++row) {
      if (ids[row] != g) continue;
      if (rows == 0) first = row;
      ++rows;
    }
    run_rows(call, g, first, rows);
  }
}

static void run_problems(const assay_call* call) {
  const int32_t* sizes = call->sizes->data;
  for (int64_t g = 0; g < call->experts; ++g) {
    const int64_t rows = sizes[3 * g + (call->pass == ASSAY_WGRAD ? 2 : 0)];
    run_expert(call, call->x_ptrs[g], call->w_ptrs[g], call->y_ptrs[g], rows);
  }
}

int assay_run_v1(const assay_call* call) {
  if (call->x->dtype.bits != 32 || call->y->dtype.bits != 32 || call->w->dtype.bits != 32 ||
      call->accumulate) {
    return ASSAY_UNSUPPORTED;
  }
  const int32_t* offsets = call->offsets != NULL ? call->offsets->data : NULL;
  if (CONVENTION == ASSAY_OFFSETS_ROW_IDS) {
    run_row_ids(call, offsets);
    return ASSAY_OK;
  }
  if (CONVENTION == ASSAY_OFFSETS_PROBLEMS) {
    run_problems(call);
    return ASSAY_OK;
  }
  int64_t next = 0;
  for (int64_t g = 0; g < call->experts; ++g) {
    int64_t first = next, end = offsets[g];
    if (CONVENTION == ASSAY_OFFSETS_STARTS) {
      first = offsets[g];
      end = first + ((const int32_t*)call->sizes->data)[g];
    } else if (CONVENTION == ASSAY_OFFSETS_INDPTR) {
      first = offsets[g];
      end = offsets[g + 1];
    } else if (CONVENTION == ASSAY_OFFSETS_COUNTS) {
      end = first + offsets[g];
    } else if (CONVENTION == ASSAY_OFFSETS_MASKED) {
      first = g * call->cap;
      end = first + offsets[g];
    } else if (CONVENTION == ASSAY_OFFSETS_PADDED_ENDS) {
      first = (next + call->pad - 1) / call->pad * call->pad;
    }
    run_rows(call, g, first, end - first);
    next = end;
  }
  return ASSAY_OK;
}
