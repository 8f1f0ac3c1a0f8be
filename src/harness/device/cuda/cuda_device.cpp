// Device, by the CUDA runtime; the driver is found when it is asked for, nothing links to it.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "src/harness/device/cuda/device_work.cuh"
#include "src/harness/device/cuda/modular_product.h"
#include "src/harness/device/cuda/virtual_memory.h"
#include "src/harness/device/device.h"

namespace assay {
namespace {

constexpr int kLeastCapability = 80;

tl::unexpected<Error> runtime_error(cudaError_t error) {
  (void)cudaGetLastError();  // reported here, and not once more as what a kernel left behind
  return make_error(std::string(cudaGetErrorName(error)) + " (" + cudaGetErrorString(error) + ")");
}

Status status_of(cudaError_t error) {
  if (error == cudaSuccess) { return {}; }
  return runtime_error(error);
}

void* pointer(DeviceAddress address) { return reinterpret_cast<void*>(address); }

// As 580.159.04, from the line that the driver shows.
std::string driver_text() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word) {
    const bool number = word.find_first_not_of("0123456789.") == std::string::npos;
    if (number && word.find('.') != std::string::npos) { return word; }
  }
  return {};
}

// ASSAY_DEVICE_MEMORY=plain: allocations of just the size asked for, for compute-sanitizer.
bool wants_plain_memory() {
  const char* const wanted = std::getenv("ASSAY_DEVICE_MEMORY");
  return wanted != nullptr && std::string_view(wanted) == "plain";
}

DeviceFacts facts_of(int ordinal) {
  DeviceFacts facts;
  (void)cudaGetDeviceCount(&facts.devices);
  (void)cudaDriverGetVersion(&facts.driver);
  (void)cudaRuntimeGetVersion(&facts.runtime);
  cudaDeviceProp prop{};
  (void)cudaGetDeviceProperties(&prop, ordinal);
  facts.capability = prop.major * 10 + prop.minor;
  facts.multiprocessors = prop.multiProcessorCount;
  facts.memory_bytes = static_cast<std::int64_t>(prop.totalGlobalMem);
  store_text(facts.name, prop.name);
  store_text(facts.driver_text, driver_text());
  return facts;
}

class CudaDevice : public Device {
 public:
  CudaDevice(const DeviceFacts& facts, VirtualMemory memory)
      : facts_(facts), memory_(std::move(memory)) {}
  ~CudaDevice() override;

  DeviceFacts facts() const override { return facts_; }
  int ordinal() const override { return 0; }
  Result<DeviceBlock> map(Index bytes) override;
  void unmap(const DeviceBlock& block) override;
  Status upload(int stream, DeviceAddress to, const std::byte* from, Index bytes) override;
  Status download(int stream, std::byte* to, DeviceAddress from, Index bytes) override;
  Status copy(int stream, DeviceAddress to, DeviceAddress from, Index bytes) override;
  Status fill(int stream, DeviceAddress to, Index bytes) override;
  Result<DeviceAddress> first_written(std::span<const DeviceBlock> blocks) override;
  Result<oracle::IntegerProduct> multiply(const oracle::Matrix& matrix,
                                          const oracle::IntegerForm& form,
                                          std::span<const oracle::Residue> vector) override;
  Result<void*> stream(int stream) override;
  Status wait(int stream) override;
  Status hold(int stream, double seconds) override;
  Status begin_capture(int stream) override;
  Status end_capture(int stream) override;
  Status launch_graph(int stream) override;
  Status mark(int stream, int event) override;
  Result<double> seconds_between(int first_event, int second_event) override;
  Status use_other_device(bool other) override;
  Status pending_error() override { return status_of(cudaGetLastError()); }

 private:
  Result<DeviceBlock> allocate(Index bytes);
  Result<cudaStream_t> handle(int stream);
  Status copy_bytes(int stream, void* to, const void* from, Index bytes);

