// The scale of a tensor, beside those of its blocks, left out or another one.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "oracle/number_line.h"
#include "src/diagnosis/hypotheses/rewritten.h"
#include "src/diagnosis/hypotheses/table.h"

namespace assay {
namespace {

using oracle::Factor;

struct TensorSide {
  Factor factor;
  Role role;
};

oracle::ScaleGrid& grid_of(oracle::Product& product, Factor factor) {
  return factor == Factor::kA ? product.a.scales : product.b.scales;
}

class TensorClaimer {
 public:
  TensorClaimer(const Evidence& evidence, std::vector<TensorSide> sides, std::vector<Claim>& claims)
      : evidence_(evidence), sides_(std::move(sides)), claims_(claims) {
    for (const TensorSide& side : sides_) {
      (names_ += names_.empty() ? "" : " and ") += name(side.role);
    }
  }

  // `sentence` has {} for the operands. other(side, product, expert) is another tensor's scale;
  // nothing where there is none.
  template <class Other>
  void add(std::string_view key, std::string_view sentence, const Other& other) const {
    Claim claim{.key = fmt::format("{} {}", names_, key),
                .sentence = fmt::format(fmt::runtime(sentence), names_)};
    claim.parts = changed_products(evidence_, [&](oracle::Product& product, Index expert) {
      bool changed = false;
      for (const TensorSide& side : sides_) {
        const std::optional<float> scale = other(side, product, expert);
        oracle::ScaleGrid& grid = grid_of(product, side.factor);
        changed = changed || (scale && *scale != *grid.tensor_scale);
        if (scale) { grid.tensor_scale = scale; }
      }
      return changed;
    });
    if (!claim.parts.empty()) { claims_.push_back(std::move(claim)); }
  }

  void propose() const {
    const auto with = [this](float (*change)(float)) {
      return [this, change](const TensorSide& side, const oracle::Product&, Index expert) {
        return std::optional(change(own(side, expert)));
      };
    };
    add("left out", "the tensor scale of {} is not applied", with([](float) { return 1.0F; }));
    add("twice", "the tensor scale of {} is applied twice", with([](float s) { return s * s; }));
    add("inverse", "{} is divided by its tensor scale", with([](float s) { return 1 / s; }));
    add("doubled", "the tensor scale of {} is taken twice as large",
        with([](float s) { return 2 * s; }));
    add("halved", "the tensor scale of {} is taken half as large",
        with([](float s) { return s / 2; }));
    add("bf16", "the tensor scale of {} is rounded to bf16", with([](float s) {
          return static_cast<float>(decode(Format::kBf16, encode(Format::kBf16, s)));
        }));
    add("other", "{} has the tensor scale of the other operand",
        [](const TensorSide& side, const oracle::Product& product, Index) {
          return side.factor == Factor::kA ? product.b.scales.tensor_scale
                                           : product.a.scales.tensor_scale;
        });
    propose_experts();
  }

 private:
  float own(const TensorSide& side, Index expert) const {
    return evidence_.problem.scales[side.role].tensor_scale(expert);
  }
  std::optional<float> of_expert(const TensorSide& side, Index expert) const {
    const bool here = expert >= 0 && expert < evidence_.experts();
    if (!here || evidence_.problem.scales[side.role].jagged) { return std::nullopt; }
    return own(side, expert);
  }
  void propose_experts() const {
    add("expert 0", "every expert's {} has the tensor scale of expert 0",
        [this](const TensorSide& side, const oracle::Product&, Index) {
          return of_expert(side, 0);
        });
    for (const Index step : {1, -1}) {
      add(fmt::format("expert {}", step),
          fmt::format("{{}} has the tensor scale of the {} expert", step > 0 ? "next" : "previous"),
          [this, step](const TensorSide& side, const oracle::Product&, Index expert) {
            return of_expert(side, expert + step);
          });
    }
  }

  const Evidence& evidence_;
  std::vector<TensorSide> sides_;
  std::string names_;
  std::vector<Claim>& claims_;
};

// An epilogue that multiplies the sum and C: alpha (acc + C).
void claim_scaled_c(const Evidence& evidence, std::vector<Claim>& claims) {
  std::vector<std::shared_ptr<const std::vector<std::byte>>> kept;
  Claim claim{.key = "c", .sentence = "C is multiplied by the tensor scales, too"};
  claim.parts = changed_products(evidence, [&](oracle::Product& product, Index) {
    const double factor = product.a.scales.tensor_value() * product.b.scales.tensor_value();
    const oracle::Matrix& c = product.c;
    if (c.data == nullptr || product.times > 1) { return false; }
    auto scaled = rewritten(c, oracle::Format::kFp32, [&](Index row, Index col) {
      return oracle::round_nearest(oracle::Format::kFp32,
                                   oracle::to_double(c.format, c.bits(row, col)) * factor);
    });
    if (scaled) {
      product.c = scaled->matrix;
      kept.push_back(std::move(scaled->storage));
    }
    return true;
  });
  for (ClaimedPart& part : claim.parts) {
    part.storage.insert(part.storage.end(), kept.begin(), kept.end());
  }
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace

void propose_tensor_scale_misread(const Evidence& evidence, std::vector<Claim>& claims) {
  std::vector<TensorSide> all;
  for (const Factor factor : {Factor::kA, Factor::kB}) {
    const Role role = role_of(evidence.problem.spec.pass, factor).role;
    if (evidence.problem.scales[role].tensors > 0) { all.push_back({factor, role}); }
  }
  for (const TensorSide& side : all) { TensorClaimer(evidence, {side}, claims).propose(); }
  if (all.size() > 1) { TensorClaimer(evidence, all, claims).propose(); }
  claim_scaled_c(evidence, claims);
}

void propose_scaled_empty_sums(const Evidence& evidence, std::vector<Claim>& claims) {
  Claim claim{.key = "",
              .sentence =
                  "the empty sum of an expert without rows is multiplied by a "
                  "tensor scale that is NaN"};
  claim.parts = elements_where(evidence, ClaimedPart::Kind::kTainted,
                               [&](Index expert, Index row, Index col) {
                                 return evidence.problem.layout.counts[expert] == 0 &&
                                        evidence.tainted[evidence.element(expert, row, col)] != 0;
                               });
  if (!claim.parts.empty()) { claims.push_back(std::move(claim)); }
}

}  // namespace assay
