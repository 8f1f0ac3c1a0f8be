// Which calls a kernel answers rightly.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/probe/experiments.h"
#include "src/problem/case_text.h"
#include "src/problem/convention.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

// In the order of how likely they are.
std::vector<OffsetsKind> kinds_of(const Manifest& manifest) {
  std::vector<OffsetsKind> kinds = manifest.offsets;
  // Host and device are one memory on a CPU.
  if (manifest.device == "cpu" && !manifest.declares("offsets")) {
    std::erase_if(kinds, [](const OffsetsKind& kind) { return kind.place == OffsetsPlace::kHost; });
  }
  std::ranges::stable_sort(
      kinds, {}, [](const OffsetsKind& kind) { return kind.type == IndexType::kI64 ? 1 : 0; });
  return kinds;
}

CaseSpec first_case(bool small, const Manifest& own) {
  CaseSpec spec;
  // No two experts alike, none empty: an empty dW is an experiment of its own.
  spec.rows = small ? std::vector<Index>{5, 3, 7} : std::vector<Index>{128, 384, 256};
  spec.k = align_up(small ? 32 : 128, own.k_multiple);
  spec.n = align_up(small ? 32 : 128, own.n_multiple);
  spec.fill = Fill::kIntegers;
  spec.seed = 1;
  return spec;
}

struct Attempts {
  Index tried = 0;
  std::array<Index, 6> answers{};
  std::string first_wrong{};
  std::string text() const {
    std::string list;
    for (int i = 1; i < 6; ++i) {
      const Index count = answers[i];
      if (count > 0) {
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, name(Answer(i)));
      }
    }
    return fmt::format("{} calls: {}{}", tried, list,
                       first_wrong.empty() ? "" : "; the first wrong one: " + first_wrong);
  }
};

bool find_base(Probing& probing, bool small, Index tail, Attempts& attempts) {
  const Manifest& own = probing.lab.own();
  for (const Pass pass : own.passes) {
    for (const Combination& format : own.formats_of(pass)) {
      for (const WeightsLayout weights : own.weights) {
        for (const OffsetsKind& kind : kinds_of(own)) {
          CaseSpec spec = first_case(small, own);
          spec.tail = tail;
          spec.pass = pass;
          use(format, spec);
          spec.weights = weights;
          spec = with_offsets(spec, kind);
          const Attempt attempt = probing.lab.try_case(spec);
          ++attempts.tried;
          ++attempts.answers[static_cast<std::size_t>(attempt.answer)];
          if (attempt.answer != Answer::kRight && attempt.answer != Answer::kRefused &&
              attempts.first_wrong.empty()) {
            attempts.first_wrong = fmt::format("'{}': {}", short_text(spec), attempt.why);
          }
          if (attempt.right()) {
            probing.base = probing.lab.placed(spec);
            probing.small = small;
            return true;
          }
          if (probing.lab.gives_up()) { return false; }
        }
      }
    }
  }
  return false;
}

// The passes that some format, layout and convention of the base case's answer.
void find_passes(Probing& probing) {
  Manifest& probed = probing.report.probed;
  std::vector<std::string> no;
  for (const Pass pass : probing.lab.own().passes) {
    CaseSpec spec = probing.base;
    spec.pass = pass;
    const Attempt attempt = probing.lab.try_case(spec);
    probing.note(spec, attempt);
    if (attempt.right()) {
      probed.passes.push_back(pass);
    } else {
      no.push_back(fmt::format("{}: {}, {}", name(pass), name(attempt.answer), attempt.why));
    }
  }
  probing.settle("passes");
  std::vector<std::string> yes;
  for (const Pass pass : probed.passes) { yes.emplace_back(name(pass)); }
  probing.row("passes", fmt::format("{}", fmt::join(yes, ", ")),
              no.empty() ? "exact in each" : fmt::format("{}", fmt::join(no, "; ")));
}

