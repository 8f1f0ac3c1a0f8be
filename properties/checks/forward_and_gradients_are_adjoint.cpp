// <Y, dY> = <X, dX> = sum of <W_g, dW_g>: the three passes agree with each other, exactly on exact
// data.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "properties/support/case_run.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

// Elements are -1, 0 or 1 and no reduction is longer than this, so that every output format holds
// every output.
constexpr Index kLongestReduction = 256;

// Of every pass, and without scales: each pass has scales of its own.
std::vector<Combination> common_formats(const Manifest& manifest) {
  std::vector<Combination> common;
  for (const Combination& each : manifest.formats_of(Pass::kFwd)) {
    const auto listed = [&](Pass pass) { return manifest.lists(pass, each.in, each.out); };
    // Results of 8 bits are rounded.
    const bool exact = !each.in.scaled() && !traits(each.out).code;
    if (exact && std::ranges::all_of(kAllPasses, listed)) { common.push_back(each); }
  }
  return common;
}

std::optional<std::string> not_applicable(const Manifest& manifest) {
  for (const Pass pass : kAllPasses) {
    if (std::ranges::find(manifest.passes, pass) == manifest.passes.end()) {
      return fmt::format("the kernel declares no {}", name(pass));
    }
  }
  if (common_formats(manifest).empty()) { return "no formats without scales serve every pass"; }
  return std::nullopt;
}

void prepare(CaseSpec& spec, const Manifest& manifest) {
  use_pass(spec, manifest, {Pass::kFwd});
  const std::vector<Combination> common = common_formats(manifest);
  const auto is_here = [&](const Combination& each) { return is_of(each, spec); };
  if (!common.empty() && std::ranges::none_of(common, is_here)) {
    use(common[spec.seed % common.size()], spec);
  }
  spec.acc = 0;
  spec.pointers = std::min(spec.pointers, Pointers::kScattered);  // one of the passes writes w
  spec.fill = Fill::kIntegers;
  spec.base = {};  // aligned as an input is misaligned as a wider output
  const auto limit = [](Index size, Index multiple) {
    return std::min(size, kLongestReduction / std::max<Index>(multiple, 1) * multiple);
  };
  spec.k = limit(spec.k, manifest.k_multiple);
  spec.n = limit(spec.n, manifest.n_multiple);
  for (Index& rows : spec.rows) { rows = std::min(rows, kLongestReduction); }
}

void fill_with_units(DenseOperand& operand, std::uint64_t seed) {
  Rng rng(seed);
  for (Index row = 0; row < operand.rows; ++row) {
    for (Index col = 0; col < operand.cols; ++col) {
      const double value = static_cast<double>(rng.below(3)) - 1;
      store_bits(operand.format, operand.element(row, col), encode(operand.format, value));
    }
  }
}

std::int64_t inner_product(const DenseOperand& in, const std::vector<std::byte>& output,
                           Format out) {
  std::int64_t sum = 0;
  for (Index row = 0; row < in.rows; ++row) {
    for (Index col = 0; col < in.cols; ++col) {
      const Index at = (row * in.cols + col) * size_bytes(out);
      sum +=
          static_cast<std::int64_t>(decode(in.format, load_bits(in.format, in.element(row, col)))) *
          static_cast<std::int64_t>(decode(out, load_bits(out, output.data() + at)));
    }
  }
  return sum;
}

Verdict run(Session& kernel, const CaseSpec& spec) {
  const Manifest& manifest = kernel.manifest();
  Verdict verdict{.kind = VerdictKind::kPassed};
  std::array<std::int64_t, 3> products{};
  for (const Pass pass : kAllPasses) {
    CaseSpec one = spec;
    one.pass = pass;
    Problem problem = problem_for(one, manifest);
    for (const Role role : {Role::kX, Role::kW, Role::kY}) {
      DenseOperand& operand = problem.operands[role];
      if (role == output_role(pass)) { continue; }
      fill_with_units(operand, spec.seed + static_cast<std::uint64_t>(role));
    }
    const Outcome outcome = kernel.run(problem, {});
    if (!accept_outcome(verdict, problem, manifest, outcome)) {
      verdict.inner = one;
      return verdict;
    }
    // The input that this pass does not read is the one that its output is paired with.
    DenseOperand partner = problem.output();
    partner.format = spec.in.a.format;
    partner.bits.assign(partner.rows * partner.cols * size_bytes(partner.format), std::byte{0});
    fill_with_units(partner, spec.seed + static_cast<std::uint64_t>(output_role(pass)));
    products[static_cast<std::size_t>(pass)] = inner_product(partner, outcome.output, spec.out);
  }
  const auto [fwd, dgrad, wgrad] = products;
  if (fwd != dgrad || fwd != wgrad) {
    fail(verdict, Aspect::kRelation,
         fmt::format("<Y,dY> = {}, <X,dX> = {}, <W,dW> = {}", fwd, dgrad, wgrad));
  }
  return verdict;
}

constexpr Draw kDraws[] = {
    {.generator = "small", .seed = 79, .quick = 15, .ci = 72, .peers = 48, .full = 240},
    {.generator = "skewed", .seed = 80, .quick = 5, .ci = 24, .peers = 16, .full = 80},
};

}  // namespace

Check forward_and_gradients_are_adjoint() {
  return {.name = "forward_and_gradients_are_adjoint",
          .summary =
              "<Y, dY> = <X, dX> = sum of <W_g, dW_g>: the three passes agree with each "
              "other, exactly on exact data.",
          .guards_against =
              "a gradient of another routing or layout than the forward pass; catches "
              "nothing that the oracle does not, stays as a witness independent of it",
          .advice =
              "Forward and gradients do not belong to one linear map: usually one pass reads the "
              "weights transposed or in another layout than the others.",
          .order = 220,
          .draws = kDraws,
          .not_applicable = not_applicable,
          .prepare = prepare,
          .run = run,
          .linear = true};
}

}  // namespace assay
