// MemoryBudget: who of a process's threads takes how much memory, so that two of them do not count
// on the same gigabyte.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "src/core/error.h"
#include "src/core/index.h"

namespace assay {

class MemoryBudget;

// Memory that its holder may take; goes back with it.
class MemoryShare {
 public:
  MemoryShare() = default;
  MemoryShare(MemoryBudget& budget, Index bytes, bool large)
      : budget_(&budget), bytes_(bytes), large_(large) {}
  MemoryShare(MemoryShare&& other) noexcept;
  MemoryShare& operator=(MemoryShare&&) = delete;
  ~MemoryShare();

  // Memory of this size has to go back as soon as it is not used: more than an eighth of all would
  // lie idle if every thread kept as much.
  bool large() const { return large_; }

 private:
  MemoryBudget* budget_ = nullptr;
  Index bytes_ = 0;
  bool large_ = false;
};

class MemoryBudget {
 public:
  // Less than this is not counted: most cases ask the system for nothing.
  static constexpr Index kCountedFrom = Index{64} << 20;

  explicit MemoryBudget(std::function<Index()> available) : available_(std::move(available)) {}
  // The one of this process, over available_memory().
  static MemoryBudget& of_process();

  // Waits while other holders have what would be enough; one after another, so that the large are
  // not passed over. Errors: more than there is even alone (a shortage). A thread holds one share
  // at a time: it would wait for itself.
  Result<MemoryShare> take(Index bytes);

 private:
  friend class MemoryShare;
  void give_back(Index bytes);

  std::function<Index()> available_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Index taken_ = 0;
  Index whole_ = 0;  // what was available when nothing was taken
  std::uint64_t tickets_ = 0, turn_ = 0;
};

}  // namespace assay
