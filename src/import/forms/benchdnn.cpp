// oneDNN's benchdnn --matmul with --grouped, as command lines and as its input files have it:
// options hold until --reset, a shape is tried under every combination of their lists.
// Source: tests/benchdnn/inputs/matmul/harness_matmul_grouped_2dby3d of oneDNN.
#include <algorithm>

#include <fmt/format.h>

#include "src/core/csv.h"
#include "src/core/text.h"
#include "src/import/form.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

Texts pieces(std::string_view text, char separator) {
  Texts all;
  for (const CsvField& field : csv_fields(text, separator)) { all.push_back(field.text); }
  return all;
}

// 32x64:4x64x32, or 64x32:32x48 where the sums are split; a name may follow.
struct Shape {
  std::vector<Index> left{}, right{};
};
std::optional<std::vector<Index>> axes_of(std::string_view text) {
  std::vector<Index> axes;
  for (const std::string& piece : pieces(text, 'x')) {
    const auto axis = parse_index(piece);
    if (!axis || *axis < 1 || *axis > kMaxRows) { return std::nullopt; }
    axes.push_back(*axis);
  }
  return axes;
}
std::optional<Shape> shape_of(std::string_view word) {
  const std::string_view shape = word.substr(0, word.find('n'));
  const std::size_t colon = shape.find(':');
  if (colon == std::string_view::npos) { return std::nullopt; }
  const auto left = axes_of(shape.substr(0, colon)), right = axes_of(shape.substr(colon + 1));
  if (!left || !right || left->size() != 2 || right->size() < 2 || right->size() > 3) {
    return std::nullopt;
  }
  return Shape{*left, *right};
}

