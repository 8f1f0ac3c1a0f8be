#include <algorithm>
#include <array>
#include <bit>

#include "src/problem/exact_plan.h"
#include "src/problem/fill_source.h"
#include "src/problem/format_bits.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

constexpr Index kBlock = 8;  // positions served by one random word
// Children of a part's state that are no line.
constexpr std::uint64_t kPatternChild = ~std::uint64_t{0} - 1;
constexpr std::uint64_t kPairChild = ~std::uint64_t{0} - 2;

// Codes of ±1..most times scale, by a random byte whose top bit is the sign.
std::array<std::uint32_t, 256> make_codes(Format format, int most, int scale) {
  std::array<std::uint32_t, 256> codes{};
  const FormatBits layout = format_bits(format);
  constexpr int kHalf = 128;
  for (int i = 0; i < most; ++i) {
    // The bytes whose share of the range is the i-th of `most`.
    const auto first = codes.begin() + (i * kHalf + most - 1) / most;
    const auto end = codes.begin() + ((i + 1) * kHalf + most - 1) / most;
    std::fill(first, end, encode_with(layout, (i + 1) * scale));
    std::fill(first + kHalf, end + kHalf, encode_with(layout, -(i + 1) * scale));
  }
  return codes;
}

class ExactSource final : public LineSource {
 public:
  ExactSource(const FillPart& part, const ExactPlan& plan)
      : part_(part),
        pattern_(part.reduction, plan.nonzeros, child_state(part.state, kPatternChild)),
        anchors_(part.side == Side::kC ? std::vector<Index>{} : anchor_positions(part, plan)),
        sparse_(part.side == Side::kA && plan.nonzeros < part.reduction) {
    const bool is_a = part.side == Side::kA, is_b = part.side == Side::kB;
    codes_ = make_codes(part.format,
                        is_a   ? plan.a_most
                        : is_b ? plan.b_most
                               : plan.c_most,
                        is_a   ? plan.a_scale
                        : is_b ? plan.b_scale
                               : 1);
    const int exponent =
        is_a ? plan.anchor_exponent_a : plan.anchor_exponent - plan.anchor_exponent_a;
    plus_ = encode_with(format_bits(part.format), static_cast<double>(Index{1} << exponent));
    minus_ = with_sign(format_bits(part.format), plus_, true);
  }

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    if (part_.side != Side::kC && part_.reduces_lines) {
      const auto anchor = std::lower_bound(anchors_.begin(), anchors_.end(), line);
      if (anchor != anchors_.end() && *anchor == line) {
        const Index which = anchor - anchors_.begin();
        for (Index i = 0; i < count; ++i) { codes[i] = anchor_code(first + i, which); }
        return;
      }
    }
    read_small(line, first, count, codes);
    if (sparse_ && part_.reduces_lines) { mask_across(line, first, count, codes); }
    if (sparse_ && !part_.reduces_lines) { mask_along(line, first, count, codes); }
    if (part_.side != Side::kC && !part_.reduces_lines) {
      place_anchors(line, first, count, codes);
    }
  }

 private:
  void read_small(Index line, Index first, Index count, std::uint32_t* codes) const {
    const std::uint64_t state = child_state(part_.state, static_cast<std::uint64_t>(line));
    for (Index i = 0; i < count; i += kBlock) {
      std::uint64_t word = child_state(state, static_cast<std::uint64_t>((first + i) / kBlock));
      const Index end = std::min(count, i + kBlock);
      for (Index j = i; j < end; ++j, word >>= 8) { codes[j] = codes_[word & 255]; }
    }
  }

  // A along a line: the line is the free index.
  void mask_along(Index line, Index first, Index count, std::uint32_t* codes) const {
    for (Index i = 0; i < count; i += TilePattern::kTile) {
      std::uint64_t mask = pattern_.mask(line, (first + i) / TilePattern::kTile);
      const Index end = std::min(count, i + TilePattern::kTile);
      for (Index j = i; j < end; ++j, mask >>= 1) {
        codes[j] &= 0 - static_cast<std::uint32_t>(mask & 1);
      }
    }
  }

  // A across lines: the position is the free index; the masks of a tile of lines are made once.
  void mask_across(Index line, Index first, Index count, std::uint32_t* codes) {
    const Index tile = line / TilePattern::kTile;
    if (tile != masked_tile_) {
      masked_tile_ = tile;
      masks_.resize(static_cast<std::size_t>(part_.positions));
      for (Index i = 0; i < part_.positions; ++i) { masks_[i] = pattern_.mask(i, tile); }
    }
    for (Index i = 0; i < count; ++i) {
      const std::uint64_t mask = masks_[first + i];
      codes[i] &= 0 - static_cast<std::uint32_t>((mask >> (line % TilePattern::kTile)) & 1);
    }
  }

  void place_anchors(Index line, Index first, Index count, std::uint32_t* codes) const {
    const auto begin = std::lower_bound(anchors_.begin(), anchors_.end(), first);
    for (auto it = begin; it != anchors_.end() && *it < first + count; ++it) {
      codes[*it - first] = anchor_code(line, it - anchors_.begin());
    }
  }

  // A holds the anchor everywhere, B in the pair of each free index alone.
  std::uint32_t anchor_code(Index free, Index which) const {
    if (part_.side == Side::kA) { return plus_; }
    const auto anchors = static_cast<std::uint64_t>(anchors_.size());
    const std::uint64_t word =
        child_state(child_state(part_.state, kPairChild), static_cast<std::uint64_t>(free));
    const std::uint64_t up = (word & 0xffffffff) % anchors;
    const std::uint64_t down = (up + 1 + (word >> 32) % (anchors - 1)) % anchors;
    const auto here = static_cast<std::uint64_t>(which);
    return here == up ? plus_ : here == down ? minus_ : 0;
  }

  FillPart part_;
  TilePattern pattern_;
  std::vector<Index> anchors_;
  bool sparse_;
  std::array<std::uint32_t, 256> codes_{};
  std::uint32_t plus_ = 0, minus_ = 0;
  Index masked_tile_ = -1;
  std::vector<std::uint64_t> masks_;
};

}  // namespace

std::unique_ptr<LineSource> make_exact_source(const FillPart& part) {
  return std::make_unique<ExactSource>(part, plan_exact(part));
}

}  // namespace assay
