#include "src/problem/recorded.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "src/core/csv.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 28;

// One line of a CSV file, with its place for messages.
struct Line {
  const std::string& file;
  Index number;
  std::string_view text;
};

tl::unexpected<Error> refuse_at(const Line& line, Index column, const std::string& why) {
  return make_error(fmt::format("{}:{}:{}: {}", line.file, line.number, column, why));
}

// A last comma on a line ends it.
std::vector<CsvField> fields_of(const Line& line) {
  std::vector<CsvField> fields = csv_fields(line.text);
  if (fields.size() > 1 && fields.back().text.empty()) { fields.pop_back(); }
  return fields;
}

// Where a line has what; a step or a layer that has no column counts from 0.
struct Columns {
  std::optional<std::size_t> step{}, layer{};
  std::vector<std::size_t> experts{};
  std::vector<std::string> names{};
};

constexpr std::string_view kStepNames[] = {"step",      "globalstep", "trainstep", "iteration",
                                           "iter",      "forward",    "batch",     "time",
                                           "stepindex", "stepid",     "stepidx"};
constexpr std::string_view kLayerNames[] = {"layer",      "layerid",     "layeridx",
                                            "layerindex", "layernumber", "moelayer"};

// `step,layer,e0,e1,...`, other names for step and layer, and experts as `expert_0` or `0`.
Result<Columns> read_header(const Line& line) {
  const std::vector<CsvField> fields = fields_of(line);
  Columns columns;
  std::string stem;
  Index first_expert = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const CsvField& field = fields[i];
    const std::string plain = plain_word(field.text);
    const bool is_step = std::ranges::count(kStepNames, plain) != 0;
    if (is_step || std::ranges::count(kLayerNames, plain) != 0) {
      std::optional<std::size_t>& place = is_step ? columns.step : columns.layer;
      if (place) {
        return refuse_at(line, field.column,
                         fmt::format("a second column for the {}: {}", is_step ? "step" : "layer",
                                     quote(field.text)));
      }
      place = i;
      continue;
    }
    const std::size_t digits = plain.find_last_not_of("0123456789") + 1;
    const auto number = parse_index(std::string_view(plain).substr(digits));
    if (!number) {
      return refuse_at(line, field.column,
                       fmt::format("{} names no step, layer or expert (header "
                                   "step,layer,e0,e1,...)",
                                   quote(field.text)));
    }
    const auto place = static_cast<Index>(columns.experts.size());
    if (place == 0) {
      stem = plain.substr(0, digits);
      first_expert = *number == 1 ? 1 : 0;
    }
    if (*number != first_expert + place || plain.substr(0, digits) != stem) {
      return refuse_at(line, field.column,
                       fmt::format("expected the column name '{}{}' (header step,layer,e0,e1,...), "
                                   "got {}",
                                   stem, first_expert + place, quote(field.text)));
    }
    columns.experts.push_back(i);
  }
  if (columns.experts.empty()) {
    return refuse_at(line, static_cast<Index>(line.text.size()) + 1,
                     "expected at least one expert column: step,layer,e0,...");
  }
  const auto experts = static_cast<Index>(columns.experts.size());
  if (experts > kMaxExperts) {
    return refuse_at(line, 1, fmt::format("{} experts are more than {}", experts, kMaxExperts));
  }
  for (const CsvField& field : fields) { columns.names.push_back(field.text); }
  return columns;
}

Result<Index> read_count(const Line& line, const CsvField& field, const std::string& what) {
  const auto value = parse_index(field.text);
  if (value) { return *value; }
  return refuse_at(
      line, field.column,
      fmt::format("expected {} (an integer of at least 0), got {}", what, quote(field.text)));
}

