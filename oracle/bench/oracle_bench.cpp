// Speed of the oracle, each against what it has to keep up with: products a second of one core, and
// the fast oracle over one fp64 BLAS product of the same size.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <cblas.h>

#include "oracle/fingerprint.h"
#include "oracle/judge.h"
#include "oracle/model.h"

namespace assay::oracle {
namespace {

constexpr int kThreads = 2;

struct Sizes {
  Index experts = 1, m = 0, n = 0, k = 0;
  bool weights_by_columns = true;  // enk: b is stored n by k
  bool gradient = false;           // wgrad: a is stored k by m
  bool integers = false;
  Format out = Format::kBf16;
};

Index total_products(const Sizes& sizes) { return sizes.experts * sizes.m * sizes.n * sizes.k; }

// bf16 operands of several experts, and outputs that are right.
class Workload {
 public:
  explicit Workload(const Sizes& sizes) {
    std::mt19937_64 random(1);
    const auto draw = [&](std::vector<std::uint16_t>& values, Index count) {
      std::normal_distribution<float> normal;
      std::vector<std::uint16_t> pool(65521);
      for (std::uint16_t& bits : pool) {
        const double value =
            sizes.integers ? (random() % 64 == 0 ? static_cast<double>(random() % 3) - 1 : 0.0)
                           : normal(random);
        bits = static_cast<std::uint16_t>(round_nearest(Format::kBf16, value));
      }
      values.resize(count);
      for (Index i = 0; i < count; ++i) values[i] = pool[i % 65521];
    };
    draw(a_, sizes.experts * sizes.m * sizes.k);
    draw(b_, sizes.experts * sizes.n * sizes.k);
    const Index size_bytes = shape(sizes.out).size_bytes;
    got_.resize(sizes.experts * sizes.m * sizes.n * size_bytes);
    for (Index expert = 0; expert < sizes.experts; ++expert) {
      Product product;
      product.a = {a_.data() + expert * sizes.m * sizes.k,
                   Format::kBf16,
                   sizes.m,
                   sizes.k,
                   sizes.gradient ? 1 : sizes.k,
                   sizes.gradient ? sizes.m : 1};
      product.b = {b_.data() + expert * sizes.n * sizes.k,
                   Format::kBf16,
                   sizes.k,
                   sizes.n,
                   sizes.weights_by_columns ? 1 : sizes.n,
                   sizes.weights_by_columns ? sizes.k : 1};
      char* out = got_.data() + expert * sizes.m * sizes.n * size_bytes;
      product.got = {out, sizes.out, sizes.m, sizes.n, sizes.n, 1};
      exact_result(product, out);
      products.push_back(product);
    }
  }
  std::vector<Product> products;

 private:
  std::vector<std::uint16_t> a_, b_;
  std::vector<char> got_;
};

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// fp64 products of the same size: wall time with all threads of OpenBLAS, and processor time with
// one, which other work on the machine disturbs less.
struct BlasCost {
  double seconds = std::numeric_limits<double>::infinity();
  double processor_seconds = std::numeric_limits<double>::infinity();
};
BlasCost blas_cost(const Sizes& sizes) {
  std::vector<double> a(sizes.m * sizes.k, 1.5), b(sizes.k * sizes.n, 2.5), c(sizes.m * sizes.n);
  const auto multiply = [&] {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(sizes.m),
                static_cast<blasint>(sizes.n), static_cast<blasint>(sizes.k), 1.0, a.data(),
                static_cast<blasint>(sizes.k), b.data(), static_cast<blasint>(sizes.k), 0.0,
                c.data(), static_cast<blasint>(sizes.n));
  };
  const int threads = openblas_get_num_threads();
  BlasCost cost;
  for (int repeat = 0; repeat < 4; ++repeat) {
    cost.seconds = std::min(cost.seconds, seconds_of(multiply));
    openblas_set_num_threads(1);
    const double start = processor_seconds();
    multiply();
    cost.processor_seconds = std::min(cost.processor_seconds, processor_seconds() - start);
    openblas_set_num_threads(threads);
  }
  cost.seconds *= static_cast<double>(sizes.experts);
  cost.processor_seconds *= static_cast<double>(sizes.experts);
  return cost;
}

void set_rate(benchmark::State& state, Index products) {
  state.counters["products_per_s"] = benchmark::Counter(
      static_cast<double>(products), benchmark::Counter::kIsIterationInvariantRate);
}

void judge_exactly(benchmark::State& state) {
  const Sizes sizes{.m = 16, .n = 16, .k = state.range(0)};
  const Workload workload(sizes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        judge_exact(workload.products, kHopperWgmma, {.skip_trivial = true}).wrong);
  }
  set_rate(state, total_products(sizes));
}
BENCHMARK(judge_exactly)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

