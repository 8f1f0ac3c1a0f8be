#include "src/harness/process/worker_loop.h"

#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/core/parallel.h"
#include "src/harness/call/executor.h"
#include "src/harness/process/crash_report.h"
#include "src/harness/process/file_watch.h"
#include "src/harness/process/loaded_code.h"
#include "src/harness/process/process_state.h"
#include "src/harness/process/protocol.h"
#include "src/harness/process/thread_state.h"
#include "src/harness/process/together.h"
#include "src/harness/process/warden.h"

namespace assay {
namespace {

constexpr int kMemoryFd = 100;  // out of the way of what a kernel may open and close

class Worker {
 public:
  Worker(int socket, std::uint64_t nonce) : socket_(socket), nonce_(nonce) {}

  // False: the kernel does not load, and the driver was told why.
  bool load(const LoadKernel& load);
  int serve();

 private:
  void take_map(PacketReader reader, int fd);
  void take_unmap(PacketReader reader);
  bool take_run(PacketReader reader, std::uint64_t sequence);
  bool take_multiply(PacketReader reader, std::uint64_t sequence);
  std::uint64_t code_mark() const;
  bool say_code(std::uint64_t sequence);
  ExecuteResult execute(std::span<const CallRecord> records, const CallPlan& plan);
  void protect_inputs(const CallRecord& record);
  bool say_done(std::uint64_t sequence, const ExecuteResult& result, bool counted = false);