std::optional<Format> format_named_there(std::string_view name) {
  constexpr std::pair<std::string_view, Format> kNames[] = {
      {"f32", Format::kFp32},     {"bf16", Format::kBf16},    {"f16", Format::kFp16},
      {"f8_e4m3", Format::kE4m3}, {"f8_e5m2", Format::kE5m2}, {"s8", Format::kInt8}};
  const auto* const found =
      std::ranges::find(kNames, name, &std::pair<std::string_view, Format>::first);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

struct Formats {
  Format in = Format::kFp32, out = Format::kFp32;
};
// `bf16:bf16:f32`, or one name for all; nothing for what Assay has not.
std::optional<Formats> formats_of(std::string_view dt) {
  const Texts names = pieces(dt, ':');
  const auto first = format_named_there(names.front()), last = format_named_there(names.back());
  if (!first || !last || (names.size() > 1 && names[1] != names[0])) { return std::nullopt; }
  return may_output(*first, *last) ? std::optional(Formats{*first, *last}) : std::nullopt;
}

// The rows of each group, of a list or of a profile that benchdnn draws by itself.
std::optional<std::vector<Index>> sizes_of(const Texts& group, Index total, Index experts) {
  const std::string& sizes = group[2];
  if (sizes == "balanced") { return balanced_rows(total, experts); }
  if (sizes == "decode") {
    if (total >= experts) { return balanced_rows(total, experts); }
    std::vector<Index> rows(static_cast<std::size_t>(experts));
    for (Index i = 0; i < total; ++i) { rows[static_cast<std::size_t>(i * experts / total)] = 1; }
    return rows;
  }
  if (sizes == "hot") {
    const Index percent = group.size() > 3 ? parse_index(group[3]).value_or(50) : 50;
    const Index hot = total / 100 * std::min<Index>(percent, 100) +
                      total % 100 * std::min<Index>(percent, 100) / 100;
    std::vector<Index> rows = balanced_rows(total - hot, experts);
    rows.front() += hot;
    return rows;
  }
  std::vector<Index> rows;
  Index sum = 0;
  for (const std::string& piece : pieces(sizes, '+')) {
    const auto size = parse_index(piece);
    if (!size || *size > total - sum) { return std::nullopt; }
    sum += *size;
    rows.push_back(*size);
  }
  const bool fits = sum == total && static_cast<Index>(rows.size()) == experts;
  return fits ? std::optional(std::move(rows)) : std::nullopt;
}

struct Settings {
  Texts grouped{}, dt{"f32"}, wtag{"any"};
};

class BenchdnnFile {
 public:
  BenchdnnFile(const ImportSource& source, const ImportOptions& options)
      : source_(source), options_(options) {}

  Result<ReadForm> read() {
    for (std::string_view rest = source_.text; !rest.empty();) {
      ++line_;
      const std::string_view line = take_line(rest);
      if (trim(line).starts_with('#')) { continue; }
      for (const std::string_view word : split_words(line)) { ASSAY_TRY(take(word)); }
    }
    for (const auto& [count, what] :
         {std::pair(batches_, "--batch= is not followed: import that file, too"),
          std::pair(plain_, "shapes without --grouped left out"),
          std::pair(foreign_, "shapes in data types that Assay has not left out")}) {
      if (count > 0) { read_.notes.push_back(fmt::format("{} ({})", what, count)); }
    }
    if (drawn_) { read_.notes.emplace_back("profiles of sizes are drawn in Assay's own way"); }
    return std::move(read_);
  }

 private:
  Status take(std::string_view word) {
    const auto value = [&](std::string_view key) -> std::optional<std::string_view> {
      return word.starts_with(key) ? std::optional(word.substr(key.size())) : std::nullopt;
    };
    if (word == "--reset") { settings_ = {}; }
    if (const auto list = value("--grouped=")) { settings_.grouped = pieces(*list, ','); }
    if (const auto list = value("--dt=")) { settings_.dt = pieces(*list, ','); }
    if (const auto list = value("--wtag=")) { settings_.wtag = pieces(*list, ','); }
    if (value("--batch=")) { ++batches_; }
    const auto shape = shape_of(word);
    return shape ? add(*shape, word) : Status{};
  }

  Status add(const Shape& shape, std::string_view word) {
    if (settings_.grouped.empty() || settings_.grouped.front().empty()) {
      ++plain_;
      return {};
    }
    for (const std::string& grouped : settings_.grouped) {
      const auto routing = routing_of(shape, word, grouped);
      ASSAY_TRY(routing);
      for (const std::string& dt : settings_.dt) {
        const auto formats = formats_of(dt);
        foreign_ += formats ? 0 : 1;
        if (!formats) { continue; }
        for (const std::string& tag : settings_.wtag) { ASSAY_TRY(keep(*routing, *formats, tag)); }
      }
    }
    return {};
  }

  Status keep(Routing routing, const Formats& formats, std::string_view tag) {
    cells_ += static_cast<Index>(routing.rows.size());
    if (cells_ > kMostImpliedCounts) {
      return source_.refuse(line_, fmt::format("more than {} counts", kMostImpliedCounts));
    }
    routing.in = formats.in;
    routing.out = formats.out;
    routing.weights = tag == "abc" ? WeightsLayout::kEkn : WeightsLayout::kEnk;
    read_.routings.push_back(std::move(routing));
    return {};
  }

  // Axis 0 splits the rows, axis 1 the sums: the gradient of the weights.
  Result<Routing> routing_of(const Shape& shape, std::string_view word,
                             const std::string& grouped) {
    Texts group = pieces(grouped, ':');
    if (group.size() == 2) { group.insert(group.begin() + 1, ""); }
    const bool of_sums = group.front() == "1";
    const bool known = group.size() >= 3 && (of_sums || group.front() == "0") &&
                       shape.right.size() == (of_sums ? 2 : 3);
    if (!known) {
      return source_.refuse(line_, fmt::format("--grouped={} with {}: expected 0:GROUPS:SIZES with "
                                               "MxK:GROUPSxKxN, or 1:GROUPS:SIZES with MxK:KxN",
                                               one_line(grouped, kNameLength), quote(word)));
    }
    const Index written = shape.right.size() == 3 ? shape.right.front() : options_.experts;
    const Index experts = group[1].empty() ? written : parse_index(group[1]).value_or(0);
    const Index total = of_sums ? shape.left[1] : shape.left[0];
    const Index k = of_sums ? shape.left[0] : shape.left[1], n = shape.right.back();
    const bool agrees = of_sums ? shape.right.front() == total
                                : shape.right[1] == k && shape.right.front() == experts;
    if (experts < 1 || experts > kMostImpliedCounts || !agrees) {
      return source_.refuse(line_, fmt::format("--grouped={} with {}: groups or inner sizes differ",
                                               one_line(grouped, kNameLength), quote(word)));
    }
    auto rows = sizes_of(group, total, experts);
    if (!rows) {
      return source_.refuse(
          line_, fmt::format("--grouped={} with {}: expected {} sizes that add up "
                             "to {}, or balanced, hot, decode",
                             one_line(grouped, kNameLength), quote(word), experts, total));
    }
    drawn_ |= group[2].find_first_not_of("0123456789+") != std::string::npos;
    return Routing{.rows = std::move(*rows),
                   .where = fmt::format("line {}", line_),
                   .k = k,
                   .n = n,
                   .pass = of_sums ? Pass::kWgrad : Pass::kFwd};
  }

  const ImportSource& source_;
  const ImportOptions& options_;
  Settings settings_;
  ReadForm read_;
  Index line_ = 0, cells_ = 0, batches_ = 0, plain_ = 0, foreign_ = 0;
  bool drawn_ = false;
};

}  // namespace

bool fits_benchdnn(const ImportSource& source) {
  return source.is_plain_text() && source.text.find("--grouped=") != std::string_view::npos;
}

Result<ReadForm> read_benchdnn(const ImportSource& source, const ImportOptions& options) {
  return BenchdnnFile(source, options).read();
}

}  // namespace assay