std::string text_of(const std::vector<Combination>& formats) {
  std::vector<std::string> words;
  for (const Combination& format : formats) {
    words.push_back(fmt::format("{} -> {}", input_name(format), name(format.out)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

// Whether fp32 outputs of real values are all numbers of the 16-bit format: a 16-bit result that
// was widened as it was stored.
bool is_widened(Probing& probing, const Combination& format) {
  CaseSpec spec = probing.base;
  use(format, spec);
  spec.fill = Fill::kNormal;
  if (!check_case(spec)) { return false; }
  const Outcome outcome = probing.lab.run(make_problem(spec));
  if (outcome.status != RunStatus::kOk) { return false; }
  const Index size = size_bytes(format.out);
  for (std::size_t at = 0; at < outcome.output.size(); at += static_cast<std::size_t>(size)) {
    const double value = decode(format.out, load_bits(format.out, outcome.output.data() + at));
    const Format narrow = format.in.a.format;
    if (decode(narrow, encode(narrow, value)) != value) { return false; }
  }
  return true;
}

void find_formats(Probing& probing) {
  Manifest& probed = probing.report.probed;
  const Manifest& own = probing.lab.own();
  const auto works = [&](const Combination& format, Pass pass) {
    CaseSpec spec = probing.base;
    spec.pass = pass;
    use(format, spec);
    return probing.lab.right(spec);
  };
  for (const Combination& format : own.formats) {
    const bool all = std::ranges::all_of(probed.passes, [&](Pass pass) {
      return reduces_rows(pass) || format.pass.value_or(pass) != pass || works(format, pass);
    });
    if (all) { probed.formats.push_back(format); }
  }
  const auto gradient = std::ranges::find_if(probed.passes, reduces_rows);
  const bool wgrad = gradient != probed.passes.end();
  for (const Combination& format : own.wgrad_formats) {
    if (wgrad && works(format, *gradient)) { probed.wgrad_formats.push_back(format); }
  }
  for (std::vector<Combination>* formats : {&probed.formats, &probed.wgrad_formats}) {
    std::erase_if(*formats, [&](const Combination& format) {
      const Format narrow = format.in.a.format;
      return format.in == Inputs(narrow) && size_bytes(format.out) > 2 && size_bytes(narrow) == 2 &&
             std::ranges::count(*formats, Combination{narrow, narrow}) > 0 &&
             is_widened(probing, format);
    });
  }
  if (!probed.passes.empty() && std::ranges::all_of(probed.passes, reduces_rows)) {
    probed.formats = probed.wgrad_formats;
  }
  if (!wgrad) { probed.wgrad_formats = probed.formats; }
  probing.settle("formats");
  probing.row("formats", text_of(probed.formats),
              fmt::format("{} tried in every pass", own.formats.size()));
  if (probed.wgrad_formats == probed.formats) { return; }
  probing.settle("wgrad_formats");
  probing.row("formats of wgrad", text_of(probed.wgrad_formats), "");
}

// What works in every pass with the base case's format.
template <class T, class Set>
std::vector<T> that_work(Probing& probing, const std::vector<T>& all, std::vector<std::string>& no,
                         const Set& set) {
  std::vector<T> yes;
  for (const T& item : all) {
    bool works = true;
    for (const Pass pass : probing.report.probed.passes) {
      CaseSpec spec = probing.base;
      spec.pass = pass;
      const std::string word = set(spec, item);
      const Attempt attempt = works ? probing.lab.try_case(spec) : Attempt{};
      if (works) { probing.note(spec, attempt); }
      if (!works || attempt.right()) { continue; }
      works = false;
      no.push_back(fmt::format(
          "{}: {}", word,
          attempt.answer == Answer::kWrong ? attempt.why : std::string(name(attempt.answer))));
    }
    if (works) { yes.push_back(item); }
  }
  return yes;
}

void find_weights(Probing& probing) {
  std::vector<std::string> no, yes;
  Manifest& probed = probing.report.probed;
  const Index n_multiple = probing.lab.own().n_multiple;
  probed.weights =
      that_work(probing, probing.lab.own().weights, no, [&](CaseSpec& spec, WeightsLayout layout) {
        spec.weights = layout;
        spec.n = align_up(2 * spec.k, n_multiple);  // a square hides the layout
        return std::string(name(layout));
      });
  probing.settle("weights");
  for (const WeightsLayout layout : probed.weights) { yes.emplace_back(name(layout)); }
  probing.row("weights", fmt::format("{}", fmt::join(yes, ", ")),
              fmt::format("{}", fmt::join(no, "; ")));
}

// A convention whose padding rows are written counts only where none works without: a kernel that
// takes ends runs through the padding of padded_ends with its neighbour's weights.
void find_offsets(Probing& probing) {
  std::vector<std::string> no, yes;
  Manifest& probed = probing.report.probed;
  probed.offsets =
      that_work(probing, kinds_of(probing.lab.own()), no, [](CaseSpec& spec, OffsetsKind kind) {
        spec = with_offsets(spec, kind);
        return name(kind);
      });
  std::vector<OffsetsKind> clean = probed.offsets;
  std::erase_if(clean, [&](const OffsetsKind& kind) {
    CaseSpec spec = with_offsets(probing.base, kind);
    return traits(kind.convention).starts_follow_pad && probing.lab.try_case(spec).padding_written;
  });
  if (!clean.empty()) { probed.offsets = clean; }
  probing.settle("offsets");
  for (const OffsetsKind& kind : probed.offsets) { yes.push_back(name(kind)); }
  probing.row("offsets", fmt::format("{}", fmt::join(yes, ", ")),
              fmt::format("{}", fmt::join(no, "; ")));
  if (!probed.offsets.empty()) {
    probing.base = probing.lab.placed(with_offsets(probing.base, probed.offsets.front()));
  }
}

}  // namespace

bool probe_domain(Probing& probing) {
  Attempts attempts;
  struct Stage {
    bool small;
    Index tail;
  };
  bool found = false;
  for (const Stage stage : {Stage{true, 0}, Stage{false, 0}, Stage{true, 2}, Stage{false, 128}}) {
    found = !probing.lab.gives_up() && find_base(probing, stage.small, stage.tail, attempts);
    if (found) { break; }
  }
  if (!found) {
    probing.row("right calls", "none", attempts.text());
    return false;
  }
  Manifest& probed = probing.report.probed;
  probed.name = probing.lab.own().name;
  probed.device = probing.lab.own().device;
  probing.settle("name");
  probing.settle("device");
  find_passes(probing);
  find_formats(probing);
  find_weights(probing);
  find_offsets(probing);
  return true;
}

}  // namespace assay
