#include <atomic>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/certificate/envelope.h"
#include "src/certificate/verify.h"
#include "src/core/digest.h"
#include "src/core/parallel.h"
#include "src/problem/rng.h"
#include "tests/certificate/certificate_fixture.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

using testing::CertifiedRun;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::slurped;
using testing::spill;
using testing::verification;

TEST(Signing, EncodesWhatDsseSigns) {
  EXPECT_EQ(pre_authentication_encoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST(Signing, TakesOneFormOfBase64) {
  for (const std::string text : {"", "a", "ab", "abc", "\xff\xfe"}) {
    EXPECT_EQ(from_base64(to_base64(text)), text);
  }
  EXPECT_EQ(to_base64("ab"), "YWI=");
  for (const std::string text : {"YWI", "YWJ=", "YW I=", "YWI=\n", "====", "Y===", "YWI-"}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

TEST(Signing, TakesEd25519KeysOnly) {
  const Folder folder;
  testing::make_key(folder / "rsa.pem", "RSA -pkeyopt rsa_keygen_bits:2048");
  testing::make_key(folder / "key.pem", "ed25519");
  EXPECT_THAT(SigningKey::load(folder / "rsa.pem").error().message, HasSubstr("type RSA"));
  EXPECT_THAT(SigningKey::load(folder / "key.pem.pub").error().message,
              HasSubstr("no private key"));
  EXPECT_THAT(PublicKey::load(folder / "key.pem").error().message, HasSubstr("no public key"));
  EXPECT_THAT(PublicKey::load(folder / "none.pem").error().message, HasSubstr("cannot read"));
  const auto key = SigningKey::load(folder / "key.pem");
  const auto pub = PublicKey::load(folder / "key.pem.pub");
  ASSERT_TRUE(key && pub);
  EXPECT_EQ(key->key_id(), pub->key_id());
  EXPECT_TRUE(pub->verify("m", key->sign("m")));
  EXPECT_FALSE(pub->verify("n", key->sign("m")));
}

TEST(Certificate, IsAcceptedSignedAndUnsigned) {
  for (const bool with_key : {false, true}) {
    const CertifiedRun run(with_key);
    const auto result = verification(run);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_THAT(result->wrong, IsEmpty());
    EXPECT_EQ(result->certificate.verdict, CertificateVerdict::kPassed);
    if (!with_key) { EXPECT_THAT(result->notes.at(0), HasSubstr("not against forgery")); }
  }
}

TEST(Certificate, FlippedBitsOfEveryByteAreSeenSignedAndUnsigned) {
  for (const bool with_key : {false, true}) {
    const CertifiedRun run(with_key);
    const std::string text = slurped(run.certificate);
    const auto key = with_key ? PublicKey::load(run.public_key).value() : PublicKey();
    std::atomic<Index> accepted{0};
    const Index bits = 8 * static_cast<Index>(text.size());
    const Index step = testing::kSanitized ? 61 : 7;  // odd: all bits of a byte have their turn
    parallel_for(bits / step, 0, [&](int, Index nth) {
      const Index bit = nth * step;
      std::string damaged = text;
      char& byte = damaged[bit / 8];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
      const auto file = parse_certificate(damaged, "c");
      if (file && (!with_key || check_signatures(*file, key))) { ++accepted; }
    });
    EXPECT_EQ(accepted, 0) << "of " << 8 * text.size() << " bits";
  }
}

// The one of the cpu kernel, as it is stored and without its signatures.
TEST(Certificate, RandomFlippedBitsOfARealOneAreSeen) {
  const std::string folder = ASSAY_SOURCE_DIR "/corpus/certificates/";
  const auto file = parse_certificate(slurped(folder + "cpu.intoto.jsonl"), "c");
  ASSERT_TRUE(file) << file.error().message;
  const PublicKey key = PublicKey::load(folder + "assay.pub.pem").value();
  ASSERT_TRUE(check_signatures(*file, key));
  Rng rng(17);
  for (const std::string& text :
       {slurped(folder + "cpu.intoto.jsonl"), certificate_text(file->certificate, nullptr)}) {
    ASSERT_TRUE(parse_certificate(text, "c"));
    for (int flip = 0; flip < testing::sanitized_share(500); ++flip) {
      const Index bit = rng.below(8 * static_cast<Index>(text.size()));
      std::string damaged = text;
      char& byte = damaged[bit / 8];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
      const auto again = parse_certificate(damaged, "c");
      EXPECT_FALSE(again && check_signatures(*again, key)) << bit;
      EXPECT_FALSE(again && !again->is_signed()) << bit;
    }
  }
}

TEST(Certificate, AnyFlippedBitOfArtifactOrProfileIsSeen) {
  const CertifiedRun run(false);
  for (const std::string& path : {run.artifact, run.profile}) {
    const std::string text = slurped(path);
    for (std::size_t bit = 0; bit < 8 * text.size(); bit += 3) {
      std::string damaged = text;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      spill(path, damaged);
      const auto result = verification(run);
      ASSERT_TRUE(result && !result->accepted()) << path << " bit " << bit;
      EXPECT_THAT(result->wrong, HasSubstr("SHA-256"));
    }
    spill(path, text);
  }
  ASSERT_TRUE(verification(run)->accepted());
}

TEST(Certificate, NeedsItsEvidenceUnchanged) {
  const CertifiedRun run(false);
  spill(run.results, slurped(run.results) + "\n");
  EXPECT_THAT(verification(run)->wrong, HasSubstr("another SHA-256"));
  std::filesystem::remove(run.results);
  EXPECT_TRUE(verification(run)->accepted()) << "the certificate may travel alone";
}

TEST(Certificate, LosesNoStatement) {
  const CertifiedRun run(true);
  const std::string text = slurped(run.certificate);
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  EXPECT_THAT(parse_certificate(text.substr(0, last), "c").error().message,
              HasSubstr("2 statements; a certificate of verdict PASSED has 3"));
  EXPECT_THAT(parse_certificate(text.substr(0, text.size() - 1), "c").error().message,
              HasSubstr("c:3: the line is cut off"));
}

TEST(Certificate, HasOneByteFormOnly) {
  const CertifiedRun run(false);
  const std::string text = slurped(run.certificate);
  const auto with_checksum = [](const std::string& lines) {
    return lines + Json{{"sha256OfAllBefore", sha256_hex(lines)}}.dump() + "\n";
  };
  const std::string lines = text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  ASSERT_EQ(with_checksum(lines), text);
  std::string blank = lines;
  blank.insert(blank.find(':') + 1, " ");
  EXPECT_THAT(parse_certificate(with_checksum(blank), "c").error().message,
              HasSubstr("not as assay writes it"));
  const auto with_payload = [&](const std::string& payload) {
    const std::size_t end = lines.find('\n');
    return with_checksum(Json{{"payloadType", "application/vnd.in-toto+json"},
                              {"payload", to_base64(payload)},
                              {"signatures", Json::array()}}
                             .dump() +
                         lines.substr(end));
  };
  const auto file = parse_certificate(text, "c");
  ASSERT_TRUE(file);
  std::string payload = file->statements[0];
  ASSERT_EQ(with_payload(payload), text);
  payload.insert(payload.find("\"verdict\""), "\"mood\":\"good\",");
  EXPECT_THAT(parse_certificate(with_payload(payload), "c").error().message,
              HasSubstr("unknown field 'predicate.mood'"));
  payload = file->statements[0];
  payload.replace(payload.find("\"runs\":"), 7, "\"runs\": ");
  EXPECT_THAT(parse_certificate(with_payload(payload), "c").error().message,
              HasSubstr("not as assay writes it"));
  payload = file->statements[0];
  payload.replace(payload.find("v0.2"), 4, "v0.3");
  EXPECT_THAT(parse_certificate(with_payload(payload), "c").error().message,
              HasSubstr("of version 'v0.3'; this assay reads v0.2"));
  payload.replace(payload.find("v0.3"), 4, "v0.1");
  EXPECT_THAT(parse_certificate(with_payload(payload), "c").error().message,
              HasSubstr("of version 'v0.1', which names no code that ran; this assay reads v0.2: "
                        "certify the kernel again"));
}

TEST(Certificate, OfAnotherKeyIsRejected) {
  CertifiedRun run(true);
  const Folder folder;
  testing::make_key(folder / "other.pem", "ed25519");
  run.public_key = folder / "other.pem.pub";
  EXPECT_THAT(verification(run)->wrong, HasSubstr("not by the given key"));
  run.public_key.clear();
  EXPECT_THAT(verification(run).error().message, HasSubstr("--key PUBLIC.pem checks that"));
  CertifiedRun open(false);
  open.public_key = folder / "other.pem.pub";
  EXPECT_THAT(verification(open)->wrong, HasSubstr("is unsigned"));
}

TEST(Certificate, ClaimsWhatItsChecksAmountTo) {
  const CertifiedRun run(false);
  const auto file = parse_certificate(slurped(run.certificate), "c");
  ASSERT_TRUE(file);
  const std::string at = "2026-06-15T00:00:00Z";
  Certificate whole = file->certificate;
  whole.started_at = whole.finished_at = at;
  EXPECT_THAT(broken_claim(whole, {}, at), IsEmpty());
  Certificate other = whole;
  other.checks[0].status = "FAILED";
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("amount to FAILED"));
  other = whole;
  other.checks.clear();
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("amount to INCOMPLETE"));
  other = whole;
  other.certifies.clear();
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("certifies no cpu kernels"));
  for (const double ratio : {5.0, -1.0, std::nan("")}) {
    other = whole;
    other.checks[0].worst_ratio = ratio;
    EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("listed as PASSED")) << ratio;
  }
  other = whole;
  other.checks[0].runs = 0;
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("0 kernel runs"));
  other = whole;
  other.code = {};
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("names no code that ran"));
  other = whole;
  other.verdict = CertificateVerdict::kFailed;
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("the verdict is FAILED"));
  other = whole;
  other.verdict = CertificateVerdict::kWaived;
  other.checks[0].status = "WAIVED";
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("no waiver says why"));
  other.waivers = {{other.checks[0].name, "fake", "reason", "link", "2026-06-14"}};
  EXPECT_THAT(broken_claim(other, {.waivers_allowed = true}, at), HasSubstr("ended on"));
  other.waivers[0].until = "2026-06-15";
  EXPECT_THAT(broken_claim(other, {}, at), HasSubstr("\"waivers\": \"any\""));
  EXPECT_THAT(broken_claim(other, {.waivers_allowed = true}, at), IsEmpty());
}

