// Carrier: the few instantiations of a GPU kernel that one plug-in holds, so that a patch to a
// header that all of them include compiles in seconds, and what its manifest then promises.
#pragma once

#include "src/contract/assay/abi.h"

namespace assay {

struct Carrier {
  const char* (*manifest)();  // of the whole kernel
  int (*run)(const assay_call*);
  int pass;
  bool enk, ekn;
  bool fp32_out;        // else bf16; the inputs are bf16
  const char* tactics;  // JSON, as the manifest has them
  const char* tiles;
};

extern const Carrier kCarrier;

}  // namespace assay
