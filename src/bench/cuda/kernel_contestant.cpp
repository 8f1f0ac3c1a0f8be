// A kernel as a contestant: one assay_call, made once, run through the C ABI.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "src/bench/cuda/contestant.h"
#include "src/contract/call_builder.h"
#include "src/harness/judge/judge_case.h"
#include "src/problem/offsets.h"

namespace assay {
namespace {

// Conventions that pack the experts' rows without gaps, the usual one first.
constexpr Convention kTold[] = {Convention::kEnds, Convention::kIndptr, Convention::kCounts};

// A call with everything it points to. Stays where it is.
struct HeldCall {
  CallFacts facts;
  CallTensors tensors{};
  assay_call call{};
  std::array<char, 256> message{};
  DeviceMemory offsets, workspace, status;
  PerOperand<DeviceMemory> operands;
};

std::uint64_t address_of(const DeviceMemory& memory) {
  return reinterpret_cast<std::uint64_t>(memory.get());
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
  spec.in = operands.format;
  spec.out = operands.format;
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
  held.facts.offsets =
      index_array(address_of(held.offsets), static_cast<Index>(bytes), IndexType::kI32);
  return {};
}

Status fill_call(HeldCall& held, const CaseSpec& spec, const Manifest& manifest,
                 cudaStream_t stream) {
  CallFacts& facts = held.facts;
  facts = facts_of(spec, total_rows(spec));
  for (const Role role : kAllRoles) {
    facts.operands[role].elements.address = address_of(held.operands[role]);
  }
  ASSAY_TRY(upload_offsets(held, spec));
  auto workspace = allocate(static_cast<Index>(manifest.workspace_of(spec)));
  ASSAY_TRY(workspace);
  held.workspace = std::move(*workspace);
  auto status = allocate(sizeof(std::int32_t));
  ASSAY_TRY(status);
  held.status = std::move(*status);
  ASSAY_CUDA_TRY(cudaMemset(held.status.get(), 0, sizeof(std::int32_t)));
  facts.workspace = address_of(held.workspace);
  facts.workspace_bytes = manifest.workspace_of(spec);
  facts.status = address_of(held.status);
  constexpr int kCuda = 2;
  build_call(facts, {.device_type = kCuda, .device_id = 0, .stream = stream}, held.tensors,
             held.call);
  held.call.message = held.message.data();
  held.call.message_bytes = held.message.size();
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
  contestant.a = operands.data[operation(spec.pass).a.role].get();
  contestant.b = operands.data[operation(spec.pass).b.role].get();
  contestant.deterministic = kernel.manifest.deterministic;
  contestant.arithmetic = to_oracle(kernel.manifest, spec);
  contestant.samples = sample_elements(operands.product, kSamples, kSampleSeed);
  return contestant;
}

}  // namespace assay
