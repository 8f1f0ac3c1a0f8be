// FakeDevice: a GPU of host memory, with streams that do nothing until they are waited for, and
// kernels for it: the plain loops of plugins/naive.h, right or with one mistake of asynchrony.
#pragma once

#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "src/core/require.h"
#include "src/harness/call/executor.h"
#include "src/harness/call/session.h"
#include "tests/harness/plugins/naive.h"

namespace assay::testing {

// What a kernel is given as its stream.
struct FakeStream {
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void()>;
  std::vector<Work> work;
  std::vector<Work> captured;
  Clock::time_point held_until{};  // until then no work begins of itself
  bool capturing = false;
  bool spoiled = false;  // something during the capture that a graph cannot hold

  void put(Work item) { (capturing ? captured : work).push_back(std::move(item)); }
  void run() {
    for (const Work& item : std::exchange(work, {})) { item(); }
  }
  // As a kernel calls it.
  void synchronize() {
    if (capturing) {
      spoiled = true;
    } else {
      run();
    }
  }
};

// What a device says that is not sound.
struct FakeFaults {
  std::string after_call{};   // every wait after the first call
  std::string in_multiply{};  // every multiplication
  bool lasts = false;         // and every wait after it
  Index memory_bytes = Index{1} << 40;
};

class FakeDevice : public Device {
 public:
  explicit FakeDevice(FakeFaults faults = {}) : faults_(std::move(faults)) {}
  ~FakeDevice() override { ASSAY_REQUIRE(blocks_.empty(), blocks_.size()); }

  DeviceFacts facts() const override {
    DeviceFacts facts;
    facts.devices = 1;
    facts.capability = 90;
    facts.driver = facts.runtime = 13000;
    store_text(facts.name, "fake");
    return facts;
  }
  int ordinal() const override { return 0; }

  Result<DeviceBlock> map(Index bytes) override {
    constexpr Index kUnit = 65536;
    const Index rounded = (bytes + kUnit - 1) / kUnit * kUnit;
    Index free = faults_.memory_bytes;
    for (const auto& [address, taken] : blocks_) { free -= taken; }
    if (rounded > free) { return memory_error(rounded, free); }
    void* const window = mmap(nullptr, rounded + 2 * kUnit, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSAY_REQUIRE(window != MAP_FAILED, rounded);
    const DeviceBlock block{reinterpret_cast<DeviceAddress>(window) + kUnit, rounded};
    mprotect(pointer(block.address), rounded, PROT_READ | PROT_WRITE);
    constexpr Index kFilled = Index{64} << 20;  // of a sparse block, pages that are used count
    if (rounded <= kFilled) { std::memset(pointer(block.address), kDeviceFill, rounded); }
    blocks_[block.address] = rounded;
    return block;
  }
  void unmap(const DeviceBlock& block) override {
    constexpr Index kUnit = 65536;
    ASSAY_REQUIRE(blocks_.erase(block.address) == 1, block.address);
    munmap(pointer(block.address - kUnit), block.bytes + 2 * kUnit);
  }
  Status upload(int stream, DeviceAddress to, const std::byte* from, Index bytes) override {
    at(stream).put([=] { std::memcpy(pointer(to), from, bytes); });
    return {};
  }
  Status download(int stream, std::byte* to, DeviceAddress from, Index bytes) override {
    at(stream).put([=] { std::memcpy(to, pointer(from), bytes); });
    return {};
  }
  Status copy(int stream, DeviceAddress to, DeviceAddress from, Index bytes) override {
    at(stream).put([=] { std::memcpy(pointer(to), pointer(from), bytes); });
    return {};
  }
  Status fill(int stream, DeviceAddress to, Index bytes) override {
    at(stream).put([=] { std::memset(pointer(to), kDeviceFill, bytes); });
    return {};
  }
  Result<DeviceAddress> first_written(std::span<const DeviceBlock> blocks) override {
    at(0).run();
    DeviceAddress first = 0;
    for (const DeviceBlock& block : blocks) {
      const auto* const words = static_cast<const std::uint64_t*>(pointer(block.address));
      for (Index i = 0; i < block.bytes / 8; ++i) {
        if (words[i] == kDeviceFillWord) { continue; }
        const auto found = reinterpret_cast<DeviceAddress>(words + i);
        first = first == 0 ? found : std::min(first, found);
        break;
      }
    }
    return first;
  }
  Result<oracle::IntegerProduct> multiply(const oracle::Matrix& matrix,
                                          const oracle::IntegerForm& form,
                                          std::span<const oracle::Residue> vector) override {
    at(0).run();
    if (!faults_.in_multiply.empty()) {
      if (faults_.lasts) { said_ = faults_.in_multiply; }
      return make_error(faults_.in_multiply);
    }
    return oracle::multiply_modulo(matrix, form, vector);
  }
  Result<void*> stream(int stream) override { return static_cast<void*>(&at(stream)); }
  Status wait(int stream) override {
    at(stream).run();
    return said_.empty() ? Status() : Status(make_error(said_));
  }
  Status hold(int stream, double seconds) override {
    const std::chrono::duration<double> held(seconds);
    at(stream).held_until =
        FakeStream::Clock::now() + std::chrono::duration_cast<FakeStream::Clock::duration>(held);
    return {};
  }
  Status begin_capture(int stream) override {
    at(stream).run();
    at(stream).captured.clear();
    at(stream).capturing = true;
    at(stream).spoiled = false;
    return {};
  }
  Status end_capture(int stream) override {
    at(stream).capturing = false;
    if (at(stream).spoiled) { return make_error("fakeErrorStreamCaptureUnsupported"); }
    graph_ = at(stream).captured;
    return {};
  }
  Status launch_graph(int stream) override {
    for (const FakeStream::Work& item : graph_) { at(stream).put(item); }
    return {};
  }
  Status mark(int, int) override {
    if (!faults_.after_call.empty()) { said_ = faults_.after_call; }
    return {};
  }
  Result<double> seconds_between(int, int) override { return 1e-6; }
  Status use_other_device(bool other) override {
    return other ? Status(make_error("there is one device only")) : Status();
  }
  Status pending_error() override { return {}; }

 private:
  static void* pointer(DeviceAddress address) { return reinterpret_cast<void*>(address); }
  FakeStream& at(int stream) {
    while (static_cast<int>(streams_.size()) <= stream) {
      streams_.push_back(std::make_unique<FakeStream>());
    }
    return *streams_[stream];
  }

  FakeFaults faults_;
  std::string said_;  // by every wait from now on
  std::vector<std::unique_ptr<FakeStream>> streams_;
  std::vector<FakeStream::Work> graph_;
  std::map<DeviceAddress, Index> blocks_;
};

// The call with tensors of its own, as a launch copies its arguments.
struct FakeLaunch {
  explicit FakeLaunch(const assay_call& from) : call(from) {
    const assay_tensor** const pointers[] = {&call.x, &call.w, &call.y, &call.offsets, &call.sizes};
    for (int i = 0; i < 5; ++i) {
      const assay_tensor* const tensor = *pointers[i];
      if (tensor == nullptr) { continue; }
      tensors[i] = *tensor;
      for (int axis = 0; axis < tensor->ndim; ++axis) {
        shape[i][axis] = tensor->shape[axis];
        strides[i][axis] = tensor->strides[axis];
      }
      tensors[i].shape = shape[i];
      tensors[i].strides = strides[i];
      *pointers[i] = &tensors[i];
    }
  }
  FakeLaunch(const FakeLaunch&) = delete;
  FakeLaunch& operator=(const FakeLaunch&) = delete;

