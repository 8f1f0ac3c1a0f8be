// The report of a certification for people: one table, the findings, the domain, the verdict.
#pragma once

#include <string>

#include "src/campaign/certify.h"

namespace assay {

struct TextStyle {
  bool colour = false;
};

// Why a check has its verdict, or what it measured: one line, empty where it passed.
std::string note_text(const CheckTally& check);
// `3 of 56 cases failed, 4 left out after its findings`; empty where none failed.
std::string failed_text(const CheckTally& check);
// Check, cases, worst error over bound, seconds, verdict; what did not pass has its reason below
// the row.
std::string table_text(const Certification& certification, const TextStyle& style);
// Kernel and check; case; worst entry with its expert; exact, got and bound; explanation; replay.
std::string finding_text(const std::string& kernel, const Finding& finding, const TextStyle& style);
// All findings.
std::string findings_text(const Certification& certification, const TextStyle& style);
// Lines "  exact ..." of an entry: decimal, hexfloat and bits.
std::string entry_text(const Entry& entry, const CaseSpec& spec);
std::string domain_text(const Domain& domain);
std::string conclusion_text(const Certification& certification, const TextStyle& style);
// Findings, verdict and the closing line.
std::string quiet_text(const Certification& certification, const TextStyle& style);
// All of it; the last line is `N passed, N failed, N skipped`. Checks that only measured are on the
// line above it and among none of these.
std::string report_text(const Certification& certification, const TextStyle& style);

}  // namespace assay
