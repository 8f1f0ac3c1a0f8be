/* A right kernel in plain loops for each word of a manifest (WORD), which needs what the word says:
 * it refuses what its manifest excludes, and counts on the rest. */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "src/contract/assay/abi.h"

enum {
  MULTIPLES_BY_PASS,
  LEAST_ROWS,
  TOTAL_ROWS_MULTIPLE,
  DENSE_STRIDES,
  ROW_MULTIPLE,
  COMPILED_FOR,
  WORKSPACE_FORMULA,
  DEFAULT_TILE,
  FLUSHED_OPERANDS,
  FLUSHED_FP16_OUTPUTS,
  BF16_PARTIALS,
  FP16_PARTIALS,
  MAX_EXPERTS,
  WIDE_OFFSETS,
  MAX_ROWS,
  ONE_EXPERT
};

static const char* const kWords[] = {
    [MULTIPLES_BY_PASS] =
        "\"k_multiple\": {\"fwd\": 8, \"dgrad\": 16}, \"n_multiple\": {\"wgrad\": 4}",
    [LEAST_ROWS] = "\"least_rows\": 5",
    [TOTAL_ROWS_MULTIPLE] = "\"total_rows_multiple\": 24",
    [DENSE_STRIDES] = "\"strides\": \"dense\"",
    [ROW_MULTIPLE] =
        "\"row_multiple\": 8, \"padding_input\": \"zeros\", \"padding_rows\": "
        "\"undefined\"",
    [COMPILED_FOR] = "\"compiled_for\": [\"k\", \"n\", \"experts\", \"rows\", \"strides\"]",
    [WORKSPACE_FORMULA] =
        "\"workspace_bytes\": \"4 * align(n, 16) + 4 * (k - k / 2)\", "
        "\"workspace_alignment\": 64",
    [DEFAULT_TILE] =
        "\"tactics\": [\"wide\"], \"tiles\": {\"default\": [16, 16, 16], \"wide\": "
        "[32, 48, 16]}",
    [FLUSHED_OPERANDS] = "\"subnormals\": {\"inputs\": [\"fp32\"], \"outputs\": [\"fp32\"]}",
    [FLUSHED_FP16_OUTPUTS] = "\"subnormals\": {\"outputs\": [\"fp16\"]}",
    [BF16_PARTIALS] = "\"padding_rows\": \"untouched\"",
    [FP16_PARTIALS] = "\"padding_rows\": \"untouched\"",
    [MAX_EXPERTS] = "\"max_experts\": 16",
    [WIDE_OFFSETS] = "\"padding_rows\": \"untouched\"",
    [MAX_ROWS] = "\"max_rows\": 600",
    [ONE_EXPERT] = "\"max_experts\": 1"};

#define FMA "\"arithmetic\": {\"kind\": \"fma\", \"fused\": false, \"order\": \"ascending\"}, "
#define SPLIT(format)                                                                              \
  "\"arithmetic\": {\"kind\": \"fma\", \"order\": \"any\", \"splits\": 2, \"partials\": \"" format \
  "\"}, "
/* One format where bounds are so wide that few cases of each prove something. */
static const char* const kHalf =
    ", {\"in\": \"fp16\", \"out\": \"fp16\"}, {\"in\": \"fp16\", \"out\": \"fp32\"}";
static int has_partials(void) { return WORD == BF16_PARTIALS || WORD == FP16_PARTIALS; }
static const char* arithmetic(void) {
  return WORD == BF16_PARTIALS ? SPLIT("bf16") : WORD == FP16_PARTIALS ? SPLIT("fp16") : FMA;
}

const char* assay_manifest_v1(void) {
  static char text[2048];
  snprintf(
      text, sizeof text,
      "{\"name\": \"word_%d\", \"passes\": [\"fwd\", \"dgrad\", \"wgrad\"], \"formats\": "
      "[{\"in\": \"fp32\", \"out\": \"fp32\"}%s], \"weights\": [\"enk\", \"ekn\"], \"offsets\": "
      "[%s], \"accumulate\": true, \"deterministic\": true, "
      "\"base_bytes\": 4, %s%s}",
      WORD, has_partials() ? "" : kHalf,
      WORD == WIDE_OFFSETS ? "\"ends:i64\"" : "\"ends\", \"ends:i64\", \"starts\"", arithmetic(),
      kWords[WORD]);
  return text;
}

static float load(const assay_tensor* t, int64_t at) {
  return t->dtype.bits == 32 ? ((const float*)t->data)[at] : (float)((const _Float16*)t->data)[at];
}

