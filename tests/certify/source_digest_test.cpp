#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/certify/certificate/envelope.h"
#include "src/certify/digest/strip_source.h"
#include "src/certify/record/artifact.h"
#include "src/core/digest.h"
#include "src/kernels/loader.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StripSource, LeavesCommentsAndLayoutOut) {
  EXPECT_EQ(strip_source("int a;  // one\n/* two */ int\tb;\n\n"), "int a; int b;");
  EXPECT_EQ(strip_source("f(\"// no /* comment */\", 'x', '\\'', 1'000); // yes '\n"),
            "f(\"// no /* comment */\", 'x', '\\'', 1'000);");
  EXPECT_EQ(strip_source("R\"json(a \" // b)json\" // c"), "R\"json(a \" // b)json\"");
  EXPECT_NE(strip_source("int a;"), strip_source("int b;"));
}

TEST(StripSource, FollowsQuotedIncludesOnly) {
  EXPECT_THAT(quoted_includes("#include <vector>\n  #include \"src/a.h\"\n// #include \"b.h\"\n"),
              ElementsAre("src/a.h"));
}

TEST(SourceDigest, EveryBuiltInKernelHasOne) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    const auto artifact = artifact_of(std::string(kernel.name));
    ASSERT_TRUE(artifact) << artifact.error().message;
    EXPECT_FALSE(artifact->is_file);
    EXPECT_EQ(artifact->sha256.size(), 64u);
  }
}

// A stored certificate of our own kernels is of the sources as they are.
TEST(SourceDigest, CertificatesOfOurKernelsAreOfTheseSources) {
  for (const auto& entry :
       std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/corpus/certificates")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".intoto.jsonl")) continue;
    const auto file = parse_certificate(*read_file(path), path);
    ASSERT_TRUE(file) << file.error().message;
    const auto key = PublicKey::load(ASSAY_SOURCE_DIR "/corpus/certificates/assay.pub.pem");
    ASSERT_TRUE(key) << key.error().message;
    const auto status = check_signatures(*file, *key);
    EXPECT_TRUE(status) << path << ": " << status.error().message;
    const std::string kernel = file->certificate.artifact.name;
    for (const SourceDigest& row : source_digests()) {
      if (row.kernel != kernel) continue;
      const auto is_sources = [&](const EvidenceFile& evidence) {
        return evidence.name == kernel + " sources" && evidence.sha256 == row.sources;
      };
      const auto& evidence = file->certificate.evidence;
      EXPECT_TRUE(std::any_of(evidence.begin(), evidence.end(), is_sources))
          << path << ": the sources of " << kernel
          << " have changed since; certify it again, or list it as uncertified in README.md there";
    }
  }
}

// A CUDA kernel has a certificate, or a reason why not.
TEST(SourceDigest, EveryCudaKernelIsCertifiedOrListedWithAReason) {
  const std::string folder = ASSAY_SOURCE_DIR "/corpus/certificates/";
  const std::string list = *read_file(folder + "README.md");
  for (const char* kernel : {"sm80", "sm90"}) {
    const bool certified = std::filesystem::exists(folder + kernel + ".intoto.jsonl");
    const bool listed = list.find("| " + std::string(kernel) + " |") != std::string::npos;
    EXPECT_NE(certified, listed) << kernel;
  }
}

TEST(SourceDigest, CoversTheScheduleAndTheAbi) {
  const auto digests = source_digests();
  const auto cpu = std::find_if(digests.begin(), digests.end(),
                                [](const SourceDigest& row) { return row.kernel == "cpu"; });
  ASSERT_NE(cpu, digests.end());
  for (const char* file : {"src/kernels/cpu/cpu_run.cpp\n", "src/kernels/schedule/tile_walk.h\n",
                           "src/kernels/abi.h\n", "src/kernels/call_view.cpp\n"})
    EXPECT_THAT(std::string(cpu->files), HasSubstr(file));
  EXPECT_EQ(std::string(cpu->files).find("oracle/"), std::string::npos);
}

TEST(Artifact, OfAPlugInIsItsFile) {
  const std::string path = ::testing::TempDir() + "/artifact.so";
  std::ofstream(path) << "bytes";
  EXPECT_EQ(artifact_of(path)->sha256, sha256_hex("bytes"));
  EXPECT_EQ(artifact_of("py:" + path)->sha256, sha256_hex("bytes"));
  EXPECT_EQ(artifact_of("tvmffi:" + path + ":run")->name, "artifact.so");
  EXPECT_THAT(artifact_of("./no.so").error().message, HasSubstr("cannot read './no.so'"));
  EXPECT_THAT(artifact_of("/").error().message, HasSubstr("it is a folder"));
}

TEST(Digest, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace assay
