// The product is right, but not the bias that was added to it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "oracle/number_line.h"
#include "src/diagnosis/hypotheses/rewritten.h"
#include "src/diagnosis/hypotheses/table.h"
#include "src/harness/judge/judge_case.h"

namespace assay {
namespace {

// Of an element: its expert, row and column.
struct Place {
  Index expert = 0, row = 0, col = 0;
};

class BiasClaimer {
 public:
  BiasClaimer(const Evidence& evidence, std::vector<Claim>& claims)
      : evidence_(evidence), bias_(evidence.problem.bias), claims_(claims) {}

  void propose() {
    propose_other_rows();
    propose_other_values();
    propose_amounts();
    propose_pitches();
  }

 private:
  using Addend = std::function<double(const Place&)>;

  // The bias as its memory goes on: entry `index` from its first, read as elements of `format`.
  double read(Index index, Format format) const {
    const Index byte = index * size_bytes(format);
    const auto bytes = static_cast<Index>(bias_.bits.size());
    if (index < 0 || byte + size_bytes(format) > bytes) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return decode(format, load_bits(format, bias_.bits.data() + byte));
  }
  double at(Index expert, Index col) const { return read(expert * bias_.cols + col, bias_.format); }

  // Adds the claim that `addend` is added in the place of the bias.
  void add(const std::string& key, const std::string& sentence, const Addend& addend) {
    Claim claim{.key = key, .sentence = sentence};
    bool differs = false;
    for (Index expert = 0; expert < evidence_.experts(); ++expert) {
      ClaimedPart part = whole_part(evidence_, expert, ClaimedPart::Kind::kValue);
      bool outside = false;
      const auto code = [&](Index row, Index col) {
        const double value = addend({expert, row, col});
        outside = outside || std::isnan(value);
        differs = differs || !(value == at(expert, col));
        return oracle::round_nearest(oracle::Format::kFp32, value);
      };
      if (auto added = rewritten(part.product.c, oracle::Format::kFp32, code)) {
        part.product.c = added->matrix;
        if (outside) { part.memory = added->storage; }
        part.storage.push_back(std::move(added->storage));
      }
      claim.parts.push_back(std::move(part));
    }
    if (differs) { claims_.push_back(std::move(claim)); }
  }

  void propose_other_rows() {
    const Index last = evidence_.experts() - 1;
    add("expert 0", "the bias of expert 0 is added to every expert's rows",
        [this](const Place& place) { return at(0, place.col); });
    add("next", "each expert's rows get the bias of the next expert",
        [this, last](const Place& p) { return at(std::min(p.expert + 1, last), p.col); });
    add("previous", "each expert's rows get the bias of the expert before",
        [this](const Place& p) { return at(std::max<Index>(p.expert - 1, 0), p.col); });
    add("by rows", "the bias is added along the rows of the output, not along its columns",
        [this](const Place& p) { return at(p.expert, p.row); });
    add("element 0", "every column gets the first element of the expert's bias",
        [this](const Place& p) { return at(p.expert, 0); });
  }

  void propose_other_values() {
    for (const Format format : kBiasFormats) {
      if (format == bias_.format) { continue; }
      add(fmt::format("as {}", name(format)),
          fmt::format("the bias, {}, is read as if it were {}", name(bias_.format), name(format)),
          [this, format](const Place& p) { return read(p.expert * bias_.cols + p.col, format); });
      const oracle::Format narrow = to_oracle(format);
      add(fmt::format("rounded to {}", name(format)),
          fmt::format("the bias, {}, is rounded to {} before it is added", name(bias_.format),
                      name(format)),
          [this, narrow](const Place& p) {
            return oracle::to_double(narrow, oracle::round_nearest(narrow, at(p.expert, p.col)));
          });
      add(fmt::format("cut to {}", name(format)),
          fmt::format("the bias, {}, is cut to {} before it is added", name(bias_.format),
                      name(format)),
          [this, narrow](const Place& p) {
            const double value = at(p.expert, p.col);
            const std::uint32_t bits = oracle::round_nearest(narrow, value);
            const bool away = std::abs(oracle::to_double(narrow, bits)) > std::abs(value);
            return oracle::to_double(narrow, away ? bits - 1 : bits);
          });
    }
  }

  // Left out or added twice: everywhere, in what the whole vectors of a row leave, or in the row
  // tiles after an expert's first.
  void propose_amounts() {
    constexpr struct {
      const char *key, *words;
      int times;
    } kAmounts[] = {{"none", "is not added", 0}, {"twice", "is added twice", 2}};
    const Index n = bias_.cols;
    for (const auto& amount : kAmounts) {
      const auto amount_where = [&](const std::string& where, auto is_there) {
        add(amount.key + where, fmt::format("the bias {}{}", amount.words, where),
            [this, is_there, times = amount.times](const Place& p) {
              return at(p.expert, p.col) * (is_there(p) ? times : 1);
            });
      };
      amount_where("", [](const Place&) { return true; });
      for (const Index width : {4, 8, 16, 32, 64, 128}) {
        const Index whole = n / width * width;
        if (whole == 0 || whole == n) { continue; }
        amount_where(fmt::format(" to the columns after the last whole {}", width),
                     [whole](const Place& p) { return p.col >= whole; });
      }
      for (const Index height : {8, 16, 32, 64, 128, 256}) {
        amount_where(fmt::format(" to an expert's rows from row {} on", height),
                     [height](const Place& p) { return p.row >= height; });
      }
    }
  }

  void propose_pitches() {
    for (const Index unit : {4, 8, 16, 32, 64, 128}) {
      const Index pitch = (bias_.cols + unit - 1) / unit * unit;
      if (pitch == bias_.cols) { continue; }
      add(fmt::format("pitch {}", unit),
          fmt::format("rows of the bias are taken to be {} elements apart, its {} columns rounded "
                      "up to a multiple of {}",
                      pitch, bias_.cols, unit),
          [this, pitch](const Place& p) { return read(p.expert * pitch + p.col, bias_.format); });
    }
  }

  const Evidence& evidence_;
  const DenseOperand& bias_;
  std::vector<Claim>& claims_;
};

}  // namespace

void propose_wrong_bias(const Evidence& evidence, std::vector<Claim>& claims) {
  if (evidence.problem.spec.bias) { BiasClaimer(evidence, claims).propose(); }
}

}  // namespace assay
