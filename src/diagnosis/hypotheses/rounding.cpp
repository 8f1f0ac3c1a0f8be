// The right sums in the wrong format.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "oracle/judge.h"
#include "src/diagnosis/hypotheses/table.h"
#include "src/harness/judge/dequantised.h"

namespace assay {

namespace {

// Of an exact fill the sum fits into fp32: its exact value is known, and what another rounding
// makes of it.
template <class Round>
Claim rounded_otherwise(const Evidence& evidence, const std::string& sentence, const Round& round) {
  Claim claim{.key = "", .sentence = sentence};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    std::vector<std::uint32_t> exact(static_cast<std::size_t>(part.rows * part.cols));
    oracle::Product wide = part.product;
    wide.got.format = oracle::Format::kFp32;
    oracle::exact_result(wide, exact.data());
    for (const std::uint32_t bits : exact) {
      part.bits.push_back(
          round(part.product.got.format, oracle::to_double(oracle::Format::kFp32, bits)));
    }
    claim.parts.push_back(std::move(part));
  }
  return claim;
}

std::uint32_t round_ties_away(oracle::Format format, double value) {
  const std::uint32_t below = oracle::round_toward_zero(format, value);
  const double low = oracle::to_double(format, below);
  const double high = oracle::to_double(format, below + 1);  // next away from zero
  return value != low && value - low == high - value ? below + 1
                                                     : oracle::round_nearest(format, value);
}

}  // namespace

void propose_truncated_output(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!evidence.is_exact_fill()) { return; }
  claims.push_back(rounded_otherwise(evidence,
                                     "the output is truncated instead of rounded to nearest",
                                     oracle::round_toward_zero));
}

void propose_ties_away(const Evidence& evidence, std::vector<Claim>& claims) {
  if (!evidence.is_exact_fill()) { return; }
  claims.push_back(rounded_otherwise(
      evidence, "values half way between two outputs are rounded away from zero, not to even",
      round_ties_away));
}

namespace {

// Codes times scales, rounded to 16 bits before the product.
void claim_dequantised(const Evidence& evidence, std::vector<Claim>& claims) {
  if (const auto declared = evidence.manifest.arithmetic.operand_format()) {
    Claim claim{
        .key = "not rounded",
        .sentence = fmt::format("scaled operands are multiplied in fp32, and not rounded to "
                                "{} before, as declared",
                                name(*declared))};
    claim.parts = changed_products(evidence, [](oracle::Product&, Index) { return true; });
    for (ClaimedPart& part : claim.parts) {
      part.multiplied = true;
      part.arithmetic.scaling = oracle::Scaling::kOperands;
    }
    claims.push_back(std::move(claim));
  }
  using Scales = DeclaredArithmetic::Scales;
  for (const Scales scales : {Scales::kOperandsBf16, Scales::kOperandsFp16}) {
    if (evidence.manifest.arithmetic.scales == scales) { continue; }
    const DeclaredArithmetic otherwise{.scales = scales};
    auto plain = dequantised(evidence.problem, otherwise);
    if (!plain) { continue; }
    const auto kept = std::make_shared<const Problem>(std::move(*plain));
    const auto products = products_of(*kept, evidence.got.data());
    const std::string_view format = name(*otherwise.operand_format());
    Claim claim{.key = fmt::format("scaled {}", format),
                .sentence = fmt::format("scaled operands are rounded to {} before they are "
                                        "multiplied, undeclared",
                                        format)};
    for (Index expert = 0; expert < evidence.experts(); ++expert) {
      ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kValue);
      part.product.a = products[expert].a;
      part.product.b = products[expert].b;
      // They live as long as the case that they are of.
      part.storage.emplace_back(kept, &kept->output().bits);
      claim.parts.push_back(std::move(part));
    }
    claims.push_back(std::move(claim));
  }
}

}  // namespace

void propose_converted_operands(const Evidence& evidence, std::vector<Claim>& claims) {
  claim_dequantised(evidence, claims);
  if (!evidence.problem.spec.in.converted()) { return; }
  const std::pair<oracle::Conversion, const char*> conversions[] = {
      {oracle::Conversion::kTf32Rz, "tf32 by truncation"},
      {oracle::Conversion::kTf32Rna, "tf32 by rounding"},
      {oracle::Conversion::kBf16, "bf16"}};
  for (const auto& [conversion, words] : conversions) {
    Claim claim{.key = words,
                .sentence = fmt::format("fp32 operands are multiplied as {}, undeclared", words)};
    claim.parts = changed_products(evidence, [](oracle::Product&, Index) { return true; });
    for (ClaimedPart& part : claim.parts) { part.arithmetic.conversion = conversion; }
    claims.push_back(std::move(claim));
  }
}

