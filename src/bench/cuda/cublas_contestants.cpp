// What cuBLAS makes of a grouped product, in four ways.
#include <algorithm>
#include <utility>

#include "src/bench/cuda/contestant.h"

namespace assay {
namespace {

std::byte* at(void* data, Index elements, const BenchOperands& operands) {
  return static_cast<std::byte*>(data) + elements * size_bytes(operands.format);
}

// The three operands of a contestant, and where an expert's part of each begins.
struct Parts {
  const BenchOperands* operands = nullptr;
  PerOperand<void*> data{};

  std::byte* of(Role role, std::size_t expert) const {
    const SampledProduct& p = operands->product;
    const Index first = role == Role::kX   ? p.starts[expert] * p.k
                        : role == Role::kY ? p.starts[expert] * p.n
                                           : static_cast<Index>(expert) * p.k * p.n;
    return at(data[role], first, *operands);
  }
};

PerOperand<void*> pointers(const BenchOperands& operands, void* out) {
  PerOperand<void*> data{operands.data.x.get(), operands.data.w.get(), operands.data.y.get()};
  data[output_role(operands.pass())] = out;
  return data;
}

// Gradients without rows, as stretches that one call can zero.
struct Stretch {
  void* data = nullptr;
  std::size_t bytes = 0;
};
std::vector<Stretch> empty_gradients(const Parts& parts) {
  const SampledProduct& p = parts.operands->product;
  std::vector<Stretch> stretches;
  if (!reduces_rows(p.pass)) { return stretches; }
  const auto gradient = static_cast<std::size_t>(p.k * p.n * size_bytes(parts.operands->format));
  for (std::size_t expert = 0; expert < p.rows.size(); ++expert) {
    if (p.rows[expert] > 0) { continue; }
    if (expert > 0 && p.rows[expert - 1] == 0) {
      stretches.back().bytes += gradient;
    } else {
      stretches.push_back({parts.of(Role::kW, expert), gradient});
    }
  }
  return stretches;
}

Status zero(const std::vector<Stretch>& stretches, cudaStream_t stream) {
  for (const Stretch& stretch : stretches) {
    ASSAY_CUDA_TRY(cudaMemsetAsync(stretch.data, 0, stretch.bytes, stream));
  }
  return {};
}

std::vector<BoundGemm> products_of_experts(const Parts& parts) {
  const SampledProduct& p = parts.operands->product;
  std::vector<BoundGemm> gemms;
  for (std::size_t expert = 0; expert < p.rows.size(); ++expert) {
    if (p.rows[expert] == 0) { continue; }
    const ColumnGemm shape = column_gemm(p.pass, p.weights, p.rows[expert], p.k, p.n);
    gemms.push_back(
        {shape, parts.of(shape.a, expert), parts.of(shape.b, expert), parts.of(shape.c, expert)});
  }
  return gemms;
}

// Everything but how it is launched.
Result<Contestant> prepared(const BenchOperands& operands, const char* name, ContestantKind kind,
                            Index out_elements) {
  Contestant contestant;
  contestant.contest = {.name = name, .kind = kind};
  contestant.out_bytes = out_elements * size_bytes(operands.format);
  auto out = allocate(contestant.out_bytes);
  ASSAY_TRY(out);
  contestant.out = std::move(*out);
  contestant.a = operands.data[operation(operands.pass()).a.role].get();
  contestant.b = operands.data[operation(operands.pass()).b.role].get();
  contestant.samples = sample_elements(operands.product, kSamples, kSampleSeed);
  return contestant;
}

Result<DeviceMemory> uploaded(const std::vector<void*>& addresses) {
  const std::size_t bytes = addresses.size() * sizeof(void*);
  auto memory = allocate(static_cast<Index>(bytes));
  if (!memory) { return memory; }
  ASSAY_CUDA_TRY(cudaMemcpy(memory->get(), addresses.data(), bytes, cudaMemcpyHostToDevice));
  return memory;
}

// x or y with every expert's rows at the front of a buffer of `capacity` rows, zeros behind them.
Result<DeviceMemory> padded_rows(const BenchOperands& operands, Role role, Index capacity,
                                 cudaStream_t stream) {
  const SampledProduct& p = operands.product;
  const Index width = role == Role::kX ? p.k : p.n;
  const auto experts = static_cast<Index>(p.rows.size());
  const Index bytes = experts * capacity * width * size_bytes(operands.format);
  auto memory = allocate(bytes);
  if (!memory) { return memory; }
  ASSAY_CUDA_TRY(cudaMemsetAsync(memory->get(), 0, static_cast<std::size_t>(bytes), stream));
  for (std::size_t g = 0; g < p.rows.size(); ++g) {
    if (p.rows[g] == 0) { continue; }
    const auto part = static_cast<std::size_t>(p.rows[g] * width * size_bytes(operands.format));
    ASSAY_CUDA_TRY(
        cudaMemcpyAsync(at(memory->get(), static_cast<Index>(g) * capacity * width, operands),
                        at(operands.data[role].get(), p.starts[g] * width, operands), part,
                        cudaMemcpyDeviceToDevice, stream));
  }
  return memory;
}

}  // namespace

Result<Contestant> dense_contestant(const BenchOperands& operands, CublasLibrary& cublas) {
  SampledProduct whole = operands.product;
  whole.rows = {operands.shape.total()};
  whole.starts = {0};
  const bool gradient = reduces_rows(whole.pass);
  auto made = prepared(operands, "dense", ContestantKind::kRoof,
                       gradient ? whole.k * whole.n : operands.output_elements());
  if (!made) { return made; }
  made->samples = sample_elements(whole, kSamples, kSampleSeed);
  const ColumnGemm shape =
      column_gemm(whole.pass, whole.weights, whole.rows.front(), whole.k, whole.n);
  const PerOperand<void*> data = pointers(operands, made->out.get());
  const BoundGemm gemm{shape, data[shape.a], data[shape.b], data[shape.c]};
  made->launch = [gemm, &cublas] { return cublas.multiply(gemm); };
  return made;
}

Result<Contestant> loop_contestant(const BenchOperands& operands, CublasLibrary& cublas,
                                   cudaStream_t stream) {
  auto made =
      prepared(operands, "cublas_loop", ContestantKind::kBaseline, operands.output_elements());
  if (!made) { return made; }
  const Parts parts{&operands, pointers(operands, made->out.get())};
  made->launch = [gemms = products_of_experts(parts), empty = empty_gradients(parts), &cublas,
                  stream]() -> Status {
    for (const BoundGemm& gemm : gemms) { ASSAY_TRY(cublas.multiply(gemm)); }
    return zero(empty, stream);
  };
  return made;
}

Result<Contestant> grouped_contestant(const BenchOperands& operands, CublasLibrary& cublas,
                                      cudaStream_t stream) {
  auto made =
      prepared(operands, "cublas_grouped", ContestantKind::kBaseline, operands.output_elements());
  if (!made) { return made; }
  const Parts parts{&operands, pointers(operands, made->out.get())};
  std::vector<ColumnGemm> shapes;
  std::vector<void*> a, b, c;
  for (const BoundGemm& gemm : products_of_experts(parts)) {
    shapes.push_back(gemm.shape);
    a.push_back(const_cast<void*>(gemm.a));
    b.push_back(const_cast<void*>(gemm.b));
    c.push_back(gemm.c);
  }
  auto a_memory = uploaded(a), b_memory = uploaded(b), c_memory = uploaded(c);
  for (const auto* memory : {&a_memory, &b_memory, &c_memory}) {
    if (!*memory) { return tl::unexpected(memory->error()); }
  }
  const auto grouped = std::make_shared<GroupedGemm>(shapes);
  grouped->a = static_cast<const void* const*>(a_memory->get());
  grouped->b = static_cast<const void* const*>(b_memory->get());
  grouped->c = static_cast<void* const*>(c_memory->get());
  made->launch = [grouped, a = *a_memory, b = *b_memory, c = *c_memory,
                  empty = empty_gradients(parts), &cublas, stream]() -> Status {
    ASSAY_TRY(cublas.multiply(*grouped));
    return zero(empty, stream);
  };
  return made;
}

Result<Contestant> padded_contestant(const BenchOperands& operands, CublasLibrary& cublas,
                                     cudaStream_t stream) {
  const SampledProduct& p = operands.product;
  const auto experts = static_cast<Index>(p.rows.size());
  const Index capacity = operands.shape.largest();
  SampledProduct batch = p;
  for (std::size_t g = 0; g < batch.starts.size(); ++g) {
    batch.starts[g] = static_cast<Index>(g) * capacity;
  }
  const PerOperand<Index> pitch{capacity * p.k, p.k * p.n, capacity * p.n};
  const Role out_role = output_role(p.pass);
  auto made =
      prepared(operands, "cublas_padded", ContestantKind::kBaseline, experts * pitch[out_role]);
  if (!made) { return made; }
  PerOperand<DeviceMemory> data = operands.data;
  data[out_role] = made->out;
  for (const Role role : {Role::kX, Role::kY}) {
    if (role == out_role) { continue; }
    auto rows = padded_rows(operands, role, capacity, stream);
    ASSAY_TRY(rows);
    data[role] = std::move(*rows);
  }
  made->a = data[operation(p.pass).a.role].get();
  made->b = data[operation(p.pass).b.role].get();
  made->samples = sample_elements(batch, kSamples, kSampleSeed);
  const ColumnGemm shape = column_gemm(p.pass, p.weights, capacity, p.k, p.n);
  const BatchedGemm gemm{{shape, data[shape.a].get(), data[shape.b].get(), data[shape.c].get()},
                         pitch[shape.a],
                         pitch[shape.b],
                         pitch[shape.c],
                         static_cast<int>(experts)};
  made->launch = [gemm, data, &cublas] { return cublas.multiply(gemm); };
  return made;
}

}  // namespace assay
