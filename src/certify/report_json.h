// The report of a certification as JSON, keys in a fixed order.
#pragma once

#include <string>

#include "src/certify/certify.h"
#include "src/certify/record/environment.h"
#include "src/certify/tile_map.h"
#include "src/core/error.h"

namespace assay {

std::string report_json(const Certification& certification, const Environment& environment);
std::string tile_map_json(const TileMap& map);

// `-` is stdout, and so is what it goes to. A file is written beside its place and renamed, so that
// nobody reads half of it; a device or a pipe is written to.
// Errors: the path and the system's reason.
Status write_report(const std::string& path, const std::string& text);
// A folder to write into, made where it is missing. Errors: the path and the system's reason.
Status make_folder(const std::string& path);
// The same refusal before a long run: whether write_report can be expected to succeed.
Status can_write_report(const std::string& path);

}  // namespace assay
