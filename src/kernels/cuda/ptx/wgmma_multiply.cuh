// wgmma_multiply<Element, kColumns, kLeftMnMajor, kRightMnMajor>: accumulators [64, kColumns] of a
// warpgroup, plus or equal left [64, 16] times right [16, kColumns], both in shared memory.
// Asynchronous: wgmma.cuh orders it. Thread t of the group, lane l, holds in accumulators[i] row 16
// * (t / 32) + l / 4 + 8 * (i / 2 % 2) and column 8 * (i / 4) + 2 * (l % 4) + i % 2.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "src/kernels/cuda/ptx/wgmma.cuh"

namespace assay {

template <class Element, int kColumns, int kLeftMnMajor, int kRightMnMajor>
struct WgmmaMultiply;

#define ASSAY_WGMMA_FOUR(i)                                                    \
  "+f"(accumulators[i]), "+f"(accumulators[i + 1]), "+f"(accumulators[i + 2]), \
      "+f"(accumulators[i + 3])
#define ASSAY_WGMMA_EIGHT(i) ASSAY_WGMMA_FOUR(i), ASSAY_WGMMA_FOUR(i + 4)
#define ASSAY_WGMMA_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define ASSAY_WGMMA_ACCUMULATORS_16 ASSAY_WGMMA_EIGHT(0)
#define ASSAY_WGMMA_NAMES_32 ASSAY_WGMMA_NAMES_16 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define ASSAY_WGMMA_ACCUMULATORS_32 ASSAY_WGMMA_ACCUMULATORS_16, ASSAY_WGMMA_EIGHT(8)
#define ASSAY_WGMMA_NAMES_48 ASSAY_WGMMA_NAMES_32 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define ASSAY_WGMMA_ACCUMULATORS_48 ASSAY_WGMMA_ACCUMULATORS_32, ASSAY_WGMMA_EIGHT(16)
#define ASSAY_WGMMA_NAMES_64 ASSAY_WGMMA_NAMES_48 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define ASSAY_WGMMA_ACCUMULATORS_64 ASSAY_WGMMA_ACCUMULATORS_48, ASSAY_WGMMA_EIGHT(24)
#define ASSAY_WGMMA_NAMES_80 ASSAY_WGMMA_NAMES_64 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define ASSAY_WGMMA_ACCUMULATORS_80 ASSAY_WGMMA_ACCUMULATORS_64, ASSAY_WGMMA_EIGHT(32)
#define ASSAY_WGMMA_NAMES_96 ASSAY_WGMMA_NAMES_80 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define ASSAY_WGMMA_ACCUMULATORS_96 ASSAY_WGMMA_ACCUMULATORS_80, ASSAY_WGMMA_EIGHT(40)
#define ASSAY_WGMMA_NAMES_112 ASSAY_WGMMA_NAMES_96 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define ASSAY_WGMMA_ACCUMULATORS_112 ASSAY_WGMMA_ACCUMULATORS_96, ASSAY_WGMMA_EIGHT(48)
#define ASSAY_WGMMA_NAMES_128 ASSAY_WGMMA_NAMES_112 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define ASSAY_WGMMA_ACCUMULATORS_128 ASSAY_WGMMA_ACCUMULATORS_112, ASSAY_WGMMA_EIGHT(56)
#define ASSAY_WGMMA_NAMES_144 ASSAY_WGMMA_NAMES_128 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define ASSAY_WGMMA_ACCUMULATORS_144 ASSAY_WGMMA_ACCUMULATORS_128, ASSAY_WGMMA_EIGHT(64)
#define ASSAY_WGMMA_NAMES_160 ASSAY_WGMMA_NAMES_144 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define ASSAY_WGMMA_ACCUMULATORS_160 ASSAY_WGMMA_ACCUMULATORS_144, ASSAY_WGMMA_EIGHT(72)
#define ASSAY_WGMMA_NAMES_176 ASSAY_WGMMA_NAMES_160 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define ASSAY_WGMMA_ACCUMULATORS_176 ASSAY_WGMMA_ACCUMULATORS_160, ASSAY_WGMMA_EIGHT(80)
#define ASSAY_WGMMA_NAMES_192 ASSAY_WGMMA_NAMES_176 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define ASSAY_WGMMA_ACCUMULATORS_192 ASSAY_WGMMA_ACCUMULATORS_176, ASSAY_WGMMA_EIGHT(88)
#define ASSAY_WGMMA_NAMES_208 ASSAY_WGMMA_NAMES_192 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define ASSAY_WGMMA_ACCUMULATORS_208 ASSAY_WGMMA_ACCUMULATORS_192, ASSAY_WGMMA_EIGHT(96)
#define ASSAY_WGMMA_NAMES_224 \
  ASSAY_WGMMA_NAMES_208 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define ASSAY_WGMMA_ACCUMULATORS_224 ASSAY_WGMMA_ACCUMULATORS_208, ASSAY_WGMMA_EIGHT(104)
#define ASSAY_WGMMA_NAMES_240 \
  ASSAY_WGMMA_NAMES_224 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define ASSAY_WGMMA_ACCUMULATORS_240 ASSAY_WGMMA_ACCUMULATORS_224, ASSAY_WGMMA_EIGHT(112)
#define ASSAY_WGMMA_NAMES_256 \
  ASSAY_WGMMA_NAMES_240 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define ASSAY_WGMMA_ACCUMULATORS_256 ASSAY_WGMMA_ACCUMULATORS_240, ASSAY_WGMMA_EIGHT(120)

// `keep` 0: the accumulators before count as zero. Operand numbers follow the columns / 2
// accumulators.
#define ASSAY_WGMMA(element, type, columns, left_number, right_number, keep_number, left_major,    \
                    right_major)                                                                   \
  template <int kLeftMnMajor, int kRightMnMajor>                                                   \
  struct WgmmaMultiply<element, columns, kLeftMnMajor, kRightMnMajor> {                            \
    static __device__ __forceinline__ void go(float (&accumulators)[kAccumulators],                \
                                              std::uint64_t left, std::uint64_t right, int keep) { \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " keep_number                                 \
                   ", 0;\n"                                                                        \
                   "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type           \
                   " {" ASSAY_WGMMA_NAMES_##columns "}, " left_number ", " right_number            \
                                                    ", p, 1, 1, " left_major ", " right_major      \
                                                    ";\n}\n"                                       \
                   : ASSAY_WGMMA_ACCUMULATORS_##columns                                            \
                   : "l"(left), "l"(right), "r"(keep), "n"(kLeftMnMajor), "n"(kRightMnMajor));     \
    }                                                                                              \
  };
