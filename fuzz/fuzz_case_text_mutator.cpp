// Half of the mutations are changes of the case, half libFuzzer's changes of its bytes.
#include "fuzz/case_mutator.h"
#include "fuzz/target.h"

namespace {

const assay::MutationSpace& space() {
  static const assay::MutationSpace space = assay::whole_space();
  return space;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  if (seed % 2 == 0) { return LLVMFuzzerMutate(data, size, max_size); }
  return assay::mutate_case_text(data, size, max_size, seed, space());
}
