#include "src/cli/ranks.h"

#if defined(ASSAY_MPI)
#include <cstdlib>
#include <mpi.h>

#include <fmt/format.h>

#include "src/cli/command.h"
#include "src/core/text.h"
#include "src/record/code_json.h"
#include "src/record/record_lines.h"

namespace assay {
namespace {

enum Tag : int { kAsk = 1, kAnswer = 2, kHello = 3, kCode = 4, kLastCode = 5 };

bool started_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) { return true; }
  }
  return false;
}

void send_text(const std::string& text, int to, Tag tag) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

std::string receive_text(MPI_Status& status) {
  int length = 0;
  MPI_Get_count(&status, MPI_CHAR, &length);
  std::string text(static_cast<std::size_t>(length), '\0');
  MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return text;
}

class RankServer : public CaseServer {
 public:
  RankServer(int others, const std::string& what) : working_(others), what_(what) {}

  bool serve(const CaseDesk& desk) override {
    while (working_ > 0) {
      int waiting = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, &status);
      if (!waiting) { return true; }
      const std::string text = receive_text(status);
      if (status.MPI_TAG == kHello) {
        if (text != what_) { give_up(status.MPI_SOURCE, "runs another kernel, profile or option"); }
        continue;
      }
      if (status.MPI_TAG == kCode || status.MPI_TAG == kLastCode) {
        const auto code = parse_code(text);
        if (!code) { give_up(status.MPI_SOURCE, code.error().message); }
        desk.loaded(fmt::format("rank {}", status.MPI_SOURCE), *code);
        working_ -= status.MPI_TAG == kLastCode;
        continue;
      }
      if (!text.empty()) {
        const auto sent = parse_case_line(text);
        if (!sent) { give_up(status.MPI_SOURCE, sent.error().message); }
        desk.done({sent->job, sent->record.result, sent->record.verdict});
      }
      const std::int64_t job = desk.next().value_or(-1);
      MPI_Send(&job, 1, MPI_INT64_T, status.MPI_SOURCE, kAnswer, MPI_COMM_WORLD);
    }
    return false;
  }

 private:
  static void give_up(int rank, const std::string& why) {
    fmt::print(stderr, "assay certify: rank {} {}\n", rank, one_line(why, kSentenceLength));
    MPI_Abort(MPI_COMM_WORLD, kExitBadInput);
  }

  int working_;
  const std::string& what_;
};

}  // namespace

Ranks::Ranks() {
  if (!started_by_mpirun()) { return; }
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  if (rank_ == 0 && count_ > 1) { server_ = std::make_unique<RankServer>(count_ - 1, what_); }
}

Ranks::~Ranks() {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun) { MPI_Finalize(); }
}

RankLink Ranks::link(const std::string& what) {
  send_text(what, 0, kHello);
  return {.exchange = [](const std::string& line) -> std::optional<Index> {
            send_text(line, 0, kAsk);
            std::int64_t job = -1;
            MPI_Recv(&job, 1, MPI_INT64_T, 0, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return job < 0 ? std::nullopt : std::optional<Index>(job);
          },
          .tell_code = [](const CodeList& code) { send_text(code_text(code), 0, kCode); },
          .tell_last_code = [](const CodeList& code) { send_text(code_text(code), 0, kLastCode); }};
}

void Ranks::abandon(int exit_code) {
  if (several()) { MPI_Abort(MPI_COMM_WORLD, exit_code); }
}

}  // namespace assay

#else

namespace assay {

Ranks::Ranks() = default;
Ranks::~Ranks() = default;
RankLink Ranks::link(const std::string&) { return {}; }
void Ranks::abandon(int) {}

}  // namespace assay

#endif
