#include "src/contract/contradictions.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/text.h"
#include "src/problem/convention.h"

namespace assay {
namespace {

constexpr std::size_t kLongestName = 128;

void refuse_formats(JsonObject& object, const Manifest& manifest) {
  for (const Pass pass : manifest.passes) {
    const bool own = reduces_rows(pass) && manifest.declares("wgrad_formats");
    const char* const field = own ? "wgrad_formats" : "formats";
    if (manifest.formats_of(pass).empty()) {
      object.fail(field, fmt::format("no combination is of {}", name(pass)));
    }
    for (const Combination& each : manifest.formats_of(pass)) {
      if (may_output(each.in, each.out)) { continue; }
      object.fail(field, fmt::format("inputs {} cannot have the output {}", input_name(each),
                                     name(each.out)));
    }
  }
}

}  // namespace

void refuse_contradictions(JsonObject& object, const Manifest& manifest) {
  const auto refuse_if = [&](bool wrong, const char* field, const char* why) {
    if (wrong) { object.fail(field, why); }
  };
  if (manifest.name.empty() || manifest.name.size() > kLongestName ||
      one_line(manifest.name) != manifest.name) {
    object.fail("name", fmt::format("{} is not from 1 to {} bytes of printable text",
                                    quote(manifest.name), kLongestName));
  }
  refuse_if(manifest.passes.empty(), "passes", "[] names none of fwd, dgrad, wgrad");
  refuse_formats(object, manifest);
  refuse_if(manifest.weights.empty(), "weights", "[] names none of enk, ekn");
  refuse_if(manifest.offsets.empty(), "offsets", "[] names no convention");
  refuse_if((manifest.base_bytes & (manifest.base_bytes - 1)) != 0, "base_bytes",
            "is not a power of two from 1 to 256");
  refuse_if((manifest.workspace_alignment & (manifest.workspace_alignment - 1)) != 0,
            "workspace_alignment", "is not a power of two from 1 to 4096");
  refuse_if(manifest.batch_invariant && !manifest.deterministic, "batch_invariant",
            "true needs deterministic true");
  const bool cpu = manifest.device == "cpu";
  refuse_if(manifest.stream_ordered && cpu, "stream_ordered", "true needs device \"cuda\"");
  refuse_if(cpu && manifest.least_capability > 0, "least_capability", "needs device \"cuda\"");
  refuse_if(cpu && manifest.most_capability > 0, "most_capability", "needs device \"cuda\"");
  refuse_if(manifest.most_capability > 0 && manifest.most_capability < manifest.least_capability,
            "most_capability", "is below least_capability");
  refuse_if(manifest.graph_capturable && !manifest.stream_ordered, "graph_capturable",
            "true needs stream_ordered true");
  refuse_if(manifest.invalid_offsets == InvalidOffsets::kFlagged && cpu, "invalid_offsets",
            "\"flagged\" needs device \"cuda\": a CPU kernel refuses");
  const bool may_align = std::ranges::any_of(manifest.offsets, [](const OffsetsKind& kind) {
    return traits(kind.convention).expresses_gaps || traits(kind.convention).has_buffers;
  });
  const bool compact = std::ranges::count(manifest.scale_starts, ScaleStarts::kCompact) > 0;
  refuse_if(!compact && !may_align, "scale_starts",
            "\"aligned\" alone needs offsets that express gaps between experts, or have buffers");
  const bool biased =
      std::ranges::any_of(manifest.passes, [](Pass pass) { return operation(pass).adds_bias; });
  refuse_if(!manifest.bias.empty() && !biased, "bias", "needs pass fwd");
  refuse_if(manifest.declares("bias_added") && manifest.bias.empty(), "bias_added", "needs bias");
  const bool can_add = std::ranges::any_of(manifest.passes, [&](Pass pass) {
    const std::vector<Combination> formats = manifest.formats_of(pass);
    return operation(pass).accumulates &&
           std::ranges::count(formats, Output(Format::kFp32), &Combination::out) > 0;
  });
  refuse_if(manifest.accumulate && !can_add, "accumulate",
            "true needs pass wgrad with fp32 output");
}

}  // namespace assay
