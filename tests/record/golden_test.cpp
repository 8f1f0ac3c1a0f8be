// Records and certificates that were written once are read, and written again with the same bytes.
#include <gtest/gtest.h>

#include "src/certificate/envelope.h"
#include "src/core/file.h"
#include "tests/record/record_fixture.h"

namespace assay {
namespace {

const std::string kGolden = ASSAY_SOURCE_DIR "/tests/record/golden/";

TEST(Golden, ARecordIsWrittenAsItWasRead) {
  for (const char* name : {"whole", "cut_short"}) {
    const std::string file = kGolden + name + ".results.jsonl";
    const auto text = read_file(file);
    ASSERT_TRUE(text) << text.error().message;
    const auto record = parse_run(*text, file, testing::tiny_names());
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(run_text(*record, testing::tiny_names()), *text);
  }
}

TEST(Golden, ACertificateIsWrittenAsItWasRead) {
  const std::string file = kGolden + "whole.intoto.jsonl";
  const auto text = read_file(file);
  ASSERT_TRUE(text) << text.error().message;
  const auto read = parse_certificate(*text, file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->certificate.findings.empty());
  EXPECT_TRUE(read->certificate.defects);
  EXPECT_EQ(certificate_text(read->certificate, nullptr), *text);
}

}  // namespace
}  // namespace assay