void predict_bits(benchmark::State& state, const Arithmetic& arithmetic) {
  const Sizes sizes{.m = 64, .n = 128, .k = 1024};
  const Workload workload(sizes);
  std::vector<char> out(sizes.m * sizes.n * 2);
  for (auto _ : state) predict(workload.products[0], arithmetic, out.data());
  set_rate(state, total_products(sizes));
}
BENCHMARK_CAPTURE(predict_bits, hopper_wgmma, kHopperWgmma)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_bits, ampere_mma, kAmpereMma)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_bits, fp32_fma, kFp32Fma)->Unit(benchmark::kMillisecond);

void judge_fast_over_blas(benchmark::State& state, const Sizes& sizes) {
  const Workload workload(sizes);
  const BlasCost blas = blas_cost(sizes);
  const JudgeOptions options{.exact_input = sizes.integers, .threads = kThreads};
  double seconds = 0;
  const double start = processor_seconds();
  for (auto _ : state) {
    seconds += seconds_of([&] {
      const Judgement judgement = judge_fast(workload.products, kHopperWgmma, options);
      if (judgement.wrong != 0) state.SkipWithError("a right output was judged wrong");
    });
  }
  const auto count = static_cast<double>(state.iterations());
  state.counters["blas_ms"] = 1e3 * blas.seconds;
  state.counters["over_blas"] = seconds / count / blas.seconds;
  state.counters["processor_over_blas"] =
      (processor_seconds() - start) / count / blas.processor_seconds;
}
BENCHMARK_CAPTURE(judge_fast_over_blas, normal, Sizes{.experts = 4, .m = 256, .n = 2048, .k = 4096})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(judge_fast_over_blas, normal_ekn,
                  Sizes{.experts = 4, .m = 256, .n = 2048, .k = 4096, .weights_by_columns = false})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(judge_fast_over_blas, normal_fp32_out,
                  Sizes{.experts = 4, .m = 256, .n = 2048, .k = 4096, .out = Format::kFp32})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(judge_fast_over_blas, normal_gradient,
                  Sizes{.experts = 2,
                        .m = 4096,
                        .n = 2048,
                        .k = 256,
                        .weights_by_columns = false,
                        .gradient = true})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(judge_fast_over_blas, integers,
                  Sizes{.experts = 4, .m = 256, .n = 2048, .k = 4096, .integers = true})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// One training step at full model width: 16,384 rows of 64 experts.
constexpr Sizes kFullWidth{.experts = 64, .m = 256, .n = 2048, .k = 4096};

void judge_full_width(benchmark::State& state) {
  const Workload workload(kFullWidth);
  for (auto _ : state) {
    const Judgement judgement = judge_fast(workload.products, kHopperWgmma, {.threads = kThreads});
    if (judgement.wrong != 0) state.SkipWithError("a right output was judged wrong");
  }
}
BENCHMARK(judge_full_width)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

void fingerprint_full_width(benchmark::State& state, Format out) {
  Sizes sizes = kFullWidth;
  sizes.integers = true;
  sizes.out = out;
  const Workload workload(sizes);
  for (auto _ : state) {
    const FingerprintResult result =
        check_fingerprint(workload.products, {.seed = 1, .threads = kThreads});
    if (!result.held) state.SkipWithError("a right output has a wrong fingerprint");
  }
}
BENCHMARK_CAPTURE(fingerprint_full_width, bf16, Format::kBf16)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);
BENCHMARK_CAPTURE(fingerprint_full_width, fp32, Format::kFp32)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);

// 64 k products in eight experts: what campaigns judge by the hundred.
void judge_small_case(benchmark::State& state, bool integers) {
  const Sizes sizes{.experts = 8, .m = 8, .n = 16, .k = 64, .integers = integers};
  const Workload workload(sizes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        judge_fast(workload.products, kHopperWgmma, {.exact_input = integers}).wrong);
  }
  set_rate(state, total_products(sizes));
}
BENCHMARK_CAPTURE(judge_small_case, normal, false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_small_case, integers, true)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay::oracle

BENCHMARK_MAIN();