#define ASSAY_WGMMA_BOTH(columns, a, b, c, d, e)             \
  ASSAY_WGMMA(__nv_bfloat16, "bf16", columns, a, b, c, d, e) \
  ASSAY_WGMMA(__half, "f16", columns, a, b, c, d, e)

ASSAY_WGMMA_BOTH(16, "%8", "%9", "%10", "%11", "%12")
ASSAY_WGMMA_BOTH(32, "%16", "%17", "%18", "%19", "%20")
ASSAY_WGMMA_BOTH(48, "%24", "%25", "%26", "%27", "%28")
ASSAY_WGMMA_BOTH(64, "%32", "%33", "%34", "%35", "%36")
ASSAY_WGMMA_BOTH(80, "%40", "%41", "%42", "%43", "%44")
ASSAY_WGMMA_BOTH(96, "%48", "%49", "%50", "%51", "%52")
ASSAY_WGMMA_BOTH(112, "%56", "%57", "%58", "%59", "%60")
ASSAY_WGMMA_BOTH(128, "%64", "%65", "%66", "%67", "%68")
ASSAY_WGMMA_BOTH(144, "%72", "%73", "%74", "%75", "%76")
ASSAY_WGMMA_BOTH(160, "%80", "%81", "%82", "%83", "%84")
ASSAY_WGMMA_BOTH(176, "%88", "%89", "%90", "%91", "%92")
ASSAY_WGMMA_BOTH(192, "%96", "%97", "%98", "%99", "%100")
ASSAY_WGMMA_BOTH(208, "%104", "%105", "%106", "%107", "%108")
ASSAY_WGMMA_BOTH(224, "%112", "%113", "%114", "%115", "%116")
ASSAY_WGMMA_BOTH(240, "%120", "%121", "%122", "%123", "%124")
ASSAY_WGMMA_BOTH(256, "%128", "%129", "%130", "%131", "%132")

template <class Element, int kColumns, int kLeftMnMajor, int kRightMnMajor>
__device__ __forceinline__ void wgmma_multiply(float (&accumulators)[kAccumulators],
                                               std::uint64_t left, std::uint64_t right, int keep) {
  WgmmaMultiply<Element, kColumns, kLeftMnMajor, kRightMnMajor>::go(accumulators, left, right,
                                                                    keep);
}

}  // namespace assay
