#include "src/core/memory_budget.h"

#include <algorithm>
#include <utility>

#include "src/core/machine_memory.h"
#include "src/core/parallel.h"

namespace assay {

MemoryShare::MemoryShare(MemoryShare&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_), large_(other.large_) {}

MemoryShare::~MemoryShare() {
  if (budget_ != nullptr) { budget_->give_back(bytes_); }
}

MemoryBudget& MemoryBudget::of_process() {
  // Never destroyed: threads may still hold shares.
  static MemoryBudget& budget = *new MemoryBudget([] { return available_memory(); });
  return budget;
}

Result<MemoryShare> MemoryBudget::take(Index bytes) {
  if (bytes < kCountedFrom) { return MemoryShare(); }
  std::unique_lock lock(mutex_);
  const std::uint64_t ticket = tickets_++;
  changed_.wait(lock, [&] { return ticket == turn_; });
  bool fits = false;
  for (;;) {
    const Index available = available_();
    if (taken_ == 0) { whole_ = available; }
    // What others took and have not written yet still counts as available.
    fits = bytes <= std::min(available, whole_ - taken_);
    if (fits || taken_ == 0 || bytes > whole_) { break; }
    changed_.wait(lock);
  }
  ++turn_;
  if (fits) { taken_ += bytes; }
  changed_.notify_all();
  const Index idle = whole_ / (Index{8} * available_threads());
  if (fits) { return MemoryShare(*this, bytes, bytes > idle); }
  return run_short("needs " + memory_text(bytes) + " of memory, " + memory_text(whole_) +
                   " are available");
}

void MemoryBudget::give_back(Index bytes) {
  const std::lock_guard lock(mutex_);
  taken_ -= bytes;
  changed_.notify_all();
}

}  // namespace assay
