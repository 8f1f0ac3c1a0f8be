#include "src/problem/routing.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "src/core/require.h"
#include "src/core/text.h"
#include "src/problem/fixed_point.h"
#include "src/problem/limits.h"
#include "src/problem/recorded.h"
#include "src/problem/rng.h"

namespace assay {
namespace {

using UnsignedWide = unsigned __int128;

// A generator's call taken apart, and each parameter as its name says.
struct Call {
  std::string_view text;
  std::string_view name;
  std::vector<std::string_view> positional;
  std::vector<std::pair<std::string_view, std::string_view>> named;
};

struct Parameters {
  Index total = 0;
  Index experts = 0;
  Index busy = 0;     // 0: not given
  Index expert = -1;  // -1: not given
  Index height = 0;
  Fixed number = 0;  // exponent of zipf, alpha of dirichlet
};

struct Generator {
  std::string_view name;
  std::string_view form;
  std::string_view positional;  // name of the one positional parameter, or ""
  std::vector<std::string_view> needed, optional;
  Result<std::vector<Index>> (*make)(const Parameters&, Rng&);
};

// Counts in proportion to weights that add up to total exactly: floors, then the largest
// remainders.
std::vector<Index> apportion(const std::vector<std::uint64_t>& weights, Index total) {
  UnsignedWide sum = 0;
  for (const std::uint64_t weight : weights) { sum += weight; }
  std::vector<Index> counts;
  std::vector<std::pair<UnsignedWide, std::size_t>> remainders;
  Index left = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const UnsignedWide share = static_cast<UnsignedWide>(total) * weights[i];
    counts.push_back(static_cast<Index>(share / sum));
    remainders.emplace_back(share % sum, i);
    left -= counts.back();
  }
  std::sort(remainders.begin(), remainders.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (std::size_t i = 0; left > 0; ++i, --left) { ++counts[remainders[i].second]; }
  return counts;
}

// Weights 2^log2_weight, the largest one scaled to 2^40.
std::vector<Index> apportion_log2(const std::vector<Fixed>& log2_weights, Index total) {
  const Fixed most = *std::max_element(log2_weights.begin(), log2_weights.end());
  std::vector<std::uint64_t> weights;
  for (const Fixed log2_weight : log2_weights) { weights.push_back(exp2_40(log2_weight - most)); }
  return apportion(weights, total);
}

std::vector<Index> choose_experts(Index experts, Index busy, Rng& rng) {
  std::vector<Index> order(static_cast<std::size_t>(experts));
  std::iota(order.begin(), order.end(), Index{0});
  rng.shuffle(order);
  order.resize(static_cast<std::size_t>(busy));
  return order;
}

Result<std::vector<Index>> make_balanced(const Parameters& p, Rng&) {
  std::vector<Index> rows;
  for (Index g = 0; g < p.experts; ++g) {
    rows.push_back(p.total / p.experts + (g < p.total % p.experts ? 1 : 0));
  }
  return rows;
}

Result<std::vector<Index>> make_zipf(const Parameters& p, Rng& rng) {
  std::vector<Fixed> log2_weights;
  for (Index rank = 1; rank <= p.experts; ++rank) {
    log2_weights.push_back(-fixed_multiply(p.number, log2_fixed(static_cast<std::uint64_t>(rank))));
  }
  std::vector<Index> rows = apportion_log2(log2_weights, p.total);
  rng.shuffle(rows);
  return rows;
}

Result<std::vector<Index>> make_dirichlet(const Parameters& p, Rng& rng) {
  if (p.number < kFixedOne / 1000 || p.number > 1000 * kFixedOne) {
    return make_error("alpha must lie in [0.001, 1000]");
  }
  std::vector<Fixed> log2_weights;
  for (Index g = 0; g < p.experts; ++g) { log2_weights.push_back(log2_gamma(rng, p.number)); }
  return apportion_log2(log2_weights, p.total);
}

Result<std::vector<Index>> make_one_hot(const Parameters& p, Rng& rng) {
  std::vector<Index> rows(static_cast<std::size_t>(p.experts), 0);
  const Index expert = p.expert >= 0 ? p.expert : rng.below(p.experts);
  if (expert >= p.experts) {
    return make_error(fmt::format("expert={} is past the last of {} experts", expert, p.experts));
  }
  rows[expert] = p.total;
  return rows;
}

Result<std::vector<Index>> make_mostly_empty(const Parameters& p, Rng& rng) {
  if (p.busy > p.experts) {
    return make_error(fmt::format("busy={} is more than experts={}", p.busy, p.experts));
  }
  if (p.busy > p.total) {
    return make_error(fmt::format("busy={} experts need a row each, total={}", p.busy, p.total));
  }
  std::vector<Fixed> log2_weights;
  for (Index i = 0; i < p.busy; ++i) { log2_weights.push_back(log2_gamma(rng, kFixedOne)); }
  const std::vector<Index> shares = apportion_log2(log2_weights, p.total - p.busy);
  std::vector<Index> rows(static_cast<std::size_t>(p.experts), 0);
  const std::vector<Index> chosen = choose_experts(p.experts, p.busy, rng);
  for (std::size_t i = 0; i < chosen.size(); ++i) { rows[chosen[i]] = shares[i] + 1; }
  return rows;
}

Result<std::vector<Index>> make_single_rows(const Parameters& p, Rng& rng) {
  const Index busy = p.busy > 0 ? p.busy : p.experts;
  if (busy > p.experts) {
    return make_error(fmt::format("busy={} is more than experts={}", busy, p.experts));
  }
  std::vector<Index> rows(static_cast<std::size_t>(p.experts), 0);
  for (const Index expert : choose_experts(p.experts, busy, rng)) { rows[expert] = 1; }
  return rows;
}

Result<std::vector<Index>> make_around(const Parameters& p, Rng& rng) {
  std::vector<Index> rows;
  for (Index g = 0; g < p.experts; ++g) {
    const Index tiles = rng.between(1, 3);
    rows.push_back(p.height * tiles + rng.between(-1, 1));
  }
  return rows;
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = {
      {"balanced", "balanced(total=,experts=)", "", {"total", "experts"}, {}, make_balanced},
      {"zipf", "zipf(s,total=,experts=)", "s", {"total", "experts"}, {}, make_zipf},
      {"dirichlet",
       "dirichlet(alpha,total=,experts=)",
       "alpha",
       {"total", "experts"},
       {},
       make_dirichlet},
      {"one_hot",
       "one_hot(total=,experts=[,expert=])",
       "",
       {"total", "experts"},
       {"expert"},
       make_one_hot},
      {"mostly_empty",
       "mostly_empty(total=,experts=,busy=)",
       "",
       {"total", "experts", "busy"},
       {},
       make_mostly_empty},
      {"single_rows", "single_rows(experts=[,busy=])", "", {"experts"}, {"busy"}, make_single_rows},
      {"around", "around(height,experts=)", "height", {"experts"}, {}, make_around},
  };
  return table;
}

std::string all_forms() {
  std::string forms;
  for (const Generator& generator : generators()) { forms += std::string(generator.form) + ", "; }
  return forms + "recorded(file,step,layer)";
}

Result<Call> take_apart(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') {
    return make_error(
        fmt::format("{} is not a generator call; allowed: {}", quote(text), all_forms()));
  }
  Call call{text, text.substr(0, open), {}, {}};
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (trim(inside).empty()) { return call; }
  for (const std::string_view piece : split_outside_parentheses(inside, ',')) {
    const std::string_view word = trim(piece);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      call.positional.push_back(word);
    } else {
      call.named.emplace_back(trim(word.substr(0, equals)), trim(word.substr(equals + 1)));
    }
  }
  return call;
}

