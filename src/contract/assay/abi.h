/* The kernel ABI: the one way into every kernel that Assay runs, built in, plug-in or Python.
 *
 * A kernel exports two symbols:
 *     const char* assay_manifest_v1(void);          the contract it promises, JSON: see manifest.h
 *     int assay_run_v1(const assay_call* call);     one grouped product
 * and may export a third, by which a kernel built for a longer assay_call is told from this one:
 *     const uint64_t assay_call_bytes_v1 = sizeof(assay_call);
 *
 * One call computes, for every expert g with rows M_g,
 *     fwd    y_g [M_g, n] = x_g [M_g, k] * w_g [k, n]
 *     dgrad  x_g [M_g, k] = y_g [M_g, n] * w_g^T
 *     wgrad  w_g [k, n]   = x_g^T * y_g               (reduction over M_g; +0 where M_g = 0)
 * or adds that to the output when call->accumulate is 1. Plain C99, no dependency.
 */
#ifndef ASSAY_KERNELS_ABI_H
#define ASSAY_KERNELS_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_OK = 0, ASSAY_UNSUPPORTED = 1, ASSAY_ERROR = 2 };
enum { ASSAY_FWD = 0, ASSAY_DGRAD = 1, ASSAY_WGRAD = 2 };
enum { ASSAY_ENK = 0, ASSAY_EKN = 1 };
enum { ASSAY_SCALES_STRIDED = 0, ASSAY_SCALES_32_4_4 = 1 };
enum { ASSAY_SCALE_STARTS_COMPACT = 0, ASSAY_SCALE_STARTS_ALIGNED = 1 };
enum {
  ASSAY_OFFSETS_ENDS = 0,
  ASSAY_OFFSETS_STARTS = 1,  /* offsets: starts [experts]; sizes: counts [experts] */
  ASSAY_OFFSETS_INDPTR = 2,  /* offsets [experts + 1] */
  ASSAY_OFFSETS_COUNTS = 3,  /* offsets: counts [experts], on the device or (int64) on the host */
  ASSAY_OFFSETS_ROW_IDS = 4, /* offsets: expert of each row, -1 for padding [rows] */
  /* offsets: valid rows [experts]; expert g owns rows [g*cap, g*cap + count) */
  ASSAY_OFFSETS_MASKED = 5,
  /* offsets: ends of real rows [experts]; starts are aligned up to pad */
  ASSAY_OFFSETS_PADDED_ENDS = 6,
  /* sizes: int32 (M, N, K) of the pass's product [experts, 3]: fwd (M_g, n, k), dgrad (M_g, k, n),
     wgrad (k, n, M_g); x_ptrs, w_ptrs, y_ptrs [experts] point at each expert's first element, the
     strides are those of x, w and y */
  ASSAY_OFFSETS_PROBLEMS = 7
};

/* DLPack's DLTensor, field for field. Strides are in elements and never NULL. */
typedef struct {
  int32_t device_type; /* 1 CPU, 2 CUDA */
  int32_t device_id;
} assay_device;
typedef struct {
  /* 0 int, 1 uint, 2 float, 4 bfloat, 10 float8_e4m3fn, 12 float8_e5m2, 14 float8_e8m0fnu,
     17 float4_e2m1fn: 4 bits, 2 lanes, the low half first; shape and strides count the pairs */
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} assay_dtype;
typedef struct {
  void* data;
  assay_device device;
  int32_t ndim;
  assay_dtype dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset; /* always 0: data is the first element */
} assay_tensor;

