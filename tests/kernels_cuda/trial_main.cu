// Trial of the GPU kernels, by hand: `gpu_trial sm90 check fwd tall`, `gpu_trial sm90 garbage`,
// `gpu_trial sm80 graph`, `gpu_trial sm90 bits`. Prints one line a failure and a summary.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "src/kernels/cuda/sm80/sm80_kernel.h"
#include "src/kernels/cuda/sm90/sm90_kernel.h"
#include "tests/kernels_cuda/trial_problem.cuh"

namespace assay::trial {
namespace {

using Run = int (*)(const assay_call*);
using Rows = std::vector<std::int64_t>;

const char* const kPasses[] = {"fwd", "dgrad", "wgrad"};

int pass_of(const char* name) {
  for (int i = 0; i < 3; ++i) {
    if (std::strcmp(name, kPasses[i]) == 0) return i;
  }
  return -1;
}

std::vector<Rows> routings() {
  Rows many, very_many, growing;
  for (int i = 0; i < 70; ++i) many.push_back(i * 7 % 5 == 0 ? 0 : i * 13 % 37);
  for (int i = 0; i < 600; ++i) very_many.push_back(i % 7 == 0 ? 0 : i * 11 % 6);
  for (int i = 1; i <= 24; ++i) growing.push_back(16 * i - i % 3);
  return {{0, 5, 0, 135, 256, 1, 0, 243}, {300}, {0, 0, 0, 0}, {3, 17, 0, 880, 100, 63, 64, 163},
          {0, 0, 2700, 1, 0, 289},        many,  very_many,    growing};
}

struct Tally {
  long cases = 0, failed = 0;
};

void check_one(Run run, const Options& options, Tally& tally) {
  Problem problem(options);
  ++tally.cases;
  for (int repeat = 0; repeat < 2; ++repeat) {
    problem.poison();
    const std::string refusal = problem.run(run, nullptr);
    check_cuda(cudaDeviceSynchronize(), options.text().c_str());
    const std::int64_t wrong = problem.mismatches();
    if (!refusal.empty() || wrong != 0 || problem.status() != 0) {
      ++tally.failed;
      std::printf("FAIL %s: %lld differ, status %d %s\n", options.text().c_str(),
                  static_cast<long long>(wrong), problem.status(), refusal.c_str());
      std::fflush(stdout);
      return;
    }
  }
}

int check(Run run, int pass, const std::string& tactic) {
  Tally tally;
  const std::int64_t shapes[][2] = {{192, 320}, {200, 264},  {64, 64},
                                    {136, 520}, {264, 1032}, {8, 8}};
  int turn = 0;
  for (const Rows& rows : routings()) {
    for (const auto& shape : shapes) {
      for (int variant = 0; variant < 16; ++variant) {
        Options o;
        o.pass = pass;
        o.weights = variant & 1 ? ASSAY_EKN : ASSAY_ENK;
        o.fp16 = (variant & 2) != 0;
        o.fp32_out = (variant & 4) != 0;
        o.accumulate = pass == ASSAY_WGRAD && o.fp32_out && (variant & 8) != 0;
        if ((variant & 8) != 0 && !o.accumulate) continue;
        const int conventions[] = {ASSAY_OFFSETS_ENDS, ASSAY_OFFSETS_INDPTR, ASSAY_OFFSETS_COUNTS};
        o.convention = conventions[turn % 3];
        o.wide_offsets = o.convention != ASSAY_OFFSETS_ENDS && turn / 3 % 2 == 1;
        o.k = shape[0];
        o.n = shape[1];
        o.rows = rows;
        o.tail = turn % 4 == 0 ? 0 : 60;
        o.gap = turn % 5 == 0 ? 16 : 0;
        o.tactic = tactic;
        ++turn;
        check_one(run, o, tally);
      }
    }
  }
  std::printf("check %s %s: %ld cases, %ld failed\n", kPasses[pass], tactic.c_str(), tally.cases,
              tally.failed);
  return tally.failed != 0;
}

int garbage(Run run, const std::vector<const char*>& tactics) {
  Tally tally;
  const Rows patterns[] = {{-5, 40, 60, 100},     {50, 40, 60, 100},
                           {10, 20, 30, 1 << 30}, {2147483647, -2147483647, 7, 90},
                           {100, 100, 100, -1},   {1000000, 1000000, 1000000, 1000000}};
  for (int pass = 0; pass < 3; ++pass) {
    for (const char* tactic : tactics) {
      for (int convention : {ASSAY_OFFSETS_ENDS, ASSAY_OFFSETS_COUNTS}) {
        for (const Rows& pattern : patterns) {
          Options o;
          o.pass = pass;
          o.k = 192;
          o.n = 320;
          o.rows = {25, 25, 25, 25};
          o.tactic = tactic;
          o.convention = convention;
          Problem problem(o);
          problem.set_offsets(pattern);
          problem.poison();
          const std::string refusal = problem.run(run, nullptr);
          check_cuda(cudaDeviceSynchronize(), "garbage");
          ++tally.cases;
          if (!refusal.empty() || problem.status() != 1 || problem.stray_bytes() != 0) {
            ++tally.failed;
            std::printf("FAIL garbage %s: status %d stray %lld %s\n", o.text().c_str(),
                        problem.status(), static_cast<long long>(problem.stray_bytes()),
                        refusal.c_str());
          }
        }
      }
    }
  }
  std::printf("garbage: %ld cases, %ld failed\n", tally.cases, tally.failed);
  return tally.failed != 0;
}

int graph(Run run, const std::vector<const char*>& tactics) {
  Tally tally;
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreate(&stream), "stream");
  for (int pass = 0; pass < 3; ++pass) {
    for (const char* tactic : tactics) {
      Options o;
      o.pass = pass;
      o.k = 192;
      o.n = 320;
      o.rows = {100, 0, 300, 7, 93, 40};
      o.tactic = tactic;
      Problem problem(o);
      check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
      const std::string refusal = problem.run(run, stream);
      cudaGraph_t captured = nullptr;
      check_cuda(cudaStreamEndCapture(stream, &captured), refusal.c_str());
      cudaGraphExec_t ready = nullptr;
      check_cuda(cudaGraphInstantiate(&ready, captured, 0), "instantiate");
      for (const Rows& rows : {o.rows, Rows{0, 0, 0, 540, 0, 0}, Rows{1, 2, 3, 4, 5, 525}}) {
        problem.set_rows(rows);
        problem.poison();
        check_cuda(cudaDeviceSynchronize(), "graph");
        check_cuda(cudaGraphLaunch(ready, stream), "replay");
        check_cuda(cudaDeviceSynchronize(), "replay");
        ++tally.cases;
        const std::int64_t wrong = problem.mismatches();
        if (wrong == 0 && problem.status() == 0) continue;
        ++tally.failed;
        std::printf("FAIL graph %s: %lld differ\n", o.text().c_str(),
                    static_cast<long long>(wrong));
      }
      check_cuda(cudaGraphExecDestroy(ready), "destroy");
      check_cuda(cudaGraphDestroy(captured), "destroy");
    }
  }
  std::printf("graph: %ld replays, %ld failed\n", tally.cases, tally.failed);
  return tally.failed != 0;
}

// Real-valued operands: how many fp32 outputs of each kernel and tactic differ from the first
// one's.
int bits() {
  const std::pair<Run, const char*> all[] = {{sm90_run, "tall"},
                                             {sm90_run, "few"},
                                             {sm90_run, "plain"},
                                             {sm80_run, "rows128"},
                                             {sm80_run, "rows64"}};
  for (int pass = 0; pass < 3; ++pass) {
    for (const bool fp16 : {false, true}) {
      Options o;
      o.pass = pass;
      o.fp16 = fp16;
      o.fp32_out = true;
      o.k = 1024;
      o.n = 768;
      o.rows = {300, 0, 517, 1024, 64, 1};
      o.fill = Fill::kUniform;
      Problem problem(o);
      std::vector<std::uint32_t> first;
      std::printf("bits %s %s:", kPasses[pass], fp16 ? "fp16" : "bf16");
      for (const auto& [run, tactic] : all) {
        problem.set_tactic(tactic);
        problem.poison();
        const std::string refusal = problem.run(run, nullptr);
        check_cuda(cudaDeviceSynchronize(), refusal.c_str());
        const std::vector<std::uint32_t> words = problem.output_words();
        if (first.empty()) first = words;
        long differing = 0;
        for (std::size_t i = 0; i < words.size(); ++i) differing += words[i] != first[i] ? 1 : 0;
        std::printf(" %s %ld", tactic, differing);
      }
      std::printf(" of %zu\n", first.size());
    }
  }
  return 0;
}

}  // namespace
}  // namespace assay::trial

int main(int argc, char** argv) {
  using namespace assay::trial;
  const bool sm80 = argc > 1 && std::strcmp(argv[1], "sm80") == 0;
  const auto run = sm80 ? assay::sm80_run : assay::sm90_run;
  const std::vector<const char*> all = sm80 ? std::vector<const char*>{"rows128", "rows64"}
                                            : std::vector<const char*>{"tall", "few", "plain"};
  const std::string mode = argc > 2 ? argv[2] : "";
  if (mode == "check" && argc > 4) return check(run, pass_of(argv[3]), argv[4]);
  if (mode == "garbage") return garbage(run, all);
  if (mode == "graph") return graph(run, all);
  if (mode == "bits") return bits();
  std::printf("sm80|sm90 check PASS TACTIC | garbage | graph | bits\n");
  return 2;
}
