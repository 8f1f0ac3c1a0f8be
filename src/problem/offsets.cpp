#include "src/problem/offsets.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/problem/convention.h"

namespace assay {

OffsetsFrame frame_of(const CaseSpec& spec) {
  return {.experts = spec.experts(),
          .physical_rows = lay_out_rows(spec).physical_rows,
          .pad = spec.pad,
          .cap = buffer_rows(spec),
          .k = spec.k,
          .n = spec.n,
          .pass = spec.pass};
}

const std::vector<OffsetsKind>& all_offsets_kinds() {
  static const std::vector<OffsetsKind> all = [] {
    std::vector<OffsetsKind> kinds;
    for (const Convention convention : kAllConventions) {
      const auto own = traits(convention).kinds;
      kinds.insert(kinds.end(), own.begin(), own.end());
    }
    return kinds;
  }();
  return all;
}

std::string offsets_forms(Convention convention) {
  std::string forms;
  for (const OffsetsKind& kind : traits(convention).kinds) {
    if (!forms.empty()) { forms += " or "; }
    forms += name(kind);
  }
  return forms;
}

bool is_offsets_kind(const OffsetsKind& kind) {
  const auto kinds = traits(kind.convention).kinds;
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

OffsetArrays encode_offsets(const RowLayout& layout, const OffsetsKind& kind,
                            const OffsetsFrame& frame) {
  OffsetArrays arrays{kind, {}, {}};
  traits(kind.convention).encode(layout, frame, arrays);
  return arrays;
}

Status validate_offsets(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  const Convention convention = arrays.kind.convention;
  if (!is_offsets_kind(arrays.kind)) {
    return make_error(fmt::format("{} is not a form of {}; allowed: {}", name(arrays.kind),
                                  name(convention), offsets_forms(convention)));
  }
  return traits(convention).validate(arrays, frame);
}

Result<RowLayout> decode_offsets(const OffsetArrays& arrays, const OffsetsFrame& frame) {
  ASSAY_TRY(validate_offsets(arrays, frame));
  return traits(arrays.kind.convention).decode(arrays, frame);
}

}  // namespace assay