bool contains(const std::vector<std::string_view>& names, std::string_view wanted) {
  return std::find(names.begin(), names.end(), wanted) != names.end();
}

struct IndexParameter {
  std::string_view name;
  Index Parameters::*field;
  Index least, most;
};
constexpr IndexParameter kIndexParameters[] = {
    {"total", &Parameters::total, 0, kMaxRows},
    {"experts", &Parameters::experts, 1, kMaxExperts},
    {"busy", &Parameters::busy, 1, kMaxExperts},
    {"expert", &Parameters::expert, 0, kMaxExperts - 1},
    {"height", &Parameters::height, 1, kMaxRows / 4},
};

Status set_parameter(Parameters& parameters, std::string_view key, std::string_view value) {
  if (key == "s" || key == "alpha") {
    const auto number = parse_fixed(value);
    if (!number || *number > 1000 * kFixedOne) {
      return make_error(fmt::format("{} of {} is not a number in [0, 1000]", quote(value), key));
    }
    parameters.number = *number;
    return {};
  }
  for (const IndexParameter& known : kIndexParameters) {
    if (known.name != key) { continue; }
    const auto number = parse_index(value);
    if (!number || *number < known.least || *number > known.most) {
      return make_error(fmt::format("{} of {}= is not an integer in [{}, {}]", quote(value), key,
                                    known.least, known.most));
    }
    parameters.*known.field = *number;
    return {};
  }
  ASSAY_REQUIRE(false, key);
  return {};
}

