// What driver and worker say to each other: one packet a message over a SEQPACKET socket, each with
// the nonce of its worker and the number of its run, so that bytes that a kernel writes there are
// told from ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/harness/call/call_plan.h"
#include "src/harness/call/call_record.h"
#include "src/harness/call/executor.h"
#include "src/harness/memory/shared_memory.h"

namespace assay {

enum class PacketKind : std::uint32_t {
  kStart = 0x41730001,  // driver: the nonce
  kHello,     // worker: HelloBody and the manifest's JSON, or why the kernel does not load
  kMap,       // driver: RegionPlace, with the descriptor of the memory
  kUnmap,     // driver: RegionPlace
  kRun,       // driver: RunBody and its CallRecords
  kMultiply,  // driver: MultiplyRecord, about the last run; kDone answers it
  kRelease,   // driver: the last run's operands need not stay
  kDone,      // worker: DoneBody and the message
  kFault,     // worker, dying: FaultBody
  kAskCode,   // driver: which code the worker has loaded
  kCode       // worker: CodeBody and lines of loaded_text; as many packets as they need
};

struct PacketHeader {
  PacketKind kind = PacketKind::kStart;
  std::uint32_t reserved = 0;
  std::uint64_t nonce = 0;
  std::uint64_t sequence = 0;
};
inline constexpr std::int32_t kNoThread = -1;  // HelloBody::loaded: the harness got no thread
struct HelloBody {
  std::int32_t loaded = 0;
  DeviceFacts device{};  // of a kernel on a device
};
struct RunBody {
  std::int32_t records = 0;
  CallPlan plan;
};
struct DoneBody {  // ExecuteResult without its texts, which follow: message, then leftover
  CallsEnd end = CallsEnd::kReturned;
  std::int32_t status = 0;
  double seconds = 0;
  double host_seconds = 0;
  std::uint64_t stray = 0;
  std::uint32_t message_bytes = 0;
  std::int32_t spoiled = 0;
  std::int32_t counted = 0;
  Holdings holdings;
  std::uint64_t code_mark = 0;  // another number once more code was loaded
};
struct CodeBody {
  std::uint64_t code_mark = 0;
  std::int32_t last = 0;
};
enum class Access : std::int32_t { kUnknown, kRead, kWrite };
struct FaultBody {
  std::int32_t signal = 0;
  std::int32_t code = 0;
  std::uint64_t address = 0;
  Access access = Access::kUnknown;
  std::int32_t near_stack = 0;  // the address is close to the stack pointer
};

inline constexpr std::size_t kLargestPacket = std::size_t{160} << 10;
inline constexpr int kMostConcurrent = 64;

// Bodies one after another; trivially copyable ones by their bytes.
class PacketWriter {
 public:
  explicit PacketWriter(const PacketHeader& header) { add(header); }
  template <class T>
  void add(const T& value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    __builtin_memcpy(bytes_.data() + at, &value, sizeof value);
  }
  void add_text(const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), bytes, bytes + text.size());
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class PacketReader {
 public:
  explicit PacketReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  // Nothing when the packet is too short.
  template <class T>
  std::optional<T> take() {
    if (rest_.size() < sizeof(T)) { return std::nullopt; }
    T value;
    __builtin_memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  std::string take_text() {
    const std::string text(reinterpret_cast<const char*>(rest_.data()), rest_.size());
    rest_ = {};
    return text;
  }

 private:
  std::span<const std::byte> rest_;
};

// Sends one packet, with a descriptor when `fd` >= 0. False: the other end is gone, or refuses.
bool send_packet(int socket, std::span<const std::byte> bytes, int fd = -1);

struct ReceivedPacket {
  std::vector<std::byte> bytes;  // empty: the other end is gone
  int fd = -1;                   // a descriptor that came along; the receiver closes it
};
ReceivedPacket receive_packet(int socket);

}  // namespace assay
