// A certificate's times, and its waivers, as `assay verify` weighs and tells them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/certificate/envelope.h"
#include "src/certificate/verify.h"
#include "src/core/dates.h"
#include "tests/certificate/certificate_fixture.h"

namespace assay {
namespace {

using testing::CertifiedRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::recorded;
using testing::resealed;
using testing::slurped;
using testing::tiny_names;

const std::string kStart = "2026-03-01T12:00:00Z", kEnd = "2026-03-01T12:30:00Z";

CertificateFile dated(const std::string& started = kStart, const std::string& finished = kEnd) {
  const CertifiedRun run(false);
  CertificateFile file = parse_certificate(slurped(run.certificate), "c").value();
  file.certificate.started_at = started;
  file.certificate.finished_at = finished;
  return file;
}

std::string claim(const CertificateFile& file, const std::string& at) {
  return broken_claim(file.certificate, {.waivers_allowed = true}, at);
}

TEST(Dates, AreDaysThatExist) {
  for (const char* day : {"2026-01-31", "2024-02-29", "2000-02-29", "9999-12-31"}) {
    EXPECT_TRUE(is_date(day)) << day;
  }
  for (const char* day : {"2026-02-31", "2026-02-29", "1900-02-29", "2026-00-01", "2026-13-01",
                          "2026-01-00", "2026-1-1", "2026-01-01 ", "20260101", "+026-01-01", ""}) {
    EXPECT_FALSE(is_date(day)) << day;
  }
  EXPECT_TRUE(is_time("2026-01-31T23:59:60Z"));
  for (const char* time : {"2026-02-31T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
                           "2026-01-31T12:00:61Z", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00",
                           "2026-01-31T1a:00:00Z", "2026-01-31T12:00:-1Z"}) {
    EXPECT_FALSE(is_time(time)) << time;
  }
  EXPECT_EQ(seconds_of_time("1970-01-02T00:01:01Z"), 86400 + 61);
  EXPECT_EQ(seconds_of_time("2024-03-01T00:00:00Z") - seconds_of_time("2024-02-28T00:00:00Z"),
            2 * 86400);
}

TEST(Dates, ACertificateIsNotOlderThanItsRunNorFromTheFuture) {
  EXPECT_THAT(claim(dated(), kEnd), IsEmpty());
  EXPECT_THAT(claim(dated(), "2026-03-01T12:29:00Z"), IsEmpty()) << "clocks differ a little";
  EXPECT_EQ(claim(dated(), "2026-03-01T12:28:59Z"),
            "dated after 2026-03-01T12:28:59Z: the run ended at 2026-03-01T12:30:00Z");
  EXPECT_THAT(claim(dated(), "2020-01-01T00:00:00Z"), HasSubstr("dated after 2020-01-01"));
  EXPECT_THAT(claim(dated(kEnd, kStart), "2099-01-01T00:00:00Z"),
              HasSubstr("the run ended at " + kStart + ", before it began at " + kEnd));
  EXPECT_THAT(claim(dated(kStart, kStart), kStart), IsEmpty());
  EXPECT_THAT(claim(dated("2026-02-31T00:00:00Z"), kEnd),
              HasSubstr("'2026-02-31T00:00:00Z' is not a time"));
  EXPECT_THAT(claim(dated(kStart, "2026-04-31T00:00:00Z"), kEnd),
              HasSubstr("'2026-04-31T00:00:00Z' is not a time"));
  EXPECT_THAT(claim(dated("", kEnd), kEnd), HasSubstr("'' is not a time"));
}

TEST(Dates, AnAgeIsNeverNegative) {
  const auto broken = [](const std::string& at) {
    return broken_demand(dated("2026-03-01T23:00:00Z", "2026-03-02T00:00:30Z"), {.max_age_days = 0},
                         at);
  };
  EXPECT_THAT(broken("2026-03-01T23:59:59Z"), IsEmpty());
  EXPECT_THAT(broken("2026-03-02T23:59:59Z"), IsEmpty());
  EXPECT_THAT(broken("2026-03-03T00:00:00Z"), HasSubstr("the certificate is 1"));
}

TEST(Dates, OfARecordAreRead) {
  const CertifiedRun run(false);
  const std::string text = slurped(run.results);
  for (const std::string field : {"startedAt", "finishedAt"}) {
    std::string damaged = text;
    const std::size_t at = damaged.find("\"" + field + "\":\"") + field.size() + 4;
    damaged.replace(at, 10, "2026-02-31");
    const auto record = parse_run(resealed(damaged), "r", tiny_names());
    ASSERT_FALSE(record) << field;
    EXPECT_THAT(record.error().message, HasSubstr("field '" + field + "': '2026-02-31T"));
  }
}

TEST(VerifyText, NamesEveryWaiver) {
  Certificate certificate = dated().certificate;
  EXPECT_EQ(verification_text("f", {.certificate = certificate}),
            "accepted: fake (cpu) passed tiny on " + kEnd + ", " +
                std::to_string(certificate.domain.total()) + " cases, 1 check passed\n");
  certificate.checks[0].status = "WAIVED";
  certificate.waivers = {{"passes", "fake", "known", "https://x/1", "2099-12-31"},
                         {"passes", "fake", "again", "https://x/2", "2099-12-30"},
                         {"on_a_gpu", "fake", "late\x1b[2K", "none", "2099-12-29"}};
  EXPECT_THAT(verification_text("f", {.notes = {"a note"}, .certificate = certificate}),
              HasSubstr("accepted: fake (cpu) passed tiny but for passes, waived until 2099-12-31: "
                        "known (https://x/1); on " +
                        kEnd));
  EXPECT_THAT(
      verification_text("f", {.notes = {"a note"}, .certificate = certificate}),
      HasSubstr("\n  passes, which covers nothing: waived until 2099-12-30: again "
                "(https://x/2)\n"
                "  on_a_gpu, which covers nothing: waived until 2099-12-29: late [2K (none)\n"
                "  a note\n"));
}

TEST(VerifyText, ShowsWhereANameEnds) {
  Certificate certificate = dated().certificate;
  certificate.kernel_name = "sm90 (cuda) passed full on 2026-01-01, 9 cases";
  EXPECT_THAT(verification_text("f", {.certificate = certificate}),
              HasSubstr("accepted: 'sm90 (cuda) passed full on 2026-01-01, 9 cases' (cpu) passed"));
  certificate.kernel_name = "a\x1b]0;t\x07\nFAKE: accepted";
  const std::string text = verification_text("a\nb", {.certificate = certificate});
  EXPECT_THAT(text, HasSubstr("accepted: 'a ]0;t  FAKE: accepted' (cpu)"));
  EXPECT_THAT(verification_text("a\nb", {.wrong = "c\nd"}), "rejected: a b: c d\n");
}

TEST(VerifyText, AKernelIsCalledWhatItsManifestCallsIt) {
  Certificate certificate = dated().certificate;
  certificate.kernel_name = "sm90";
  EXPECT_THAT(read_statement(statements_of(certificate).front()).error().message,
              HasSubstr("'sm90' is not the manifest's"));
  certificate = dated().certificate;
  certificate.device = "cuda";
  EXPECT_THAT(read_statement(statements_of(certificate).front()).error().message,
              HasSubstr("'cuda' is not the manifest's"));
  certificate = dated().certificate;
  certificate.artifact.sha256[3] = '\x1b';
  EXPECT_FALSE(read_statement(statements_of(certificate).front()));
  for (const std::string& name :
       {std::string("../k.so"), std::string(), std::string(".."), std::string("k\0.so", 5)}) {
    certificate = dated().certificate;
    certificate.artifact.name = name;
    EXPECT_FALSE(read_statement(statements_of(certificate).front())) << name;
  }
}

}  // namespace
}  // namespace assay
