// What an OperandMap shows, as one sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/diagnosis/probing/operand_map.h"

namespace assay {

struct MapReading {
  std::string hypothesis, sentence;
  std::vector<std::uint8_t> covered;  // of each element: whether its sources are not its own
  bool names_the_damage = false;      // nothing stands there: not why
};

// Nothing where every element has its own sources.
std::optional<MapReading> read_map(const OperandMap& map);

}  // namespace assay
