// Mutation and crossover of case texts, as libFuzzer asks for them: parse, change the case, print.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fuzz/mutate_case.h"

namespace assay {

// Writes the short text of a mutated case over data and returns its length, at most max_size. What
// is not a case becomes the simplest one.
std::size_t mutate_case_text(std::uint8_t* data, std::size_t size, std::size_t max_size,
                             std::uint64_t seed, const MutationSpace& space);
std::size_t cross_case_texts(std::string_view first, std::string_view second, std::uint8_t* out,
                             std::size_t max_size, std::uint64_t seed, const MutationSpace& space);

}  // namespace assay
