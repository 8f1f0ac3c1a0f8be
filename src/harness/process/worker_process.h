// WorkerProcess: a running assay-worker, seen from the driver.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "src/core/error.h"
#include "src/core/machine_memory.h"
#include "src/harness/call/call_record.h"
#include "src/harness/memory/shared_memory.h"
#include "src/harness/process/protocol.h"

namespace assay {

// The worker that a session starts: `path`, else $ASSAY_WORKER, else beside this executable, one
// folder up, or in
// ../libexec/assay. Errors: none of them can be executed.
Result<std::string> find_worker(const std::string& path);

// The words that start a worker for a kernel, with the program first: assay-worker, or for py: the
// Python interpreter ($ASSAY_PYTHON, else python3) with the package that lies beside it.
// Errors: one of these is missing.
using WorkerCommand = std::vector<std::string>;
Result<WorkerCommand> worker_command(const std::string& kernel, const std::string& worker_path);

struct WorkerAnswer {
  enum class Kind : std::uint8_t { kHello, kDone, kCode, kDied, kGarbage, kTimedOut };
  Kind kind = Kind::kDied;
  HelloBody hello;
  DoneBody done;
  CodeBody code;
  std::string text;                // the packet's text
  std::optional<FaultBody> fault;  // died: what it said last
  int wait_status = 0;             // died: as waitpid gives it
  bool killed = false;             // died: by a SIGKILL that was not ours
  MemoryKills memory_kills{};      // killed: those since the worker was started
  std::size_t garbage_bytes = 0;
};

class WorkerProcess {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Starts the worker; its first answer is kHello. Errors: it cannot be started at all.
  static Result<std::unique_ptr<WorkerProcess>> start(const WorkerCommand& command);
  ~WorkerProcess();  // kills it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // False: the worker is gone; the next answer says how. Maps what the worker has not mapped yet.
  bool map(std::span<const RegionPlace> places, int memory_fd);
  bool unmap(std::span<const RegionPlace> places);
  bool run(std::span<const CallRecord> records, const CallPlan& plan);
  bool multiply(const MultiplyRecord& record);
  bool release();
  bool ask_code();

  // Waits for the worker's next answer. After anything but kHello, kDone and kCode the process is
  // dead.
  WorkerAnswer wait(Deadline deadline);
  // The last of what the kernel printed since the run began, one line.
  std::string last_output();

 private:
  WorkerProcess(pid_t pid, int socket, int output, std::uint64_t nonce);

  bool send(PacketWriter packet, int fd = -1) { return send_packet(socket_, packet.bytes(), fd); }
  PacketHeader header(PacketKind kind) const { return {kind, 0, nonce_, sequence_}; }
  // Nothing: the packet is not of this worker's current run.
  std::optional<WorkerAnswer> read_answer(const ReceivedPacket& packet) const;
  WorkerAnswer died(std::optional<FaultBody> fault);
  WorkerAnswer killed(WorkerAnswer::Kind why, std::size_t garbage_bytes);
  // Tells the warden to end whatever the kernel started.
  void end();
  // Waits for the end for a moment, then makes it.
  int reap();
  void drain_output();

  pid_t pid_;    // the warden's (warden.h), which ends as the worker does; 0 once waited for
  int process_;  // readable once the process has ended; -1 where the system has no such thing
  int socket_;
  int output_;
  std::uint64_t nonce_;
  std::uint64_t sequence_ = 0;
  std::set<std::uint64_t> mapped_;  // windows
  std::string printed_;             // the last of it
  bool output_ended_ = false;
  MemoryKills kills_before_ = memory_kills();
};

}  // namespace assay
