#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/campaign/artifact.h"
#include "src/certificate/envelope.h"
#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/digest/strip_source.h"
#include "src/kernels/registry.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

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

TEST(StripSource, APathWithBlanksIsOneWordOfADepfile) {
  EXPECT_EQ(in_depfile("/src/é w/a$b#c.h"), "/src/é\\ w/a$$b\\#c.h");
}

TEST(SourceDigest, EveryBuiltInKernelHasOne) {
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    const auto artifact = artifact_of(std::string(kernel.name));
    ASSERT_TRUE(artifact) << artifact.error().message;
    EXPECT_FALSE(artifact->is_file);
    EXPECT_EQ(artifact->sha256.size(), 64u);
  }
}

// Kernels that this build leaves out are in the registry's text alone.
std::vector<std::string> registered_kernels() {
  const std::string text = *read_file(ASSAY_SOURCE_DIR "/src/kernels/registry.cpp");
  const std::regex row("\n    \\{\"(\\w+)\",");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

TEST(SourceDigest, EveryKernelOfTheRegistryHasOneInEveryBuild) {
  std::vector<std::string> with_digest;
  for (const SourceDigest& row : source_digests()) { with_digest.emplace_back(row.kernel); }
  EXPECT_THAT(with_digest, UnorderedElementsAreArray(registered_kernels()))
      << "cmake/AssayDigests.cmake has a row a kernel of src/kernels/registry.cpp";
}

// By the sources alone, which need no compiler; else by all, where this build has the kernel.
bool is_of_these_sources(const Certificate& certificate, const SourceDigest& row) {
  for (const EvidenceFile& evidence : certificate.evidence) {
    if (evidence.name == std::string(row.kernel) + " sources") {
      return evidence.sha256 == row.sources;
    }
  }
  return row.sha256.empty() || row.sha256 == certificate.artifact.sha256;
}

// A stored certificate of our own kernels is of the sources as they are.
TEST(SourceDigest, CertificatesOfOurKernelsAreOfTheseSources) {
  const std::string folder = ASSAY_SOURCE_DIR "/corpus/certificates";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".intoto.jsonl")) { continue; }
    const auto file = parse_certificate(*read_file(path), path);
    ASSERT_TRUE(file) << file.error().message;
    if (file->is_signed()) {
      const auto key = PublicKey::load(folder + "/assay.pub.pem");
      ASSERT_TRUE(key) << key.error().message;
      EXPECT_TRUE(check_signatures(*file, *key)) << path;
    }
    EXPECT_EQ(file->certificate.verdict, CertificateVerdict::kPassed) << path;
    const std::string kernel = file->certificate.artifact.name;
    for (const SourceDigest& row : source_digests()) {
      EXPECT_TRUE(row.kernel != kernel || is_of_these_sources(file->certificate, row))
          << path << ": the sources of " << kernel
          << " have changed since; certify it again, or list it as uncertified in README.md there";
    }
  }
}

// A CUDA kernel has a certificate, or a reason why not.
TEST(SourceDigest, EveryCudaKernelIsCertifiedOrListedWithAReason) {
  const std::string folder = ASSAY_SOURCE_DIR "/corpus/certificates/";
  const std::string list = *read_file(folder + "README.md");
  for (const SourceDigest& row : source_digests()) {
    if (row.files.find("src/kernels/cuda/") == std::string_view::npos) { continue; }
    const std::string kernel(row.kernel);
    const bool certified = std::filesystem::exists(folder + kernel + ".intoto.jsonl");
    const bool listed = list.find("| " + kernel + " |") != std::string::npos;
    EXPECT_NE(certified, listed) << kernel;
  }
}

TEST(SourceDigest, CoversTheScheduleAndTheAbi) {
  const auto digests = source_digests();
  const auto cpu = std::find_if(digests.begin(), digests.end(),
                                [](const SourceDigest& row) { return row.kernel == "cpu"; });
  ASSERT_NE(cpu, digests.end());
  for (const char* file : {"src/kernels/cpu/cpu_run.cpp\n", "src/kernels/schedule/tile_walk.h\n",
                           "src/contract/assay/abi.h\n", "src/kernels/call_view.cpp\n"}) {
    EXPECT_THAT(std::string(cpu->files), HasSubstr(file));
  }
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
