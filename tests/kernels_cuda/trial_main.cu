// Trial of the GPU kernels, by hand: `gpu_trial sm90 check fwd tall`, `gpu_trial sm90 garbage`,
// `gpu_trial sm80 graph`, `gpu_trial sm90 time cases.csv decode`, `gpu_trial sm90 bits`. Prints one
// line a failure and a summary.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <cublas_v2.h>
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

struct PeerCase {
  std::string name;
  std::int64_t k = 0, n = 0;
  Rows rows;
};

bool find_case(const char* path, const std::string& name, PeerCase& found) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::vector<std::string> fields;
    while (std::getline(words, word, ',')) fields.push_back(word);
    if (fields.empty() || fields[0] != name) continue;
    found = {name, std::stoll(fields[1]), std::stoll(fields[2]), {}};
    for (std::size_t i = 3; i < fields.size(); ++i) found.rows.push_back(std::stoll(fields[i]));
    return true;
  }
  return false;
}

struct Contender {
  std::string name;
  std::function<void()> go;
  std::vector<float> milliseconds;

  float median() {
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[milliseconds.size() / 2];
  }
};

// One cuBLAS product of as many operations, on the same operands.
void dense_product(cublasHandle_t handle, const Problem& p) {
  const Options& o = p.options();
  const float one = 1, zero = 0;
  const int k = static_cast<int>(o.k), n = static_cast<int>(o.n),
            r = static_cast<int>(p.total_rows());
  auto product = [&](cublasOperation_t a_op, cublasOperation_t b_op, int m, int cols, int depth,
                     const void* a, int lda, const void* b, int ldb, void* c, int ldc) {
    return cublasGemmEx(handle, a_op, b_op, m, cols, depth, &one, a, CUDA_R_16BF, lda, b,
                        CUDA_R_16BF, ldb, &zero, c, CUDA_R_16BF, ldc, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT);
  };
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (o.pass == ASSAY_FWD) {
    status = product(CUBLAS_OP_T, CUBLAS_OP_N, n, r, k, p.w(), k, p.x(), k, p.y(), n);
  } else if (o.pass == ASSAY_DGRAD) {
    status = product(CUBLAS_OP_N, CUBLAS_OP_N, k, r, n, p.w(), k, p.y(), n, p.x(), k);
  } else if (o.weights == ASSAY_ENK) {
    status = product(CUBLAS_OP_N, CUBLAS_OP_T, k, n, r, p.x(), k, p.y(), n, p.w(), k);
  } else {
    status = product(CUBLAS_OP_N, CUBLAS_OP_T, n, k, r, p.y(), n, p.x(), k, p.w(), n);
  }
  if (status != CUBLAS_STATUS_SUCCESS) std::printf("cuBLAS: %d\n", static_cast<int>(status));
}

void time_pass(Run run, const PeerCase& peer, int pass, int layout, cublasHandle_t handle,
               const std::vector<std::string>& tactics) {
  Options o;
  o.pass = pass;
  o.k = peer.k;
  o.n = peer.n;
  o.rows = peer.rows;
  o.weights = layout;
  o.fill = Fill::kUniform;
  Problem problem(o);
  std::vector<Contender> contenders;
  contenders.push_back({"dense", [&] { dense_product(handle, problem); }, {}});
  for (const std::string& tactic : tactics) {
    contenders.push_back({tactic,
                          [&problem, run, tactic] {
                            problem.set_tactic(tactic);
                            const std::string refusal = problem.run(run, nullptr);
                            if (!refusal.empty())
                              check_cuda(cudaErrorNotSupported, refusal.c_str());
                          },
                          {}});
  }
  const double gflop = 2e-9 * static_cast<double>(problem.total_rows()) * static_cast<double>(o.k) *
                       static_cast<double>(o.n);
  const int launches = gflop > 1000 ? 2 : 5, rounds = gflop > 1000 ? 9 : 15;
  cudaEvent_t begin = nullptr, end = nullptr;
  check_cuda(cudaEventCreate(&begin), "event");
  check_cuda(cudaEventCreate(&end), "event");
  for (int round = -3; round < rounds; ++round) {
    for (Contender& contender : contenders) {
      contender.go();
      check_cuda(cudaEventRecord(begin), "event");
      for (int i = 0; i < launches; ++i) contender.go();
      check_cuda(cudaEventRecord(end), "event");
      check_cuda(cudaEventSynchronize(end), contender.name.c_str());
      float milliseconds = 0;
      check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "event");
      if (round >= 0) contender.milliseconds.push_back(milliseconds / static_cast<float>(launches));
    }
  }
  const float dense = contenders[0].median();
  std::printf("%-14s %-5s %s", peer.name.c_str(), kPasses[pass],
              layout == ASSAY_ENK ? "enk" : "ekn");
  for (Contender& contender : contenders) {
    const float m = contender.median();
    std::printf("  %s %.4f ms %.0f (%.3f)", contender.name.c_str(), m,
                gflop / static_cast<double>(m), static_cast<double>(dense / m));
  }
  std::printf("\n");
  std::fflush(stdout);
}

int time_case(Run run, const char* path, const std::string& name,
              const std::vector<std::string>& t) {
  PeerCase peer;
  if (!find_case(path, name, peer)) {
    std::printf("no case %s in %s\n", name.c_str(), path);
    return 2;
  }
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 3;
  void* workspace = nullptr;
  constexpr std::size_t kBytes = 64 << 20;
  check_cuda(cudaMalloc(&workspace, kBytes), "cudaMalloc");
  (void)cublasSetWorkspace(handle, workspace, kBytes);
  for (int pass = 0; pass < 3; ++pass) time_pass(run, peer, pass, ASSAY_ENK, handle, t);
  time_pass(run, peer, ASSAY_WGRAD, ASSAY_EKN, handle, t);
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
  if (mode == "time" && argc > 4) {
    std::vector<std::string> tactics(argv + 5, argv + argc);
    if (tactics.empty()) tactics = {"default"};
    return time_case(run, argv[3], argv[4], tactics);
  }
  std::printf("sm80|sm90 check PASS TACTIC | garbage | graph | bits | time CSV CASE [TACTIC...]\n");
  return 2;
}
