#include <algorithm>
#include <bit>

#include "src/problem/fill_source.h"
#include "src/problem/format_bits.h"
#include "src/problem/power_of_two.h"
#include "src/problem/problem.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

// Children of a part's state that are no line.
constexpr std::uint64_t kSpecialChild = ~std::uint64_t{0} - 3;
constexpr std::uint64_t kEqualChild = ~std::uint64_t{0} - 4;

// The random words of one element. The second is made of the first, more cheaply than by another
// mix.
struct Words {
  std::uint64_t first, second;
};
Words words_at(std::uint64_t line_state, Index position) {
  const std::uint64_t word = child_state(line_state, static_cast<std::uint64_t>(position));
  return {word, (word ^ (word >> 32)) * 0xd6e8feb86659fd93u};
}

// Nearly normal, exactly a multiple of 2^-24 within ±6: the sum of 12 uniform numbers of 10 bits,
// each in a lane of its own, and 14 finer bits.
double normal_of(const Words& words) {
  constexpr std::uint64_t kLanes = 0x3ff | (0x3ffull << 20) | (0x3ffull << 40);
  const std::uint64_t lanes = (words.first & kLanes) + ((words.first >> 10) & kLanes) +
                              (words.second & kLanes) + ((words.second >> 10) & kLanes);
  const auto sum = static_cast<Index>((lanes + (lanes >> 20) + (lanes >> 40)) & 0xfffff);
  const auto fine = static_cast<Index>(((words.first ^ (words.second << 7)) * kGoldenGamma) >> 50);
  return static_cast<double>(((sum - 6 * 1023) << 14) + fine - (1 << 13)) * 0x1p-24;
}

// In (0, 1], and not so small that it rounds to zero in any format.
double positive_of(const Words& words) {
  const auto uniform = static_cast<Index>(words.first >> 40) + 1;
  return static_cast<double>(std::max<Index>(uniform, 1 << 15)) * 0x1p-24;
}

// ±[1, 2) * 2^e, e binomial around 0 with `spread` tosses.
double lognormal_of(const Words& words, int spread) {
  const std::uint64_t tosses = words.first & ((std::uint64_t{1} << spread) - 1);
  const int exponent = std::popcount(tosses) - spread / 2;
  const double size =
      (1.0 + static_cast<double>(words.second >> 41) * 0x1p-23) * power_of_two(exponent);
  return (words.first >> 63) != 0 ? -size : size;
}

// Two of their largest values leave an fp32 accumulator.
bool is_wide(Format format) {
  constexpr double kWide = 0x1p100;
  return traits(format).max_finite > kWide;
}

// Code of the largest value to plant. B is made small enough for the largest of A where it has the
// range for that.
std::uint32_t largest_beside(const FillPart& part) {
  const Inputs& in = part.spec->in;
  const bool alone = is_wide(in.a.format) && !is_wide(in.b.format);
  constexpr double kEnough = 0x1p-40;
  const double largest = traits(part.format).max_finite;
  return encode(part.format, alone && part.side == Side::kA ? largest * kEnough : largest);
}

// Outputs that a few hundred products of about 1 overflow.
bool has_short_range(Format out) { return traits(out).max_finite < 0x1p12; }

// Experts differ by a factor in B: 1, 1.25, 1.5 or 1.75 times 1/2, 1 or 2.
double expert_scale(const FillPart& part) {
  if (part.side != Side::kB) { return 1; }
  const auto quarter = static_cast<double>(part.expert_state & 3) * 0.25;
  const auto phase = static_cast<std::uint64_t>(part.expert) + child_state(part.spec->seed, 0) % 3;
  double scale = (1 + quarter) * power_of_two(static_cast<int>(phase % 3) - 1);
  const CaseSpec& spec = *part.spec;
  // Largest A times B stays far below the overflow of an fp32 accumulator.
  if (has_special_values(spec.fill) && is_wide(spec.in.b.format)) { scale *= 0x1p-20; }
  // Sums of one sign stay finite in a narrow output.
  const bool narrow_out = traits(spec.out).max_finite < 0x1p100;
  constexpr Index kLongest = 4096;
  const bool one_sign = spec.fill == Fill::kPositive || spec.fill == Fill::kEqual;
  if (one_sign && has_short_range(spec.out)) { scale *= 0x1p-4; }
  if (one_sign && narrow_out && part.reduction > kLongest) {
    const auto excess = static_cast<std::uint64_t>(part.reduction / kLongest);
    scale *= power_of_two(-static_cast<int>(std::bit_width(excess)));
  }
  return scale;
}

