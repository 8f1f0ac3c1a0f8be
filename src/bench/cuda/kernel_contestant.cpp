// A kernel as a contestant: one assay_call, made once, run through the C ABI.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "src/bench/cuda/contestant.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/offsets.h"

namespace assay {
namespace {

// Conventions that pack the experts' rows without gaps, the usual one first.
constexpr Convention kTold[] = {Convention::kEnds, Convention::kIndptr, Convention::kCounts};

static_assert(static_cast<int>(Pass::kWgrad) == ASSAY_WGRAD);
static_assert(static_cast<int>(WeightsLayout::kEkn) == ASSAY_EKN);
static_assert(static_cast<int>(Convention::kCounts) == ASSAY_OFFSETS_COUNTS);

// A call with everything it points to. Stays where it is.
struct HeldCall {
  assay_call call{};
  std::array<assay_tensor, 4> tensors{};
  std::array<std::array<std::int64_t, 3>, 4> shapes{}, strides{};
  std::string tactic;
  std::array<char, 256> message{};
  DeviceMemory offsets, workspace, status;
  PerOperand<DeviceMemory> operands;

  const assay_tensor* describe(std::size_t at, void* data, assay_dtype dtype,
                               std::initializer_list<std::int64_t> shape);
};

// Row-major and without gaps.
const assay_tensor* HeldCall::describe(std::size_t at, void* data, assay_dtype dtype,
                                       std::initializer_list<std::int64_t> shape) {
  std::copy(shape.begin(), shape.end(), shapes[at].begin());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[at][i] = stride;
    stride *= shapes[at][i];
  }
  constexpr assay_device kFirstGpu{2, 0};
  tensors[at] = {data,  kFirstGpu,         static_cast<std::int32_t>(shape.size()),
                 dtype, shapes[at].data(), strides[at].data(),
                 0};
  return &tensors[at];
}

std::optional<OffsetsKind> told_kind(const Manifest& manifest) {
  for (const Convention convention : kTold) {
    const OffsetsKind kind{.convention = convention};
    const auto& taken = manifest.offsets;
    if (std::find(taken.begin(), taken.end(), kind) != taken.end()) { return kind; }
  }
  return std::nullopt;
}

CaseSpec spec_of(const BenchOperands& operands, OffsetsKind kind, const std::string& tactic) {
  CaseSpec spec;
  spec.pass = operands.pass();
  spec.in = spec.out = operands.format;
  spec.k = operands.shape.k;
  spec.n = operands.shape.n;
  spec.rows = operands.shape.rows;
  spec.offsets = spec.told = kind;
  spec.weights = operands.product.weights;
  spec.tactic = tactic;
  return spec;
}

Status upload_offsets(HeldCall& held, const CaseSpec& spec) {
  const OffsetArrays arrays = encode_offsets(lay_out_rows(spec), spec.told, frame_of(spec));
  const std::vector<std::int32_t> entries(arrays.values.begin(), arrays.values.end());
  const std::size_t bytes = entries.size() * sizeof(std::int32_t);
  auto memory = allocate(static_cast<Index>(bytes));
  ASSAY_TRY(memory);
  held.offsets = std::move(*memory);
  ASSAY_CUDA_TRY(cudaMemcpy(held.offsets.get(), entries.data(), bytes, cudaMemcpyHostToDevice));
  held.call.offsets =
      held.describe(3, held.offsets.get(), {0, 32, 1}, {static_cast<std::int64_t>(entries.size())});
  return {};
}

Status fill_call(HeldCall& held, const CaseSpec& spec, const Manifest& manifest,
                 cudaStream_t stream) {
  const Index rows = total_rows(spec), experts = spec.experts();
  const assay_dtype dtype =
      spec.in == Format::kBf16 ? assay_dtype{4, 16, 1} : assay_dtype{2, 16, 1};
  const bool enk = spec.weights == WeightsLayout::kEnk;
  assay_call& call = held.call;
  call.struct_size_bytes = sizeof call;
  call.pass = static_cast<std::int32_t>(spec.pass);
  call.convention = static_cast<std::int32_t>(spec.told.convention);
  call.weights = static_cast<std::int32_t>(spec.weights);
  call.experts = experts;
  call.k = spec.k;
  call.n = spec.n;
  call.rows = rows;
  call.pad = 1;
  call.x = held.describe(0, held.operands.x.get(), dtype, {rows, spec.k});
  call.w = held.describe(1, held.operands.w.get(), dtype,
                         {experts, enk ? spec.n : spec.k, enk ? spec.k : spec.n});
  call.y = held.describe(2, held.operands.y.get(), dtype, {rows, spec.n});
  ASSAY_TRY(upload_offsets(held, spec));
  auto workspace = allocate(static_cast<Index>(manifest.workspace_bytes));
  ASSAY_TRY(workspace);
  held.workspace = std::move(*workspace);
  auto status = allocate(sizeof(std::int32_t));
  ASSAY_TRY(status);
  held.status = std::move(*status);
  ASSAY_CUDA_TRY(cudaMemset(held.status.get(), 0, sizeof(std::int32_t)));
  call.workspace = held.workspace.get();
  call.workspace_bytes = manifest.workspace_bytes;
  call.stream = stream;
  held.tactic = spec.tactic;
  call.tactic = held.tactic.c_str();
  call.status = static_cast<std::int32_t*>(held.status.get());
  call.message = held.message.data();
  call.message_bytes = held.message.size();
  return {};
}

std::function<Status()> launcher(const std::shared_ptr<HeldCall>& held, assay_run_function run) {
  return [held, run]() -> Status {
    const int code = run(&held->call);
    if (code == ASSAY_OK) { return {}; }
    held->message.back() = '\0';
    return make_error(fmt::format("{}: {}", code == ASSAY_UNSUPPORTED ? "refused" : "failed",
                                  held->message.data()));
  };
}

}  // namespace

Result<Contestant> kernel_contestant(const BenchOperands& operands, const LoadedKernel& kernel,
                                     const std::string& tactic, cudaStream_t stream) {
  Contestant contestant;
  contestant.contest = {.name = kernel.manifest.name, .tactic = tactic};
  const auto kind = told_kind(kernel.manifest);
  if (!kind) {
    contestant.contest.trouble = "takes none of the offsets ends, indptr, counts";
    return contestant;
  }
  const CaseSpec spec = spec_of(operands, *kind, tactic);
  if (const auto reason = exclusion(kernel.manifest, spec)) {
    contestant.contest.trouble = "refused: " + *reason;
    return contestant;
  }
  contestant.out_bytes = operands.output_elements() * size_bytes(operands.format);
  auto out = allocate(contestant.out_bytes);
  ASSAY_TRY(out);
  contestant.out = std::move(*out);
  const auto held = std::make_shared<HeldCall>();
  held->operands = operands.data;
  held->operands[output_role(spec.pass)] = contestant.out;
  ASSAY_TRY(fill_call(*held, spec, kernel.manifest, stream));
  contestant.launch = launcher(held, kernel.run);
  contestant.a = operands.data[spec.pass == Pass::kDgrad ? Role::kY : Role::kX].get();
  contestant.b = operands.data[spec.pass == Pass::kWgrad ? Role::kY : Role::kW].get();
  contestant.deterministic = kernel.manifest.deterministic;
  contestant.arithmetic = to_oracle(kernel.manifest, spec.in);
  contestant.samples = sample_elements(operands.product, kSamples, kSampleSeed);
  return contestant;
}

}  // namespace assay
