// What a manifest leaves out: the reasons of Unsupported verdicts.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/contract/manifest.h"
#include "src/problem/case_text.h"
#include "src/problem/row_layout.h"

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
  if (!lists(manifest.formats_of(spec.pass), Combination{spec.in, spec.out})) {
    return fmt::format("in={} out={} is not among the manifest's formats of {}", name(spec.in),
                       name(spec.out), name(spec.pass));
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
    const Index stride = row_pitch(spec, role);
    if (stride % manifest.ld_multiple != 0) {
      return fmt::format("the row stride {} of {} is not a multiple of ld_multiple {}", stride,
                         name(role), manifest.ld_multiple);
    }
  }
  if (spec.wpitch % manifest.ld_multiple != 0) {
    return fmt::format("wpitch={} is not a multiple of ld_multiple {}", spec.wpitch,
                       manifest.ld_multiple);
  }
  if (spec.k % manifest.k_multiple != 0) {
    return fmt::format("k={} is not a multiple of k_multiple {}", spec.k, manifest.k_multiple);
  }
  if (spec.n % manifest.n_multiple != 0) {
    return fmt::format("n={} is not a multiple of n_multiple {}", spec.n, manifest.n_multiple);
  }
  return {};
}

Reason excluded_by_rows(const Manifest& manifest, const CaseSpec& spec) {
  if (manifest.max_experts > 0 && spec.experts() > manifest.max_experts) {
    return fmt::format("{} experts, more than max_experts {}", spec.experts(),
                       manifest.max_experts);
  }
  if (manifest.max_rows == 0 && manifest.row_multiple == 1) { return {}; }
  const RowLayout layout = lay_out_rows(spec);
  if (manifest.max_rows > 0 && layout.physical_rows > manifest.max_rows) {
    return fmt::format("{} physical rows, more than max_rows {}", layout.physical_rows,
                       manifest.max_rows);
  }
  for (std::size_t g = 0; g < layout.starts.size(); ++g) {
    // Rows up to the next expert, or to the end of x and y, are at a padded expert's disposal.
    const bool last = g + 1 == layout.starts.size();
    const Index room = (last ? layout.physical_rows : layout.starts[g + 1]) - layout.starts[g];
    const Index wanted = (layout.counts[g] + manifest.row_multiple - 1) / manifest.row_multiple *
                         manifest.row_multiple;
    if (layout.counts[g] > 0 && (layout.starts[g] % manifest.row_multiple != 0 || room < wanted)) {
      return fmt::format("rows of expert {} (start {}, count {}) break row_multiple {}", g,
                         layout.starts[g], layout.counts[g], manifest.row_multiple);
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

}  // namespace

std::optional<std::string> exclusion(const Manifest& manifest, const CaseSpec& spec) {
  for (const auto& reason_of :
       {excluded_by_kind, excluded_by_alignment, excluded_by_rows, excluded_by_execution}) {
    if (Reason reason = reason_of(manifest, spec)) { return reason; }
  }
  return {};
}

}  // namespace assay