// Values of about 1 are spread over the range of integers, as what is quantised to them is. Of one
// sign they are as large as they can be: narrow accumulators are met by their sums. B has factors
// of its own.
double integer_span(const FillPart& part) {
  if (!traits(part.format).integer) { return 1; }
  const CaseSpec& spec = *part.spec;
  const bool one_sign = spec.fill == Fill::kPositive || spec.fill == Fill::kEqual;
  const bool narrow_out = traits(spec.out).max_finite < 0x1p100;
  constexpr double kOrdinary = 32, kOfB = 64;
  if (has_short_range(spec.out)) { return 2; }
  if (!one_sign || narrow_out) { return kOrdinary; }
  return part.side == Side::kA ? traits(part.format).max_finite : kOfB;
}

// Lognormal values have exponents within about this of 0.
int spread_of(Format format) {
  const int highest = traits(format).max_exponent;
  return highest > 100 ? 16 : std::min(8, highest);
}

class RealSource : public LineSource {
 public:
  explicit RealSource(const FillPart& part)
      : part_(part),
        layout_(format_bits(part.format)),
        scale_(expert_scale(part) * integer_span(part)),
        spread_(std::min(spread_of(part.spec->in.a.format), spread_of(part.spec->in.b.format))) {}

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    const std::uint64_t state = line_state(line);
    switch (part_.side == Side::kC ? Fill::kNormal : part_.spec->fill) {
      case Fill::kPositive:
        return encode_each(first, count, codes,
                           [&](Index i) { return positive_of(words_at(state, i)); });
      case Fill::kLognormal:
        return encode_each(first, count, codes,
                           [&](Index i) { return lognormal_of(words_at(state, i), spread_); });
      default:
        return encode_each(first, count, codes,
                           [&](Index i) { return normal_of(words_at(state, i)); });
    }
  }

 protected:
  std::uint64_t line_state(std::uint64_t line) const { return child_state(part_.state, line); }
  std::uint64_t line_state(Index line) const {
    return line_state(static_cast<std::uint64_t>(line));
  }
  template <class ValueAt>
  void encode_each(Index first, Index count, std::uint32_t* codes, const ValueAt& value_at) const {
    const FormatBits layout = layout_;
    for (Index i = 0; i < count; ++i) {
      codes[i] = encode_with(layout, value_at(first + i) * scale_);
    }
  }

  FillPart part_;
  FormatBits layout_;
  double scale_;
  int spread_;
};

// Pairs of reduction indices r and r + distance: A equal, B opposite but for a last place here and
// there.
class CancellingSource final : public RealSource {
 public:
  explicit CancellingSource(const FillPart& part) : RealSource(part) {
    const Index length = part.reduction;
    if (length < 2) { return; }
    const auto largest = std::bit_floor(static_cast<std::uint64_t>(length / 2));
    constexpr std::uint64_t kDistances[] = {1, 8, 64, ~std::uint64_t{0}};
    distance_ = static_cast<Index>(std::min(largest, kDistances[(part.expert_state >> 8) & 3]));
    const int log2_length = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length)));
    const int by_length = std::min(-2, 3 * log2_length / 2 - 20);
    step_ = power_of_two(std::max(by_length, -layout_.fraction_bits));
  }

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    if (part_.reduces_lines) {
      const std::uint64_t state = line_state(base_of(line));
      for (Index i = 0; i < count; ++i) { codes[i] = code(line, words_at(state, first + i)); }
    } else {
      const std::uint64_t state = line_state(line);
      for (Index i = 0; i < count; ++i) {
        codes[i] = code(first + i, words_at(state, base_of(first + i)));
      }
    }
  }

 private:
  Index base_of(Index r) const { return r & ~distance_; }

  std::uint32_t code(Index r, const Words& words) const {
    const bool alone = distance_ == 0 || (r ^ distance_) >= part_.reduction;
    const double value = normal_of(words) * scale_;
    if (alone) { return encode_with(layout_, distance_ == 0 ? value : value * 0x1p-8); }
    if (part_.side == Side::kA || (r & distance_) == 0) { return encode_with(layout_, value); }
    const bool steps = (words.first >> 62) == 0 || r == distance_;
    const double factor = !steps ? 1 : (words.second >> 63) != 0 ? 1 + step_ : 1 - step_;
    return encode_with(layout_, -value * factor);
  }

  Index distance_ = 0;
  double step_ = 0;
};

