#include "src/problem/case_words.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/case_text.h"
#include "src/problem/convention.h"
#include "src/problem/limits.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

template <class T, std::size_t kCount>
Status read_named(T& field, const T (&all)[kCount], std::string_view value) {
  for (const T candidate : all) {
    if (name(candidate) == value) {
      field = candidate;
      return {};
    }
  }
  return make_error("unknown name");
}

template <class T>
Status read_number(T& field, std::string_view value, Index least, Index most) {
  const auto number = parse_index(value);
  if (!number) { return make_error("no integer"); }
  if (*number < least) { return make_error(fmt::format("below {}", least)); }
  if (*number > most) { return make_error(fmt::format("above {}", most)); }
  field = static_cast<T>(*number);
  return {};
}

// `8` for all operands, or `x:8,w:0,y:16` (those left out are 0).
Status read_per_operand(PerOperand<Index>& field, std::string_view value, Index most) {
  if (value.find(':') == std::string_view::npos) {
    Index all = 0;
    if (Status s = read_number(all, value, 0, most); !s) { return s; }
    field = {all, all, all};
    return {};
  }
  PerOperand<Index> read;
  PerOperand<bool> seen;
  for (const std::string_view piece : split_outside_parentheses(value, ',')) {
    const std::size_t colon = piece.find(':');
    const std::string_view operand = piece.substr(0, colon);
    std::optional<Role> role;
    for (const Role candidate : kAllRoles) {
      if (name(candidate) == operand) { role = candidate; }
    }
    if (!role || colon == std::string_view::npos) {
      return make_error(fmt::format("{} is not x:NUMBER, w:NUMBER or y:NUMBER", quote(piece)));
    }
    if (seen[*role]) { return make_error(fmt::format("operand {} is repeated", operand)); }
    seen[*role] = true;
    if (Status s = read_number(read[*role], piece.substr(colon + 1), 0, most); !s) {
      return make_error(fmt::format("{} is {}", quote(piece), s.error().message));
    }
  }
  field = read;
  return {};
}

std::string print_per_operand(const PerOperand<Index>& field) {
  if (field.x == field.w && field.w == field.y) { return std::to_string(field.x); }
  return fmt::format("x:{},w:{},y:{}", field.x, field.w, field.y);
}

Status read_output(CaseSpec& spec, std::string_view value) {
  const Result<Output> read = parse_output(value);
  if (!read) {
    return make_error(read.error().message.empty() ? "unknown format" : read.error().message);
  }
  spec.out = *read;
  return {};
}

Status read_inputs(CaseSpec& spec, std::string_view value) {
  const Result<ParsedInputs> read = parse_inputs(value);
  if (!read) {
    return make_error(read.error().message.empty() ? "unknown format" : read.error().message);
  }
  if (read->pass && *read->pass != spec.pass) {
    const Operation& op = operation(spec.pass);
    return make_error(fmt::format("{} reads {} and {}", op.name, name(op.a.role), name(op.b.role)));
  }
  spec.in = read->inputs;
  return {};
}

Status read_bias(CaseSpec& spec, std::string_view value) {
  spec.bias = format_named(value);
  const bool taken = spec.bias && is_bias_format(*spec.bias);
  return taken || value == "none" ? Status{} : make_error("not a bias format");
}

Status read_kind(OffsetsKind& field, std::string_view value) {
  const Result<OffsetsKind> kind = parse_offsets_kind(value);
  if (!kind) { return make_error("unknown convention, or a type or place that it has not"); }
  field = *kind;
  return {};
}

Status read_tactic(CaseSpec& spec, std::string_view value) {
  constexpr std::size_t kMostBytes = 64;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '+' || c == ':';
  };
  if (value.empty() || value.size() > kMostBytes ||
      !std::all_of(value.begin(), value.end(), is_allowed)) {
    return make_error("no tactic name");
  }
  spec.tactic = value;
  return {};
}

