// A kernel that is right in fp32, but for the attack that ASSAY_HOSTILE names.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/harness/plugins/naive.h"
#include "tests/hostile/attacks.h"

namespace hostile {
namespace {

int calls = 0;

std::string_view wanted() {
  const char* const name = std::getenv("ASSAY_HOSTILE");
  return name != nullptr ? name : "";
}

const Attack* find_attack() {
  for (const auto table : {attacks_on_memory(), attacks_on_process(), attacks_on_surroundings()}) {
    for (const Attack& attack : table) {
      if (attack.name == wanted()) { return &attack; }
    }
  }
  return nullptr;
}

constexpr const char* kManifest =
    R"({"name": "hostile", "passes": ["fwd", "dgrad", "wgrad"],)"
    R"( "formats": [{"in": "fp32", "out": "fp32"}], "weights": ["enk"], "offsets": ["ends"],)"
    R"( "base_bytes": 4, "deterministic": true,)"
    R"( "arithmetic": {"kind": "fma", "order": "ascending"}})";

bool is_declared(const assay_call* call) {
  return call->accumulate == 0 && call->convention == ASSAY_OFFSETS_ENDS &&
         call->weights == ASSAY_ENK && call->x->dtype.bits == 32 && call->y->dtype.bits == 32 &&
         call->w->dtype.bits == 32 && call->offsets->dtype.bits == 32;
}

}  // namespace

int multiply(const assay_call* call) { return naive_run(call); }

bool is_first_call() { return calls == 1; }

float* output_of(const assay_call* call) {
  const assay_tensor* const output = call->pass == ASSAY_FWD     ? call->y
                                     : call->pass == ASSAY_DGRAD ? call->x
                                                                 : call->w;
  return static_cast<float*>(output->data);
}

}  // namespace hostile

extern "C" const char* assay_manifest_v1(void) {
  const std::string_view attack = hostile::wanted();
  if (attack == "has_no_manifest") { return nullptr; }
  if (attack == "aborts_in_its_manifest") { std::abort(); }
  if (attack == "exits_in_its_manifest") { std::exit(0); }
  if (attack == "nests_its_manifest") {
    static char deep[1 << 16];
    std::memset(deep, '[', sizeof deep - 1);
    return deep;
  }
  return hostile::kManifest;
}

extern "C" int assay_run_v1(const assay_call* call) {
  if (!hostile::is_declared(call)) { return naive_answer(call, ASSAY_UNSUPPORTED, "not declared"); }
  ++hostile::calls;
  static const hostile::Attack* const attack = hostile::find_attack();
  return attack != nullptr ? attack->run(call) : hostile::multiply(call);
}
