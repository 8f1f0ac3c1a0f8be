// A certified run of a fake kernel: artifact, profile, results and certificate in one folder.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "src/certificate/outputs.h"
#include "src/certificate/verify.h"
#include "src/core/digest.h"
#include "tests/record/record_fixture.h"

namespace assay::testing {

inline std::string slurped(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
inline void spill(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// path and path.pub
inline void make_key(const std::string& path, const std::string& algorithm) {
  const std::string command = "openssl genpkey -quiet -algorithm " + algorithm + " -out '" + path +
                              "' 2>/dev/null || openssl genpkey -algorithm " + algorithm +
                              " -out '" + path + "' 2>/dev/null; openssl pkey -in '" + path +
                              "' -pubout -out '" + path + ".pub'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

// Four cases cover one pass.
constexpr std::string_view kForwardManifest =
    R"({"name": "fake", "passes": ["fwd"], "formats": [{"in": "bf16", "out": "bf16"}],
        "weights": ["enk"], "offsets": ["ends"]})";

struct CertifiedRun {
  explicit CertifiedRun(bool with_key) {
    spill(artifact, "not a library, but a file with a digest\n");
    spill(profile,
          "profile=tiny certifies=cpu\ncheck=passes generator=tiny count=4 "
          "seed=5\n");
    if (with_key) {
      make_key(folder / "key.pem", "ed25519");
      public_key = folder / "key.pem.pub";
    }
    const Profile loaded = parse_profile(slurped(profile), profile, tiny_names()).value();
    {
      RunWriter writer(results, false, tiny_names());
      writer.header().kernel = "fake.so";
      writer.header().artifact = {.name = "fake.so", .sha256 = sha256_of_file(artifact).value()};
      writer.header().profile = loaded;
      CertifyOptions options;
      options.run.threads = 1;
      options.observer = &writer;
      const auto run = certify("fake.so", loaded, tiny_names(),
                               open_tiny(parse_manifest(kForwardManifest).value()), options);
      EXPECT_TRUE(run && run->certified());
    }
    OutputOptions options;
    if (with_key) { options.key = SigningKey::load(folder / "key.pem").value(); }
    const auto written = write_outputs(results, recorded(results), tiny_names(), options);
    EXPECT_TRUE(written) << (written ? "" : written.error().message);
  }

  Folder folder{};
  std::string artifact = folder / "fake.so", profile = folder / "tiny.profile",
              results = folder / "fake.so.results.jsonl",
              certificate = folder / "fake.so.intoto.jsonl", public_key{};
};

inline Result<Verification> verification(const CertifiedRun& run) {
  return verify_certificate(run.certificate, {.artifact = run.artifact,
                                              .key = run.public_key,
                                              .profile = run.profile,
                                              .at = "2099-01-01T00:00:00Z"});
}

}  // namespace assay::testing