// Normal values; one in 16 is -0 or subnormal, and one free index in 8 has one NaN, infinity or
// largest value.
class SpecialSource final : public RealSource {
 public:
  explicit SpecialSource(const FillPart& part)
      : RealSource(part),
        state_(child_state(part.state, kSpecialChild)),
        largest_(largest_beside(part)) {
    const Index count = part.free_count();
    constexpr Index kLeastForced = 4;  // fewer would leave nothing untouched
    if (count >= kLeastForced) {
      forced_ = static_cast<Index>(state_ % static_cast<std::uint64_t>(count));
    }
    if (!part.reduces_lines) { return; }
    for (Index i = 0; i < part.positions; ++i) { planted_.push_back(planted_at(i)); }
  }

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    const std::uint64_t state = line_state(line);
    const Index here = part_.reduces_lines ? -1 : planted_at(line);
    for (Index i = 0; i < count; ++i) {
      const Index position = first + i;
      const Words words = words_at(state, position);
      codes[i] = (words.first >> 60) == 0 ? tiny_code(words.second)
                                          : encode_with(layout_, normal_of(words) * scale_);
      const bool planted = part_.reduces_lines ? planted_[position] == line : here == position;
      if (planted) { codes[i] = planted_code(part_.reduces_lines ? position : line); }
    }
  }

 private:
  // The reduction index that holds the free index's special value, -1 for none.
  Index planted_at(Index free) const {
    const std::uint64_t word = child_state(state_, static_cast<std::uint64_t>(free));
    if ((word & 7) != 0 && free != forced_) { return -1; }
    return static_cast<Index>((word >> 8) % static_cast<std::uint64_t>(part_.reduction));
  }

  std::uint32_t signed_by(std::uint64_t word, std::uint32_t code) const {
    return with_sign(layout_, code, (word & 1) != 0);
  }

  // Of an integer: nothing or the least number, else a small one.
  std::uint32_t tiny_code(std::uint64_t word) const {
    const std::uint32_t subnormals = (std::uint32_t{1} << layout_.fraction_bits) - 1;
    if ((word >> 63) != 0) { return std::uint32_t{1} << layout_.sign_bit; }
    return signed_by(word, 1 + static_cast<std::uint32_t>(word >> 32) % subnormals);
  }

  std::uint32_t planted_code(Index free) const {
    const std::uint64_t word = mix_bits(child_state(state_, static_cast<std::uint64_t>(free)));
    // The largest bf16 or fp32 belongs to A alone: two of them overflow every accumulator.
    const bool may_be_largest = part_.side == Side::kA || layout_.max_code < 0x7f7f;
    const std::uint64_t choice = (word >> 1) % (may_be_largest ? 3 : 2);
    if (choice == 0) { return signed_by(word, layout_.nan_code); }
    if (choice == 1) { return signed_by(word, layout_.over_code); }
    return signed_by(word, largest_);
  }

  std::uint64_t state_;
  std::uint32_t largest_;  // code of the largest value to plant
  Index forced_ = -1;
  std::vector<Index> planted_;
};

// A holds one value, B one for each of its free indices: every sum adds the same product again and
// again, so that its roundings all go one way.
class EqualSource final : public RealSource {
 public:
  explicit EqualSource(const FillPart& part) : RealSource(part) {}

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    const std::uint64_t state = line_state(kEqualChild);
    encode_each(first, count, codes, [&](Index position) {
      const Index free = part_.reduces_lines ? position : line;
      const Words words = words_at(state, part_.side == Side::kA ? 0 : free);
      const double size = 0.5 + static_cast<double>(words.first >> 41) * 0x1p-24;
      return (words.second >> 63) != 0 ? -size : size;
    });
  }
};

