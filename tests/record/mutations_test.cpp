// Ten thousand damaged records and certificates: none is accepted for more than it is, none
// crashes.
#include <atomic>
#include <functional>

#include <gtest/gtest.h>

#include "src/certificate/envelope.h"
#include "src/core/parallel.h"
#include "src/problem/rng.h"
#include "src/report/report.h"
#include "tests/certificate/certificate_fixture.h"
#include "tests/core/sanitized.h"

namespace assay {
namespace {

using testing::CertifiedRun;
using testing::Folder;
using testing::lines_of;
using testing::slurped;
using testing::tiny_names;

constexpr Index kMutationsOfEach = testing::sanitized_share(2'500);

std::size_t below(Rng& rng, std::size_t bound) {
  return static_cast<std::size_t>(rng.below(static_cast<Index>(bound)));
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) { text += line; }
  return text;
}

// Words that mean something in a record or a certificate, each with what it might be made.
struct Swap {
  std::string_view from, to;
};
constexpr Swap kSwaps[] = {{"Failed", "Passed"},
                           {"FAILED", "PASSED"},
                           {"2026-", "2062-"},
                           {"2026-", "1970-"},
                           {"fake", "real"},
                           {"tiny", "full"},
                           {"cpu", "gpu"},
                           {"bf16", "fp16"},
                           {"\"runs\":", "\"ran\":"},
                           {"\"shard\":[1,1]", "\"shard\":[1,2]"},
                           {"INCOMPLETE", "PASSED"},
                           {"\"job\":1", "\"job\":2"}};

void swap_words(std::string& text, Rng& rng) {
  const Swap& swap = kSwaps[below(rng, std::size(kSwaps))];
  std::vector<std::size_t> places;
  for (std::size_t at = text.find(swap.from); at != std::string::npos;
       at = text.find(swap.from, at + 1)) {
    places.push_back(at);
  }
  if (!places.empty()) {
    text.replace(places[below(rng, places.size())], swap.from.size(), swap.to);
  }
}

void flip_bit(std::string& text, Rng& rng) {
  const std::size_t at = below(rng, text.size());
  text[at] = static_cast<char>(text[at] ^ (1 << below(rng, 8)));
}

// Moves, repeats or drops a line, or takes one of `other`.
void shuffle_lines(std::string& text, const std::string& other, Rng& rng) {
  auto lines = lines_of(text);
  const auto theirs = lines_of(other);
  std::string& line = lines[below(rng, lines.size())];
  switch (below(rng, 4)) {
    case 0:
      line.swap(lines[below(rng, lines.size())]);
      break;
    case 1:
      line += lines[below(rng, lines.size())];
      break;
    case 2:
      line.clear();
      break;
    default:
      line = theirs[below(rng, theirs.size())];
  }
  text = joined(lines);
}

std::string mutated(const std::string& text, const std::string& other, Rng& rng) {
  std::string copy = text;
  switch (below(rng, 4)) {
    case 0:
      flip_bit(copy, rng);
      break;
    case 1:
      shuffle_lines(copy, other, rng);
      break;
    case 2:
      swap_words(copy, rng);
      break;
    default:
      copy.resize(below(rng, copy.size()));
  }
  return copy;
}

// Of as many mutations that changed anything, those that `accepts` takes.
Index accepted(const std::string& text, const std::string& other,
               const std::function<bool(const std::string&)>& accepts) {
  std::atomic<Index> wrongly{0}, changed{0};
  parallel_for(kMutationsOfEach, 0, [&](int, Index seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    std::string copy = text;
    while (copy == text) { copy = mutated(text, other, rng); }
    ++changed;
    if (accepts(copy)) { ++wrongly; }
  });
  EXPECT_EQ(changed, kMutationsOfEach);
  return wrongly;
}

// A record that cannot be told from a certifying one: what `merge` asks.
bool certifies(const std::string& text) {
  const auto record = parse_run(text, "m", tiny_names());
  if (!record) { return false; }
  const auto run = reported_run(*record, tiny_names());
  if (!run) { return false; }
  static_cast<void>(html_report({*run}, tiny_names()));
  return run->result.certified();
}

TEST(Mutations, OfARecordCertifyNothing) {
  const CertifiedRun run(false);
  const Folder folder;
  ASSERT_TRUE(testing::record_run(folder / "other", {.checks = "passes,fails_on_wide"}));
  const std::string text = slurped(run.results), other = slurped(folder / "other");
  ASSERT_TRUE(certifies(text));
  EXPECT_EQ(accepted(text, other, certifies), 0);
}

// One that fails may be damaged, but not into one that passes.
TEST(Mutations, OfAFailedRecordCertifyNothing) {
  const CertifiedRun run(false);
  const Folder folder;
  ASSERT_TRUE(testing::record_run(folder / "failed", {.checks = "passes,fails_on_wide"}));
  const std::string text = slurped(folder / "failed"), other = slurped(run.results);
  ASSERT_FALSE(certifies(text));
  EXPECT_EQ(accepted(text, other, certifies), 0);
}

TEST(Mutations, OfACertificateAreRejected) {
  for (const bool with_key : {false, true}) {
    const CertifiedRun run(with_key), second(with_key);
    const auto key = with_key ? PublicKey::load(run.public_key).value() : PublicKey();
    const auto accepts = [&](const std::string& text) {
      const auto file = parse_certificate(text, "m");
      if (!file || (with_key && !check_signatures(*file, key))) { return false; }
      return broken_claim(file->certificate, {}, utc_now()).empty();
    };
    const std::string text = slurped(run.certificate), other = slurped(second.certificate);
    ASSERT_TRUE(accepts(text));
    EXPECT_EQ(accepted(text, other, accepts), 0);
  }
}

// The statements' words themselves, under the signatures of the unchanged ones.
TEST(Mutations, OfSignedStatementsAreRejected) {
  const CertifiedRun run(true);
  const PublicKey key = PublicKey::load(run.public_key).value();
  const std::string text = slurped(run.certificate);
  const auto lines = lines_of(text);
  const Json first = Json::parse(lines.front());
  const std::string statement = from_base64(first["payload"].get<std::string>()).value();
  const auto accepts = [&](const std::string& words) {
    Json changed = first;
    changed["payload"] = to_base64(words);
    auto copy = lines;
    copy.front() = changed.dump() + "\n";
    const auto file = parse_certificate(joined(copy), "m");
    return file && check_signatures(*file, key);
  };
  ASSERT_TRUE(accepts(statement));
  EXPECT_EQ(accepted(statement, statement, accepts), 0);
}

}  // namespace
}  // namespace assay