static void store(const assay_tensor* t, int64_t at, float value) {
  if (t->dtype.bits == 32) {
    ((float*)t->data)[at] = value;
    return;
  }
  _Float16 half = (_Float16)value;
  if (WORD == FLUSHED_FP16_OUTPUTS && fabsf((float)half) < 0x1p-14f) {
    half = (_Float16)copysignf(0.0f, value);
  }
  ((_Float16*)t->data)[at] = half;
}

static float partial(float sum) {
  if (WORD == FP16_PARTIALS) { return (float)(_Float16)sum; }
  if (WORD != BF16_PARTIALS || isnan(sum)) { return sum; }
  uint32_t bits;
  memcpy(&bits, &sum, sizeof bits);
  bits = (bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u;
  memcpy(&sum, &bits, sizeof bits);
  return sum;
}

/* A line of an operand: its first element, and elements between two terms. */
typedef struct {
  const assay_tensor* tensor;
  int64_t first, step;
} line;

static float dot(line a, line b, int64_t length, float sum) {
  const int parts = has_partials() ? 2 : 1;
  for (int part = 0; part < parts; ++part) {
    float chain = parts == 1 ? sum : 0.0f;
    for (int64_t i = length * part / parts; i < length * (part + 1) / parts; ++i) {
      chain = chain + load(a.tensor, a.first + i * a.step) * load(b.tensor, b.first + i * b.step);
    }
    sum = parts == 1 ? chain : sum + partial(chain);
  }
  return sum;
}

static int64_t offset(const assay_tensor* t, int64_t i) {
  return t->dtype.bits == 32 ? ((const int32_t*)t->data)[i] : ((const int64_t*)t->data)[i];
}

static int64_t start_of(const assay_call* c, int64_t g) {
  if (c->convention == ASSAY_OFFSETS_STARTS) { return offset(c->offsets, g); }
  return g == 0 ? 0 : offset(c->offsets, g - 1);
}

static int64_t count_of(const assay_call* c, int64_t g) {
  if (c->convention == ASSAY_OFFSETS_STARTS) { return offset(c->sizes, g); }
  return offset(c->offsets, g) - start_of(c, g);
}

/* Rows that are computed: whole blocks, where padding follows. */
static int64_t computed(int64_t count) {
  return WORD == ROW_MULTIPLE ? (count + 7) / 8 * 8 : count;
}

static int is_dense(const assay_tensor* t) {
  int64_t step = 1;
  for (int axis = t->ndim - 1; axis >= 0; --axis) {
    if (t->strides[axis] != step) { return 0; }
    step *= t->shape[axis];
  }
  return 1;
}

static int has_other_dtype(const assay_tensor* t) {
  if (has_partials() && t->dtype.bits != 32) { return 1; }
  return t->dtype.code != 2 || (t->dtype.bits != 32 && t->dtype.bits != 16) ||
         (uintptr_t)t->data % 4 != 0;
}

static const char* excluded_kind(const assay_call* c) {
  const assay_tensor* const out = c->pass == ASSAY_FWD     ? c->y
                                  : c->pass == ASSAY_DGRAD ? c->x
                                                           : c->w;
  const assay_tensor* const in = c->pass == ASSAY_FWD ? c->x : c->y;
  const assay_tensor* const other = c->pass == ASSAY_WGRAD ? c->x : c->w;
  if (has_other_dtype(c->x) || has_other_dtype(c->w) || has_other_dtype(c->y)) { return "dtype"; }
  if (in->dtype.bits != other->dtype.bits || (in->dtype.bits == 32 && out->dtype.bits == 16)) {
    return "formats";
  }
  if (c->convention != ASSAY_OFFSETS_ENDS && c->convention != ASSAY_OFFSETS_STARTS) {
    return "convention";
  }
  const int wide = c->offsets->dtype.bits == 64;
  if (c->convention == ASSAY_OFFSETS_STARTS && wide) { return "starts:i64"; }
  if (WORD == WIDE_OFFSETS && (c->convention != ASSAY_OFFSETS_ENDS || !wide)) { return "offsets"; }
  if (c->accumulate && (c->pass != ASSAY_WGRAD || out->dtype.bits != 32)) { return "accumulate"; }
  const int named = WORD == DEFAULT_TILE && strcmp(c->tactic, "wide") == 0;
  return strcmp(c->tactic, "default") == 0 || named ? 0 : "tactic";
}

static const char* excluded_by_word(const assay_call* c) {
  const int64_t k_multiple = c->pass == ASSAY_FWD ? 8 : c->pass == ASSAY_DGRAD ? 16 : 1;
  if (WORD == MULTIPLES_BY_PASS &&
      (c->k % k_multiple != 0 || (c->pass == ASSAY_WGRAD && c->n % 4 != 0))) {
    return "k_multiple, n_multiple";
  }
  if (WORD == MAX_EXPERTS && c->experts > 16) { return "max_experts"; }
  if (WORD == ONE_EXPERT && c->experts > 1) { return "max_experts"; }
  if (WORD == MAX_ROWS && c->rows > 600) { return "max_rows"; }
  if (WORD == TOTAL_ROWS_MULTIPLE && c->rows % 24 != 0) { return "total_rows_multiple"; }
  if (WORD == DENSE_STRIDES && !(is_dense(c->x) && is_dense(c->w) && is_dense(c->y))) {
    return "strides";
  }
  for (int64_t g = 0; g < c->experts && (WORD == LEAST_ROWS || WORD == ROW_MULTIPLE); ++g) {
    const int64_t start = start_of(c, g), count = count_of(c, g);
    if (WORD == LEAST_ROWS && count > 0 && count < 5) { return "least_rows"; }
    if (WORD == ROW_MULTIPLE && count > 0 &&
        (start % 8 != 0 || start + computed(count) > c->rows)) {
      return "row_multiple";
    }
  }
  return 0;
}

/* Lies in the workspace on the way, so that its size and alignment matter. */
static int stage(const assay_call* c) {
  const uint64_t bytes = (uint64_t)(4 * ((c->n + 15) / 16 * 16) + 4 * (c->k - c->k / 2));
  if (c->workspace_bytes != bytes || (bytes > 0 && (uintptr_t)c->workspace % 64 != 0)) { return 0; }
  memset(c->workspace, 0x5a, bytes);
  return 1;
}

static void run_expert(const assay_call* c, int64_t g) {
  const int64_t start = start_of(c, g), count = count_of(c, g), rows = computed(count);
  const int enk = c->weights == ASSAY_ENK;
  const int64_t x_row = c->x->strides[0], y_row = c->y->strides[0];
  const int64_t w_k = c->w->strides[enk ? 2 : 1], w_n = c->w->strides[enk ? 1 : 2];
  const int64_t x0 = start * x_row, y0 = start * y_row, w0 = g * c->w->strides[0];
  for (int64_t r = 0; r < rows && c->pass == ASSAY_FWD; ++r) {
    for (int64_t n = 0; n < c->n; ++n) {
      const line x = {c->x, x0 + r * x_row, 1}, w = {c->w, w0 + n * w_n, w_k};
      store(c->y, y0 + r * y_row + n, dot(x, w, c->k, 0));
    }
  }
  for (int64_t r = 0; r < rows && c->pass == ASSAY_DGRAD; ++r) {
    for (int64_t k = 0; k < c->k; ++k) {
      const line y = {c->y, y0 + r * y_row, 1}, w = {c->w, w0 + k * w_k, w_n};
      store(c->x, x0 + r * x_row + k, dot(y, w, c->n, 0));
    }
  }
  for (int64_t k = 0; k < c->k && c->pass == ASSAY_WGRAD; ++k) {
    for (int64_t n = 0; n < c->n; ++n) {
      const line x = {c->x, x0 + k, x_row}, y = {c->y, y0 + n, y_row};
      const int64_t at = w0 + k * w_k + n * w_n;
      if (c->accumulate && count == 0) { continue; }
      store(c->w, at, dot(x, y, rows, c->accumulate ? load(c->w, at) : 0));
    }
  }
}

int assay_run_v1(const assay_call* c) {
  const char* why = excluded_kind(c);
  if (why == 0) { why = excluded_by_word(c); }
  if (why != 0) {
    snprintf(c->message, c->message_bytes, "%s", why);
    return ASSAY_UNSUPPORTED;
  }
  if (WORD == WORKSPACE_FORMULA && !stage(c)) {
    snprintf(c->message, c->message_bytes, "the workspace is not as declared");
    return ASSAY_ERROR;
  }
  const unsigned control = _mm_getcsr();
  if (WORD == FLUSHED_OPERANDS) { _mm_setcsr(control | 0x8040); }
  for (int64_t g = 0; g < c->experts; ++g) { run_expert(c, g); }
  _mm_setcsr(control);
  return ASSAY_OK;
}