// Normal values, and on one free index of four several that are not finite, or the largest.
class ExtremeSource final : public RealSource {
 public:
  explicit ExtremeSource(const FillPart& part)
      : RealSource(part),
        state_(child_state(part.state, kSpecialChild)),
        meets_(part.reduction > 0 ? static_cast<Index>((part.expert_state >> 20) %
                                                       static_cast<std::uint64_t>(part.reduction))
                                  : 0),
        apart_((meets_ + 1) % std::max<Index>(1, part.reduction)),
        largest_((part.expert_state >> 16) % 4 == 0),
        wide_(is_wide(part.spec->in.a.format) || is_wide(part.spec->in.b.format)),
        largest_code_(largest_beside(part)) {
    const Index count = part.free_count();
    constexpr Index kLeastForced = 4;  // fewer would leave nothing untouched
    if (count >= kLeastForced) {
      forced_ = static_cast<Index>(state_ % static_cast<std::uint64_t>(count));
    }
  }

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    const std::uint64_t state = line_state(line);
    for (Index i = 0; i < count; ++i) {
      const Index position = first + i;
      codes[i] = part_.reduces_lines ? code(position, line, words_at(state, position))
                                     : code(line, position, words_at(state, position));
    }
  }

 private:
  std::uint32_t code(Index free, Index r, const Words& words) const {
    const auto signed_code = [&](std::uint32_t code) {
      return with_sign(layout_, code, (words.second & 1) != 0);
    };
    const std::uint64_t word = child_state(state_, static_cast<std::uint64_t>(free));
    const bool planted = free > 0 && ((word & 3) == 0 || free == forced_);
    if (largest_ && (r == meets_ || (wide_ && r == apart_))) {
      // Two of the widest would leave every accumulator: they meet small values, each at an r of
      // its own. The others meet each other.
      const bool here = !wide_ || (part_.side == Side::kA) == (r == meets_);
      if (planted && here) { return signed_code(largest_code_); }
      const double shift = !wide_ ? 0x1p-12 : here ? 1 : 0x1p-64;
      return encode_with(layout_, normal_of(words) * scale_ * shift);
    }
    if (planted && !largest_) {
      const auto length = static_cast<std::uint64_t>(part_.reduction);
      const auto one = static_cast<Index>((word >> 8) % length);
      const auto other = static_cast<Index>((word >> 24) % length);
      // An infinity beside a NaN, or beside another infinity.
      const bool has_nan = (word & 4) != 0;
      if (r == one) { return signed_code(has_nan ? nan_code(words) : infinity()); }
      if (r == other) { return signed_code(infinity()); }
    }
    return encode_with(layout_, normal_of(words) * scale_);
  }

  std::uint32_t infinity() const { return layout_.over_code; }

  // Any NaN there is, all ones in one of four.
  std::uint32_t nan_code(const Words& words) const {
    const std::uint32_t ones = (std::uint32_t{1} << layout_.fraction_bits) - 1;
    const auto payload = static_cast<std::uint32_t>(words.first >> 40) % ones + 1;
    const FormatTraits& row = traits(part_.format);
    if (!row.has_infinity) { return layout_.over_code; }
    if ((words.second >> 62) == 0) { return layout_.over_code | ones; }
    // A shorter format that a kernel multiplies in may cut the lower bits off: quiet ones stay NaN.
    return layout_.over_code | payload | (row.converted ? layout_.nan_code : 0);
  }

  std::uint64_t state_;
  Index meets_, apart_;
  bool largest_, wide_;
  std::uint32_t largest_code_;
  Index forced_ = -1;
};

}  // namespace

std::unique_ptr<LineSource> make_real_source(const FillPart& part) {
  if (part.side != Side::kC && part.spec->fill == Fill::kEqual) {
    return std::make_unique<EqualSource>(part);
  }
  if (part.side != Side::kC && part.spec->fill == Fill::kExtreme) {
    return std::make_unique<ExtremeSource>(part);
  }
  if (part.side != Side::kC && part.spec->fill == Fill::kCancelling) {
    return std::make_unique<CancellingSource>(part);
  }
  if (part.side != Side::kC && part.spec->fill == Fill::kSpecial) {
    return std::make_unique<SpecialSource>(part);
  }
  return std::make_unique<RealSource>(part);
}

}  // namespace assay
