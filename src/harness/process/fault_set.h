// FaultSet: the first memory fault of each kind.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "src/harness/call/outcome.h"

namespace assay {

class FaultSet {
 public:
  void add(const MemoryFault& fault) {
    std::optional<MemoryFault>& first = first_[static_cast<std::size_t>(fault.where)];
    if (!first) { first = fault; }
  }
  bool empty() const {
    return std::none_of(first_.begin(), first_.end(),
                        [](const auto& fault) { return fault.has_value(); });
  }
  void merge(const FaultSet& later) {
    for (const auto& fault : later.first_) {
      if (fault) { add(*fault); }
    }
  }
  std::vector<MemoryFault> list() const {
    std::vector<MemoryFault> faults;
    for (const auto& fault : first_) {
      if (fault) { faults.push_back(*fault); }
    }
    return faults;
  }

 private:
  static constexpr std::size_t kKinds =
      static_cast<std::size_t>(MemoryFault::Where::kWorkspaceGuard) + 1;
  std::array<std::optional<MemoryFault>, kKinds> first_;
};

}  // namespace assay
