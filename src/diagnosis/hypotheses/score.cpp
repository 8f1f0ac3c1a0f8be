#include <cstring>
#include <limits>

#include "oracle/judge.h"
#include "oracle/model/model.h"
#include "src/diagnosis/hypotheses/hypothesis.h"
#include "src/diagnosis/matrix_block.h"
#include "src/harness/judge/dequantised.h"

namespace assay {
namespace {

// One byte an element: 1 where the output is not what the product gives.
std::vector<std::uint8_t> unlike(const Evidence& evidence, const oracle::Product& product,
                                 const oracle::Arithmetic& arithmetic) {
  if (evidence.by_bits && oracle::is_predictable(arithmetic, product)) {
    return oracle::different_bits(product, arithmetic);
  }
  std::vector<std::uint8_t> wrong;
  if (evidence.by_bits) {
    wrong.assign(static_cast<std::size_t>(product.got.rows * product.got.cols), 1);
    return wrong;
  }
  oracle::judge_fast(
      {&product, 1}, arithmetic,
      {.exact_input = evidence.is_exact_fill(), .skip_trivial = true, .wrong_map = &wrong});
  return wrong;
}

// One byte an element: 1 where the product is not a number.
std::vector<std::uint8_t> not_numbers(oracle::Product product,
                                      const oracle::Arithmetic& arithmetic) {
  const oracle::Format format = product.got.format;
  const Index size = oracle::shape(format).size_bytes;
  const Index elements = product.got.rows * product.got.cols;
  std::vector<std::byte> nan(static_cast<std::size_t>(elements * size));
  for (Index i = 0; i < elements; ++i) {
    oracle::store(format, nan.data() + i * size,
                  oracle::round_nearest(format, std::numeric_limits<double>::quiet_NaN()));
  }
  product.got = {.data = nan.data(),
                 .format = format,
                 .rows = product.got.rows,
                 .cols = product.got.cols,
                 .row_stride = product.got.cols};
  std::vector<std::uint8_t> map;
  oracle::judge_fast({&product, 1}, arithmetic, {.skip_trivial = true, .wrong_map = &map});
  for (std::uint8_t& wrong : map) { wrong = !wrong; }
  map.resize(static_cast<std::size_t>(elements), 1);
  return map;
}

// One byte an element of the part: 1 where the output is what the claim says.
std::vector<std::uint8_t> fulfilled(const Evidence& evidence, const ClaimedPart& part) {
  const auto size = static_cast<std::size_t>(part.rows * part.cols);
  std::vector<std::uint8_t> held(size, 1), outside;
  const oracle::Matrix got =
      block(evidence.product(part.expert).got, part.row, part.col, part.rows, part.cols);
  if (part.kind == ClaimedPart::Kind::kValue) {
    const DeclaredArithmetic& declared = evidence.manifest.arithmetic;
    const MultipliedProduct multiplied(part.product,
                                       part.multiplied ? DeclaredArithmetic{} : declared);
    oracle::Product product = *multiplied;
    product.got = got;
    const std::vector<std::uint8_t> wrong = unlike(evidence, product, part.arithmetic);
    for (std::size_t i = 0; i < size; ++i) { held[i] = !wrong[i]; }
    if (!part.memory) { return held; }
    outside = not_numbers(product, part.arithmetic);
  }
  for (Index row = 0; row < part.rows; ++row) {
    for (Index col = 0; col < part.cols; ++col) {
      const auto i = static_cast<std::size_t>(row * part.cols + col);
      const auto element =
          static_cast<std::size_t>(evidence.element(part.expert, part.row + row, part.col + col));
      // What is read from beside the operands may be anything that depends on it.
      if (part.memory) { held[i] = held[i] || (outside[i] && evidence.tainted[element]); }
      if (part.kind == ClaimedPart::Kind::kBits) { held[i] = got.bits(row, col) == part.bits[i]; }
      if (part.kind == ClaimedPart::Kind::kUnwritten) { held[i] = evidence.unwritten[element]; }
      if (part.kind == ClaimedPart::Kind::kTainted) { held[i] = evidence.tainted[element]; }
      if (part.kind == ClaimedPart::Kind::kWrong) { held[i] = evidence.wrong[element]; }
    }
  }
  return held;
}

}  // namespace

ClaimedPart rows_part(const Evidence& evidence, Index expert, Index row, Index rows,
                      ClaimedPart::Kind kind) {
  const oracle::Product& product = evidence.product(expert);
  ClaimedPart part{.kind = kind,
                   .expert = expert,
                   .row = row,
                   .rows = rows,
                   .cols = product.got.cols,
                   .product = product,
                   .arithmetic = to_oracle(evidence.manifest, evidence.problem.spec)};
  part.product.a = block(product.a, row, 0, rows, product.a.cols);
  part.product.c = block(product.c, row, 0, rows, product.got.cols);
  part.product.previous = {};
  return part;
}

ClaimedPart whole_part(const Evidence& evidence, Index expert, ClaimedPart::Kind kind) {
  return rows_part(evidence, expert, 0, evidence.product(expert).got.rows, kind);
}

ClaimScore score(const Evidence& evidence, const Claim& claim) {
  Index explained = 0, contradicted = 0;
  for (const ClaimedPart& part : claim.parts) {
    if (part.rows == 0 || part.cols == 0) { continue; }
    const std::vector<std::uint8_t> held = fulfilled(evidence, part);
    for (Index row = 0; row < part.rows; ++row) {
      for (Index col = 0; col < part.cols; ++col) {
        const bool wrong =
            evidence.wrong[evidence.element(part.expert, part.row + row, part.col + col)];
        const bool foretold = held[row * part.cols + col];
        explained += wrong && foretold;
        contradicted += !wrong && !foretold;
      }
    }
  }
  const Index right = evidence.elements() - evidence.wrong_count;
  return {.explained = static_cast<double>(explained) / static_cast<double>(evidence.wrong_count),
          .contradicted =
              right > 0 ? static_cast<double>(contradicted) / static_cast<double>(right) : 0};
}

}  // namespace assay
