#include "src/contract/call_builder.h"

#include <gtest/gtest.h>

#include "src/problem/row_layout.h"
#include "tests/problem/parsed.h"

namespace assay {
namespace {

struct Built {
  explicit Built(const std::string& words)
      : spec(parsed(words)), facts(facts_of(spec, lay_out_rows(spec).physical_rows)) {
    for (const Role role : kAllRoles) {
      facts.operands[role].elements.address = 4096 * (1 + static_cast<std::uint64_t>(role));
    }
    facts.offsets = index_array(64, 8 * spec.experts(), spec.told.type);
    build_call(facts, {.device_type = 2, .device_id = 1, .stream = nullptr}, tensors, call);
  }
  CaseSpec spec;
  CallFacts facts;
  CallTensors tensors{};
  assay_call call{};
};

TEST(CallBuilder, OperandsHaveTheShapesAndPitchesOfTheCase) {
  const Built built(
      "pass=dgrad in=bf16 out=fp32 k=6 n=10 rows=3,0,5 ld=x:1,w:2,y:4 wpitch=7 tail=2");
  const assay_call& call = built.call;
  EXPECT_EQ(call.struct_size_bytes, sizeof(assay_call));
  EXPECT_EQ(call.pass, ASSAY_DGRAD);
  EXPECT_EQ(call.rows, 10);
  EXPECT_EQ(call.x->shape[0], 10);
  EXPECT_EQ(call.x->shape[1], 6);
  EXPECT_EQ(call.x->strides[0], 7);
  EXPECT_EQ(call.x->dtype.code, 2);  // the output of dgrad
  EXPECT_EQ(call.x->dtype.bits, 32);
  EXPECT_EQ(call.w->ndim, 3);
  EXPECT_EQ(call.w->shape[1], 10);
  EXPECT_EQ(call.w->strides[0], 10 * 8 + 7);
  EXPECT_EQ(call.w->dtype.code, 4);
  EXPECT_EQ(call.y->strides[0], 14);
  EXPECT_EQ(call.y->device.device_id, 1);
  EXPECT_EQ(call.sizes, nullptr);
  EXPECT_EQ(call.x_ptrs, nullptr);
}

TEST(CallBuilder, ABiasHasARowAnExpert) {
  const Built built("pass=fwd bias=fp16 k=6 n=10 rows=3,0,5");
  const assay_tensor& bias = *built.call.bias;
  EXPECT_EQ(bias.ndim, 2);
  EXPECT_EQ(bias.dtype.code, 2);
  EXPECT_EQ(bias.dtype.bits, 16);
  EXPECT_EQ(bias.shape[0], 3);
  EXPECT_EQ(bias.shape[1], 10);
  EXPECT_EQ(bias.strides[0], 10);
  EXPECT_EQ(bias.strides[1], 1);
  EXPECT_EQ(bias.device.device_id, 1);
  EXPECT_EQ(Built("pass=fwd k=6 n=10 rows=3").call.bias, nullptr);
}

TEST(CallBuilder, PackedCodesAreCountedInPairs) {
  const Built built("pass=fwd in=x:bf16,w:e2m1/mx k=6 n=10 rows=3 ld=x:1,w:4,y:0 wpitch=2");
  const assay_tensor& w = *built.call.w;
  EXPECT_EQ(w.dtype.code, 17);
  EXPECT_EQ(w.dtype.bits, 4);
  EXPECT_EQ(w.dtype.lanes, 2);
  EXPECT_EQ(w.shape[1], 10);
  EXPECT_EQ(w.shape[2], 3);
  EXPECT_EQ(w.strides[0], (10 * (6 + 4) + 2) / 2);
  EXPECT_EQ(w.strides[1], (6 + 4) / 2);
  EXPECT_EQ(w.strides[2], 1);
  EXPECT_EQ(built.call.x->dtype.lanes, 1);
  EXPECT_EQ(built.call.x->strides[0], 7);
}

TEST(CallBuilder, ScalesHaveTheShapesOfTheirBlocks) {
  Built built("pass=wgrad in=e4m3/block128 out=fp32 k=6 n=10 rows=130,0,5 tail=2");
  const assay_call& call = built.call;
  ASSERT_NE(call.x_scale, nullptr);
  EXPECT_EQ(call.x_scale->shape[0], 2 + 0 + 1);
  EXPECT_EQ(call.x_scale->shape[1], 6);
  EXPECT_EQ(call.x_scale->dtype.bits, 32);
  EXPECT_EQ(call.x_scale_block[0], 128);
  EXPECT_EQ(call.x_scale_block[1], 1);
  EXPECT_EQ(call.w_scale, nullptr);
  const Built mx("pass=fwd in=e4m3/mx out=bf16 k=40 n=10 rows=3 tail=2 weights=ekn");
  EXPECT_EQ(mx.call.x_scale->shape[0], 5);
  EXPECT_EQ(mx.call.x_scale->dtype.code, 14);
  EXPECT_EQ(mx.call.w_scale->shape[1], 2);
  EXPECT_EQ(mx.call.w_scale->strides[1], 10);
  EXPECT_EQ(mx.call.x_scale->strides[1], 1);
  EXPECT_EQ(mx.call.w_tensor_scale, nullptr);
  const Built nv("pass=fwd in=e2m1/nv out=bf16 k=48 n=6 rows=3,0,2");
  ASSERT_NE(nv.call.w_tensor_scale, nullptr);
  EXPECT_EQ(nv.call.w_tensor_scale->shape[0], 3);
  EXPECT_EQ(nv.call.w_tensor_scale->dtype.bits, 32);
  EXPECT_EQ(nv.call.x_tensor_scale->shape[0], 1);
  EXPECT_EQ(nv.call.y_tensor_scale, nullptr);
  EXPECT_EQ(nv.call.x_scale->dtype.code, 10);
  const Built columns("pass=fwd in=e4m3/mx out=bf16 k=40 n=6 rows=3,0,2 scale_pitch=4");
  EXPECT_EQ(columns.call.x_scale->shape[0], 5);
  EXPECT_EQ(columns.call.x_scale->strides[0], 1);
  EXPECT_EQ(columns.call.x_scale->strides[1], 8);
  EXPECT_EQ(columns.call.scale_layout, ASSAY_SCALES_STRIDED);
  const Built tiles("pass=fwd in=e4m3/mx out=bf16 k=140 n=6 rows=3,0,129 scale_layout=32_4_4");
  EXPECT_EQ(tiles.call.scale_layout, ASSAY_SCALES_32_4_4);
  EXPECT_EQ(tiles.call.x_scale->ndim, 1);
  EXPECT_EQ(tiles.call.x_scale->shape[0], (1 + 2) * 2 * 512);
  EXPECT_EQ(tiles.call.w_scale->ndim, 2);
  EXPECT_EQ(tiles.call.w_scale->shape[1], 2 * 512);
  const Built aligned(
      "pass=wgrad in=e4m3/mx out=fp32 k=40 n=6 rows=33,3 offsets=starts pad=32 "
      "scale_starts=aligned");
  EXPECT_EQ(aligned.call.scale_starts, ASSAY_SCALE_STARTS_ALIGNED);
  EXPECT_EQ(aligned.call.x_scale->shape[0], 3);
  const Built plain("pass=fwd in=e4m3 out=bf16 k=40 n=10 rows=3");
  EXPECT_EQ(plain.call.x_scale, nullptr);
}

TEST(CallBuilder, OnlyTheToldConventionSaysPadAndCap) {
  const Built ends("pass=fwd k=4 n=4 rows=3,5 offsets=starts pad=8");
  EXPECT_EQ(ends.call.pad, 1);
  const Built padded("pass=fwd k=4 n=4 rows=3,5 offsets=padded_ends pad=8");
  EXPECT_EQ(padded.call.pad, 8);
  EXPECT_EQ(padded.call.cap, 0);
  const Built masked("pass=fwd k=4 n=4 rows=3,5 offsets=masked");
  EXPECT_EQ(masked.call.convention, ASSAY_OFFSETS_MASKED);
  EXPECT_EQ(masked.call.cap, 5);
}

TEST(CallBuilder, IndicesOnTheHostAreHostMemory) {
  Built built("pass=fwd k=4 n=4 rows=3,5 offsets=counts:i64:host");
  built.facts.offsets_on_host = 1;
  build_call(built.facts, {.device_type = 2, .device_id = 1, .stream = nullptr}, built.tensors,
             built.call);
  EXPECT_EQ(built.call.offsets->device.device_type, 1);
  EXPECT_EQ(built.call.offsets->shape[0], 2);
  EXPECT_EQ(built.call.offsets->dtype.bits, 64);
}

}  // namespace
}  // namespace assay
