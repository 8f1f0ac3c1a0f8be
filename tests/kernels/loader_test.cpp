#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/kernels/registry.h"
#include "tests/kernels/grouped_call.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string plugin(const std::string& name) {
  return ASSAY_BINARY_DIR "/tests/kernels/plugins/" + name + ".so";
}

std::string load_message(const std::string& spec) {
  const Result<LoadedKernel> kernel = load_kernel(spec);
  return kernel ? "loaded" : kernel.error().message;
}

CaseSpec fp32_case() {
  CaseSpec spec;
  spec.in = Format::kFp32;
  spec.out = Format::kFp32;
  spec.k = 300;
  spec.n = 140;
  spec.rows = {3, 0, 50, 1};
  return spec;
}

TEST(Loader, FindsTheBuiltInKernels) {
  for (const char* name : {"cpu", "loop", "padded"}) {
    const Result<LoadedKernel> kernel = load_kernel(name);
    ASSERT_TRUE(kernel) << kernel.error().message;
    EXPECT_EQ(kernel->manifest.name, name);
    EXPECT_EQ(kernel->spec, name);
    EXPECT_EQ(kernel->library, nullptr);
  }
}

TEST(Loader, RunsAPluginWrittenInC) {
  const LoadedKernel kernel = load_kernel(plugin("c_plugin")).value();
  EXPECT_EQ(kernel.manifest.name, "c_plugin");
  GroupedCall call(fp32_case());
  ASSERT_EQ(call.run(kernel.run), ASSAY_OK) << call.message();
  EXPECT_EQ(call.difference(), "");
  CaseSpec other = fp32_case();
  other.pass = Pass::kWgrad;
  GroupedCall unsupported(other);
  EXPECT_EQ(unsupported.run(kernel.run), ASSAY_UNSUPPORTED);
  EXPECT_THAT(unsupported.message(), HasSubstr("fwd with enk"));
}

TEST(Loader, RefusesAPluginOfALargerCall) {
  EXPECT_THAT(load_message(plugin("larger_call")),
              AllOf(HasSubstr("is built for an assay_call of"), HasSubstr("assay/abi.h")));
}

TEST(Loader, RunsATvmFfiFunctionThatDeclaresNothing) {
  const LoadedKernel kernel =
      load_kernel("tvmffi:" + plugin("tvm_ffi_grouped") + ":grouped").value();
  EXPECT_EQ(kernel.manifest.name, "grouped");
  EXPECT_FALSE(kernel.manifest.is_complete());
  CaseSpec spec = fp32_case();
  spec.weights = WeightsLayout::kEkn;
  GroupedCall call(spec);
  ASSERT_EQ(call.run(kernel.run), ASSAY_OK) << call.message();
  EXPECT_EQ(call.difference(), "");
  spec.pass = Pass::kDgrad;
  GroupedCall backward(spec);
  EXPECT_EQ(backward.run(kernel.run), ASSAY_UNSUPPORTED);
  EXPECT_THAT(backward.message(), HasSubstr("not told the pass"));
}

TEST(Loader, PassesATvmFfiFunctionTheArgumentsThatAreNamed) {
  const std::string function = "tvmffi:" + plugin("tvm_ffi_grouped") + ":grouped";
  const LoadedKernel three = load_kernel(function + ":x,w,y").value();
  GroupedCall call(fp32_case());
  EXPECT_EQ(call.run(three.run), ASSAY_ERROR);
  EXPECT_THAT(call.message(), HasSubstr("TypeError: 4 tensors are taken"));
  const LoadedKernel numbers = load_kernel(function + ":x,w,y,k").value();
  EXPECT_EQ(call.run(numbers.run), ASSAY_ERROR);
  EXPECT_THAT(call.message(), HasSubstr("the function returned -1"));
  EXPECT_THAT(load_message(function + ":x,w,z"),
              AllOf(HasSubstr("'z' is none of"), HasSubstr("offsets")));
}

