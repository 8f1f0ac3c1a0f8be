// ImportForm: one form of file that is imported. A new one is a file of forms/ and a row of
// kForms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/core/counted.h"
#include "src/core/json.h"
#include "src/import/import.h"

namespace assay {

// All that a file may make a program hold, in counts of experts.
inline constexpr Index kMostImportedCounts = Index{1} << 24;
// And in counts that it does not spell out: of a tuple of groups, of experts that it leaves out.
inline constexpr Index kMostImpliedCounts = Index{1} << 21;

struct ImportSource {
  std::string_view text;     // without a byte order mark
  const std::string& file;   // for messages, and for what a file's name says
  std::optional<Json> json;  // where the whole text is JSON, or each of its lines
  std::string not_json;      // else why it is not

  // Neither JSON nor .npy: a program, a log, a list of options.
  bool is_plain_text() const;
  // `file:line: why`; line 0: of the whole file.
  tl::unexpected<Error> refuse(Index line, const std::string& why) const;
};

// One product, as far as the file says it.
struct Routing {
  std::vector<Index> rows{};
  std::string where{};  // `line 3`, `[2].counts`
  Index k = 0, n = 0;   // 0: not said
  std::optional<Pass> pass{};
  std::optional<Format> in{}, out{};
  std::optional<WeightsLayout> weights{};
};

struct ReadForm {
  std::vector<Routing> routings{};
  std::vector<std::string> notes{};
};

struct ImportForm {
  std::string_view name, summary;
  bool (*fits)(const ImportSource& source);
  Result<ReadForm> (*read)(const ImportSource& source, const ImportOptions& options);
};

// Of forms/.
bool fits_benchdnn(const ImportSource& source);
bool fits_deepgemm(const ImportSource& source);
bool fits_ids(const ImportSource& source);
bool fits_loads(const ImportSource& source);
bool fits_splits(const ImportSource& source);
bool fits_tuned(const ImportSource& source);
Result<ReadForm> read_benchdnn(const ImportSource& source, const ImportOptions& options);
Result<ReadForm> read_deepgemm(const ImportSource& source, const ImportOptions& options);
Result<ReadForm> read_ids(const ImportSource& source, const ImportOptions& options);
Result<ReadForm> read_loads(const ImportSource& source, const ImportOptions& options);
Result<ReadForm> read_splits(const ImportSource& source, const ImportOptions& options);
Result<ReadForm> read_tuned(const ImportSource& source, const ImportOptions& options);

// A number of digits, `12.0` included, with a sign or not.
std::optional<Index> signed_number(std::string_view word);
// `total` rows in equal shares, the first experts one more where it does not divide.
std::vector<Index> balanced_rows(Index total, Index experts);

}  // namespace assay
