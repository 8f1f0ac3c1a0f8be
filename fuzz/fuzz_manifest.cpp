// The manifest parser: no JSON breaks it, what it refuses it refuses in one line, and what it
// accepts contradicts itself nowhere.
#include <bit>
#include <string>
#include <string_view>

#include "fuzz/note.h"
#include "fuzz/target.h"
#include "src/contract/manifest.h"
#include "src/core/require.h"
#include "src/problem/case_text.h"
#include "src/problem/offsets.h"

namespace {

using assay::Manifest;

void require_consistent(const Manifest& manifest) {
  ASSAY_REQUIRE(!manifest.name.empty());
  ASSAY_REQUIRE(!manifest.passes.empty() && !manifest.formats.empty());
  ASSAY_REQUIRE(!manifest.weights.empty() && !manifest.offsets.empty());
  for (const assay::OffsetsKind& kind : manifest.offsets) {
    ASSAY_REQUIRE(assay::is_offsets_kind(kind), assay::name(kind));
  }
  ASSAY_REQUIRE(manifest.base_bytes >= 1 && manifest.base_bytes <= 256, manifest.base_bytes);
  ASSAY_REQUIRE(std::has_single_bit(static_cast<std::uint64_t>(manifest.base_bytes)),
                manifest.base_bytes);
  for (const assay::Index multiple :
       {manifest.k_multiple, manifest.n_multiple, manifest.row_multiple, manifest.ld_multiple}) {
    ASSAY_REQUIRE(multiple >= 1, multiple);
  }
  ASSAY_REQUIRE(manifest.max_experts >= 0 && manifest.max_rows >= 0);
  for (const assay::DeclaredTile& tile : manifest.tiles) {
    ASSAY_REQUIRE(tile.m >= 1 && tile.n >= 1 && tile.k >= 1, tile.tactic);
  }
  ASSAY_REQUIRE(manifest.deterministic || !manifest.batch_invariant);
  ASSAY_REQUIRE(manifest.stream_ordered || !manifest.graph_capturable);
  ASSAY_REQUIRE(manifest.arithmetic.splits >= 1 && manifest.arithmetic.products_per_step >= 1);
}

// A case of each pass and convention is either excluded with a reason of one line, or it is not.
void ask_for_exclusions(const Manifest& manifest) {
  assay::CaseSpec spec;
  spec.k = 24;
  spec.n = 40;
  spec.rows = {0, 7, 128, 1};
  for (const assay::Pass pass : assay::kAllPasses) {
    for (const assay::OffsetsKind& kind : assay::all_offsets_kinds()) {
      spec.pass = pass;
      spec.offsets = spec.told = kind;
      const auto reason = assay::exclusion(manifest, spec);
      ASSAY_REQUIRE(!reason || (!reason->empty() && reason->find('\n') == std::string::npos));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const assay::Result<Manifest> manifest = assay::parse_manifest(json);
  if (!manifest) {
    const std::string& message = manifest.error().message;
    ASSAY_REQUIRE(!message.empty());
    ASSAY_REQUIRE(message.find('\n') == std::string::npos, message);
    if (assay::wants_notes()) {
      const bool other = message.find("is not a JSON object") != std::string::npos;
      assay::note(other ? "refused_no_JSON_object" : "refused_" + assay::message_words(message));
    }
    return 0;
  }
  if (assay::wants_notes()) { assay::note("accepted_" + manifest->name); }
  require_consistent(*manifest);
  ask_for_exclusions(*manifest);
  return 0;
}
