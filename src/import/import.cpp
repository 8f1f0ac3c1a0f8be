#include "src/import/import.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/core/csv.h"
#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/core/text.h"
#include "src/import/form.h"
#include "src/import/number_tables.h"
#include "src/problem/case_list.h"
#include "src/problem/case_text.h"

namespace assay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;
constexpr int kJsonLevels = 64;
constexpr std::size_t kQuotedStart = 40;

// In the order in which they are tried: the first that fits is taken.
constexpr ImportForm kForms[] = {
    {"benchdnn", "oneDNN's benchdnn --matmul: --grouped=0:4:8+0+16+8 32x64:4x64x32", fits_benchdnn,
     read_benchdnn},
    {"tuned", "tuned tactics of vLLM and SGLang, JSON by batch size: E=8,N=14336,device_name=...",
     fits_tuned, read_tuned},
    {"ids", "the experts of each token, [tokens, top-k]: .npy, JSON or CSV", fits_ids, read_ids},
    {"loads", "rows of each expert: JSON lists or objects, CSV, .npy", fits_loads, read_loads},
    {"m_splits", "lists of splits in a program or log: m_splits=[128, 0, 64]", fits_splits,
     read_splits},
    {"deepgemm", "DeepGEMM's tuples (groups, m, n, k), or (m, n, k) with --experts", fits_deepgemm,
     read_deepgemm},
};

// JSON, or a JSON value a line. Objects keep their keys' order; of keys that come twice the last
// counts, as everywhere.
void read_json_of(ImportSource& source) {
  const std::string_view text = trim(source.text);
  if (text.empty() || (text.front() != '{' && text.front() != '[')) { return; }
  if (nests_deeper(text, kJsonLevels)) {
    source.not_json = fmt::format("nested deeper than {} levels", kJsonLevels);
    return;
  }
  Json whole = try_parse_json(text);
  if (!whole.is_discarded()) {
    source.json = std::move(whole);
    return;
  }
  Json lines = Json::array();
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = trim(take_line(rest));
    if (line.empty()) { continue; }
    Json value = try_parse_json(line);
    if (value.is_discarded()) {
      source.not_json = "not JSON, as a whole or line by line";
      return;
    }
    lines.push_back(std::move(value));
  }
  source.json = std::move(lines);
}

std::string names_of_forms() {
  std::string text;
  for (const ImportForm& form : kForms) {
    text += (text.empty() ? "" : ", ") + std::string(form.name);
  }
  return text;
}

Result<const ImportForm*> form_of(const ImportSource& source, const std::string& as) {
  const auto* const found =
      as.empty()
          ? std::ranges::find_if(kForms, [&](const ImportForm& form) { return form.fits(source); })
          : std::ranges::find(kForms, as, &ImportForm::name);
  if (found != std::end(kForms)) { return found; }
  if (!as.empty()) {
    return make_error(fmt::format("--as {}: allowed are {}", quote(as), names_of_forms()));
  }
  if (trim(source.text).empty()) { return source.refuse(0, "empty, nothing to import"); }
  // Numbers with something wrong in them: the reader says what.
  if (!source.is_plain_text()) { return std::ranges::find(kForms, "loads", &ImportForm::name); }
  const auto numbers = read_number_tables(source);
  return source.refuse(0, fmt::format("{} is of no known form{}; known are {}: --as says which",
                                      quote(source.text.substr(0, kQuotedStart)),
                                      numbers ? "" : fmt::format(" ({})", numbers.error().message),
                                      names_of_forms()));
}

// The case of a routing in one pass.
Result<CaseSpec> spec_of(const ImportSource& source, const Routing& routing, Pass pass,
                         const ImportOptions& options) {
  CaseSpec spec;
  spec.pass = pass;
  spec.rows = routing.rows;
  spec.k = routing.k > 0 ? routing.k : options.k;
  spec.n = routing.n > 0 ? routing.n : options.n;
  for (const auto& [value, key] : {std::pair(spec.k, "k"), std::pair(spec.n, "n")}) {
    if (value == 0) {
      return make_error(fmt::format("{} does not say {}: give --{} N", source.file, key, key));
    }
  }
  const Inputs in = options.in.value_or(Inputs(routing.in.value_or(Format::kBf16)));
  spec.in = in;
  const Format own = default_output(in).value_or(outputs_of(in).front());
  spec.out = options.out.value_or(Output(routing.out.value_or(own)));
  spec.offsets = spec.told = options.offsets.value_or(OffsetsKind{});
  spec.weights = options.weights.value_or(routing.weights.value_or(WeightsLayout::kEnk));
  spec.fill = options.fill;
  if (const Status possible = check_case(spec); !possible) {
    return make_error(
        fmt::format("{}: {}: {}", source.file, routing.where, possible.error().message));
  }
  return spec;
}

