// Arena: the guarded, poisoned memory of one call: x, w, y, bias, offset arrays, pointer
// arrays, workspace and status word, each in a region of its own between pages that nobody may
// touch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "src/contract/manifest.h"
#include "src/core/error.h"
#include "src/harness/call/call_record.h"
#include "src/harness/call/outcome.h"
#include "src/harness/call/session.h"
#include "src/harness/memory/area.h"
#include "src/harness/memory/matrix_image.h"
#include "src/harness/memory/shared_memory.h"
#include "src/harness/memory/told_offsets.h"
#include "src/problem/problem.h"

namespace assay {

// An address in the words of the operands: its distance from one of them.
struct AddressPlace {
  Area area = Area::kX;
  Index byte = 0;  // from the first byte; negative below it
  Index extent_bytes = 0;
  bool read_only = false;
};

class Arena {
 public:
  explicit Arena(SharedMemory& memory) : memory_(memory) {}

  // Writes all memory of the call and says how to call. What problem says is the whole content,
  // gaps, slack and guards included; the same problem, placement and poison give the same bytes.
  // Errors: an operand larger than the machine maps, a tactic of more than kTacticBytes - 1
  // letters.
  Result<CallRecord> prepare(const Problem& problem, const Manifest& manifest,
                             const RunOptions& options);
  // After the call: compares everything, and fills output, faults, not_owned and status_word.
  // Requires: the problem of the last prepare.
  void inspect(const Problem& problem, Outcome& outcome) const;

  // Every region that the prepared call uses.
  std::vector<RegionPlace> regions() const;
  std::optional<AddressPlace> locate(std::uint64_t address) const;
  // First byte and region of an area of the prepared call, for tests. Null where the call has none.
  std::byte* base(Area area) const;
  const Region* region(Area area) const;

 private:
  // Regions of one area: a small one for each power of two of bytes, and at most one large one.
  struct Store {
    std::array<std::unique_ptr<Region>, 9> small;
    std::unique_ptr<Region> large;
  };
  struct Placed {
    Region* region = nullptr;  // null: the call has no such operand
    Index begin = 0;
    Index extent = 0;
    bool read_only = false;
  };
  struct Wish {
    Index extent = 0;
    Index alignment = 1;
    Index misalignment = 0;
    std::optional<Index> resident{};  // sparse: bytes that will have memory
  };

  Result<Region*> region_of(Area area, Index bytes, std::optional<Index> resident);
  Status place(Area area, const Wish& wish, Placement placement);
  Status place_matrix(const Problem& problem, const Manifest& manifest, const RunOptions& options,
                      Role role);
  // An array that the kernel may read only; empty: the call has none.
  Status place_array(Area area, std::vector<std::byte> content, Index alignment,
                     const PoisonPattern& poison, Placement placement);
  Status place_offsets(const Problem& problem, const RunOptions& options);
  Status place_scales(const Problem& problem, const Manifest& manifest, Role role,
                      const RunOptions& options);
  Status place_bias(const Problem& problem, const Manifest& manifest, const RunOptions& options);
  Status place_pointers(const Problem& problem, const RunOptions& options);
  Status place_workspace(const Problem& problem, const Manifest& manifest,
                         const RunOptions& options);
  void write_slack(Area area, const PoisonPattern& poison) const;
  void inspect_array(Area area, FaultSet& faults) const;
  void inspect_slack(Area area, MemoryFault::Where where, FaultSet& faults) const;
  std::uint64_t address(Area area) const;
  AreaRecord area_record(Area area) const;
  void describe_offsets(const Problem& problem, CallRecord& record) const;
  CallRecord record(const Problem& problem, const Manifest& manifest,
                    const RunOptions& options) const;

  SharedMemory& memory_;
  std::array<Store, kAreas> stores_;
  std::array<Placed, kAreas> placed_;
  PerOperand<MatrixImage> images_;
  PerOperand<std::vector<std::byte>> packed_;            // what images of packed codes hold
  std::array<std::vector<std::byte>, kAreas> contents_;  // of the arrays
  std::array<const PoisonPattern*, kAreas> poisons_{};   // around them
};

}  // namespace assay
