#include "src/kernels/cpu/isa.h"

#include <cstdlib>
#include <cstring>

namespace assay {
namespace {

struct Choice {
  const Isa* isa;
  bool available;
};

}  // namespace

const Isa* chosen_isa() {
  const Choice choices[] = {  // best first
#if defined(__x86_64__)
    {&kAvx512Isa, __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx2") != 0 &&
                      __builtin_cpu_supports("f16c") != 0},
    {&kAvx2Isa, __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("f16c") != 0},
#endif
    {&kPortableIsa, true},
  };
  const char* wanted = std::getenv("ASSAY_CPU_ISA");
  for (const Choice& choice : choices) {
    const bool named =
        wanted == nullptr || *wanted == '\0' || std::strcmp(wanted, choice.isa->name) == 0;
    if (named && choice.available) {
      return choice.isa;
    }
  }
  return nullptr;
}

}  // namespace assay
