// Tuned tactics of vLLM and SGLang: JSON by batch size, E and N in the file's name. Each batch size
// is a routing of both products of a layer: hidden to two intermediates, and back.
#include <algorithm>

#include <fmt/format.h>

#include "src/core/json_object.h"
#include "src/core/text.h"
#include "src/import/form.h"
#include "src/problem/limits.h"

namespace assay {
namespace {

// The number of `E=8` in the file's name, 0 where it has none.
Index in_name(std::string_view file, std::string_view key) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  for (std::size_t at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
    if (at > 0 && name[at - 1] != ',') { continue; }
    const std::size_t first = at + key.size();
    const std::size_t end = std::min(name.find_first_not_of("0123456789", first), name.size());
    return parse_index(name.substr(first, end - first)).value_or(0);
  }
  return 0;
}

// Of `dtype=fp8_w8a8`; bf16 where the name says nothing of Assay's formats.
std::optional<Format> format_in_name(std::string_view file) {
  const std::size_t at = file.rfind("dtype=");
  if (at == std::string_view::npos) { return std::nullopt; }
  const std::string_view dtype = file.substr(at + 6);
  if (dtype.starts_with("fp8_w8a8") || dtype.starts_with("float8")) { return Format::kE4m3; }
  if (dtype.starts_with("int8_w8a8")) { return Format::kInt8; }
  if (dtype.starts_with("float16")) { return Format::kFp16; }
  return std::nullopt;
}

// BLOCK_SIZE_M=16,BLOCK_SIZE_N=64: what was tuned for the size.
std::string tactic_text(const Json& tactic) {
  std::string text;
  for (const auto& [key, value] : tactic.items()) {
    if (value.is_structured()) { continue; }
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, quoted(value));
  }
  return text;
}

}  // namespace

bool fits_tuned(const ImportSource& source) {
  if (!source.json || !source.json->is_object()) { return false; }
  return std::ranges::any_of(source.json->items(), [](const auto& item) {
    return parse_index(item.key()) && item.value().is_object() &&
           item.value().contains("BLOCK_SIZE_M");
  });
}

Result<ReadForm> read_tuned(const ImportSource& source, const ImportOptions& options) {
  if (!source.json || !source.json->is_object()) {
    return source.refuse(0, "not a JSON object with batch sizes as keys");
  }
  const Index experts = options.experts > 0 ? options.experts : in_name(source.file, "E=");
  const Index width = in_name(source.file, "N=");
  if (experts < 1 || experts > kMaxExperts) {
    return source.refuse(0, "its name does not say E=: give --experts N");
  }
  const auto format = format_in_name(source.file);
  ReadForm read;
  Index others = 0;
  for (const auto& [key, tactic] : source.json->items()) {
    const auto batch = parse_index(key);
    if (!batch && !tactic.is_object()) {
      ++others;  // triton_version
      continue;
    }
    if (!batch || *batch < 1 || *batch > kMaxRows / options.top_k || !tactic.is_object()) {
      return source.refuse(0, fmt::format("field {}: expected a batch size with its tactic, as "
                                          "\"16\": {{\"BLOCK_SIZE_M\": 16}}",
                                          quote(key)));
    }
    const bool named = width > 0 && options.n == 0;
    if (named && (options.k == 0 || width > kMaxWidth / 2)) {
      return source.refuse(0, "its name does not say the hidden size: give --k N");
    }
    const auto cells = static_cast<Index>(read.routings.size() + 2) * experts;
    if (cells > kMostImpliedCounts) {
      return source.refuse(0, fmt::format("more than {} counts", kMostImpliedCounts));
    }
    Routing routing{.rows = balanced_rows(*batch * options.top_k, experts),
                    .where = fmt::format("{} tokens, {}", key, tactic_text(tactic)),
                    .in = format,
                    .out = format ? std::optional(Format::kBf16) : std::nullopt};
    if (named) {
      routing.k = options.k;
      routing.n = 2 * width;
    }
    read.routings.push_back(routing);
    if (!named) { continue; }
    routing.k = width;
    routing.n = options.k;
    read.routings.push_back(std::move(routing));
  }
  read.notes.push_back(fmt::format("{} of each token, in equal shares: --top-k says another number",
                                   counted(options.top_k, "expert")));
  if (others > 0) { read.notes.push_back(counted(others, "field") + " that is no batch size"); }
  return read;
}

}  // namespace assay
