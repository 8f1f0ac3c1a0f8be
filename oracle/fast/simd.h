// Loops compiled for several instruction sets and chosen at run time; the results are the same.
#pragma once

namespace assay::oracle {

enum class Isa { kPortable, kAvx2, kAvx512 };

inline Isa best_isa() {
#if defined(__x86_64__)
  static const Isa isa = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return avx2 && avx512 ? Isa::kAvx512 : avx2 ? Isa::kAvx2 : Isa::kPortable;
  }();
  return isa;
#else
  return Isa::kPortable;
#endif
}

}  // namespace assay::oracle

// A body that is compiled anew in each function of ASSAY_SIMD_FUNCTION.
#define ASSAY_SIMD_BODY [[gnu::always_inline]] inline

// Defines name(parameters), which runs body(arguments) with the best instructions of the machine.
#if defined(__x86_64__)
#define ASSAY_SIMD_FUNCTION(name, body, parameters, arguments)                                   \
  [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]] void name##_avx512 parameters { \
    body arguments;                                                                              \
  }                                                                                              \
  [[gnu::target("avx2,fma")]] void name##_avx2 parameters { body arguments; }                    \
  void name##_portable parameters { body arguments; }                                            \
  void name parameters {                                                                         \
    switch (::assay::oracle::best_isa()) {                                                       \
      case ::assay::oracle::Isa::kAvx512:                                                        \
        return name##_avx512 arguments;                                                          \
      case ::assay::oracle::Isa::kAvx2:                                                          \
        return name##_avx2 arguments;                                                            \
      case ::assay::oracle::Isa::kPortable:                                                      \
        return name##_portable arguments;                                                        \
    }                                                                                            \
  }
#else
#define ASSAY_SIMD_FUNCTION(name, body, parameters, arguments) \
  void name parameters { body arguments; }
#endif