  DeviceFacts facts_;
  VirtualMemory memory_;
  bool plain_memory_ = wants_plain_memory();
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  cudaGraphExec_t graph_ = nullptr;
  unsigned long long* first_ = nullptr;  // on the device
  ModularProduct product_;
};

CudaDevice::~CudaDevice() {
  if (graph_ != nullptr) { (void)cudaGraphExecDestroy(graph_); }
  for (cudaEvent_t event : events_) { (void)cudaEventDestroy(event); }
  for (cudaStream_t stream : streams_) { (void)cudaStreamDestroy(stream); }
  if (first_ != nullptr) { (void)cudaFree(first_); }
}

Result<cudaStream_t> CudaDevice::handle(int stream) {
  while (static_cast<int>(streams_.size()) <= stream) {
    // The legacy default stream neither waits for these nor makes them wait.
    cudaStream_t made = nullptr;
    const cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    if (error != cudaSuccess) { return runtime_error(error); }
    streams_.push_back(made);
  }
  return streams_[stream];
}

Result<void*> CudaDevice::stream(int stream) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return static_cast<void*>(*found);
}

Result<DeviceBlock> CudaDevice::allocate(Index bytes) {
  if (!plain_memory_) { return memory_.map(bytes); }
  void* data = nullptr;
  const cudaError_t error = cudaMalloc(&data, static_cast<std::size_t>(bytes));
  if (error == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    return memory_error(bytes, free_device_bytes());
  }
  if (error != cudaSuccess) { return runtime_error(error); }
  return DeviceBlock{reinterpret_cast<DeviceAddress>(data), bytes};
}

Result<DeviceBlock> CudaDevice::map(Index bytes) {
  const auto block = allocate(bytes);
  if (!block) { return block; }
  Status filled = fill(0, block->address, block->bytes);
  if (filled) { filled = wait(0); }
  ASSAY_TRY(filled);
  return block;
}

void CudaDevice::unmap(const DeviceBlock& block) {
  (void)cudaDeviceSynchronize();
  if (plain_memory_) {
    (void)cudaFree(pointer(block.address));
  } else {
    memory_.unmap(block);
  }
}

Status CudaDevice::copy_bytes(int stream, void* to, const void* from, Index bytes) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return status_of(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, *found));
}

Status CudaDevice::upload(int stream, DeviceAddress to, const std::byte* from, Index bytes) {
  return copy_bytes(stream, pointer(to), from, bytes);
}

Status CudaDevice::download(int stream, std::byte* to, DeviceAddress from, Index bytes) {
  return copy_bytes(stream, to, pointer(from), bytes);
}

Status CudaDevice::copy(int stream, DeviceAddress to, DeviceAddress from, Index bytes) {
  return copy_bytes(stream, pointer(to), pointer(from), bytes);
}

Status CudaDevice::fill(int stream, DeviceAddress to, Index bytes) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return status_of(
      cudaMemsetAsync(pointer(to), kDeviceFill, static_cast<std::size_t>(bytes), *found));
}

Result<DeviceAddress> CudaDevice::first_written(std::span<const DeviceBlock> blocks) {
  const auto found = handle(0);
  ASSAY_TRY(found);
  cudaError_t error = cudaSuccess;
  if (first_ == nullptr) { error = cudaMalloc(&first_, sizeof *first_); }
  constexpr unsigned long long kNone = ~0ULL;
  if (error == cudaSuccess) { error = cudaMemsetAsync(first_, 0xff, sizeof *first_, *found); }
  WordRanges ranges;
  for (std::size_t i = 0; i < blocks.size() && error == cudaSuccess; ++i) {
    ranges.range[ranges.count++] = {static_cast<const std::uint64_t*>(pointer(blocks[i].address)),
                                    blocks[i].bytes / static_cast<Index>(sizeof(std::uint64_t))};
    if (ranges.count < kMostRanges && i + 1 < blocks.size()) { continue; }
    error = launch_first_differing(*found, ranges, kDeviceFillWord, first_);
    ranges.count = 0;
  }
  unsigned long long first = kNone;
  if (error == cudaSuccess) {
    error = cudaMemcpyAsync(&first, first_, sizeof first, cudaMemcpyDeviceToHost, *found);
  }
  if (error == cudaSuccess) { error = cudaStreamSynchronize(*found); }
  if (error != cudaSuccess) { return runtime_error(error); }
  return first == kNone ? 0 : first;
}