struct ExecName {
  std::string_view text;
  ExecKind kind;
  bool counted;
};
constexpr ExecName kExecNames[] = {{"plain", ExecKind::kPlain, false},
                                   {"graph", ExecKind::kGraph, false},
                                   {"streams", ExecKind::kStreams, true},
                                   {"threads", ExecKind::kThreads, true}};

Status read_exec(CaseSpec& spec, std::string_view value) {
  const std::size_t colon = value.find(':');
  for (const ExecName& known : kExecNames) {
    if (known.text != value.substr(0, colon)) { continue; }
    if (known.counted != (colon != std::string_view::npos)) {
      return make_error(known.counted ? "a count is missing" : "takes no count");
    }
    Exec exec{known.kind, 1};
    if (known.counted) {
      if (Status s = read_number(exec.count, value.substr(colon + 1), 1, kMaxConcurrency); !s) {
        return s;
      }
    }
    spec.exec = exec;
    return {};
  }
  return make_error("unknown name");
}

std::string print_exec(const CaseSpec& spec) {
  for (const ExecName& known : kExecNames) {
    if (known.kind != spec.exec.kind) { continue; }
    return known.counted ? fmt::format("{}:{}", known.text, spec.exec.count)
                         : std::string(known.text);
  }
  return "plain";
}

Status read_seed(CaseSpec& spec, std::string_view value) {
  const auto seed = parse_u64(value);
  if (!seed) { return make_error("no integer below 2^64"); }
  spec.seed = *seed;
  return {};
}

constexpr std::string_view kListed = "";  // forms_of has them
constexpr std::string_view kPerOperand = "a number, or one for each operand as x:8,w:0,y:16";
constexpr std::string_view kFillForms =
    "integers, anchored, coded, normal, positive, lognormal, cancelling, special, sparse, equal, "
    "extreme";
constexpr Pointers kAllPointers[] = {Pointers::kInOrder, Pointers::kScattered, Pointers::kShared};

using Spec = CaseSpec;
using View = std::string_view;