Status add_routing(const ImportSource& source, const Routing& routing, const ImportOptions& options,
                   std::set<std::string>& seen, Index& again, Imported& imported) {
  if (options.experts > 0 && static_cast<Index>(routing.rows.size()) != options.experts) {
    return make_error(fmt::format("{}: {}: {} experts, --experts says {}", source.file,
                                  routing.where, routing.rows.size(), options.experts));
  }
  std::vector<Pass> passes = options.passes;
  if (passes.empty()) { passes = {routing.pass.value_or(Pass::kFwd)}; }
  for (const Pass pass : passes) {
    auto spec = spec_of(source, routing, pass, options);
    ASSAY_TRY(spec);
    if (!seen.insert(canonical_text(*spec)).second) {
      ++again;
      continue;
    }
    if (static_cast<Index>(imported.cases.size()) == kMostOwnCases) {
      return source.refuse(0, fmt::format("more than {} cases", kMostOwnCases));
    }
    imported.cases.push_back({std::move(*spec), routing.where});
  }
  return {};
}

}  // namespace

bool ImportSource::is_plain_text() const { return !json && !is_npy(text); }

tl::unexpected<Error> ImportSource::refuse(Index line, const std::string& why) const {
  // Keys and cells of the file are in it.
  const std::string said = one_line(why);
  return make_error(line == 0 ? fmt::format("{}: {}", file, said)
                              : fmt::format("{}:{}: {}", file, line, said));
}

std::optional<Index> signed_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) { word.remove_prefix(1); }
  if (const std::size_t point = word.find('.'); point != std::string_view::npos && point > 0) {
    if (word.find_first_not_of('0', point + 1) != std::string_view::npos) { return std::nullopt; }
    word = word.substr(0, point);
  }
  const auto value = parse_index(word);
  return value && negative ? std::optional(-*value) : value;
}

std::vector<Index> balanced_rows(Index total, Index experts) {
  std::vector<Index> rows(static_cast<std::size_t>(experts), total / experts);
  for (Index i = 0; i < total % experts; ++i) { ++rows[static_cast<std::size_t>(i)]; }
  return rows;
}

Result<Imported> import_cases(std::string_view text, const std::string& file,
                              const ImportOptions& options) {
  ImportSource source{
      .text = without_byte_order_mark(text), .file = file, .json = {}, .not_json = {}};
  if (text.size() > kMostBytes) {
    return source.refuse(0, fmt::format("{} bytes are more than {}", text.size(), kMostBytes));
  }
  if (!is_npy(source.text)) { read_json_of(source); }
  const auto form = form_of(source, options.as);
  ASSAY_TRY(form);
  auto read = (*form)->read(source, options);
  ASSAY_TRY(read);
  Imported imported{.form = std::string((*form)->name), .cases = {}, .notes = {}};
  for (const std::string& note : read->notes) { imported.notes.push_back(one_line(note)); }
  std::set<std::string> seen;
  Index again = 0;
  for (const Routing& routing : read->routings) {
    ASSAY_TRY(add_routing(source, routing, options, seen, again, imported));
  }
  if (again > 0) {
    imported.notes.push_back(fmt::format("{} left out that came before", counted(again, "case")));
  }
  if (!imported.cases.empty()) { return imported; }
  return source.refuse(0, fmt::format("no case in it{}{}", imported.notes.empty() ? "" : ": ",
                                      fmt::join(imported.notes, "; ")));
}

std::string case_lines(const Imported& imported) {
  std::string lines;
  for (const ImportedCase& one : imported.cases) {
    lines += fmt::format("{}  # {}\n", short_text(one.spec), one_line(one.where, kNameLength));
  }
  return lines;
}

std::vector<ImportFormName> import_form_names() {
  std::vector<ImportFormName> names;
  for (const ImportForm& form : kForms) { names.push_back({form.name, form.summary}); }
  return names;
}

}  // namespace assay
