// What a manifest leaves out: the reasons of Unsupported verdicts.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/contract/manifest.h"
#include "src/problem/case_text.h"
#include "src/problem/scale_places.h"

namespace assay {
namespace {

using Reason = std::optional<std::string>;

template <class T>
bool lists(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Reason excluded_by_kind(const Manifest& manifest, const CaseSpec& spec) {
  if (!lists(manifest.passes, spec.pass)) {
    return fmt::format("pass={} is not among the manifest's passes", name(spec.pass));
  }
  if (!manifest.lists(spec.pass, spec.in, spec.out)) {
    return fmt::format("in={} out={} is not among the manifest's formats of {}",
                       inputs_text(spec.in, spec.pass), name(spec.out), name(spec.pass));
  }
  if (!lists(manifest.weights, spec.weights)) {
    return fmt::format("weights={} is not among the manifest's weights", name(spec.weights));
  }
  if (!lists(manifest.offsets, spec.told)) {
    return fmt::format("told={} is not among the manifest's offsets", name(spec.told));
  }
  if (spec.acc > 0 && !(manifest.accumulate && may_accumulate(spec))) {
    return fmt::format(
        "acc={}: the manifest {}", spec.acc,
        manifest.accumulate ? "accumulates in wgrad into fp32 only" : "does not accumulate");
  }
  if (spec.bias && !lists(manifest.bias, *spec.bias)) {
    return fmt::format("bias={} is not among the manifest's bias", name(*spec.bias));
  }
  if (spec.tactic != "default" && !lists(manifest.tactics, spec.tactic)) {
    return fmt::format("tactic={} is none of default{}{}", spec.tactic,
                       manifest.tactics.empty() ? "" : ", ", fmt::join(manifest.tactics, ", "));
  }
  return {};
}

Reason excluded_by_alignment(const Manifest& manifest, const CaseSpec& spec) {
  for (const Role role : kAllRoles) {
    if (spec.base[role] % manifest.base_bytes != 0) {
      return fmt::format("base={}:{} is not a multiple of base_bytes {}", name(role),
                         spec.base[role], manifest.base_bytes);
    }
    if (manifest.dense_strides && spec.ld[role] > 0) {
      return fmt::format("ld={}:{}: the manifest's strides are dense", name(role), spec.ld[role]);
    }
    const Index stride = row_pitch(spec, role);
    if (stride % manifest.ld_multiple != 0) {
      return fmt::format("the row stride {} of {} is not a multiple of ld_multiple {}", stride,
                         name(role), manifest.ld_multiple);
    }
  }
  if (manifest.dense_strides && spec.wpitch > 0) {
    return fmt::format("wpitch={}: the manifest's strides are dense", spec.wpitch);
  }
  if (const ScaleLayout layout = scale_layout_of(spec);
      takes_scale_layout(spec) && !lists(manifest.scale_layouts, layout)) {
    return fmt::format("scale_layout={} is not among the manifest's scale_layouts", name(layout));
  }
  if (const ScaleStarts starts = scale_starts_of(spec);
      takes_scale_starts(spec) && !lists(manifest.scale_starts, starts)) {
    return fmt::format("scale_starts={} is not among the manifest's scale_starts", name(starts));
  }
  if (!has_scale_pitch_among(spec, manifest.scale_pitches)) {
    return fmt::format("scale_pitch={} is not among the manifest's scale_pitches",
                       spec.scale_pitch);
  }
  if (spec.wpitch % manifest.ld_multiple != 0) {
    return fmt::format("wpitch={} is not a multiple of ld_multiple {}", spec.wpitch,
                       manifest.ld_multiple);
  }
  for (const auto& [axis, word, size] :
       {std::tuple{Axis::kK, "k", spec.k}, std::tuple{Axis::kN, "n", spec.n}}) {
    const Index multiple = manifest.multiple(axis, spec.pass);
    if (size % multiple == 0) { continue; }
    const bool by_pass =
        axis == Axis::kK ? manifest.k_multiples.has_value() : manifest.n_multiples.has_value();
    return fmt::format("{}={} is not a multiple of {}_multiple {}{}", word, size, word, multiple,
                       by_pass ? fmt::format(" of {}", name(spec.pass)) : "");
  }
  return {};
}

Reason excluded_by_rows(const Manifest& manifest, const CaseSpec& spec) {
  if (manifest.max_experts > 0 && spec.experts() > manifest.max_experts) {
    return fmt::format("{} experts, more than max_experts {}", spec.experts(),
                       manifest.max_experts);
  }
  if (manifest.max_rows == 0 && manifest.total_rows_multiple == 1) { return {}; }
  const Index rows = lay_out_rows(spec).physical_rows;
  if (manifest.max_rows > 0 && rows > manifest.max_rows) {
    return fmt::format("{} physical rows, more than max_rows {}", rows, manifest.max_rows);
  }
  if (rows % manifest.total_rows_multiple != 0) {
    return fmt::format("{} physical rows are not a multiple of total_rows_multiple {}", rows,
                       manifest.total_rows_multiple);
  }
  return {};
}

// What the counts and starts of the experts break; only who reads the offsets sees it.
Reason broken_by_offsets(const Manifest& manifest, const CaseSpec& spec) {
  if (manifest.row_multiple == 1 && manifest.least_rows == 1) { return {}; }
  const RowLayout layout = lay_out_rows(spec);
  const std::vector<Index> experts = experts_in_place(layout);
  for (std::size_t place = 0; place < experts.size(); ++place) {
    const Index g = experts[place];
    const Index count = layout.counts[g];
    if (count == 0) { continue; }
    if (count < manifest.least_rows) {
      return fmt::format("{} rows of expert {}, fewer than least_rows {}", count, g,
                         manifest.least_rows);
    }
    // Rows up to the next expert that has some, or to the end of x and y, are at its disposal.
    std::size_t next = place + 1;
    while (next < experts.size() && layout.counts[experts[next]] == 0) { ++next; }
    const bool last = next == experts.size();
    const Index room =
        (last ? layout.physical_rows : layout.starts[experts[next]]) - layout.starts[g];
    const Index wanted = align_up(count, manifest.row_multiple);
    if (layout.starts[g] % manifest.row_multiple != 0 || room < wanted) {
      return fmt::format("rows of expert {} (start {}, count {}) break row_multiple {}", g,
                         layout.starts[g], count, manifest.row_multiple);
    }
  }
  return {};
}

Reason excluded_by_execution(const Manifest& manifest, const CaseSpec& spec) {
  if (spec.exec.kind == ExecKind::kGraph && !manifest.graph_capturable) {
    return "exec=graph: the manifest is not graph_capturable";
  }
  if (spec.exec.kind == ExecKind::kStreams && !manifest.stream_ordered) {
    return "exec=streams: the manifest is not stream_ordered";
  }
  return {};
}

Reason excluded_by_call(const Manifest& manifest, const CaseSpec& spec) {
  for (const auto& reason_of :
       {excluded_by_kind, excluded_by_alignment, excluded_by_rows, excluded_by_execution}) {
    if (Reason reason = reason_of(manifest, spec)) { return reason; }
  }
  return {};
}

}  // namespace

std::optional<std::string> exclusion(const Manifest& manifest, const CaseSpec& spec) {
  if (Reason reason = excluded_by_call(manifest, spec)) { return reason; }
  return broken_by_offsets(manifest, spec);
}

std::optional<std::string> exclusion_by_offsets(const Manifest& manifest, const CaseSpec& spec) {
  if (spec.told.place == OffsetsPlace::kHost || excluded_by_call(manifest, spec)) { return {}; }
  return broken_by_offsets(manifest, spec);
}

}  // namespace assay
