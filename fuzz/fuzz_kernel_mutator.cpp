// Cases stay cases: every mutation is one of the case, every crossover joins two.
#include "fuzz/case_mutator.h"
#include "fuzz/kernel_trial.h"
#include "fuzz/target.h"

namespace {

const assay::MutationSpace& space() { return assay::KernelTrial::from_environment().space(); }

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  return assay::mutate_case_text(data, size, max_size, seed, space());
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t max_out_size, unsigned int seed) {
  const std::string_view a(reinterpret_cast<const char*>(first), first_size);
  const std::string_view b(reinterpret_cast<const char*>(second), second_size);
  return assay::cross_case_texts(a, b, out, max_out_size, seed, space());
}
