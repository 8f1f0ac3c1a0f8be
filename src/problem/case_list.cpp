#include "src/problem/case_list.h"

#include <fmt/format.h>

#include "src/core/csv.h"
#include "src/core/file.h"
#include "src/core/text.h"
#include "src/problem/case_text.h"

namespace assay {
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') { return line.substr(0, at); }
  }
  return line;
}

Result<std::vector<CaseSpec>> parse_case_list(std::string_view text, std::string_view file) {
  text = without_byte_order_mark(text);
  std::vector<CaseSpec> cases;
  for (Index number = 1; !text.empty(); ++number) {
    const std::string_view line = trim(without_comment(take_line(text)));
    if (line.empty()) { continue; }
    if (static_cast<Index>(cases.size()) == kMostOwnCases) {
      return make_error(fmt::format("{}:{}: more than {} cases", file, number, kMostOwnCases));
    }
    auto spec = parse_case(line);
    if (!spec) { return make_error(fmt::format("{}:{}: {}", file, number, spec.error().message)); }
    cases.push_back(std::move(*spec));
  }
  if (!cases.empty()) { return cases; }
  return make_error(fmt::format(
      "{} holds no case; expected one a line, as pass=fwd k=96 n=64 rows=0,7,128,1", quote(file)));
}

Result<std::vector<CaseSpec>> load_case_list(const std::string& file) {
  const bool from_stdin = file == "-";
  const auto text = read_file(from_stdin ? "/dev/stdin" : file);
  ASSAY_TRY(text);
  return parse_case_list(*text, from_stdin ? "stdin" : file);
}

}  // namespace assay
