#include <cstdio>
#include <cstdlib>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tests/kernels_cuda/trial_problem.cuh"

namespace assay::trial {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kWorkspaceBytes = 1 << 20;
constexpr int kThreads = 256;

__device__ std::uint32_t mix(std::uint64_t index, std::uint32_t seed) {
  std::uint64_t h = index * 0x9E3779B97F4A7C15ull + seed;
  h ^= h >> 31;
  h *= 0xBF58476D1CE4E5B9ull;
  h ^= h >> 29;
  return static_cast<std::uint32_t>(h >> 16);
}

template <class T>
__device__ T rounded(float value);
template <>
__device__ __nv_bfloat16 rounded(float value) {
  return __float2bfloat16(value);
}
template <>
__device__ __half rounded(float value) {
  return __float2half(value);
}
template <>
__device__ float rounded(float value) {
  return value;
}

// Rows [from, to) of a matrix stack get values; everything else of the buffer was poisoned before.
template <class T>
__global__ void fill_rows(T* data, std::int64_t from, std::int64_t to, std::int64_t cols,
                          std::int64_t ld, std::uint32_t seed, bool integers) {
  const std::int64_t count = (to - from) * cols;
  for (std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * kThreads) {
    const std::int64_t row = from + i / cols, col = i % cols;
    const std::uint32_t h = mix(static_cast<std::uint64_t>(row * cols + col), seed);
    const float value = integers ? static_cast<float>(static_cast<int>(h % 5) - 2)
                                 : static_cast<float>(h & 0xffff) / 32768.f - 1.f;
    data[row * ld + col] = rounded<T>(value);
  }
}

__global__ void fill_bytes(std::uint32_t* words, std::size_t count, std::uint32_t value) {
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kThreads) {
    words[i] = value;
  }
}

struct Shape {
  std::int64_t experts, rows, k, n, ld_x, ld_w, ld_y, pitch;
  int pass;
  bool enk, accumulate;
};

// One thread an output: the sum in fp32, exact on integers, in ascending order.
template <class In, class Out>
__global__ void reference_rows(const In* in, const In* w, Out* out, const std::int32_t* ends,
                               Shape s) {
  const std::int64_t cols = s.pass == ASSAY_FWD ? s.n : s.k,
                     depth = s.pass == ASSAY_FWD ? s.k : s.n;
  const std::int64_t ld_in = s.pass == ASSAY_FWD ? s.ld_x : s.ld_y;
  const std::int64_t ld_out = s.pass == ASSAY_FWD ? s.ld_y : s.ld_x;
  const bool depth_contiguous = (s.pass == ASSAY_FWD) == s.enk;
  const std::int64_t along = depth_contiguous ? 1 : s.ld_w, across = depth_contiguous ? s.ld_w : 1;
  const std::int64_t col = blockIdx.y * std::int64_t{kThreads} + threadIdx.x;
  const std::int64_t row = blockIdx.x;
  if (col >= cols || row >= ends[s.experts - 1]) return;
  std::int64_t expert = 0;
  while (row >= ends[expert]) ++expert;
  const In* a = in + row * ld_in;
  const In* b = w + expert * s.pitch + col * across;
  float sum = 0;
  for (std::int64_t i = 0; i < depth; ++i) {
    sum = fmaf(static_cast<float>(a[i]), static_cast<float>(b[i * along]), sum);
  }
  out[row * ld_out + col] = rounded<Out>(sum);
}

template <class In, class Out>
__global__ void reference_gradient(const In* x, const In* y, Out* w, const std::int32_t* ends,
                                   Shape s) {
  const std::int64_t n = blockIdx.x * std::int64_t{kThreads} + threadIdx.x;
  const std::int64_t k = blockIdx.y, expert = blockIdx.z;
  if (n >= s.n) return;
  Out* out = w + expert * s.pitch + (s.enk ? n * s.ld_w + k : k * s.ld_w + n);
  const std::int64_t first = expert > 0 ? ends[expert - 1] : 0, end = ends[expert];
  if (s.accumulate && first == end) return;
  float sum = s.accumulate ? static_cast<float>(*out) : 0.f;
  for (std::int64_t row = first; row < end; ++row) {
    sum =
        fmaf(static_cast<float>(x[row * s.ld_x + k]), static_cast<float>(y[row * s.ld_y + n]), sum);
  }
  *out = rounded<Out>(sum);
}

// +0 and -0 are alike.
template <class Word>
__global__ void compare_words(const Word* a, const Word* b, std::size_t count,
                              unsigned long long* differing) {
  constexpr Word kMagnitude = static_cast<Word>(~Word{0}) >> 1;
  unsigned long long mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * kThreads) {
    if (a[i] != b[i] && ((a[i] | b[i]) & kMagnitude) != 0) ++mine;
  }
  if (mine != 0) atomicAdd(differing, mine);
}