// clang-format off
constexpr CaseWord kWords[] = {
    {"pass", kListed, true,
     [](Spec& s, View v) { return read_named(s.pass, kAllPasses, v); },
     [](const Spec& s) { return std::string(name(s.pass)); }},
    {"in", kListed, false,
     read_inputs,
     [](const Spec& s) { return inputs_text(s.in, s.pass); }},
    {"out", kListed, false,
     read_output,
     [](const Spec& s) { return name(s.out); }},
    {"acc", "0 to 16", false,
     [](Spec& s, View v) { return read_number(s.acc, v, 0, kMaxAccumulations); },
     [](const Spec& s) { return std::to_string(s.acc); }},
    {"bias", "none, bf16, fp16, fp32", false,
     read_bias,
     [](const Spec& s) { return std::string(s.bias ? name(*s.bias) : "none"); }, true},
    {"k", "1 to 2147483648", true,
     [](Spec& s, View v) { return read_number(s.k, v, 1, kMaxWidth); },
     [](const Spec& s) { return std::to_string(s.k); }},
    {"n", "1 to 2147483648", true,
     [](Spec& s, View v) { return read_number(s.n, v, 1, kMaxWidth); },
     [](const Spec& s) { return std::to_string(s.n); }},
    {"rows", "counts, value*count and generators separated by commas", true,
     nullptr,
     [](const Spec& s) { return plain_rows_text(s.rows); }},
    {"offsets", kListed, false,
     [](Spec& s, View v) { return read_kind(s.offsets, v); },
     [](const Spec& s) { return name(s.offsets); }},
    {"told", kListed, false,
     [](Spec& s, View v) { return read_kind(s.told, v); },
     [](const Spec& s) { return name(s.told); }},
    {"pad", "1 to 1048576", false,
     [](Spec& s, View v) { return read_number(s.pad, v, 1, kMaxPad); },
     [](const Spec& s) { return std::to_string(s.pad); }},
    {"cap", "0 (the largest count) or rows of a buffer", false,
     [](Spec& s, View v) { return read_number(s.cap, v, 0, kMaxRows); },
     [](const Spec& s) { return std::to_string(s.cap); }},
    {"tail", "0 to 1099511627776 rows", false,
     [](Spec& s, View v) { return read_number(s.tail, v, 0, kMaxRows); },
     [](const Spec& s) { return std::to_string(s.tail); }},
    {"weights", "enk, ekn", false,
     [](Spec& s, View v) { return read_named(s.weights, kAllWeightsLayouts, v); },
     [](const Spec& s) { return std::string(name(s.weights)); }},
    {"ld", kPerOperand, false,
     [](Spec& s, View v) { return read_per_operand(s.ld, v, kMaxGap); },
     [](const Spec& s) { return print_per_operand(s.ld); }},
    {"wpitch", "0 to 1099511627776 elements", false,
     [](Spec& s, View v) { return read_number(s.wpitch, v, 0, kMaxGap); },
     [](const Spec& s) { return std::to_string(s.wpitch); }},
    {"base", "0 to 255 bytes, or one for each operand as x:8,w:0,y:16", false,
     [](Spec& s, View v) { return read_per_operand(s.base, v, 255); },
     [](const Spec& s) { return print_per_operand(s.base); }},
    {"scale_pitch", "0 (row by row) to 1048576", false,
     [](Spec& s, View v) { return read_number(s.scale_pitch, v, 0, kMaxPad); },
     [](const Spec& s) { return std::to_string(scale_pitch_of(s)); }, true},
    {"scale_layout", "strided, 32_4_4", false,
     [](Spec& s, View v) { return read_named(s.scale_layout, kAllScaleLayouts, v); },
     [](const Spec& s) { return std::string(name(scale_layout_of(s))); }, true},
    {"scale_starts", "compact, aligned", false,
     [](Spec& s, View v) { return read_named(s.scale_starts, kAllScaleStarts, v); },
     [](const Spec& s) { return std::string(name(scale_starts_of(s))); }, true},
    {"pointers", "in_order, scattered, shared", false,
     [](Spec& s, View v) { return read_named(s.pointers, kAllPointers, v); },
     [](const Spec& s) { return std::string(name(s.pointers)); }, true},
    {"fill", kFillForms, false,
     [](Spec& s, View v) { return read_named(s.fill, kAllFills, v); },
     [](const Spec& s) { return std::string(name(s.fill)); }},
    {"seed", "0 to 18446744073709551615", false,
     read_seed,
     [](const Spec& s) { return std::to_string(s.seed); }},
    {"tactic", "default, or a tactic of the kernel: letters, digits, _ . - + :", false,
     read_tactic,
     [](const Spec& s) { return s.tactic; }},
    {"exec", "plain, graph, streams:1 to streams:64, threads:1 to threads:64", false,
     read_exec,
     print_exec},
};
// clang-format on

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += text.empty() ? "" : ", ";
    text += word;
  }
  return text;
}

// Of the keys whose values are rows of a table.
std::string forms_of(std::string_view key) {
  std::vector<std::string_view> words;
  if (key == "pass") {
    for (const Pass pass : kAllPasses) { words.push_back(name(pass)); }
  } else if (key == "in" || key == "out") {
    for (const Format format : kAllFormats) {
      if (key == "in" || traits(format).stored) { words.push_back(name(format)); }
    }
    words.push_back(key == "in" ? "with scales as e4m3/block128, by operand as x:bf16,w:e2m1/mx"
                                : "with a scale as e4m3/tensor");
  } else {
    for (const Convention convention : kAllConventions) {
      words.push_back(traits(convention).forms);
    }
  }
  return joined(words);
}

}  // namespace

std::span<const CaseWord> case_words() {
  struct Words {
    std::vector<CaseWord> rows{std::begin(kWords), std::end(kWords)};
    std::vector<std::string> forms;
    Words() {
      forms.reserve(rows.size());  // views of them stay valid
      for (CaseWord& row : rows) {
        if (row.forms == kListed) { row.forms = forms.emplace_back(forms_of(row.key)); }
      }
    }
  };
  static const Words words;
  return words.rows;
}

}  // namespace assay
