// PageRange: neighbouring pages of a region.
#pragma once

#include "src/core/index.h"

namespace assay {

struct PageRange {
  Index begin = 0, end = 0;  // bytes from the region's start, multiples of a page
};

}  // namespace assay
