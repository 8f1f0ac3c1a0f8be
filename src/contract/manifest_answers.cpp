// What is asked of a manifest once it is read.
#include <algorithm>

#include "src/contract/manifest.h"
#include "src/problem/row_layout.h"

namespace assay {

AxisSizes tile_along_axes(const DeclaredTile& tile, Pass pass) {
  const Operation& op = operation(pass);
  const auto along = [&](Axis axis) {
    return axis == op.m() ? tile.m : axis == op.n() ? tile.n : tile.k;
  };
  return {.rows = along(Axis::kRows), .k = along(Axis::kK), .n = along(Axis::kN)};
}

bool Subnormals::input_flushed(Format format) const {
  return std::find(flushed_inputs.begin(), flushed_inputs.end(), format) != flushed_inputs.end();
}

bool Subnormals::output_flushed(Format format) const {
  return std::find(flushed_outputs.begin(), flushed_outputs.end(), format) != flushed_outputs.end();
}

Index Manifest::multiple(Axis axis, Pass pass) const {
  if (axis == Axis::kRows) { return 1; }
  const auto& by_pass = axis == Axis::kK ? k_multiples : n_multiples;
  if (by_pass) { return (*by_pass)[pass]; }
  return axis == Axis::kK ? k_multiple : n_multiple;
}

std::uint64_t Manifest::workspace_of(const CaseSpec& spec) const {
  if (!workspace_formula) { return workspace_bytes; }
  FormulaValues values{.rows = lay_out_rows(spec).physical_rows,
                       .experts = spec.experts(),
                       .k = spec.k,
                       .n = spec.n,
                       .in_bytes = size_bytes(spec.in),
                       .out_bytes = size_bytes(spec.out)};
  for (const DeclaredTile& tile : tiles) {
    if (tile.tactic != spec.tactic) { continue; }
    values.tile_m = tile.m;
    values.tile_n = tile.n;
    values.tile_k = tile.k;
  }
  return static_cast<std::uint64_t>(workspace_formula->value(values));
}

const std::vector<Combination>& Manifest::formats_of(Pass pass) const {
  return reduces_rows(pass) && !wgrad_formats.empty() ? wgrad_formats : formats;
}

bool Manifest::lists(Pass pass, const Combination& combination) const {
  const std::vector<Combination>& all = formats_of(pass);
  return std::find(all.begin(), all.end(), combination) != all.end();
}

std::vector<Combination> Manifest::formats_of(Pass pass, bool scaled) const {
  std::vector<Combination> chosen;
  for (const Combination& each : formats_of(pass)) {
    if (each.scaling.present() == scaled) { chosen.push_back(each); }
  }
  return chosen.empty() ? formats_of(pass) : chosen;
}

bool Manifest::has_scales(Pass pass) const {
  const std::vector<Combination>& all = formats_of(pass);
  return std::any_of(all.begin(), all.end(),
                     [](const Combination& each) { return each.scaling.present(); });
}

Result<Combination> parse_combination(std::string_view in, std::string_view out) {
  const std::size_t slash = in.find('/');
  const auto input = format_named(in.substr(0, slash)), output = format_named(out);
  if (!input || !output) { return make_error(""); }
  Combination combination{*input, *output};
  if (slash == std::string_view::npos) { return combination; }
  const Result<Scaling> scaling = parse_scaling(in.substr(slash + 1));
  ASSAY_TRY(scaling);
  if (!traits(*input).input_only) { return make_error("scales belong to 8-bit codes: e4m3, e5m2"); }
  combination.scaling = *scaling;
  return combination;
}

std::string input_name(const Combination& combination) {
  std::string text{name(combination.in)};
  if (combination.scaling.present()) { (text += '/') += name(combination.scaling); }
  return text;
}

Combination combination_of(const CaseSpec& spec) { return {spec.in, spec.out, spec.scaling}; }

void use(const Combination& combination, CaseSpec& spec) {
  spec.in = combination.in;
  spec.out = combination.out;
  spec.scaling = combination.scaling;
}

bool Manifest::declares(std::string_view field) const {
  return std::find(declared_fields.begin(), declared_fields.end(), field) != declared_fields.end();
}

bool Manifest::is_complete() const {
  return declares("passes") && declares("formats") && declares("weights") && declares("offsets");
}

}  // namespace assay