Buffer allocate(std::int64_t elements, std::size_t element_bytes) {
  Buffer buffer;
  buffer.bytes = static_cast<std::size_t>(elements) * element_bytes + 2 * kGuardBytes;
  buffer.bytes = (buffer.bytes + 15) / 16 * 16;
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, buffer.bytes), "cudaMalloc");
  buffer.memory = static_cast<std::uint8_t*>(memory);
  buffer.data = buffer.memory + kGuardBytes;
  return buffer;
}

void poison_buffer(const Buffer& buffer) {  // NaN in bf16, fp16 and fp32
  fill_bytes<<<1024, kThreads>>>(reinterpret_cast<std::uint32_t*>(buffer.memory), buffer.bytes / 4,
                                 0x7fffffffu);
}

template <class T>
void fill(const Buffer& buffer, std::int64_t from, std::int64_t to, std::int64_t cols,
          std::int64_t ld, std::uint32_t seed, Fill kind) {
  fill_rows<<<1024, kThreads>>>(reinterpret_cast<T*>(buffer.data), from, to, cols, ld, seed,
                                kind == Fill::kIntegers);
}

}  // namespace

void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::fflush(stdout);
  std::_Exit(3);
}

std::string Options::text() const {
  static const char* const kPasses[] = {"fwd", "dgrad", "wgrad"};
  std::int64_t total = 0;
  for (const std::int64_t count : rows) total += count;
  std::string line = std::string(kPasses[pass]) + (weights == ASSAY_ENK ? " enk" : " ekn") +
                     (fp16 ? " fp16" : " bf16") + (fp32_out ? "->fp32" : "") +
                     (accumulate ? " acc" : "") + " k=" + std::to_string(k) +
                     " n=" + std::to_string(n) + " experts=" + std::to_string(rows.size()) +
                     " rows=" + std::to_string(total) + " tail=" + std::to_string(tail) +
                     " gap=" + std::to_string(gap) + " offsets=" + std::to_string(convention) +
                     (wide_offsets ? ":i64" : ":i32") + " tactic=" + tactic;
  return line;
}

Problem::Problem(const Options& options) : options_(options) {
  const Options& o = options_;
  experts_ = static_cast<std::int64_t>(o.rows.size());
  for (const std::int64_t count : o.rows) total_ += count;
  rows_ = total_ + o.tail;
  const bool enk = o.weights == ASSAY_ENK;
  ld_x_ = o.k + o.gap;
  ld_y_ = o.n + o.gap;
  ld_w_ = (enk ? o.k : o.n) + o.gap;
  pitch_ = (enk ? o.n : o.k) * ld_w_ + o.gap;
  auto bytes_of = [&](int writer) { return o.pass == writer && o.fp32_out ? 4u : 2u; };
  x_ = allocate(rows_ * ld_x_, bytes_of(ASSAY_DGRAD));
  y_ = allocate(rows_ * ld_y_, bytes_of(ASSAY_FWD));
  w_ = allocate(experts_ * pitch_, bytes_of(ASSAY_WGRAD));
  for (const Buffer* buffer : {&x_, &y_, &w_}) poison_buffer(*buffer);
  auto fill_in = [&](const Buffer& b, std::int64_t from, std::int64_t to, std::int64_t cols,
                     std::int64_t ld, std::uint32_t seed) {
    if (o.fp16) {
      fill<__half>(b, from, to, cols, ld, seed, o.fill);
    } else {
      fill<__nv_bfloat16>(b, from, to, cols, ld, seed, o.fill);
    }
  };
  if (o.pass != ASSAY_DGRAD) fill_in(x_, 0, total_, o.k, ld_x_, 1);
  if (o.pass != ASSAY_FWD) fill_in(y_, 0, total_, o.n, ld_y_, 2);
  if (o.pass != ASSAY_WGRAD) {
    for (std::int64_t e = 0; e < experts_; ++e) {
      Buffer expert = w_;
      expert.data += e * pitch_ * 2;
      fill_in(expert, 0, enk ? o.n : o.k, enk ? o.k : o.n, ld_w_, 100 + static_cast<unsigned>(e));
    }
  }
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(experts_ + 1) * 8), "cudaMalloc");
  offsets_ = memory;
  check_cuda(cudaMalloc(&memory, static_cast<std::size_t>(experts_) * 4 + 4), "cudaMalloc");
  ends_ = static_cast<std::int32_t*>(memory);
  check_cuda(cudaMalloc(&memory, 4), "cudaMalloc");
  status_ = static_cast<std::int32_t*>(memory);
  check_cuda(cudaMalloc(&workspace_, kWorkspaceBytes), "cudaMalloc");
  check_cuda(cudaMalloc(&memory, 8), "cudaMalloc");
  counter_ = static_cast<unsigned long long*>(memory);
  check_cuda(cudaMemset(workspace_, 0xA5, kWorkspaceBytes), "cudaMemset");
  check_cuda(cudaMemset(status_, 0, 4), "cudaMemset");
  set_rows(o.rows);
}

