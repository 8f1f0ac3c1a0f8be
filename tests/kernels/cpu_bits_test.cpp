// The cpu kernel's declared arithmetic: one chain of fused multiply-adds, the same bits everywhere.
#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "src/kernels/cpu/cpu_kernel.h"
#include "src/kernels/cpu/isa.h"
#include "tests/kernels/grouped_call.h"

namespace assay {
namespace {

// Forces an instruction set while it lives.
class ForcedIsa {
 public:
  explicit ForcedIsa(const char* name) { setenv("ASSAY_CPU_ISA", name, 1); }
  ~ForcedIsa() { unsetenv("ASSAY_CPU_ISA"); }
  ForcedIsa(const ForcedIsa&) = delete;
  ForcedIsa& operator=(const ForcedIsa&) = delete;
};

std::vector<const char*> available_isas() {
  std::vector<const char*> names;
  for (const char* name : {"portable", "avx2", "avx512"}) {
    const ForcedIsa forced(name);
    if (chosen_isa() != nullptr) { names.push_back(name); }
  }
  return names;
}

constexpr const char* kTactics[] = {"rows32", "rows64", "rows128", "default"};

CaseSpec wild_case(Pass pass, Format in, Format out) {
  CaseSpec spec;
  spec.pass = pass;
  spec.in = in;
  spec.out = out;
  spec.k = pass == Pass::kFwd ? 531 : 67;
  spec.n = pass == Pass::kDgrad ? 300 : 139;
  spec.rows = {0, 3, 70, pass == Pass::kWgrad ? 600 : 35};
  spec.seed = 5;
  return spec;
}

TEST(CpuBits, AreThoseOfOneFmaChainOnEveryInstructionSetTacticAndThreadCount) {
  ASSERT_FALSE(available_isas().empty());
  for (const Pass pass : kAllPasses) {
    for (const auto& [in, out] : {std::pair{Format::kBf16, Format::kBf16},
                                  {Format::kBf16, Format::kFp32},
                                  {Format::kFp16, Format::kFp16},
                                  {Format::kFp32, Format::kFp32}}) {
      for (const WeightsLayout layout : {WeightsLayout::kEnk, WeightsLayout::kEkn}) {
        CaseSpec spec = wild_case(pass, in, out);
        spec.weights = layout;
        GroupedCall call(spec, Values::kAnyBits);
        for (const char* isa : available_isas()) {
          const ForcedIsa forced(isa);
          for (const char* tactic : kTactics) {
            call.start_over();
            call.call().tactic = tactic;
            const auto length = static_cast<int>(std::strlen(tactic));
            ASSERT_EQ(call.run(cpu_run, 1 + length % 3), ASSAY_OK);
            EXPECT_EQ(call.difference(), "") << name(pass) << ' ' << isa << ' ' << tactic;
          }
        }
      }
    }
  }
}

TEST(CpuBits, AccumulationContinuesTheChainFromC) {
  for (const char* isa : available_isas()) {
    const ForcedIsa forced(isa);
    CaseSpec spec = wild_case(Pass::kWgrad, Format::kBf16, Format::kFp32);
    spec.acc = 2;
    spec.rows.back() = 2300;  // more than one part of the split plan
    GroupedCall call(spec, Values::kAnyBits);
    ASSERT_EQ(call.run(cpu_run), ASSAY_OK);
    EXPECT_EQ(call.difference(), "") << isa;
  }
}

TEST(CpuBits, AreTheSameForEveryNumberOfThreads) {
  CaseSpec spec = wild_case(Pass::kFwd, Format::kBf16, Format::kFp32);
  for (const int threads : {1, 2, 3, 7, 64}) {
    GroupedCall call(spec, Values::kAnyBits);
    ASSERT_EQ(call.run(cpu_run, threads), ASSAY_OK);
    EXPECT_EQ(call.difference(), "") << threads;
  }
}

TEST(CpuRun, RefusesAnInstructionSetThatDoesNotExist) {
  const ForcedIsa forced("avx1024");
  GroupedCall call(wild_case(Pass::kFwd, Format::kBf16, Format::kBf16));
  EXPECT_EQ(call.run(cpu_run), ASSAY_ERROR);
  EXPECT_NE(call.message().find("ASSAY_CPU_ISA"), std::string::npos);
}

TEST(CpuRun, RefusesATacticItDoesNotList) {
  CaseSpec spec = wild_case(Pass::kFwd, Format::kBf16, Format::kBf16);
  spec.tactic = "rows48";
  GroupedCall call(spec);
  EXPECT_EQ(call.run(cpu_run), ASSAY_UNSUPPORTED);
  EXPECT_NE(call.message().find("'rows48'"), std::string::npos);
}

TEST(CpuRun, RefusesAWorkspaceThatIsTooSmall) {
  GroupedCall call(wild_case(Pass::kFwd, Format::kBf16, Format::kBf16));
  call.call().workspace_bytes = 16;
  EXPECT_EQ(call.run(cpu_run), ASSAY_ERROR);
}

}  // namespace
}  // namespace assay