  assay_call call;
  assay_tensor tensors[5];
  std::int64_t shape[5][3], strides[5][3];
};

inline FakeStream& stream_of(const assay_call& call) {
  return *static_cast<FakeStream*>(call.stream);
}
inline bool is_on_device(const assay_call& call) {
  return call.x->device.device_type == 2 && call.y->device.device_type == 2;
}

// Everything in the stream.
inline int fake_run(const assay_call* call) {
  if (!is_on_device(*call)) { return naive_answer(call, ASSAY_UNSUPPORTED, "not on the device"); }
  auto launch = std::make_shared<FakeLaunch>(*call);
  stream_of(*call).put([launch] { naive_run(&launch->call); });
  return ASSAY_OK;
}
// Work begins at once, whatever is in the stream.
inline int fake_ignores_its_stream(const assay_call* call) { return naive_run(call); }
// The same, and safe with offsets that are not there yet.
inline int fake_runs_early(const assay_call* call) {
  for (std::int64_t i = 0; i < call->experts; ++i) {
    if (naive_index(call->offsets, i) < 0) { return ASSAY_OK; }
  }
  return fake_ignores_its_stream(call);
}
// Waits for its own work.
inline int fake_waits(const assay_call* call) {
  const int status = fake_run(call);
  stream_of(*call).synchronize();
  return status;
}
// Takes the offsets along as they are at the call.
inline int fake_reads_offsets_early(const assay_call* call) {
  auto launch = std::make_shared<FakeLaunch>(*call);
  auto copy = std::make_shared<std::vector<std::int32_t>>(
      static_cast<const std::int32_t*>(call->offsets->data),
      static_cast<const std::int32_t*>(call->offsets->data) + call->experts);
  launch->tensors[3].data = copy->data();
  stream_of(*call).put([launch, copy] { naive_run(&launch->call); });
  return ASSAY_OK;
}
// Changes a byte `distance` bytes from y.
template <std::int64_t kDistance>
int fake_writes_at(const assay_call* call) {
  const int status = fake_run(call);
  char* const at = naive_data(call->y) + kDistance;
  stream_of(*call).put([at] { *at = static_cast<char>(*at ^ 0x11); });
  return status;
}

inline LoadedKernel fake_kernel(assay_run_function run) {
  constexpr const char* kManifest = R"json({"name": "fake", "device": "cuda",
    "passes": ["fwd", "dgrad", "wgrad"],
    "formats": [{"in": "bf16", "out": "bf16"}, {"in": "bf16", "out": "fp32"},
                {"in": "fp32", "out": "fp32"}],
    "weights": ["enk", "ekn"], "offsets": ["ends", "starts", "problems", "counts:i64:host"],
    "accumulate": true, "deterministic": true, "batch_invariant": true, "stream_ordered": true,
    "graph_capturable": true,
    "arithmetic": {"kind": "fma", "fused": true, "order": "ascending"}})json";
  auto manifest = parse_manifest(kManifest);
  ASSAY_REQUIRE(manifest.has_value(), manifest.has_value() ? "" : manifest.error().message);
  LoadedKernel kernel;
  kernel.spec = "fake";
  kernel.manifest = std::move(*manifest);
  kernel.run = run;
  return kernel;
}

inline std::unique_ptr<Session> fake_session(assay_run_function run, FakeFaults faults = {}) {
  auto device = std::make_unique<FakeDevice>(std::move(faults));
  auto session = open_in_process_session(fake_kernel(run),
                                         make_device_executor(run, std::move(device), nullptr));
  ASSAY_REQUIRE(session.has_value(), session.has_value() ? "" : session.error().message);
  return std::move(*session);
}

}  // namespace assay::testing
