// Our own CUDA kernels are certified as they stand, or listed as uncertified with the reason.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "src/certify/certificate/verify.h"
#include "src/certify/record/environment.h"
#include "src/kernels/loader.h"

namespace assay {
namespace {

const std::string kFolder = ASSAY_SOURCE_DIR "/corpus/certificates";

// Rows `| kernel | reason |` of the folder's README.
std::set<std::string> uncertified() {
  std::set<std::string> names;
  std::ifstream file(kFolder + "/README.md");
  const std::regex row(R"(\| (\w+) \| [^|]+ \|)");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) names.insert(match[1]);
  }
  names.erase("kernel");
  return names;
}

TEST(OwnCertificates, AreAcceptedByVerify) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (!entry.path().string().ends_with(".intoto.jsonl")) continue;
    const auto verified = verify_certificate(entry.path(), {.at = utc_now()});
    ASSERT_TRUE(verified.has_value()) << verified.error().message;
    EXPECT_TRUE(verified->accepted()) << entry.path() << ": " << verified->wrong;
    EXPECT_EQ(verified->certificate.profile_name, "full");
    EXPECT_FALSE(verified->certificate.environment.gpu.empty());
  }
}

// Bites where the CUDA kernels are built; elsewhere there is no digest of their sources.
TEST(OwnCertificates, FollowTheKernelsThatTheyAreFor) {
  const std::set<std::string> without = uncertified();
  for (const BuiltinKernel& kernel : builtin_kernels()) {
    const std::string name(kernel.name);
    const auto manifest = parse_manifest(kernel.manifest());
    ASSERT_TRUE(manifest.has_value());
    const std::string path = kFolder + "/" + name + ".intoto.jsonl";
    if (manifest->device != "cuda" || without.contains(name)) continue;
    const auto verified = verify_certificate(path, {.at = utc_now()});
    ASSERT_TRUE(verified.has_value()) << verified.error().message;
    const auto artifact = artifact_of(name);
    ASSERT_TRUE(artifact.has_value()) << artifact.error().message;
    EXPECT_EQ(verified->certificate.artifact.sha256, artifact->sha256)
        << "the sources of " << name << " changed: certify it again on a GPU, or list it in "
        << kFolder << "/README.md with the reason";
  }
}

TEST(OwnCertificates, AKernelIsCertifiedOrListedNotBoth) {
  for (const std::string& name : uncertified()) {
    EXPECT_FALSE(std::filesystem::exists(kFolder + "/" + name + ".intoto.jsonl")) << name;
  }
}

}  // namespace
}  // namespace assay
