// CallPlan: how often and in which way prepared calls are made; plain bytes.
#pragma once

#include <cstdint>

namespace assay {

enum class Launch : std::int32_t {
  kDirect,
  // The calls are captured in a CUDA graph, which is then launched.
  kGraph,
  // The graph of the last kGraph with equal records is launched again; the kernel is not called.
  kReplay,
  // The operands are there only after the stream has waited; until then memory holds NaN and -1.
  kLateOperands
};

// How long late operands are away at least; the call is made once more, behind the longer time,
// where it had not returned by then: the host may have been late itself, and have launched work
// when all was there.
inline constexpr double kLateSeconds[] = {4e-3, 64e-3};

// What follows `count_holdings` is for kernels on a device only.
struct CallPlan {
  std::int32_t calls = 1;           // of each record, one after another
  std::int32_t count_holdings = 0;  // of the worker's process, once they are made
  Launch launch = Launch::kDirect;
  std::int32_t one_caller = 0;     // several records: one thread makes all calls, on streams apart
  std::int32_t other_device = 0;   // another device is current in the calling thread
  std::int32_t operands_stay = 0;  // there until the next call, or until they are released
};

}  // namespace assay