Result<oracle::IntegerProduct> CudaDevice::multiply(const oracle::Matrix& matrix,
                                                    const oracle::IntegerForm& form,
                                                    std::span<const oracle::Residue> vector) {
  const auto found = handle(0);
  ASSAY_TRY(found);
  oracle::IntegerProduct product;
  const cudaError_t error = product_.multiply(*found, matrix, form, vector, product);
  if (error != cudaSuccess) { return runtime_error(error); }
  return product;
}

Status CudaDevice::wait(int stream) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return status_of(cudaStreamSynchronize(*found));
}

Status CudaDevice::hold(int stream, double seconds) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return status_of(launch_hold(*found, seconds));
}

Status CudaDevice::begin_capture(int stream) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  // Not later: to destroy a graph while another is captured spoils that one.
  if (graph_ != nullptr) { (void)cudaGraphExecDestroy(graph_); }
  graph_ = nullptr;
  return status_of(cudaStreamBeginCapture(*found, cudaStreamCaptureModeGlobal));
}

Status CudaDevice::end_capture(int stream) {
  cudaGraph_t graph = nullptr;
  Status status = status_of(cudaStreamEndCapture(streams_[stream], &graph));
  if (status) { status = status_of(cudaGraphInstantiate(&graph_, graph, 0)); }
  if (graph != nullptr) { (void)cudaGraphDestroy(graph); }
  return status;
}

Status CudaDevice::launch_graph(int stream) {
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return status_of(cudaGraphLaunch(graph_, *found));
}

Status CudaDevice::mark(int stream, int event) {
  while (static_cast<int>(events_.size()) <= event) {
    cudaEvent_t made = nullptr;
    if (Status status = status_of(cudaEventCreate(&made)); !status) { return status; }
    events_.push_back(made);
  }
  const auto found = handle(stream);
  ASSAY_TRY(found);
  return status_of(cudaEventRecord(events_[event], *found));
}

Result<double> CudaDevice::seconds_between(int first_event, int second_event) {
  float milliseconds = 0;
  const cudaError_t error =
      cudaEventElapsedTime(&milliseconds, events_[first_event], events_[second_event]);
  if (error != cudaSuccess) { return runtime_error(error); }
  return static_cast<double>(milliseconds) / 1000;
}

Status CudaDevice::use_other_device(bool other) {
  if (other && facts_.devices < 2) { return make_error("there is one device only"); }
  return status_of(cudaSetDevice(other ? 1 : 0));
}

tl::unexpected<Error> device_error(const std::string& why) {
  int driver = 0, runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  const auto version = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  return make_error("no usable GPU (" + why + "): the driver supports CUDA " +
                    (driver == 0 ? "0, none is installed" : version(driver)) + "; needs " +
                    version(runtime) + " and compute capability 8.0 or more");
}

}  // namespace

Result<std::unique_ptr<Device>> open_device() {
  int devices = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices == 0) { error = cudaErrorNoDevice; }
  if (error == cudaSuccess) { error = cudaSetDevice(0); }
  if (error == cudaSuccess) {
    error = cudaFree(nullptr);  // makes the context
  }
  if (error != cudaSuccess) { return device_error(cudaGetErrorName(error)); }
  const DeviceFacts facts = facts_of(0);
  if (facts.capability < kLeastCapability) {
    return device_error(std::string(facts.name) + " has " + std::to_string(facts.capability / 10) +
                        "." + std::to_string(facts.capability % 10));
  }
  auto memory = VirtualMemory::open(0);
  if (!memory) { return device_error(memory.error().message); }
  return std::make_unique<CudaDevice>(facts, std::move(*memory));
}

}  // namespace assay