  int socket_;
  std::uint64_t nonce_;
  ServedKernel kernel_;
  std::unique_ptr<Executor> executor_;
  bool on_device_ = false;
  bool took_faults_ = false;  // the kernel replaced a handler of faults in some call
  ProcessState process_state_;
  FileWatch file_watch_;
  std::set<std::uint64_t> read_only_;  // regions
  int memory_fd_ = -1;                 // kept for kernels on a device only
  std::string map_error_;
};

bool Worker::load(const LoadKernel& load) {
  auto loaded = load();
  HelloBody hello;
  hello.loaded = loaded ? 1 : 0;
  std::string text = loaded ? loaded->manifest : loaded.error().message;
  if (text.size() + sizeof(PacketHeader) + sizeof hello > kLargestPacket) {
    hello.loaded = 0;
    text = "the kernel's manifest is longer than the harness takes";
  }
  if (loaded) {
    kernel_ = std::move(*loaded);
    // The driver says what is wrong with a manifest that cannot be read.
    const auto manifest = parse_manifest(kernel_.manifest);
    on_device_ = manifest && manifest->device == "cuda";
    executor_ = make_executor(on_device_, kernel_.run, use_alternate_stack);
    hello.device = executor_->facts();
    reinstall_crash_reports();  // a library may bring handlers of its own
    process_state_.keep();
  }
  PacketWriter packet({PacketKind::kHello, 0, nonce_, 0});
  packet.add(hello);
  packet.add_text(text);
  return send_packet(socket_, packet.bytes()) && hello.loaded == 1;
}

void Worker::take_map(PacketReader reader, int fd) {
  const auto place = reader.take<RegionPlace>();
  if (!place || fd < 0) {
    map_error_ = "a request for memory came without it";
  } else if (const Status mapped = map_region(*place, fd); !mapped) {
    map_error_ = mapped.error().message;
  }
  if (memory_fd_ >= 0 || !on_device_) { return; }
  memory_fd_ = fcntl(fd, F_DUPFD_CLOEXEC, kMemoryFd);
  executor_->use_memory(memory_fd_);
}

void Worker::take_unmap(PacketReader reader) {
  const auto place = reader.take<RegionPlace>();
  if (!place) { return; }
  read_only_.erase(place->address);
  executor_->forget(*place);
  unmap_region(*place);
}

bool Worker::say_done(std::uint64_t sequence, const ExecuteResult& result, bool counted) {
  PacketWriter packet({PacketKind::kDone, 0, nonce_, sequence});
  packet.add(DoneBody{.end = result.end,
                      .status = result.status,
                      .seconds = result.seconds,
                      .host_seconds = result.host_seconds,
                      .stray = result.stray,
                      .message_bytes = static_cast<std::uint32_t>(result.message.size()),
                      .spoiled = result.spoiled ? 1 : 0,
                      .counted = counted ? 1 : 0,
                      .holdings = result.holdings,
                      .code_mark = code_mark()});
  packet.add_text(result.message);
  packet.add_text(result.leftover);
  return send_packet(socket_, packet.bytes());
}

std::uint64_t Worker::code_mark() const {
  constexpr int kModuleBits = 32;
  const std::uint64_t modules = kernel_.modules ? kernel_.modules(nullptr) : 0;
  return (libraries_loaded() << kModuleBits) + modules;
}

bool Worker::say_code(std::uint64_t sequence) {
  set_crash_sequence(sequence);
  std::string modules;
  if (kernel_.modules) { kernel_.modules(&modules); }
  const std::string text = loaded_text(mapped_code()) + modules;
  const std::uint64_t mark = code_mark();  // to name them may have loaded more
  constexpr std::size_t kRoom = kLargestPacket - sizeof(PacketHeader) - sizeof(CodeBody);
  for (std::size_t at = 0; at == 0 || at < text.size(); at += kRoom) {
    PacketWriter packet({PacketKind::kCode, 0, nonce_, sequence});
    packet.add(CodeBody{.code_mark = mark, .last = text.size() <= at + kRoom ? 1 : 0});
    packet.add_text(text.substr(at, kRoom));
    if (!send_packet(socket_, packet.bytes())) { return false; }
  }
  return true;
}

bool Worker::take_run(PacketReader reader, std::uint64_t sequence) {
  const auto run = reader.take<RunBody>();
  if (!run) { return false; }
  std::vector<CallRecord> records;
  for (int i = 0; i < run->records; ++i) {
    const auto record = reader.take<CallRecord>();
    if (!record) { return false; }
    records.push_back(*record);
  }
  if (!map_error_.empty()) {
    return say_done(sequence, {.end = CallsEnd::kNotMapped, .message = map_error_});
  }
  set_crash_sequence(sequence);
  const ExecuteResult result = execute(records, run->plan);
  return say_done(sequence, result, run->plan.count_holdings != 0);
}

// A region stays as it is until a call asks for the other: each change costs a system call.
void Worker::protect_inputs(const CallRecord& record) {
  for (int i = 0; i < kAreas; ++i) {
    const AreaRecord& area = record.areas[i];
    const bool wanted = is_read_only(record, static_cast<Area>(i));
    if (area.region == 0 || wanted == read_only_.contains(area.region)) { continue; }
    void* const region = reinterpret_cast<void*>(area.region);
    const int access = wanted ? PROT_READ : PROT_READ | PROT_WRITE;
    if (mprotect(region, static_cast<std::size_t>(area.region_bytes), access) != 0) { continue; }
    if (wanted) { read_only_.insert(area.region); }
    if (!wanted) { read_only_.erase(area.region); }
  }
}

// A library that a call loads may bring handlers of its own, once. A kernel that takes faults over
// in each call could hide every read past an operand.
ExecuteResult Worker::execute(std::span<const CallRecord> records, const CallPlan& plan) {
  for (const CallRecord& record : records) {
    if (!on_device_) { protect_inputs(record); }
  }
  ExecuteResult result = executor_->execute(records, plan);
  const ProcessState::Change change = process_state_.restore();
  add_clause(result.leftover, change.clauses);
  result.spoiled = !change.restored;
  const int taken = reinstall_crash_reports();
  if (plan.count_holdings != 0) {
    result.holdings = count_holdings(getppid());
    file_watch_.look(result.holdings);
  }
  if (taken == 0 || !std::exchange(took_faults_, true)) { return result; }
  return {.end = CallsEnd::kHidFaults,
          .message = fmt::format("the kernel handles SIG{} by itself in each call, so that a stray "
                                 "access would go unseen",
                                 sigabbrev_np(taken))};
}

bool Worker::take_multiply(PacketReader reader, std::uint64_t sequence) {
  const auto record = reader.take<MultiplyRecord>();
  if (!record) { return false; }
  if (!map_error_.empty()) {
    return say_done(sequence, {.end = CallsEnd::kNotMapped, .message = map_error_});
  }
  set_crash_sequence(sequence);
  return say_done(sequence, executor_->multiply(*record));
}

int Worker::serve() {
  for (;;) {
    const ReceivedPacket packet = receive_packet(socket_);
    if (packet.bytes.empty()) { return kWorkerDone; }
    PacketReader reader(packet.bytes);
    const auto header = reader.take<PacketHeader>();
    if (!header || header->nonce != nonce_) { return kWorkerBadPacket; }
    switch (header->kind) {
      case PacketKind::kMap:
        take_map(reader, packet.fd);
        break;
      case PacketKind::kUnmap:
        take_unmap(reader);
        break;
      case PacketKind::kRun:
        if (!take_run(reader, header->sequence)) { return kWorkerLostDriver; }
        break;
      case PacketKind::kMultiply:
        if (!take_multiply(reader, header->sequence)) { return kWorkerLostDriver; }
        break;
      case PacketKind::kAskCode:
        if (!say_code(header->sequence)) { return kWorkerLostDriver; }
        break;
      case PacketKind::kRelease:
        executor_->release_operands();
        break;
      default:
        return kWorkerBadPacket;
    }
    // The mapping lives on without it, and the kernel cannot close what is not open.
    if (packet.fd >= 0) { close(packet.fd); }
  }
}

// A driver that dies takes its workers along, also one that hangs in its kernel. (PR_SET_PDEATHSIG
// would fire when the thread ends that started the worker.) False: there is no thread for it.
bool watch_driver(int socket) {
  std::vector<std::jthread> thread;
  const bool started = start_thread(thread, [socket] {
    pollfd hang_up{socket, 0, 0};
    while (poll(&hang_up, 1, -1) < 0 || hang_up.revents == 0) {}
    // The kernel may have closed it before this thread looked.
    _exit((hang_up.revents & POLLNVAL) != 0 ? kWorkerLostDriver : kWorkerDone);
  });
  if (started) { thread.front().detach(); }
  return started;
}

int say_no_thread(int socket, std::uint64_t nonce) {
  PacketWriter packet({PacketKind::kHello, 0, nonce, 0});
  packet.add(HelloBody{.loaded = kNoThread});
  packet.add_text(no_thread().message);
  send_packet(socket, packet.bytes());
  return kWorkerDone;
}

// Where a kernel takes all memory, the system ends its worker and not the driver.
void be_first_out_of_memory() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) { return; }
  constexpr std::string_view kHighestScore = "1000";
  [[maybe_unused]] const ssize_t written = write(fd, kHighestScore.data(), kHighestScore.size());
  close(fd);
}

}  // namespace

int serve_kernel(int socket, const LoadKernel& load) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (const auto status = leave_to_worker(socket)) { return *status; }
  be_first_out_of_memory();
  const ReceivedPacket start = receive_packet(socket);
  const auto header = PacketReader(start.bytes).take<PacketHeader>();
  if (!header || header->kind != PacketKind::kStart) { return kWorkerBadPacket; }
  if (!watch_driver(socket)) { return say_no_thread(socket, header->nonce); }
  install_crash_reports(socket, header->nonce);
  try {
    Worker worker(socket, header->nonce);
    return worker.load(load) ? worker.serve() : kWorkerDone;
  } catch (const std::bad_alloc&) { return kWorkerRanShort; }
}

}  // namespace assay
