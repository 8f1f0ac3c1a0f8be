// Device: what the harness asks of a GPU. src/harness/device/cuda has CUDA's; the tests have one of
// host memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "oracle/integer_lines.h"
#include "src/contract/manifest.h"
#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

using DeviceAddress = std::uint64_t;

// Plain bytes: a worker tells its driver. Versions as CUDA writes them, 13000 for 13.0; the
// capability is 90 for 9.0.
struct DeviceFacts {
  std::int32_t devices = 0;  // 0: none can be used, `problem` says why
  std::int32_t driver = 0;   // the newest CUDA that the driver supports
  std::int32_t runtime = 0;  // what the kernels were built with; 0: a build without CUDA
  std::int32_t capability = 0;
  std::int32_t multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  char name[96] = {};
  char driver_text[32] = {};  // as 580.159.04; empty where unknown
  char problem[160] = {};
};

// Cuts a text that is too long for one of the facts.
template <std::size_t kBytes>
void store_text(char (&to)[kBytes], std::string_view text) {
  const std::size_t length = std::min(text.size(), kBytes - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
}

struct DeviceBlock {
  DeviceAddress address = 0;
  Index bytes = 0;
};

// What Device::map says where memory is short.
inline tl::unexpected<Error> memory_error(Index asked_bytes, Index free_bytes) {
  return make_error("the case does not fit the device: " + std::to_string(asked_bytes) +
                    " bytes more were asked for, " + std::to_string(free_bytes) + " are free");
}

// Memory that nobody wrote holds this byte again and again: NaN in every format, -1 as an index.
inline constexpr std::uint8_t kDeviceFill = 0xff;
inline constexpr std::uint64_t kDeviceFillWord = ~std::uint64_t{0};

// Streams, events and graphs are numbered from 0 and made on first use. Work in one stream runs in
// order; nothing else waits for anything. Errors: what the device says, by name; after most of them
// the device is lost for this process.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceFacts facts() const = 0;
  virtual int ordinal() const = 0;

  // At least `bytes`, filled with kDeviceFill; nothing is mapped below and above it. Errors: also
  // memory_error, after which the device is as it was.
  virtual Result<DeviceBlock> map(Index bytes) = 0;
  virtual void unmap(const DeviceBlock& block) = 0;
  virtual Status upload(int stream, DeviceAddress to, const std::byte* from, Index bytes) = 0;
  // Host memory may be read once the stream has been waited for.
  virtual Status download(int stream, std::byte* to, DeviceAddress from, Index bytes) = 0;
  virtual Status copy(int stream, DeviceAddress to, DeviceAddress from, Index bytes) = 0;
  virtual Status fill(int stream, DeviceAddress to, Index bytes) = 0;
  // The first byte in any of the blocks that does not hold kDeviceFill; 0: all do. Waits. Requires:
  // addresses and sizes are multiples of 8.
  virtual Result<DeviceAddress> first_written(std::span<const DeviceBlock> blocks) = 0;
  // oracle::multiply_modulo of a matrix in device memory; waits. Requires: a stride is 1.
  virtual Result<oracle::IntegerProduct> multiply(const oracle::Matrix& matrix,
                                                  const oracle::IntegerForm& form,
                                                  std::span<const oracle::Residue> vector) = 0;

  // The handle that a kernel is given.
  virtual Result<void*> stream(int stream) = 0;
  virtual Status wait(int stream) = 0;
  // Keeps the stream from going on for so long, without a thread that waits.
  virtual Status hold(int stream, double seconds) = 0;
  // Work that is put into the stream up to end_capture becomes the graph instead of running.
  virtual Status begin_capture(int stream) = 0;
  virtual Status end_capture(int stream) = 0;
  // Launches the graph of the last end_capture.
  virtual Status launch_graph(int stream) = 0;
  virtual Status mark(int stream, int event) = 0;
  // Requires: both were passed.
  virtual Result<double> seconds_between(int first_event, int second_event) = 0;
  // Makes another device current in the calling thread, or this one again.
  virtual Status use_other_device(bool other) = 0;
  // The calling thread's error that nobody has asked for, if any; asking clears it.
  virtual Status pending_error() = 0;
};

// The first GPU. Errors: no GPU, a driver older than the build, or a build without CUDA; the line
// names the driver and the compute capability.
Result<std::unique_ptr<Device>> open_device();

// Why a kernel cannot run where these facts hold.
Status accept_device(const Manifest& manifest, const DeviceFacts& facts);

}  // namespace assay