void Problem::set_rows(const std::vector<std::int64_t>& rows) {
  options_.rows = rows;
  std::vector<std::int32_t> ends;
  std::vector<std::int64_t> entries;
  const bool counts = options_.convention == ASSAY_OFFSETS_COUNTS;
  if (options_.convention == ASSAY_OFFSETS_INDPTR) entries.push_back(0);
  std::int64_t end = 0;
  for (const std::int64_t count : rows) {
    end += count;
    ends.push_back(static_cast<std::int32_t>(end));
    entries.push_back(counts ? count : end);
  }
  check_cuda(cudaMemcpy(ends_, ends.data(), ends.size() * 4, cudaMemcpyHostToDevice), "cudaMemcpy");
  set_offsets(entries);
}

Problem::~Problem() {
  for (void* memory :
       {static_cast<void*>(x_.memory), static_cast<void*>(y_.memory), static_cast<void*>(w_.memory),
        static_cast<void*>(reference_.memory), offsets_, static_cast<void*>(ends_),
        static_cast<void*>(status_), workspace_, static_cast<void*>(counter_)}) {
    (void)cudaFree(memory);
  }
}

void Problem::set_offsets(const std::vector<std::int64_t>& entries) {
  std::vector<std::int32_t> narrow(entries.begin(), entries.end());
  const void* from =
      options_.wide_offsets ? static_cast<const void*>(entries.data()) : narrow.data();
  check_cuda(cudaMemcpy(offsets_, from, entries.size() * (options_.wide_offsets ? 8 : 4),
                        cudaMemcpyHostToDevice),
             "cudaMemcpy");
}

Buffer& Problem::out() {
  return options_.pass == ASSAY_FWD ? y_ : options_.pass == ASSAY_DGRAD ? x_ : w_;
}

void Problem::poison() {
  poison_buffer(out());
  if (!options_.accumulate) return;
  const bool enk = options_.weights == ASSAY_ENK;
  for (std::int64_t e = 0; e < experts_; ++e) {
    Buffer expert = w_;
    expert.data += e * pitch_ * 4;
    fill<float>(expert, 0, enk ? options_.n : options_.k, enk ? options_.k : options_.n, ld_w_,
                900 + static_cast<unsigned>(e), options_.fill);
  }
}

std::string Problem::run(int (*kernel)(const assay_call*), cudaStream_t stream) {
  const Options& o = options_;
  const assay_device device{2, 0};
  const bool enk = o.weights == ASSAY_ENK;
  auto dtype = [&](int writer) {
    if (o.pass == writer && o.fp32_out) return assay_dtype{2, 32, 1};
    return o.fp16 ? assay_dtype{2, 16, 1} : assay_dtype{4, 16, 1};
  };
  std::int64_t x_shape[2] = {rows_, o.k}, x_strides[2] = {ld_x_, 1};
  std::int64_t y_shape[2] = {rows_, o.n}, y_strides[2] = {ld_y_, 1};
  std::int64_t w_shape[3] = {experts_, enk ? o.n : o.k, enk ? o.k : o.n};
  std::int64_t w_strides[3] = {pitch_, ld_w_, 1};
  std::int64_t o_shape[1] = {experts_ + (o.convention == ASSAY_OFFSETS_INDPTR ? 1 : 0)};
  std::int64_t o_strides[1] = {1};
  const assay_tensor x{x_.data, device, 2, dtype(ASSAY_DGRAD), x_shape, x_strides, 0};
  const assay_tensor y{y_.data, device, 2, dtype(ASSAY_FWD), y_shape, y_strides, 0};
  const assay_tensor w{w_.data, device, 3, dtype(ASSAY_WGRAD), w_shape, w_strides, 0};
  const std::uint8_t offset_bits = o.wide_offsets ? 64 : 32;
  const assay_tensor offsets{offsets_, device, 1, {0, offset_bits, 1}, o_shape, o_strides, 0};
  char message[256] = "";
  assay_call call{};
  call.struct_size_bytes = sizeof call;
  call.pass = o.pass;
  call.convention = o.convention;
  call.weights = o.weights;
  call.accumulate = o.accumulate ? 1 : 0;
  call.experts = experts_;
  call.k = o.k;
  call.n = o.n;
  call.rows = rows_;
  call.pad = 1;
  call.x = &x;
  call.w = &w;
  call.y = &y;
  call.offsets = &offsets;
  call.workspace = workspace_;
  call.workspace_bytes = kWorkspaceBytes;
  call.stream = stream;
  call.tactic = o.tactic.c_str();
  call.status = status_;
  call.message = message;
  call.message_bytes = sizeof message;
  return kernel(&call) == ASSAY_OK ? std::string() : std::string("refused: ") + message;
}

