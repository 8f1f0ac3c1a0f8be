// GpuBench on the first GPU: who takes part, and whether the answers are right before and after
// they were timed.
#include <algorithm>
#include <utility>

#include <cuda_runtime.h>

#include <fmt/format.h>

#include "src/bench/cuda/contestant.h"
#include "src/bench/cuda/product_clock.h"
#include "src/bench/gpu_bench.h"

namespace assay {
namespace {

constexpr Index kCopyBytes = Index{1} << 30;
constexpr int kPoison = 0xff;  // NaN in bf16 and fp16

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Result<GpuRecord> describe_machine() {
  GpuRecord record;
  int driver = 0, runtime = 0, devices = 0;
  (void)cudaDriverGetVersion(&driver);  // 0 where there is none
  (void)cudaRuntimeGetVersion(&runtime);
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices == 0) { error = cudaErrorNoDevice; }
  if (error == cudaSuccess) { error = cudaSetDevice(0); }
  if (error == cudaSuccess) {
    error = cudaFree(nullptr);  // makes the context
  }
  cudaDeviceProp prop{};
  if (error == cudaSuccess) { error = cudaGetDeviceProperties(&prop, 0); }
  if (error != cudaSuccess) {
    return make_error(fmt::format(
        "no usable GPU ({}): the driver supports CUDA {}; needs {} and compute capability 8.0",
        cudaGetErrorName(error), driver == 0 ? "0, none is installed" : version_text(driver),
        version_text(runtime)));
  }
  record.gpu = prop.name;
  record.driver = version_text(driver);
  record.runtime = version_text(runtime);
  return record;
}

Result<LoadedKernel> load_for_cuda(const std::string& spec) {
  auto kernel = load_kernel(spec);
  if (kernel && kernel->manifest.device != "cuda") {
    return make_error(fmt::format("kernel '{}' runs on the device '{}'; expected 'cuda'", spec,
                                  kernel->manifest.device));
  }
  return kernel;
}

void report_wrong(Contestant& contestant, const char* when, const std::string& what) {
  if (what.empty()) { return; }
  contestant.contest.wrong = true;
  contestant.contest.trouble = fmt::format("wrong {} timing: {}", when, what);
}

tl::unexpected<Error> blame(const Contestant& contestant, const Error& error) {
  return make_error(
      fmt::format("{} {}: {}", contestant.contest.name, contestant.contest.tactic, error.message));
}

class CudaBench : public GpuBench {
 public:
  CudaBench(GpuBenchOptions options, GpuRecord machine, cudaStream_t stream)
      : options_(std::move(options)), machine_(std::move(machine)), stream_(stream) {}
  ~CudaBench() override;

  Status start();
  GpuRecord machine() const override { return machine_; }
  Result<TimedProduct> measure(const BenchCase& shape, Pass pass) override;

 private:
  Status measure_copy();
  Result<std::vector<Contestant>> contestants_for(const BenchOperands& operands);
  Status invite_kernels(const BenchOperands& operands, std::vector<Contestant>& contestants);
  Result<Digest> digest_of(const Contestant& contestant);
  // What is wrong with the answer that lies in the output; "": nothing that the samples show.
  // Sets *digest to the answer's.
  Result<std::string> check_answer(const Contestant& contestant, Digest* digest);
  Status check_before(Contestant& contestant);
  Status check_after(Contestant& contestant);

