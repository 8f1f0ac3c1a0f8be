// What is asked of a manifest once it is read.
#include <algorithm>

#include "src/contract/manifest.h"
#include "src/problem/row_layout.h"

namespace assay {
namespace {

// Also those that name the operands of another pass.
const std::vector<Combination>& formats_listed_for(const Manifest& manifest, Pass pass) {
  const bool own = reduces_rows(pass) && !manifest.wgrad_formats.empty();
  return own ? manifest.wgrad_formats : manifest.formats;
}

bool may_be_of(const Combination& combination, Pass pass) {
  return combination.pass.value_or(pass) == pass;
}

}  // namespace

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
  FormulaValues values{
      .rows = lay_out_rows(spec).physical_rows,
      .experts = spec.experts(),
      .k = spec.k,
      .n = spec.n,
      .in_bytes = std::max(size_bytes(spec.in.a.format), size_bytes(spec.in.b.format)),
      .out_bytes = size_bytes(spec.out)};
  for (const DeclaredTile& tile : tiles) {
    if (tile.tactic != spec.tactic) { continue; }
    values.tile_m = tile.m;
    values.tile_n = tile.n;
    values.tile_k = tile.k;
  }
  return static_cast<std::uint64_t>(workspace_formula->value(values));
}

std::vector<Combination> Manifest::formats_of(Pass pass) const {
  std::vector<Combination> chosen = formats_listed_for(*this, pass);
  std::erase_if(chosen, [&](const Combination& each) { return !may_be_of(each, pass); });
  return chosen;
}

bool Manifest::lists(Pass pass, const Inputs& in, const Output& out) const {
  return std::ranges::any_of(formats_listed_for(*this, pass), [&](const Combination& each) {
    return may_be_of(each, pass) && each.in == in && each.out == out;
  });
}

std::vector<Combination> Manifest::formats_of(Pass pass, bool scaled) const {
  const std::vector<Combination> all = formats_of(pass);
  std::vector<Combination> chosen;
  for (const Combination& each : all) {
    if (each.in.scaled() == scaled) { chosen.push_back(each); }
  }
  return chosen.empty() ? all : chosen;
}

bool Manifest::has_scales(Pass pass) const {
  return std::ranges::any_of(formats_of(pass),
                             [](const Combination& each) { return each.in.scaled(); });
}

Result<Combination> parse_combination(std::string_view in, std::string_view out) {
  const Result<ParsedInputs> inputs = parse_inputs(in);
  const Result<Output> output = parse_output(out);
  ASSAY_TRY(inputs);
  ASSAY_TRY(output);
  if (const auto why = wrong_scales(inputs->inputs)) { return make_error(*why); }
  return Combination{inputs->inputs, *output, inputs->pass};
}

std::string input_name(const Combination& combination) {
  return combination.pass ? inputs_by_operand(combination.in, *combination.pass)
                          : *joint_text(combination.in);
}

bool is_of(const Combination& combination, const CaseSpec& spec) {
  return combination.in == spec.in && combination.out == spec.out;
}

void use(const Combination& combination, CaseSpec& spec) {
  spec.in = combination.in;
  spec.out = combination.out;
}

bool Manifest::declares(std::string_view field) const {
  return std::find(declared_fields.begin(), declared_fields.end(), field) != declared_fields.end();
}

bool Manifest::is_complete() const {
  return declares("passes") && declares("formats") && declares("weights") && declares("offsets");
}

}  // namespace assay
