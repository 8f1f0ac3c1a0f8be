#include "src/bench/alternation.h"

#include <algorithm>

namespace assay {

std::vector<std::size_t> alternating_order(std::size_t count, int round) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) {
    order.push_back((i + static_cast<std::size_t>(round / 2)) % count);
  }
  if (round % 2 == 1) { std::reverse(order.begin(), order.end()); }
  return order;
}

}  // namespace assay
