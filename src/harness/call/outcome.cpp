#include "src/harness/call/outcome.h"

#include <cstring>

#include <fmt/format.h>

namespace assay {
namespace {

std::string place_of(const MemoryFault& fault) {
  std::string place = fault.operand;
  if (fault.row >= 0) { place = fmt::format("row {} of {}", fault.row, fault.operand); }
  if (fault.expert >= 0) {
    place = fmt::format("row {} of expert {} of {}", fault.row, fault.expert, fault.operand);
  }
  if (fault.col >= 0) { place += fmt::format(", column {}", fault.col); }
  return place;
}

}  // namespace

std::string describe(const MemoryFault& fault) {
  const std::string place = place_of(fault);
  switch (fault.where) {
    case MemoryFault::Where::kInput:
      return fmt::format("an input was changed: {} (byte {})", place, fault.byte);
    case MemoryFault::Where::kOffsets:
      return fmt::format("the array {} was changed at byte {}", fault.operand, fault.byte);
    case MemoryFault::Where::kTailRow:
      return fmt::format("a tail row was {}: {} (byte {})",
                         fault.not_zeroed ? "not zeroed" : "written", place, fault.byte);
    case MemoryFault::Where::kPaddingRow:
      return fmt::format("a padding row was {}: {} (byte {})",
                         fault.not_zeroed ? "not zeroed" : "written", place, fault.byte);
    case MemoryFault::Where::kGap:
      return fmt::format("a stride gap of {} was written at byte {}", fault.operand, fault.byte);
    case MemoryFault::Where::kGuard:
    case MemoryFault::Where::kWorkspaceGuard:
      break;
  }
  return fault.byte < 0
             ? fmt::format("memory {} bytes below {} was written", -fault.byte, fault.operand)
             : fmt::format("memory past the end of {} was written, at byte {} of it", fault.operand,
                           fault.byte);
}

bool same_bytes(const std::vector<std::byte>& one, const std::vector<std::byte>& other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

}  // namespace assay
