// What a call left in an arena's memory.
#include <algorithm>
#include <cstring>

#include "src/core/require.h"
#include "src/harness/memory/arena.h"

namespace assay {
void Arena::inspect_slack(Area area, MemoryFault::Where where, FaultSet& faults) const {
  const Placed& placed = placed_[at(area)];
  const PoisonPattern& poison = *poisons_[at(area)];
  const auto look = [&](Index offset, Index bytes) {
    const Index differs =
        poison.first_difference(placed.region->data() + placed.begin + offset, bytes, offset);
    if (differs < 0) { return; }
    faults.add({.where = where, .operand = std::string(name(area)), .byte = offset + differs});
  };
  look(-placed.begin, placed.begin);
  look(placed.extent, placed.region->bytes() - placed.begin - placed.extent);
}

void Arena::inspect_array(Area area, FaultSet& faults) const {
  if (region(area) == nullptr) { return; }
  inspect_slack(area, MemoryFault::Where::kGuard, faults);
  if (area == Area::kStatus) {
    return;  // the kernel's to write
  }
  const std::vector<std::byte>& content = contents_[at(area)];
  const auto wrong = std::mismatch(content.begin(), content.end(), base(area)).first;
  if (wrong == content.end()) { return; }
  faults.add({.where = MemoryFault::Where::kOffsets,
              .operand = std::string(name(area)),
              .byte = wrong - content.begin()});
}

void Arena::inspect(const Problem& problem, Outcome& outcome) const {
  FaultSet faults;
  outcome.output.resize(problem.output().bits.size());
  const MatrixImage& output = images_[output_role(problem.spec.pass)];
  ASSAY_REQUIRE(output.output, name(problem.spec.pass));
  outcome.not_owned.resize(
      static_cast<std::size_t>(output.plan.rows_not_real * output.plan.row_bytes));
  for (const Role role : {Role::kX, Role::kW, Role::kY}) {
    inspect_image(images_[role], faults, outcome.output.data(), outcome.not_owned.data());
  }
  for (int i = static_cast<int>(Area::kOffsets); i < kAreas; ++i) {
    const Area area = static_cast<Area>(i);
    if (area != Area::kWorkspace) { inspect_array(area, faults); }
  }
  if (region(Area::kWorkspace) != nullptr) {
    inspect_slack(Area::kWorkspace, MemoryFault::Where::kWorkspaceGuard, faults);
  }
  outcome.faults = faults.list();
  std::memcpy(&outcome.status_word, base(Area::kStatus), sizeof outcome.status_word);
}

}  // namespace assay
