#include "src/harness/process/crash_text.h"

#include <cstring>
#include <signal.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include "src/core/memory_budget.h"
#include "src/harness/process/worker_loop.h"

namespace assay {
namespace {

constexpr std::uint64_t kNullPage = 65536;

std::string signal_name(int signal) {
  const char* const abbreviation = sigabbrev_np(signal);
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation)
                                 : fmt::format("signal {}", signal);
}

std::string_view verb(Access access) {
  switch (access) {
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "wrote";
    case Access::kUnknown:
      break;
  }
  return "touched memory";
}

// The distance of the first byte that faulted: the access may have begun before it.
std::string describe_place(const FaultBody& fault, const AddressPlace& place) {
  if (place.byte < 0) {
    return fmt::format("{} {} bytes below the start of {}", verb(fault.access), -place.byte,
                       name(place.area));
  }
  if (place.byte >= place.extent_bytes) {
    const Index past = place.byte - place.extent_bytes;
    return past == 0 ? fmt::format("{} past the end of {}, at its first byte", verb(fault.access),
                                   name(place.area))
                     : fmt::format("{} past the end of {}, {} bytes after it", verb(fault.access),
                                   name(place.area), past);
  }
  return fmt::format("{} byte {} of {}, {}", verb(fault.access), place.byte, name(place.area),
                     place.read_only ? "an input (read-only in this placement)"
                                     : "which the machine could not give");
}

std::string describe_fault(const FaultBody& fault, const Locate& locate) {
  const std::string signal = signal_name(fault.signal);
  if (fault.signal != SIGSEGV && fault.signal != SIGBUS) { return signal; }
  if (fault.code == SI_USER || fault.code == SI_TKILL) { return signal + ", raised by the kernel"; }
  if (const auto place = locate(fault.address)) {
    return fmt::format("{}: {}", signal, describe_place(fault, *place));
  }
  // The processor gives no address for one that is not canonical.
  if (fault.code == SI_KERNEL) {
    return signal + ": used an address that no machine has, as poison taken for a pointer is";
  }
  if (fault.address < kNullPage) {
    return fmt::format("{}: {} at {:#x}, a null pointer", signal, verb(fault.access),
                       fault.address);
  }
  if (fault.near_stack != 0) { return signal + ": stack overflow"; }
  return fmt::format("{}: {} at {:#x}, outside every operand", signal, verb(fault.access),
                     fault.address);
}

bool names_an_address(const FaultBody& fault) {
  const bool memory = fault.signal == SIGSEGV || fault.signal == SIGBUS;
  return memory && fault.code != SI_USER && fault.code != SI_TKILL && fault.code != SI_KERNEL;
}

}  // namespace

bool ran_short(const WorkerAnswer& answer) {
  if (answer.kind != WorkerAnswer::Kind::kDied || answer.fault) { return false; }
  if (WIFEXITED(answer.wait_status) && WEXITSTATUS(answer.wait_status) == kWorkerRanShort) {
    return true;
  }
  // What a killed kernel took is free again. Where nothing is, others have it, or we do.
  return answer.killed && answer.memory_kills.count > 0 &&
         available_memory() < MemoryBudget::kCountedFrom;
}

CrashKind crash_kind(const WorkerAnswer& answer, const Locate& locate) {
  if (!answer.fault || !names_an_address(*answer.fault)) { return CrashKind::kOther; }
  const FaultBody& fault = *answer.fault;
  if (const auto place = locate(fault.address)) {
    if (place->byte < 0 || place->byte >= place->extent_bytes) { return CrashKind::kOutOfBounds; }
    return place->read_only ? CrashKind::kInputWritten : CrashKind::kOther;
  }
  const bool stray = fault.address >= kNullPage && fault.near_stack == 0;
  return stray ? CrashKind::kOutOfBounds : CrashKind::kOther;
}

std::string describe_end(const WorkerAnswer& answer, const Locate& locate) {
  if (answer.kind == WorkerAnswer::Kind::kGarbage) {
    return fmt::format("the kernel wrote {} bytes to a descriptor of the harness",
                       answer.garbage_bytes);
  }
  if (answer.fault) { return describe_fault(*answer.fault, locate); }
  if (answer.killed && answer.memory_kills.count > 0) {
    const Index count = answer.memory_kills.count;
    return fmt::format(
        "killed by SIGKILL: memory ran out, for which the system killed {} {} {} since the worker "
        "was started",
        count, count == 1 ? "process" : "processes", answer.memory_kills.where);
  }
  if (WIFSIGNALED(answer.wait_status)) {
    return fmt::format("killed by {}", signal_name(WTERMSIG(answer.wait_status)));
  }
  const int status = WEXITSTATUS(answer.wait_status);
  if (status == kWorkerRanShort) { return "the harness found no memory in the kernel's process"; }
  if (status == kWorkerLostDriver || status == kWorkerBadPacket) {
    return "the kernel closed or read a descriptor of the harness";
  }
  if (status == kWorkerNoProcess) { return "the system has no process left for the kernel"; }
  return fmt::format("the kernel ended its process with exit status {}", status);
}

}  // namespace assay
