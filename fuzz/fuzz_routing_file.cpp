// The reader of recorded routings: no file breaks it, what it refuses it refuses with file, line
// and column, and what it accepts is printed and read back to the same counts.
#include <string>

#include "fuzz/note.h"
#include "fuzz/target.h"
#include "src/core/require.h"
#include "src/problem/limits.h"
#include "src/problem/recorded.h"

namespace {

using assay::Index;
using assay::RecordedStep;

std::string print(const std::vector<RecordedStep>& steps) {
  std::string text = "step,layer";
  for (std::size_t g = 0; g < steps.front().rows.size(); ++g) { text += ",e" + std::to_string(g); }
  text += '\n';
  for (const RecordedStep& step : steps) {
    text += std::to_string(step.step) + ',' + std::to_string(step.layer);
    for (const Index count : step.rows) { text += ',' + std::to_string(count); }
    text += '\n';
  }
  return text;
}

void require_place(const std::string& message) {
  ASSAY_REQUIRE(message.starts_with("fuzz.csv:"), message);
  const std::size_t line_end = message.find(':', 9);
  ASSAY_REQUIRE(line_end != std::string::npos && line_end > 9, message);
  ASSAY_REQUIRE(message.find('\n') == std::string::npos, message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto steps = assay::parse_recording(text, "fuzz.csv");
  if (!steps) {
    const std::string& message = steps.error().message;
    require_place(message);
    if (assay::wants_notes()) { assay::note("refused_" + assay::message_words(message.substr(9))); }
    return 0;
  }
  ASSAY_REQUIRE(!steps->empty());
  const std::size_t experts = steps->front().rows.size();
  if (assay::wants_notes()) {
    assay::note("lines_" + std::to_string(steps->size()) + "_experts_" + std::to_string(experts));
  }
  for (const RecordedStep& step : *steps) {
    ASSAY_REQUIRE(step.rows.size() == experts && experts >= 1, step.rows.size(), experts);
    Index total = 0;
    for (const Index count : step.rows) {
      ASSAY_REQUIRE(count >= 0 && count <= assay::kMaxRows - total, count, total);
      total += count;
    }
  }
  const auto again = assay::parse_recording(print(*steps), "again.csv");
  ASSAY_REQUIRE(again.has_value(), again ? "" : again.error().message);
  ASSAY_REQUIRE(again->size() == steps->size(), again->size(), steps->size());
  for (std::size_t i = 0; i < steps->size(); ++i) {
    ASSAY_REQUIRE((*again)[i].step == (*steps)[i].step && (*again)[i].layer == (*steps)[i].layer);
    ASSAY_REQUIRE((*again)[i].rows == (*steps)[i].rows, i);
  }
  return 0;
}