typedef struct {
  uint64_t struct_size_bytes; /* sizeof(assay_call) of the caller; grows only at the end */
  int32_t pass;
  int32_t convention;
  int32_t weights; /* ASSAY_ENK: w [experts, n, k]; ASSAY_EKN: w [experts, k, n] */
  int32_t accumulate;
  int64_t experts, k, n;
  int64_t rows;          /* physical rows of x and y, padding and tail included */
  int64_t pad;           /* alignment of starts promised by padded_ends and row_ids; 1 otherwise */
  int64_t cap;           /* masked: rows of each expert's buffer; 0 otherwise */
  const assay_tensor* x; /* [rows, k] */
  const assay_tensor* w;
  const assay_tensor* y;       /* [rows, n] */
  const assay_tensor* offsets; /* 1-D int32 or int64; NULL for problems */
  const assay_tensor* sizes;   /* starts: [experts]; problems: [experts, 3]; NULL otherwise */
  void* const* x_ptrs; /* problems only, device memory: first row of each expert; NULL otherwise */
  void* const* w_ptrs;
  void* const* y_ptrs;
  void* workspace; /* manifest's workspace_bytes, dirty */
  uint64_t workspace_bytes;
  void* stream;       /* cudaStream_t; NULL on the CPU */
  const char* tactic; /* "default" or one that the manifest lists */
  int32_t threads;    /* CPU threads to use; 0: the kernel's choice */
  int32_t reserved;
  /* Memory of the operands' device, 0 before the call: a kernel that finds invalid offsets on the
     device sets it to 1. */
  int32_t* status;
  char* message; /* for ASSAY_UNSUPPORTED and ASSAY_ERROR: one line, NUL-terminated */
  uint64_t message_bytes;

  /* Scales of the operands, NULL for one that has none. Of an input, an element is code times
     scale; a block of rows by columns has one, counted in the operand's own axes (x [rows, k],
     w [k, n], y [rows, n]) from each expert's first row on; the last block may be short, and 0
     stands for the whole axis.
       w_scale  [experts, blocks of k, blocks of n]
       x_scale  [R, blocks of k], y_scale [R, blocks of n]; by the rows of a block, R is
                1     the physical rows: row i of x has row i of x_scale
                more  blocks of all experts, one expert's after another: expert g's begin at the sum
                      of ceil(M_h / rows) over h < g; or, where scale_starts says ALIGNED, blocks
                      of the physical rows: every expert begins at a multiple of `rows`, and its
                      blocks at its first row over `rows`
                0     experts, or 1 where the columns are 0 as well: one scale for all of x
     Their strides say how they lie: row by row, or column by column with a pitch of its own, where
     the manifest lists such scale_pitches; or scale_layout says 32_4_4, see there. Scales that
     belong to no row of an expert hold NaN.
     An output of 8 bits may have one, in fp32: scale * sum is stored, rounded once. Its block is 0
     by 0; x_scale or y_scale is [1, 1], w_scale [experts, 1, 1], whatever the scale_layout. */
  const assay_tensor* x_scale;
  const assay_tensor* w_scale;
  const assay_tensor* y_scale;
  /* problems only, device memory: first scale of each expert, in any order there, as operands are;
     NULL otherwise */
  void* const* x_scale_ptrs;
  void* const* w_scale_ptrs;
  void* const* y_scale_ptrs;
  int64_t x_scale_block[2];
  int64_t w_scale_block[2];
  int64_t y_scale_block[2];
  /* fp32, beside scales in e4m3 (nv): x_tensor_scale [1], w_tensor_scale [experts],
     y_tensor_scale [1]. An element is code times its block's scale times its tensor's. NULL where
     there is none; problems have no pointers to them. */
  const assay_tensor* x_tensor_scale;
  const assay_tensor* w_tensor_scale;
  const assay_tensor* y_tensor_scale;
  /* 32_4_4: x_scale and y_scale are 1-D [scales], w_scale is [experts, scales of one]. Each expert
     has a grid of blocks, A across the output by L along the reduction, which is padded to
     multiples of 128 and 4; experts (of masked their rows that count, not cap) lie one after
     another, wherever their rows are, and scale_starts is COMPACT. Tiles of 128 by 4 follow each
     other along the reduction first; block (a, l) of the grid is at (a / 128 * ceil(L / 4) + l / 4)
     * 512 + a % 32 * 16 + a % 128 / 32 * 4 + l % 4 */
  int32_t scale_layout;
  int32_t scale_starts; /* of x and y, blocks of several rows */

  /* fwd: [experts, n] of bf16, fp16 or fp32, added before the output is rounded; problems have no
     pointers to it. NULL: none. Only where the manifest lists its format under "bias". */
  const assay_tensor* bias;
} assay_call;

typedef const char* (*assay_manifest_function)(void);
typedef int (*assay_run_function)(const assay_call* call);

#ifdef __cplusplus
}
#endif

#endif /* ASSAY_KERNELS_ABI_H */
