#include "src/diagnosis/hypotheses/displaced.h"

#include <unordered_map>

namespace assay {

std::vector<ClaimedPart> displaced_parts(const Evidence& evidence, const ElementAddress& own,
                                         const ElementAddress& written) {
  std::vector<ClaimedPart> parts = elements_where(evidence, ClaimedPart::Kind::kUnwritten,
                                                  [](Index, Index, Index) { return true; });
  std::unordered_map<Index, Index> holds;
  for (const ClaimedPart& part : parts) {
    holds[written(part.expert, part.row, part.col)] =
        evidence.element(part.expert, part.row, part.col);
  }
  for (ClaimedPart& part : parts) {
    const auto found = holds.find(own(part.expert, part.row, part.col));
    if (found == holds.end()) { continue; }
    part.kind = ClaimedPart::Kind::kBits;
    part.bits = {evidence.exact_bits[static_cast<std::size_t>(found->second)]};
  }
  return parts;
}

}  // namespace assay