TEST(Policy, NamesTheFirstDemandThatIsNotMet) {
  const CertifiedRun run(false);
  const auto file = parse_certificate(slurped(run.certificate), "c");
  const auto broken = [&](const std::string& policy) {
    return broken_demand(*file, parse_policy(policy, "p").value(), "2099-01-01T00:00:00Z");
  };
  EXPECT_THAT(broken("{}"), IsEmpty());
  EXPECT_THAT(broken(R"({"profile": "tiny", "device": "cpu", "checks": ["passes"],
                         "minCases": 3, "waivers": "none", "maxErrorOverBound": 1})"),
              IsEmpty());
  EXPECT_THAT(broken(R"({"profile": "full"})"), HasSubstr("profile 'full' is wanted"));
  EXPECT_THAT(broken(R"({"gpu": "NVIDIA H200"})"), HasSubstr("gpu 'NVIDIA H200' is wanted"));
  EXPECT_THAT(broken(R"({"maxErrorOverBound": 0.5})"), HasSubstr("at most 0.5 is wanted"));
  EXPECT_THAT(broken(R"({"maxAgeDays": 30})"), HasSubstr("at most 30 days old"));
  EXPECT_THAT(broken(R"({"signed": true})"), HasSubstr("a signature is wanted"));
  EXPECT_THAT(broken(R"({"minCases": 3000})"), HasSubstr("3000 cases are wanted"));
  EXPECT_THAT(broken(R"({"checks": ["on_a_gpu"]})"), HasSubstr("'on_a_gpu' did not pass"));
}

TEST(Policy, IsReadStrictly) {
  const auto message = [](const std::string& text) {
    const auto policy = parse_policy(text, "p.json");
    return policy ? "accepted" : policy.error().message;
  };
  EXPECT_THAT(message(R"({"maxEror": 1})"), HasSubstr("p.json: unknown field 'maxEror'"));
  EXPECT_THAT(message(R"({"waivers": "some"})"), HasSubstr("none, any"));
  EXPECT_THAT(message(R"({"maxErrorOverBound": -1})"), HasSubstr("not a number from 0"));
  EXPECT_THAT(message(R"({"expires": "soon"})"), HasSubstr("not a date"));
  EXPECT_THAT(message("{"), HasSubstr("p.json: not JSON"));
  const CertifiedRun run(false);
  spill(run.folder / "p.json", R"({"expires": "2026-01-01"})");
  const auto expired = verify_certificate(
      run.certificate, {.policy = run.folder / "p.json", .at = "2026-01-02T00:00:00Z"});
  ASSERT_FALSE(expired);
  EXPECT_THAT(expired.error().message, HasSubstr("the policy expired on 2026-01-01"));
}

}  // namespace
}  // namespace assay