void Problem::compute_reference() {
  const Options& o = options_;
  Buffer& mine = out();
  const Buffer kernels = mine;
  reference_.bytes = mine.bytes;
  if (reference_.memory == nullptr) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, mine.bytes), "cudaMalloc");
    reference_.memory = static_cast<std::uint8_t*>(memory);
    reference_.data = reference_.memory + kGuardBytes;
  }
  mine = reference_;  // poison() fills what out() names
  poison();
  mine = kernels;
  const Shape shape{experts_,    rows_, o.k,    o.n,    ld_x_,
                    ld_w_,       ld_y_, pitch_, o.pass, o.weights == ASSAY_ENK,
                    o.accumulate};
  auto launch = [&](auto in, auto result) {
    using In = decltype(in);
    using Out = decltype(result);
    auto as_in = [](const Buffer& b) { return reinterpret_cast<const In*>(b.data); };
    Out* to = reinterpret_cast<Out*>(reference_.data);
    const std::int64_t cols = o.pass == ASSAY_DGRAD ? o.k : o.n;
    const unsigned blocks = static_cast<unsigned>((cols + kThreads - 1) / kThreads);
    if (o.pass == ASSAY_WGRAD) {
      const dim3 grid(blocks, static_cast<unsigned>(o.k), static_cast<unsigned>(experts_));
      reference_gradient<In, Out><<<grid, kThreads>>>(as_in(x_), as_in(y_), to, ends_, shape);
    } else if (rows_ > 0) {
      const dim3 grid(static_cast<unsigned>(rows_), blocks);
      reference_rows<In, Out>
          <<<grid, kThreads>>>(as_in(o.pass == ASSAY_FWD ? x_ : y_), as_in(w_), to, ends_, shape);
    }
  };
  if (o.fp16) {
    o.fp32_out ? launch(__half{}, float{}) : launch(__half{}, __half{});
  } else {
    o.fp32_out ? launch(__nv_bfloat16{}, float{}) : launch(__nv_bfloat16{}, __nv_bfloat16{});
  }
  check_cuda(cudaGetLastError(), "reference");
}

std::int64_t Problem::mismatches() {
  compute_reference();
  check_cuda(cudaMemset(counter_, 0, 8), "cudaMemset");
  if (options_.fp32_out) {
    compare_words<<<1024, kThreads>>>(reinterpret_cast<std::uint32_t*>(out().memory),
                                      reinterpret_cast<std::uint32_t*>(reference_.memory),
                                      out().bytes / 4, counter_);
  } else {
    compare_words<<<1024, kThreads>>>(reinterpret_cast<std::uint16_t*>(out().memory),
                                      reinterpret_cast<std::uint16_t*>(reference_.memory),
                                      out().bytes / 2, counter_);
  }
  unsigned long long count = 0;
  check_cuda(cudaMemcpy(&count, counter_, 8, cudaMemcpyDeviceToHost), "compare");
  return static_cast<std::int64_t>(count);
}

std::int64_t Problem::stray_bytes() {
  std::vector<std::uint8_t> bytes(out().bytes);
  check_cuda(cudaMemcpy(bytes.data(), out().memory, bytes.size(), cudaMemcpyDeviceToHost), "stray");
  std::int64_t stray = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool guard = i < kGuardBytes || i >= bytes.size() - kGuardBytes;
    const std::uint8_t poison = i % 4 == 3 ? 0x7f : 0xff;
    if (guard && bytes[i] != poison) ++stray;
  }
  return stray;
}

std::vector<std::uint32_t> Problem::output_words() {
  std::vector<std::uint32_t> words(out().bytes / 4);
  check_cuda(cudaMemcpy(words.data(), out().memory, words.size() * 4, cudaMemcpyDeviceToHost),
             "output");
  return words;
}

int Problem::status() const {
  int value = 0;
  check_cuda(cudaMemcpy(&value, status_, 4, cudaMemcpyDeviceToHost), "status");
  return value;
}

}  // namespace assay::trial
