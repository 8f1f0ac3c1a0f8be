#include "src/contract/formula.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "src/core/text.h"

namespace assay {
namespace {

constexpr Index kLargestResult = Index{1} << 62;
constexpr std::size_t kLongestFormula = 1024;
constexpr int kDeepestBrackets = 32;

struct NamedValue {
  std::string_view name;
  Index FormulaValues::*value;
};
constexpr NamedValue kNamedValues[] = {{"rows", &FormulaValues::rows},
                                       {"experts", &FormulaValues::experts},
                                       {"k", &FormulaValues::k},
                                       {"n", &FormulaValues::n},
                                       {"in_bytes", &FormulaValues::in_bytes},
                                       {"out_bytes", &FormulaValues::out_bytes},
                                       {"tile_m", &FormulaValues::tile_m},
                                       {"tile_n", &FormulaValues::tile_n},
                                       {"tile_k", &FormulaValues::tile_k}};
constexpr std::string_view kFormulaWords =
    "a number, rows, experts, k, n, in_bytes, out_bytes, tile_m, tile_n, tile_k, min, max, ceil, "
    "align or '('";

Index within_range(__int128 value) {
  return static_cast<Index>(std::clamp<__int128>(value, -kLargestResult, kLargestResult));
}
Index quotient_up(Index a, Index b) {
  return b == 0 ? 0 : within_range((__int128{a} + b - (b > 0 ? 1 : -1)) / b);
}

struct Operator {
  std::string_view word;
  Index (*apply)(Index a, Index b);
};
constexpr Operator kOperators[] = {
    {"+", [](Index a, Index b) { return within_range(__int128{a} + b); }},
    {"-", [](Index a, Index b) { return within_range(__int128{a} - b); }},
    {"*", [](Index a, Index b) { return within_range(__int128{a} * b); }},
    {"/", [](Index a, Index b) { return b == 0 ? Index{0} : a / b; }},
    {"%", [](Index a, Index b) { return b == 0 ? Index{0} : a % b; }},
    {"min", [](Index a, Index b) { return std::min(a, b); }},
    {"max", [](Index a, Index b) { return std::max(a, b); }},
    {"ceil", [](Index a, Index b) { return quotient_up(a, b); }},
    {"align", [](Index a, Index b) { return within_range(__int128{quotient_up(a, b)} * b); }}};

}  // namespace

// sum = product {(+|-) product}; product = factor {(*|/|%) factor}; factor = number | name |
// word(sum, sum) | (sum).
class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : rest_(text) { formula_.text_ = text; }

  Result<Formula> parse() {
    if (rest_.size() > kLongestFormula) {
      return make_error(fmt::format("{} letters, more than {}", rest_.size(), kLongestFormula));
    }
    ASSAY_TRY(sum());
    if (!next().empty()) { return wrong("an operator or the end"); }
    return formula_;
  }

 private:
  // The next word, number or sign, without taking it.
  std::string_view next() {
    while (!rest_.empty() && rest_.front() == ' ') { rest_.remove_prefix(1); }
    const auto of_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), of_word);
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    return rest_.substr(0, std::max<std::size_t>(length, rest_.empty() ? 0 : 1));
  }
  bool take(std::string_view word) {
    if (next() != word) { return false; }
    rest_.remove_prefix(word.size());
    return true;
  }
  tl::unexpected<Error> wrong(std::string_view allowed) {
    const std::string_view word = next();
    return make_error(fmt::format("{} in {} is not {}",
                                  word.empty() ? "the end" : quote(std::string(word)),
                                  quote(formula_.text_), allowed));
  }
  void push(Formula::Step::Kind kind, Index number) { formula_.steps_.push_back({kind, number}); }
  void push_operator(std::string_view word) {
    const auto* const row = std::ranges::find(kOperators, word, &Operator::word);
    push(Formula::Step::Kind::kOperator, row - std::begin(kOperators));
  }

  Status sum() { return chain({"+", "-"}, &FormulaParser::product); }
  Status product() { return chain({"*", "/", "%"}, &FormulaParser::factor); }
  Status chain(std::initializer_list<std::string_view> words, Status (FormulaParser::*part)()) {
    ASSAY_TRY((this->*part)());
    for (;;) {
      const auto* const word = std::find_if(words.begin(), words.end(),
                                            [&](std::string_view sign) { return take(sign); });
      if (word == words.end()) { return {}; }
      ASSAY_TRY((this->*part)());
      push_operator(*word);
    }
  }

  Status expect(std::string_view sign) {
    if (take(sign)) { return {}; }
    return wrong(fmt::format("'{}'", sign));
  }
  Status bracketed(std::string_view word) {
    if (++depth_ > kDeepestBrackets) { return make_error("brackets are nested too deeply"); }
    ASSAY_TRY(expect("("));
    ASSAY_TRY(sum());
    if (!word.empty()) {
      ASSAY_TRY(expect(","));
      ASSAY_TRY(sum());
      push_operator(word);
    }
    --depth_;
    return expect(")");
  }

  Status factor() {
    const std::string_view word = next();
    if (word == "(") { return bracketed({}); }
    for (const std::string_view function : {"min", "max", "ceil", "align"}) {
      if (take(function)) { return bracketed(function); }
    }
    const auto* const name = std::ranges::find(kNamedValues, word, &NamedValue::name);
    if (name != std::end(kNamedValues)) {
      push(Formula::Step::Kind::kName, name - std::begin(kNamedValues));
    } else if (const auto number = parse_index(word)) {
      push(Formula::Step::Kind::kNumber, std::min(*number, kLargestResult));
    } else {
      return wrong(kFormulaWords);
    }
    rest_.remove_prefix(word.size());
    return {};
  }

  std::string_view rest_;
  Formula formula_;
  int depth_ = 0;
};

Result<Formula> Formula::parse(std::string_view text) { return FormulaParser(text).parse(); }

Index Formula::value(const FormulaValues& values) const {
  std::vector<Index> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kOperator) {
      const Index last = stack.back();
      stack.pop_back();
      stack.back() = kOperators[step.number].apply(stack.back(), last);
    } else {
      stack.push_back(step.kind == Step::Kind::kName ? values.*kNamedValues[step.number].value
                                                     : step.number);
    }
  }
  return std::max<Index>(stack.empty() ? 0 : stack.back(), 0);
}

}  // namespace assay
