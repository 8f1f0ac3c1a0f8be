#include "src/harness/process/worker_process.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "src/core/text.h"
#include "src/harness/process/processor_wait.h"

namespace assay {
namespace {

constexpr std::size_t kKeptOutput = 4096;
constexpr std::size_t kQuotedOutput = 200;
constexpr auto kTimeToDie = std::chrono::seconds(2);
constexpr auto kTimeOfWarden = std::chrono::seconds(30);  // a process may be long with a device

// Others that use the machine are no fault of the kernel: the time for which a worker waits for a
// processor does not count against its deadline, up to so many times the deadline: a kernel may
// keep its own threads waiting. What most calls end within is not looked at.
constexpr int kMostWaits = 10;
constexpr std::chrono::steady_clock::duration kLongestUnseen = std::chrono::seconds(1);
constexpr int kUnseenPart = 4;

int milliseconds_until(WorkerProcess::Deadline deadline) {
  const auto left = deadline - std::chrono::steady_clock::now();
  const auto rounded_up = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  constexpr std::int64_t kLongest = 1 << 30;
  return static_cast<int>(std::clamp<std::int64_t>(rounded_up, 0, kLongest));
}

}  // namespace

WorkerProcess::WorkerProcess(pid_t pid, int socket, int output, std::uint64_t nonce)
    : pid_(pid),
      process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
      socket_(socket),
      output_(output),
      nonce_(nonce) {}

WorkerProcess::~WorkerProcess() {
  if (pid_ != 0) {
    end();
    reap();
  }
  if (process_ >= 0) { close(process_); }
  close(socket_);
  close(output_);
}

void WorkerProcess::end() {
  kill(pid_, SIGTERM);
  kill(pid_, SIGCONT);  // should the kernel have stopped it
}

int WorkerProcess::reap() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  bool told = false;
  int status = 0;
  pid_t waited = 0;
  while ((waited = waitpid(pid_, &status, WNOHANG)) == 0) {
    const Clock::duration taken = Clock::now() - start;
    if (taken > kTimeToDie && !std::exchange(told, true)) { end(); }
    if (taken > kTimeOfWarden) {
      kill(pid_, SIGKILL);  // its worker dies with it
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  pid_ = 0;
  return waited > 0 ? status : 0;
}

bool WorkerProcess::map(std::span<const RegionPlace> places, int memory_fd) {
  for (const RegionPlace& place : places) {
    if (!mapped_.insert(place.window).second) { continue; }
    PacketWriter packet(header(PacketKind::kMap));
    packet.add(place);
    if (!send(std::move(packet), memory_fd)) { return false; }
  }
  return true;
}

bool WorkerProcess::unmap(std::span<const RegionPlace> places) {
  for (const RegionPlace& place : places) {
    if (mapped_.erase(place.window) == 0) { continue; }
    PacketWriter packet(header(PacketKind::kUnmap));
    packet.add(place);
    if (!send(std::move(packet))) { return false; }
  }
  return true;
}

bool WorkerProcess::run(std::span<const CallRecord> records, const CallPlan& plan) {
  ++sequence_;
  drain_output();
  printed_.clear();
  PacketWriter packet(header(PacketKind::kRun));
  packet.add(RunBody{static_cast<std::int32_t>(records.size()), plan});
  for (const CallRecord& record : records) { packet.add(record); }
  return send(std::move(packet));
}

bool WorkerProcess::multiply(const MultiplyRecord& record) {
  ++sequence_;
  PacketWriter packet(header(PacketKind::kMultiply));
  packet.add(record);
  return send(std::move(packet));
}

bool WorkerProcess::ask_code() {
  ++sequence_;
  return send(PacketWriter(header(PacketKind::kAskCode)));
}

bool WorkerProcess::release() { return send(PacketWriter(header(PacketKind::kRelease))); }

std::optional<WorkerAnswer> WorkerProcess::read_answer(const ReceivedPacket& packet) const {
  PacketReader reader(packet.bytes);
  const auto head = reader.take<PacketHeader>();
  if (!head || head->nonce != nonce_ || head->sequence > sequence_) { return std::nullopt; }
  WorkerAnswer answer;
  if (head->kind == PacketKind::kFault) {
    answer.fault = reader.take<FaultBody>();
    if (!answer.fault) { return std::nullopt; }
    return answer;
  }
  if (head->sequence != sequence_) { return std::nullopt; }
  if (head->kind == PacketKind::kHello) {
    const auto body = reader.take<HelloBody>();
    if (!body) { return std::nullopt; }
    answer.kind = WorkerAnswer::Kind::kHello;
    answer.hello = *body;
  } else if (head->kind == PacketKind::kDone) {
    const auto body = reader.take<DoneBody>();
    if (!body) { return std::nullopt; }
    answer.kind = WorkerAnswer::Kind::kDone;
    answer.done = *body;
  } else if (head->kind == PacketKind::kCode) {
    const auto body = reader.take<CodeBody>();
    if (!body) { return std::nullopt; }
    answer.kind = WorkerAnswer::Kind::kCode;
    answer.code = *body;
  } else {
    return std::nullopt;
  }
  answer.text = reader.take_text();
  return answer;
}

WorkerAnswer WorkerProcess::died(std::optional<FaultBody> fault) {
  WorkerAnswer answer;
  answer.kind = WorkerAnswer::Kind::kDied;
  answer.fault = fault;
  answer.wait_status = reap();
  const int status = answer.wait_status;
  answer.killed = !fault && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (answer.killed) {
    answer.memory_kills = memory_kills();
    answer.memory_kills.count -= kills_before_.count;
  }
  return answer;
}

WorkerAnswer WorkerProcess::killed(WorkerAnswer::Kind why, std::size_t garbage_bytes) {
  end();
  WorkerAnswer answer;
  answer.kind = why;
  answer.garbage_bytes = garbage_bytes;
  answer.wait_status = reap();
  return answer;
}

WorkerAnswer WorkerProcess::wait(Deadline deadline) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  const Clock::duration given = std::max(deadline - begun, Clock::duration(0));
  const Deadline seen_from = begun + std::min(kLongestUnseen, given / kUnseenPart);
  std::optional<ProcessorWait> waited;
  Deadline last = deadline;
  for (;;) {
    // Poll passes over -1. A kernel may close its output; a process that it forked may keep the
    // socket open after the worker's end.
    pollfd events[] = {
        {socket_, POLLIN, 0}, {output_ended_ ? -1 : output_, POLLIN, 0}, {process_, POLLIN, 0}};
    const int ready = poll(events, 3, milliseconds_until(waited ? last : seen_from));
    if (ready < 0 && errno == EINTR) { continue; }
    if (ready == 0 && !waited) {
      waited.emplace(pid_);
      continue;
    }
    if (ready == 0) {
      const auto unfair = std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(waited->seconds()));
      last = deadline + (unfair / kMostWaits < given ? unfair : kMostWaits * given);
      if (last > Clock::now()) { continue; }
    }
    if (ready <= 0) { return killed(WorkerAnswer::Kind::kTimedOut, 0); }
    if ((events[1].revents & POLLIN) != 0) {
      drain_output();
    } else if (events[1].revents != 0) {
      output_ended_ = true;
    }
    // Its last words may have come just after poll looked at the socket.
    if (events[0].revents == 0 && events[2].revents != 0 && poll(events, 1, 0) == 0) {
      return died(std::nullopt);
    }
    if (events[0].revents == 0) { continue; }
    const ReceivedPacket packet = receive_packet(socket_);
    if (packet.fd >= 0) { close(packet.fd); }
    if (packet.bytes.empty()) { return died(std::nullopt); }
    const std::optional<WorkerAnswer> answer = read_answer(packet);
    if (answer && answer->fault) { return died(answer->fault); }
    if (answer) { return *answer; }
    return killed(WorkerAnswer::Kind::kGarbage, packet.bytes.size());
  }
}

void WorkerProcess::drain_output() {
  char buffer[kKeptOutput];
  for (;;) {
    const ssize_t length = ::read(output_, buffer, sizeof buffer);
    if (length < 0 && errno == EINTR) { continue; }
    if (length <= 0) { return; }
    printed_.append(buffer, static_cast<std::size_t>(length));
    if (printed_.size() > kKeptOutput) { printed_.erase(0, printed_.size() - kKeptOutput); }
    if (length < static_cast<ssize_t>(sizeof buffer)) { return; }
  }
}

std::string WorkerProcess::last_output() {
  drain_output();
  std::string text = printed_;
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') { text.pop_back(); }
  if (text.size() > kQuotedOutput) { text.erase(0, text.size() - kQuotedOutput); }
  return one_line(text);
}

}  // namespace assay
