#include "src/certify/report_json.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/problem/case_text.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN: they are strings.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json number_with_bits(double value, std::uint32_t bits, Format format) {
  return {{"value", number(value)},
          {"hex", fmt::format("{:a}", value)},
          {"bits", fmt::format("0x{:0{}x}", bits, 2 * size_bytes(format))}};
}

Json entry_json(const Entry& entry, Format format) {
  return {{"expert", entry.expert},
          {"row", entry.row},
          {"column", entry.col},
          {"exact", number_with_bits(entry.exact, entry.exact_bits, format)},
          {"got", number_with_bits(entry.got, entry.got_bits, format)},
          {"bound", {{"value", number(entry.bound)}, {"hex", fmt::format("{:a}", entry.bound)}}},
          {"errorOverBound", number(entry.ratio)}};
}

Json finding_json(const Finding& finding) {
  Json json{{"check", finding.check->name},
            {"verdict", name(finding.verdict.kind)},
            {"reason", finding.verdict.reason},
            {"case", canonical_text(finding.shrunk)},
            {"originalCase", canonical_text(finding.original)},
            {"shrinkTries", finding.shrink_tries},
            {"wrongElements", finding.verdict.wrong_elements},
            {"elements", finding.verdict.elements}};
  json["worst"] = finding.verdict.worst ? entry_json(*finding.verdict.worst, finding.shrunk.out)
                                        : Json(nullptr);
  const Diagnosis& diagnosis = finding.diagnosis;
  json["diagnosis"] = {
      {"hypothesis", diagnosis.hypothesis.empty() ? Json(nullptr) : Json(diagnosis.hypothesis)},
      {"sentence", diagnosis.sentence},
      {"explainedShare", number(diagnosis.share)},
      {"hypothesesTried", diagnosis.tried},
      {"where", diagnosis.where}};
  json["replay"] = finding.replay;
  return json;
}

Json kinds_json(const std::array<Index, kVerdictKinds>& kinds) {
  Json json = Json::object();
  for (int kind = 0; kind < kVerdictKinds; ++kind)
    if (kinds[static_cast<std::size_t>(kind)] > 0)
      json[std::string(name(static_cast<VerdictKind>(kind)))] =
          kinds[static_cast<std::size_t>(kind)];
  return json;
}

Json check_json(const CheckTally& check, const std::string& worst_case) {
  Json json{{"check", check.check->name},
            {"sentence", check.check->sentence},
            {"verdict", name(check.verdict)},
            {"reason", check.reason},
            {"drawn", check.drawn},
            {"cases", check.cases},
            {"runs", check.runs},
            {"leftOut", check.left_out},
            {"verdicts", kinds_json(check.kinds)},
            {"seconds", check.seconds}};
  json["worst"] = worst_case.empty()
                      ? Json(nullptr)
                      : Json{{"errorOverBound", number(check.worst_ratio)}, {"case", worst_case}};
  return json;
}

Json range_json(const Domain::Range<Index>& range) {
  return range.empty ? Json(nullptr) : Json::array({range.least, range.most});
}

Json domain_json(const Domain& domain) {
  Json cases = Json::object();
  for (const Pass pass : kAllPasses)
    cases[std::string(name(pass))] = domain.cases[static_cast<std::size_t>(pass)];
  return {{"distinctCases", domain.total()},     {"casesOfPass", cases},
          {"formats", domain.formats},           {"offsets", domain.conventions},
          {"weights", domain.weights},           {"fills", domain.fills},
          {"tactics", domain.tactics},           {"manyTiles", domain.many_tiles},
          {"accumulating", domain.accumulating}, {"experts", range_json(domain.experts)},
          {"rows", range_json(domain.rows)},     {"k", range_json(domain.k)},
          {"n", range_json(domain.n)},           {"products", range_json(domain.products)}};
}

std::string temporary_of(const std::string& path) {
  return fmt::format("{}.{}.part", path, ::getpid());
}

}  // namespace

std::string report_json(const Certification& certification) {
  const ProfileRun& run = certification.run;
  Json json{{"kernel", certification.kernel},
            {"kernelName", run.manifest.name},
            {"device", run.manifest.device},
            {"profile", certification.profile},
            {"verdict", name(run.tally.conclusion)},
            {"certified", certification.certified()},
            {"onProfile", run.whole_profile},
            {"incompleteBecause", run.tally.incomplete_because},
            {"seconds", run.seconds},
            {"threads", run.threads},
            {"runs", run.tally.runs},
            {"verdicts", kinds_json(run.tally.kinds)}};
  json["domain"] = domain_json(run.tally.domain);
  json["checks"] = Json::array();
  for (std::size_t row = 0; row < run.tally.checks.size(); ++row)
    json["checks"].push_back(check_json(run.tally.checks[row], run.worst_cases[row]));
  json["findings"] = Json::array();
  for (const Finding& finding : certification.findings)
    json["findings"].push_back(finding_json(finding));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tile_map_json(const TileMap& map) {
  Json json{{"tileRows", map.tile_rows}, {"tileColumns", map.tile_cols}};
  json["experts"] = Json::array();
  for (const ExpertTiles& expert : map.experts) {
    Json tiles = Json::array();
    for (const Tile& tile : expert.tiles)
      tiles.push_back({{"row", tile.row},
                       {"column", tile.col},
                       {"rows", tile.rows},
                       {"columns", tile.cols},
                       {"wrong", tile.wrong},
                       {"errorOverBound", number(tile.worst_ratio)}});
    json["experts"].push_back(
        {{"expert", expert.expert}, {"tilesAcross", expert.tiles_across}, {"tiles", tiles}});
  }
  return json.dump(2) + "\n";
}

Status write_report(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return std::fflush(stdout) == 0 ? Status{} : refuse("cannot write the report to stdout");
  }
  const std::string temporary = temporary_of(path);
  std::ofstream stream(temporary, std::ios::binary);
  stream << text;
  stream.close();
  if (stream && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const std::string reason = std::strerror(errno);
  std::remove(temporary.c_str());
  return refuse(fmt::format("cannot write '{}': {}", path, reason));
}

Status can_write_report(const std::string& path) {
  if (path == "-") return {};
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error))
    return refuse(fmt::format("cannot write '{}': expected a file or -", path));
  const std::string temporary = temporary_of(path);
  std::ofstream stream(temporary, std::ios::binary);
  const bool open = stream.is_open();
  const std::string reason = std::strerror(errno);
  stream.close();
  if (!open) return refuse(fmt::format("cannot write '{}': {}", path, reason));
  std::remove(temporary.c_str());
  return {};
}

}  // namespace assay
