#include <vector>

#include "src/problem/coded.h"
#include "src/problem/fill_source.h"
#include "src/problem/format_bits.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

class CodedSource final : public LineSource {
 public:
  explicit CodedSource(const FillPart& part)
      : part_(part),
        scheme_(coded_scheme(*part.spec, part.expert, part.exact_bits, part.most_rows)) {
    for (Index value = 0; value <= scheme_.base; ++value) {
      codes_.push_back(encode_with(format_bits(part.format), static_cast<double>(value)));
    }
  }

  void read(Index line, Index first, Index count, std::uint32_t* codes) override {
    for (Index i = 0; i < count; ++i) {
      codes[i] = part_.side == Side::kC ? c_code(line, first + i) : code(line, first + i);
    }
  }

 private:
  std::uint32_t code(Index line, Index position) const {
    const Index r = part_.reduces_lines ? line : position;
    const Index free = part_.reduces_lines ? position : line;
    const Index value =
        part_.side == Side::kA ? scheme_.a_value(free, r) : scheme_.b_value(r, free);
    return codes_[value];
  }

  std::uint32_t c_code(Index line, Index position) const {
    if (!scheme_.c_is_coded) { return 0; }
    const std::uint64_t word =
        child_state(child_state(part_.state, static_cast<std::uint64_t>(line)),
                    static_cast<std::uint64_t>(position));
    return encode_with(format_bits(part_.format),
                       static_cast<double>(kCodedCUnit * (1 + static_cast<Index>(word & 7))));
  }

  FillPart part_;
  CodedScheme scheme_;
  std::vector<std::uint32_t> codes_;
};

}  // namespace

std::unique_ptr<LineSource> make_coded_source(const FillPart& part) {
  return std::make_unique<CodedSource>(part);
}

}  // namespace assay