namespace {

// The next format of as many bits, the first after the last, but for integers; itself where there
// is no other.
oracle::Format other(oracle::Format format) {
  const auto count = static_cast<int>(std::size(oracle::kAllFormats));
  int next = static_cast<int>(format);
  do {
    next = (next + 1) % count;
  } while (oracle::shape(oracle::Format(next)).bits != oracle::shape(format).bits ||
           (oracle::shape(oracle::Format(next)).integer && oracle::Format(next) != format));
  return oracle::Format(next);
}

// The exact results, each rounded to the format.
std::vector<std::uint32_t> rounded_to(oracle::Product product, oracle::Format format) {
  product.got.format = format;
  const Index size = oracle::shape(format).size_bytes, count = product.a.rows * product.b.cols;
  std::vector<char> stored(static_cast<std::size_t>(count * size));
  oracle::exact_result(product, stored.data());
  std::vector<std::uint32_t> bits;
  for (Index i = 0; i < count; ++i) {
    bits.push_back(oracle::load(format, stored.data() + i * size));
  }
  return bits;
}

}  // namespace

void propose_misread_format(const Evidence& evidence, std::vector<Claim>& claims) {
  const Inputs& inputs = evidence.problem.spec.in;
  const Format in = inputs.a.format;
  const Format out = evidence.problem.output().format;
  for (const Format taken : kAllFormats) {
    if (!inputs.alike() || taken == in || traits(taken).bits != traits(in).bits) { continue; }
    claims.push_back({.key = fmt::format("in {}", name(taken)),
                      .sentence = fmt::format("{} operands are read as {}", name(in), name(taken)),
                      .parts = changed_products(evidence, [&](oracle::Product& product, Index) {
                        product.a.format = product.b.format = to_oracle(taken);
                        return true;
                      })});
  }
  if (other(to_oracle(out)) == to_oracle(out) || !evidence.is_exact_fill()) { return; }
  Claim claim{
      .key = "out",
      .sentence = fmt::format("{} output is written as the other format of its size", name(out))};
  for (Index expert = 0; expert < evidence.experts(); ++expert) {
    ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
    const oracle::Format as = other(part.product.got.format);
    if (as == part.product.got.format) { return; }
    part.bits = rounded_to(part.product, as);
    claim.parts.push_back(std::move(part));
  }
  claims.push_back(std::move(claim));
}

void propose_rounded_before(const Evidence& evidence, std::vector<Claim>& claims) {
  const auto propose = [&](oracle::Format between, bool scaled, std::string_view what) {
    Claim claim{.key = fmt::format("{} {}", name(between), what),
                .sentence = fmt::format("{} are rounded to {} before they are rounded to {}", what,
                                        name(between), name(evidence.problem.spec.out.format))};
    for (Index expert = 0; expert < evidence.experts(); ++expert) {
      ClaimedPart part = whole_part(evidence, expert, ClaimedPart::Kind::kBits);
      const oracle::Format out = part.product.got.format;
      const double largest = oracle::largest_of(out);
      const auto scale = static_cast<float>(scaled ? 1 : part.product.out_factor());
      oracle::Product sums = part.product;
      if (!scaled) { sums.out_scale.reset(); }
      for (const std::uint32_t bits : rounded_to(sums, between)) {
        double value = static_cast<float>(oracle::to_double(between, bits)) * scale;
        if (part.arithmetic.saturates) { value = std::clamp(value, -largest, largest); }
        part.bits.push_back(oracle::round_nearest(out, value));
      }
      claim.parts.push_back(std::move(part));
    }
    claims.push_back(std::move(claim));
  };
  for (const oracle::Format between : {oracle::Format::kBf16, oracle::Format::kFp16}) {
    propose(between, false, "sums");
    if (evidence.problem.spec.out.scaled) { propose(between, true, "sums times their scale"); }
  }
}

void propose_range_handling(const Evidence& evidence, std::vector<Claim>& claims) {
  const auto judged_with = [&](const char* key, const char* sentence, auto change) {
    Claim claim{.key = key, .sentence = sentence};
    claim.parts = changed_products(evidence, [](oracle::Product&, Index) { return true; });
    for (ClaimedPart& part : claim.parts) { change(part.arithmetic); }
    claims.push_back(std::move(claim));
  };
  if (!evidence.manifest.subnormals.any_flushed()) {
    judged_with("ftz", "subnormals are flushed to zero, undeclared",
                [](oracle::Arithmetic& arithmetic) { arithmetic.subnormals = oracle::kFtz; });
  }
  judged_with("saturation",
              evidence.manifest.saturates(evidence.problem.spec.out)
                  ? "overflow gives infinity (e4m3: NaN) where saturation is declared"
                  : "overflow saturates at the largest finite number, undeclared",
              [](oracle::Arithmetic& arithmetic) { arithmetic.saturates = !arithmetic.saturates; });
}

}  // namespace assay
