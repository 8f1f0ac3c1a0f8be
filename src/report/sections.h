// The sections of a run's report as HTML, in the order in which an engineer reads.
#pragma once

#include <string>

#include "src/report/case_facts.h"
#include "src/report/report.h"

namespace assay {

std::string verdict_section(const ReportedRun& run);
std::string checks_section(const ReportedRun& run);
std::string findings_section(const ReportedRun& run);
std::string tile_map_figure(const TileMap& map, const CaseSpec& spec);
std::string code_section(const ReportedRun& run);  // "": not recorded
std::string ratios_section(const CaseSummary& summary);
std::string determinism_section(const CaseSummary& summary, const Manifest& manifest);
std::string rows_section(const CaseSummary& summary);
std::string coverage_section(const CaseSummary& summary);
std::string bench_section(const std::vector<BenchFigure>& bench);

}  // namespace assay
