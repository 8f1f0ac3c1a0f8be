// Json: a JSON document whose fields keep their order.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace assay {

using Json = nlohmann::ordered_json;

}  // namespace assay