TEST(Loader, SaysHowATvmFfiFunctionIsWritten) {
  EXPECT_THAT(load_message("tvmffi:./lib.so"), HasSubstr("tvmffi:LIB.so:FUNCTION"));
  EXPECT_THAT(load_message("tvmffi:" + plugin("c_plugin") + ":grouped"),
              HasSubstr("does not export '__tvm_ffi_grouped'"));
  EXPECT_THAT(load_message("tvmffi:/no/lib.so:grouped"), HasSubstr("does not load"));
}

TEST(Loader, KeepsALibraryMappedAsLongAsItsKernel) {
  assay_run_function run = nullptr;
  std::shared_ptr<void> library;
  {
    const LoadedKernel kernel = load_kernel(plugin("c_plugin")).value();
    run = kernel.run;
    library = kernel.library;
  }
  GroupedCall call(fp32_case());
  EXPECT_EQ(call.run(run), ASSAY_OK);
}

TEST(Loader, RefusesABrokenLibraryWithTheReason) {
  EXPECT_THAT(load_message(plugin("without_run")), HasSubstr("does not export 'assay_run_v1'"));
  EXPECT_THAT(load_message(plugin("without_manifest")),
              HasSubstr("does not export 'assay_manifest_v1'"));
  EXPECT_THAT(load_message(plugin("null_manifest")), HasSubstr("returned no text"));
  EXPECT_THAT(load_message(plugin("broken_json")),
              AllOf(HasSubstr("broken_json.so"), HasSubstr("line 2 column 19")));
  EXPECT_THAT(load_message(plugin("contradiction")), HasSubstr("needs deterministic true"));
  EXPECT_THAT(load_message(plugin("absent")), HasSubstr("does not load"));
  EXPECT_THAT(load_message("absent.so"), HasSubstr("'absent.so' does not load"));
  EXPECT_THAT(load_message(ASSAY_SOURCE_DIR "/README.md"), HasSubstr("does not load"));
}

TEST(Loader, ListsTheBuiltInKernelsWhenANameIsUnknown) {
  EXPECT_THAT(load_message("cpuu"),
              AllOf(HasSubstr("unknown kernel 'cpuu'"), HasSubstr("cpu, loop, padded")));
  EXPECT_THAT(load_message(""), HasSubstr("unknown kernel ''"));
}

TEST(Loader, SaysHowAKernelWithAnOptionIsCalled) {
  const Result<LoadedKernel> kernel = load_kernel("sm90_zero_tail");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message, "kernel 'sm90_zero_tail' is called 'sm90+zero_tail'");
}

TEST(CpuPlugin, IsTheBuiltInKernel) {
  const LoadedKernel kernel = load_kernel(plugin("cpu_copy")).value();
  EXPECT_EQ(kernel.manifest.name, "cpu");
  for (const Pass pass : kAllPasses) {
    CaseSpec spec = fp32_case();
    spec.pass = pass;
    GroupedCall call(spec, Values::kAnyBits);
    ASSERT_EQ(call.run(kernel.run), ASSAY_OK) << call.message();
    EXPECT_EQ(call.difference(), "");
  }
}

TEST(CpuPlugin, TakesSourcesAndHeadersFromItsOverlay) {
  const LoadedKernel renamed = load_kernel(plugin("cpu_renamed")).value();
  EXPECT_EQ(renamed.manifest.name, "renamed");
  GroupedCall right(fp32_case());
  ASSERT_EQ(right.run(renamed.run), ASSAY_OK);
  EXPECT_EQ(right.difference(), "");
  const LoadedKernel broken = load_kernel(plugin("cpu_without_tail")).value();
  GroupedCall wrong(fp32_case());
  ASSERT_EQ(wrong.run(broken.run), ASSAY_OK);
  EXPECT_NE(wrong.difference(), "");
}

}  // namespace
}  // namespace assay
