#include "src/problem/recorded.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include <fmt/format.h>

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

struct Field {
  std::string_view text;
  Index column;  // 1 for the first character of the line
};

std::vector<Field> fields_of(std::string_view line) {
  std::vector<Field> fields;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] != ',') { continue; }
    fields.push_back({trim(line.substr(first, i - first)), static_cast<Index>(first) + 1});
    first = i + 1;
  }
  return fields;
}

tl::unexpected<Error> refuse_at(const Line& line, Index column, const std::string& why) {
  return make_error(fmt::format("{}:{}:{}: {}", line.file, line.number, column, why));
}

// `step,layer,e0,e1,...`: the number of experts.
Result<Index> read_header(const Line& line) {
  const std::vector<Field> fields = fields_of(line.text);
  const auto wanted = [](std::size_t i) {
    return i == 0 ? "step" : i == 1 ? "layer" : fmt::format("e{}", i - 2);
  };
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].text != wanted(i)) {
      return refuse_at(
          line, fields[i].column,
          fmt::format("expected the column name '{}' (header step,layer,e0,e1,...), got {}",
                      wanted(i), quote(fields[i].text)));
    }
  }
  const Index experts = static_cast<Index>(fields.size()) - 2;
  if (experts < 1) {
    return refuse_at(line, static_cast<Index>(line.text.size()) + 1,
                     "expected at least one expert column: step,layer,e0,...");
  }
  if (experts > kMaxExperts) {
    return refuse_at(line, 1, fmt::format("{} experts are more than {}", experts, kMaxExperts));
  }
  return experts;
}

Result<RecordedStep> read_step(const Line& line, Index experts) {
  const std::vector<Field> fields = fields_of(line.text);
  const Index wanted = experts + 2;
  const auto found = static_cast<Index>(fields.size());
  if (found != wanted) {
    const Index column =
        found > wanted ? fields[wanted].column : static_cast<Index>(line.text.size()) + 1;
    return refuse_at(line, column,
                     fmt::format("expected {} values (step, layer and {} counts), got {}", wanted,
                                 experts, found));
  }
  RecordedStep step;
  Index total = 0;
  for (Index i = 0; i < wanted; ++i) {
    const Field& field = fields[i];
    const auto value = parse_index(field.text);
    const std::string what = i == 0   ? "a step"
                             : i == 1 ? "a layer"
                                      : fmt::format("a token count of e{}", i - 2);
    if (!value) {
      return refuse_at(
          line, field.column,
          fmt::format("expected {} (an integer of at least 0), got {}", what, quote(field.text)));
    }
    if (i == 0) { step.step = *value; }
    if (i == 1) { step.layer = *value; }
    if (i < 2) { continue; }
    if (*value > kMaxRows - total) {
      return refuse_at(line, field.column,
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
  Index experts = 0;                                  // 0 before the header
  Index number = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view content = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!content.empty() && content.back() == '\r') { content.remove_suffix(1); }
    const Line line{file, ++number, content};
    if (trim(content).empty() || content.front() == '#') { continue; }
    if (experts == 0) {
      const Result<Index> header = read_header(line);
      ASSAY_TRY(header);
      experts = *header;
      continue;
    }
    Result<RecordedStep> step = read_step(line, experts);
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
  if (experts == 0) {
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
