// What a fuzz target is: fuzz_<subject>.cpp defines the one function below; libFuzzer drives it,
// and so does replay_main.cpp under every compiler. fuzz_<subject>_mutator.cpp, where there is one,
// holds its LLVMFuzzerCustomMutator; fuzz_<subject>.dict and .options are read by libFuzzer builds.
#pragma once

#include <cstddef>
#include <cstdint>

// 0: the input was used. -1: it is not an input of this target (corrupt): a fuzzer does not keep
// it, and a replay names its file. A property that does not hold aborts, after a line that says how
// to replay.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t max_out_size, unsigned int seed);
// libFuzzer's own mutation of bytes; there only in its builds.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