Result<Parameters> read_parameters(const Call& call, const Generator& generator) {
  Parameters parameters;
  std::vector<std::string_view> seen;
  const std::size_t wanted = generator.positional.empty() ? 0 : 1;
  if (call.positional.size() != wanted) {
    return make_error(
        fmt::format("takes {} value without a name, not {}", wanted, call.positional.size()));
  }
  if (wanted == 1) {
    if (Status s = set_parameter(parameters, generator.positional, call.positional[0]); !s) {
      return tl::unexpected(s.error());
    }
  }
  for (const auto& [key, value] : call.named) {
    if (!contains(generator.needed, key) && !contains(generator.optional, key)) {
      return make_error(fmt::format("unknown parameter {}", quote(key)));
    }
    if (contains(seen, key)) {
      return make_error(fmt::format("repeated parameter {}", quote(key)));
    }
    seen.push_back(key);
    if (Status s = set_parameter(parameters, key, value); !s) { return tl::unexpected(s.error()); }
  }
  for (const std::string_view key : generator.needed) {
    if (!contains(seen, key)) { return make_error(fmt::format("lacks {}=", key)); }
  }
  return parameters;
}

Result<std::vector<Index>> expand_recorded(const Call& call) {
  if (call.positional.size() != 3 || !call.named.empty()) {
    return make_error(fmt::format("{} must be recorded(file,step,layer)", quote(call.text)));
  }
  const auto step = parse_index(call.positional[1]);
  const auto layer = parse_index(call.positional[2]);
  if (!step || !layer) {
    return make_error(fmt::format(
        "{}: step and layer must be integers, as in recorded(file,step,layer)", quote(call.text)));
  }
  return recorded_rows(std::string(call.positional[0]), *step, *layer);
}

}  // namespace

Result<std::vector<Index>> expand_generator(std::string_view text, std::uint64_t seed) {
  const Result<Call> call = take_apart(trim(text));
  ASSAY_TRY(call);
  if (call->name == "recorded") { return expand_recorded(*call); }
  for (const Generator& generator : generators()) {
    if (generator.name != call->name) { continue; }
    const auto explain = [&](const Error& error) {
      return make_error(
          fmt::format("{}: {}; allowed: {}", quote(call->text), error.message, generator.form));
    };
    const Result<Parameters> parameters = read_parameters(*call, generator);
    if (!parameters) { return explain(parameters.error()); }
    Rng rng(seed);
    Result<std::vector<Index>> rows = generator.make(*parameters, rng);
    if (!rows) { return explain(rows.error()); }
    return rows;
  }
  return make_error(fmt::format("unknown generator {} in {}; allowed: {}", quote(call->name),
                                quote(call->text), all_forms()));
}

}  // namespace assay
