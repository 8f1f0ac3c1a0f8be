#include "src/kernels/cpu/isa.h"

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace assay {
namespace {

#if defined(__x86_64__)
// clang 14's __builtin_cpu_supports does not know the name. Asked once: a hypervisor traps cpuid,
// which takes longer than a small product.
bool has_f16c() {
  static const bool has = [] {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
  }();
  return has;
}
#endif

struct Choice {
  const Isa* isa;
  bool available;
};

}  // namespace

const Isa* chosen_isa() {
  const Choice choices[] = {
  // best first
#if defined(__x86_64__)
    {&kAvx512Isa,
     __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx2") != 0 && has_f16c()},
    {&kAvx2Isa,
     __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && has_f16c()},
#endif
    {&kPortableIsa, true},
  };
  const char* wanted = std::getenv("ASSAY_CPU_ISA");
  for (const Choice& choice : choices) {
    const bool named =
        wanted == nullptr || *wanted == '\0' || std::strcmp(wanted, choice.isa->name) == 0;
    if (named && choice.available) { return choice.isa; }
  }
  return nullptr;
}

}  // namespace assay
