// The one spelling of a case: key=value words, read in any order, printed in one.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/error.h"
#include "src/problem/case_spec.h"

namespace assay {

// Reads `pass=fwd k=96 n=64 rows=0,7,128,1 ...`. rows takes counts, run lengths value*count and
// generators (routing.h); they are expanded with the case's seed. pass, k, n, rows are required.
// Errors: unknown or repeated key, malformed value, values that make no sense together; the word is
// quoted and the allowed forms are named.
Result<CaseSpec> parse_case(std::string_view text);

// What parse_case demands of values together, for specs made in code. Errors quote the word.
Status check_case(const CaseSpec& spec);

// Every key, plain counts: outlives a changed default. Keys younger than the first records are
// there only where they are not the default.
std::string canonical_text(const CaseSpec& spec);
// For people: leaves defaults out, run lengths as value*count. parse_case reads both back to the
// same spec.
std::string short_text(const CaseSpec& spec);

// short_text, for test printers.
std::ostream& operator<<(std::ostream& stream, const CaseSpec& spec);

// One word of a case, as `--offsets ends:i32` takes it.
Result<OffsetsKind> parse_offsets_kind(std::string_view text);
// `0*31,61,zipf(1.1,total=64,experts=8)`; the i-th generator of a text draws from a seed of its
// own.
Result<std::vector<Index>> parse_rows(std::string_view text, std::uint64_t seed);
std::string rows_text(const std::vector<Index>& rows);  // run lengths

}  // namespace assay