  GpuBenchOptions options_;
  GpuRecord machine_;
  cudaStream_t stream_;
  std::vector<LoadedKernel> kernels_;
  std::unique_ptr<CublasLibrary> cublas_;
  std::optional<ProductClock> clock_;
  DeviceMemory digest_, elements_, results_;
};

CudaBench::~CudaBench() {
  cublas_.reset();
  (void)cudaStreamDestroy(stream_);
}

Status CudaBench::start() {
  for (const std::string& spec : options_.kernels) {
    auto kernel = load_for_cuda(spec);
    ASSAY_TRY(kernel);
    kernels_.push_back(std::move(*kernel));
  }
  auto cublas = CublasLibrary::open(stream_, options_.in);
  ASSAY_TRY(cublas);
  cublas_ = std::move(*cublas);
  machine_.cublas = cublas_->version();
  machine_.in = name(options_.in);
  machine_.weights = name(options_.weights);
  auto clock = ProductClock::open(stream_);
  ASSAY_TRY(clock);
  clock_ = std::move(*clock);
  auto digest = allocate(sizeof(Digest));
  ASSAY_TRY(digest);
  digest_ = std::move(*digest);
  auto elements = allocate(kSamples * static_cast<Index>(sizeof(SampledElement)));
  ASSAY_TRY(elements);
  elements_ = std::move(*elements);
  auto results = allocate(kSamples * static_cast<Index>(sizeof(SampledResult)));
  ASSAY_TRY(results);
  results_ = std::move(*results);
  return measure_copy();
}

Status CudaBench::measure_copy() {
  const auto from = allocate(kCopyBytes), to = allocate(kCopyBytes);
  ASSAY_TRY(from);
  ASSAY_TRY(to);
  ASSAY_CUDA_TRY(cudaMemsetAsync(from->get(), 0, kCopyBytes, stream_));
  const auto copy = clock_->time_alone([&]() -> Status {
    ASSAY_CUDA_TRY(
        cudaMemcpyAsync(to->get(), from->get(), kCopyBytes, cudaMemcpyDeviceToDevice, stream_));
    return {};
  });
  ASSAY_TRY(copy);
  machine_.copy_bytes_per_second = 2 * static_cast<double>(kCopyBytes) / *copy;
  const auto bare = clock_->time_alone([]() -> Status { return {}; });
  ASSAY_TRY(bare);
  machine_.bare_seconds = *bare;
  return {};
}

Status CudaBench::invite_kernels(const BenchOperands& operands,
                                 std::vector<Contestant>& contestants) {
  for (const LoadedKernel& kernel : kernels_) {
    std::vector<std::string> tactics{"default"};
    if (options_.all_tactics) {
      tactics.insert(tactics.end(), kernel.manifest.tactics.begin(), kernel.manifest.tactics.end());
    }
    for (const std::string& tactic : tactics) {
      auto contestant = kernel_contestant(operands, kernel, tactic, stream_);
      ASSAY_TRY(contestant);
      contestants.push_back(std::move(*contestant));
    }
  }
  return {};
}

Result<std::vector<Contestant>> CudaBench::contestants_for(const BenchOperands& operands) {
  std::vector<Contestant> contestants;
  ASSAY_TRY(invite_kernels(operands, contestants));
  auto dense = dense_contestant(operands, *cublas_);
  ASSAY_TRY(dense);
  contestants.push_back(std::move(*dense));
  if (!options_.baselines) { return contestants; }
  // A baseline that does not fit into memory says so and stays away.
  const auto invite = [&](const char* name, Result<Contestant> made) {
    Contestant absent;
    absent.contest.name = name;
    absent.contest.kind = ContestantKind::kBaseline;
    if (!made) { absent.contest.trouble = made.error().message; }
    contestants.push_back(made ? std::move(*made) : std::move(absent));
  };
  invite("cublas_grouped", grouped_contestant(operands, *cublas_, stream_));
  invite("cublas_loop", loop_contestant(operands, *cublas_, stream_));
  invite("cublas_padded", padded_contestant(operands, *cublas_, stream_));
  return contestants;
}

Result<Digest> CudaBench::digest_of(const Contestant& contestant) {
  ASSAY_CUDA_TRY(cudaMemsetAsync(digest_.get(), 0, sizeof(Digest), stream_));
  ASSAY_CUDA_TRY(launch_digest(stream_, contestant.out.get(), contestant.out_bytes,
                               options_.in == Format::kBf16, static_cast<Digest*>(digest_.get())));
  Digest digest;
  ASSAY_CUDA_TRY(
      cudaMemcpyAsync(&digest, digest_.get(), sizeof digest, cudaMemcpyDeviceToHost, stream_));
  ASSAY_CUDA_TRY(cudaStreamSynchronize(stream_));
  return digest;
}

Result<std::string> CudaBench::check_answer(const Contestant& contestant, Digest* digest) {
  const auto found = digest_of(contestant);
  ASSAY_TRY(found);
  *digest = *found;
  if (found->nans > 0) {
    return fmt::format("{} elements hold NaN or were not written", found->nans);
  }
  const std::size_t count = contestant.samples.size();
  std::vector<SampledResult> results(count);
  const std::size_t element_bytes = count * sizeof(SampledElement);
  ASSAY_CUDA_TRY(cudaMemcpyAsync(elements_.get(), contestant.samples.data(), element_bytes,
                                 cudaMemcpyHostToDevice, stream_));
  ASSAY_CUDA_TRY(
      launch_samples(stream_, {.elements = static_cast<const SampledElement*>(elements_.get()),
                               .results = static_cast<SampledResult*>(results_.get()),
                               .count = static_cast<Index>(count),
                               .a = contestant.a,
                               .b = contestant.b,
                               .out = contestant.out.get(),
                               .bf16 = options_.in == Format::kBf16}));
  ASSAY_CUDA_TRY(cudaMemcpyAsync(results.data(), results_.get(), count * sizeof(SampledResult),
                                 cudaMemcpyDeviceToHost, stream_));
  ASSAY_CUDA_TRY(cudaStreamSynchronize(stream_));
  const Status accepted = accept_samples(
      contestant.samples, results,
      {.in = options_.in, .out = options_.in, .largest = kLargestRandom}, contestant.arithmetic);
  return accepted ? std::string() : accepted.error().message;
}

// One run over poison; poison again, so that an answer after timing comes from a timed run.
Status CudaBench::check_before(Contestant& contestant) {
  if (!contestant.contest.trouble.empty()) { return {}; }
  const auto bytes = static_cast<std::size_t>(contestant.out_bytes);
  ASSAY_CUDA_TRY(cudaMemsetAsync(contestant.out.get(), kPoison, bytes, stream_));
  const Status launched = contestant.launch();
  ASSAY_CUDA_TRY(cudaStreamSynchronize(stream_));
  if (!launched) {
    contestant.contest.trouble = launched.error().message;
    return {};
  }
  auto wrong = check_answer(contestant, &contestant.digest);
  ASSAY_TRY(wrong);
  report_wrong(contestant, "before", *wrong);
  ASSAY_CUDA_TRY(cudaMemsetAsync(contestant.out.get(), kPoison, bytes, stream_));
  return {};
}

Status CudaBench::check_after(Contestant& contestant) {
  Digest digest;
  auto wrong = check_answer(contestant, &digest);
  ASSAY_TRY(wrong);
  if (wrong->empty() && contestant.deterministic && !(digest == contestant.digest)) {
    *wrong = "its bits are not those of the run before timing";
  }
  report_wrong(contestant, "after", *wrong);
  return {};
}

Result<TimedProduct> CudaBench::measure(const BenchCase& shape, Pass pass) {
  const auto operands = make_operands(stream_, shape, pass, options_.in, options_.weights);
  ASSAY_TRY(operands);
  auto contestants = contestants_for(*operands);
  ASSAY_TRY(contestants);
  std::vector<Contestant*> timed;
  for (Contestant& contestant : *contestants) {
    if (const Status checked = check_before(contestant); !checked) {
      return blame(contestant, checked.error());
    }
    if (contestant.contest.trouble.empty()) { timed.push_back(&contestant); }
  }
  const Status clocked =
      clock_->time_rounds(timed, {.rounds = options_.rounds, .seconds = options_.seconds});
  ASSAY_TRY(clocked);
  std::vector<Contest> contests;
  for (Contestant* contestant : timed) {
    if (const Status checked = check_after(*contestant); !checked) {
      return blame(*contestant, checked.error());
    }
  }
  for (Contestant& contestant : *contestants) { contests.push_back(std::move(contestant.contest)); }
  const double floor_seconds =
      shape.least_bytes(pass, size_bytes(options_.in)) / machine_.copy_bytes_per_second;
  return summarise(shape, pass, floor_seconds, contests);
}

}  // namespace

Result<std::unique_ptr<GpuBench>> open_gpu_bench(const GpuBenchOptions& options) {
  auto machine = describe_machine();
  ASSAY_TRY(machine);
  // The default stream waits for this one and makes it wait: a kernel that runs there instead is
  // timed all the same.
  cudaStream_t stream = nullptr;
  ASSAY_CUDA_TRY(cudaStreamCreate(&stream));
  auto bench = std::make_unique<CudaBench>(options, std::move(*machine), stream);
  ASSAY_TRY(bench->start());
  return bench;
}

}  // namespace assay
