// Attacks: what a hostile kernel does in a call, beside the right product or instead of it.
#pragma once

#include <span>
#include <string_view>

#include "src/contract/assay/abi.h"

namespace hostile {

struct Attack {
  std::string_view name;
  int (*run)(const assay_call* call);
};

// By what they reach for: tables in files of their own.
std::span<const Attack> attacks_on_memory();
std::span<const Attack> attacks_on_process();
std::span<const Attack> attacks_on_surroundings();

// The right product.
int multiply(const assay_call* call);
// Whether this is the first call in this process.
bool is_first_call();
float* output_of(const assay_call* call);

}  // namespace hostile
