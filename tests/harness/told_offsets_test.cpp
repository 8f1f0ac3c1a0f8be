#include "src/harness/memory/told_offsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/core/require.h"
#include "src/harness/memory/arena.h"
#include "tests/harness/support.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string told_error(const char* line) {
  const Status status = validate_as_told(problem_of(line));
  return status ? "" : status.error().message;
}

TEST(ToldOffsets, TheTruthIsValidInEveryConvention) {
  for (const char* const offsets : {"ends", "starts", "starts:i64", "indptr:i64", "counts:i64:host",
                                    "row_ids", "masked", "padded_ends", "problems"}) {
    const std::string line = std::string("pass=fwd k=4 n=4 rows=3,0,5 offsets=") + offsets;
    EXPECT_EQ(told_error(line.c_str()), "") << offsets;
  }
}

TEST(ToldOffsets, ALieIsNamedWhereItBreaksTheConvention) {
  EXPECT_THAT(told_error("pass=fwd k=4 n=4 rows=3,0,5 offsets=ends told=counts"),
              HasSubstr("counts[2] = 8 is past the rows"));
  EXPECT_THAT(told_error("pass=fwd k=4 n=4 rows=3,0,5 offsets=indptr told=ends"),
              HasSubstr("ends has 4 entries, expected 3"));
  EXPECT_THAT(told_error("pass=fwd k=4 n=4 rows=3,0,5 offsets=counts told=ends"),
              HasSubstr("ends[1] = 0 is below ends[0] = 3"));
}

TEST(ToldOffsets, ALieThatReadsWellIsValid) {
  EXPECT_EQ(told_error("pass=fwd k=4 n=4 rows=3,2,5 offsets=starts told=ends"), "");
}

TEST(ToldOffsets, AnotherTypeReadsTheSameBytes) {
  // Two 32-bit entries make one of 64 bits.
  EXPECT_THAT(told_error("pass=fwd k=4 n=4 rows=3,1,5 offsets=indptr told=indptr:i64"),
              HasSubstr("indptr has 2 entries, expected 4"));
  EXPECT_THAT(told_error("pass=fwd k=4 n=4 rows=3,1,5 offsets=counts:i64 told=counts"),
              HasSubstr("counts has 6 entries, expected 3"));
}

CallRecord call_of(const char* line) {
  auto memory = SharedMemory::create();
  ASSAY_REQUIRE(memory.has_value());
  Arena arena(**memory);
  const auto record = arena.prepare(problem_of(line), {}, {});
  ASSAY_REQUIRE(record.has_value());
  return *record;
}

TEST(ToldOffsets, TheCallSaysWhatIsToldOverTheArraysThatExist) {
  const CallRecord lie =
      call_of("pass=fwd k=4 n=4 rows=3,1,5 offsets=indptr told=padded_ends tail=1");
  EXPECT_EQ(lie.convention, ASSAY_OFFSETS_PADDED_ENDS);
  EXPECT_EQ(lie.offsets.shape[0], 4);
  EXPECT_EQ(lie.sizes.dims, 0);
  EXPECT_EQ(lie.cap, 0);
  const CallRecord wide = call_of("pass=fwd k=4 n=4 rows=3,1,5 offsets=counts told=counts:i64");
  EXPECT_EQ(wide.offsets.bits, 64);
  EXPECT_EQ(wide.offsets.shape[0], 1);
  const CallRecord masked = call_of("pass=fwd k=4 n=4 rows=3,1,5 offsets=masked cap=7");
  EXPECT_EQ(masked.cap, 7);
  EXPECT_EQ(masked.rows, 21);
  EXPECT_EQ(masked.pad, 1);
  EXPECT_EQ(call_of("pass=fwd k=4 n=4 rows=3,1,5 offsets=padded_ends pad=4").pad, 4);
  const CallRecord starts = call_of("pass=fwd k=4 n=4 rows=3,1,5 offsets=starts:i64");
  EXPECT_EQ(starts.sizes.shape[0], 3);
  EXPECT_EQ(starts.sizes.bits, 64);
}

}  // namespace
}  // namespace assay