// `lines_before`: of counts.
Result<RecordedStep> read_step(const Line& line, const Columns& columns, Index lines_before) {
  const std::vector<CsvField> fields = fields_of(line);
  const std::size_t wanted = columns.names.size(), found = fields.size();
  if (found != wanted) {
    const Index column =
        found > wanted ? fields[wanted].column : static_cast<Index>(line.text.size()) + 1;
    return refuse_at(line, column,
                     fmt::format("expected {} values ({} counts), got {}", wanted,
                                 columns.experts.size(), found));
  }
  RecordedStep step;
  if (!columns.step) { step.step = lines_before; }
  if (columns.step) {
    const auto value = read_count(line, fields[*columns.step], "a step");
    ASSAY_TRY(value);
    step.step = *value;
  }
  if (columns.layer) {
    const auto value = read_count(line, fields[*columns.layer], "a layer");
    ASSAY_TRY(value);
    step.layer = *value;
  }
  Index total = 0;
  for (const std::size_t i : columns.experts) {
    const auto value = read_count(line, fields[i], "a token count of " + columns.names[i]);
    ASSAY_TRY(value);
    if (*value > kMaxRows - total) {
      return refuse_at(line, fields[i].column,
                       fmt::format("the counts add up to more than {}", kMaxRows));
    }
    total += *value;
    step.rows.push_back(*value);
  }
  return step;
}

Result<std::string> read_text(const std::filesystem::path& path, const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return make_error(fmt::format("{} is not a file, neither in {} nor as a path", quote(file),
                                  corpus_folder() + "/routing"));
  }
  if (std::filesystem::file_size(path, error) > kMaxFileBytes) {
    return make_error(fmt::format("{} is larger than {} bytes", quote(file), kMaxFileBytes));
  }
  return read_file(path.string());
}

std::filesystem::path find_recording(const std::string& file) {
  std::error_code error;
  if (file.find('/') == std::string::npos) {
    const std::filesystem::path folder = std::filesystem::path(corpus_folder()) / "routing";
    for (const std::string& candidate : {file, file + ".csv"}) {
      if (std::filesystem::is_regular_file(folder / candidate, error)) {
        return folder / candidate;
      }
    }
  }
  return file;
}

}  // namespace

Result<std::vector<RecordedStep>> parse_recording(const std::string& text,
                                                  const std::string& file) {
  std::vector<RecordedStep> steps;
  std::map<std::pair<Index, Index>, Index> lines_of;  // (step, layer) to line
  std::optional<Columns> columns;
  Index number = 0;
  for (std::string_view rest = without_byte_order_mark(text); !rest.empty();) {
    const Line line{file, ++number, take_line(rest)};
    if (trim(line.text).empty() || line.text.front() == '#') { continue; }
    if (!columns) {
      Result<Columns> header = read_header(line);
      ASSAY_TRY(header);
      columns = std::move(*header);
      continue;
    }
    Result<RecordedStep> step = read_step(line, *columns, static_cast<Index>(steps.size()));
    ASSAY_TRY(step);
    const auto [place, fresh] = lines_of.try_emplace({step->step, step->layer}, number);
    if (!fresh) {
      return refuse_at(line, 1,
                       fmt::format("step {} layer {} was given in line {} already", step->step,
                                   step->layer, place->second));
    }
    steps.push_back(std::move(*step));
  }
  const Line last{file, number + 1, {}};
  if (!columns) {
    return refuse_at(last, 1, "expected the header step,layer,e0,e1,..., got the end");
  }
  if (steps.empty()) { return refuse_at(last, 1, "expected a line of counts, got the end"); }
  return steps;
}

Result<std::vector<RecordedStep>> read_recording(const std::string& file) {
  const std::filesystem::path path = find_recording(file);
  const Result<std::string> text = read_text(path, file);
  ASSAY_TRY(text);
  return parse_recording(*text, path.string());
}

Result<std::vector<Index>> recorded_rows(const std::string& file, Index step, Index layer) {
  const Result<std::vector<RecordedStep>> steps = read_recording(file);
  ASSAY_TRY(steps);
  Index last_step = 0, last_layer = 0;
  for (const RecordedStep& recorded : *steps) {
    if (recorded.step == step && recorded.layer == layer) { return recorded.rows; }
    last_step = std::max(last_step, recorded.step);
    last_layer = std::max(last_layer, recorded.layer);
  }
  return make_error(fmt::format(
      "{} has no step {} layer {}; it has {} lines, the last step is {}, the last layer {}",
      quote(file), step, layer, steps->size(), last_step, last_layer));
}

std::string corpus_folder() {
  if (const char* folder = std::getenv("ASSAY_CORPUS"); folder != nullptr && *folder != '\0') {
    return folder;
  }
  std::error_code error;
  if (std::filesystem::is_directory(ASSAY_SOURCE_CORPUS, error)) { return ASSAY_SOURCE_CORPUS; }
  return ASSAY_INSTALLED_CORPUS;
}

}  // namespace assay
