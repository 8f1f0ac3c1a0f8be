// The report of a certification as JSON, keys in a fixed order.
#pragma once

#include <string>

#include "src/campaign/certify.h"
#include "src/diagnosis/tile_map.h"
#include "src/record/environment.h"

namespace assay {

std::string report_json(const Certification& certification, const Environment& environment);
std::string tile_map_json(const TileMap& map);

}  // namespace assay
