#include "oracle/fingerprint/fingerprint.h"

#include <cmath>

#include <gtest/gtest.h>

#include "oracle/fingerprint/modular.h"
#include "tests/oracle/cases.h"

namespace assay::oracle {
namespace {

// Sparse small integers times a power of two, so that every output format holds the results.
class ExactCase {
 public:
  ExactCase(Format in, Format out, std::uint64_t seed) : random_(seed) {
    TestShape test{.in = in, .out = out, .fill = TestFill::kSparse, .output = TestOutput::kExact};
    test.a_by_columns = random_() % 2 == 0;
    test.b_by_columns = random_() % 2 == 0;
    test.initial = random_() % 2 == 0;
    test.times = 1 + static_cast<int>(random_() % 2);
    for (int expert = 0; expert < 3; ++expert) {
      test.m = expert == 1 ? 0 : 1 + static_cast<Index>(random_() % 20);
      test.n = 1 + static_cast<Index>(random_() % 40);
      test.k = 1 + static_cast<Index>(random_() % 1200);
      products_.push_back(std::make_unique<TestProduct>(test, random_));
    }
  }

  FingerprintResult check(std::uint64_t seed = 1, const MultiplyFactor& multiply = {}) const {
    std::vector<Product> products;
    for (const auto& product : products_) { products.push_back(product->product()); }
    return check_fingerprint(products, {.seed = seed, .threads = 2, .multiply = multiply});
  }
  // Sums as from another memory, which holds the same.
  MultiplyFactor elsewhere() const {
    return [this](Index index, Factor factor, const IntegerForm& form,
                  std::span<const Residue> vector) -> Result<IntegerProduct> {
      const Product& from = product(index);
      const Matrix* const matrices[] = {&from.a, &from.b, &from.c, &from.got};
      return multiply_modulo(*matrices[static_cast<int>(factor)], form, vector);
    };
  }

  struct Flip {
    Index product = 0, row = 0, col = 0;
    std::uint32_t before = 0, after = 0;
    char* address = nullptr;
  };
  // Flips one bit of one output; flipping it again restores it.
  Flip draw_flip() {
    Flip flip;
    flip.product = random_() % 2 == 0 ? 0 : 2;
    const Matrix& got = products_[flip.product]->product().got;
    flip.row = static_cast<Index>(random_() % got.rows);
    flip.col = static_cast<Index>(random_() % got.cols);
    flip.before = got.bits(flip.row, flip.col);
    flip.after = flip.before ^ 1u << (random_() % (8 * shape(got.format).size_bytes));
    flip.address = const_cast<char*>(got.address(flip.row, flip.col));
    return flip;
  }
  const Product& product(Index index) const { return products_[index]->product(); }

 private:
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<TestProduct>> products_;
};

TEST(Fingerprint, HoldsForExactOutputs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ExactCase exact(kAllFormats[seed % std::size(kAllFormats)], kAllFormats[seed % 3], seed);
    const FingerprintResult result = exact.check(seed);
    ASSERT_TRUE(result.held) << seed << ' ' << result.reason << ' ' << result.wrong_rows;
    ASSERT_EQ(result.rows_checked, exact.product(0).got.rows + exact.product(2).got.rows);
  }
}

TEST(Fingerprint, FindsOneFlippedBitInAThousandPlaces) {
  Index found = 0;
  for (std::uint64_t seed = 0; found < 1000; ++seed) {
    ExactCase exact(kAllFormats[seed % std::size(kAllFormats)], kAllFormats[seed % 3], seed);
    for (int i = 0; i < 20; ++i) {
      const ExactCase::Flip flip = exact.draw_flip();
      const Format format = exact.product(flip.product).got.format;
      const double before = to_double(format, flip.before), after = to_double(format, flip.after);
      if (before == after) {
        continue;  // the sign of a zero is no difference
      }
      store(format, flip.address, flip.after);
      const FingerprintResult result = exact.check(seed);
      store(format, flip.address, flip.before);
      ASSERT_FALSE(result.held) << seed;
      ASSERT_TRUE(result.reason.empty()) << result.reason;
      ASSERT_EQ(result.wrong_rows, 1);
      ASSERT_TRUE(result.named);
      ASSERT_EQ(result.product, flip.product);
      ASSERT_EQ(result.row, flip.row);
      ASSERT_EQ(result.col, flip.col);
      ASSERT_EQ(result.exact, before);
      ASSERT_TRUE(result.got == after || (std::isnan(after) && std::isnan(result.got)));
      ++found;
    }
  }
}

TEST(Fingerprint, SumsFromAnotherMemoryTellTheSame) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    ExactCase exact(kAllFormats[seed % std::size(kAllFormats)], kAllFormats[seed % 3], seed);
    EXPECT_TRUE(exact.check(seed, exact.elsewhere()).held) << seed;
    const ExactCase::Flip flip = exact.draw_flip();
    store(exact.product(flip.product).got.format, flip.address, flip.after);
    const FingerprintResult here = exact.check(seed);
    const FingerprintResult there = exact.check(seed, exact.elsewhere());
    EXPECT_EQ(there.held, here.held) << seed;
    EXPECT_EQ(there.reason, here.reason) << seed;
    EXPECT_EQ(there.row, here.row) << seed;
    EXPECT_EQ(there.col, here.col) << seed;
  }
}

TEST(Fingerprint, DoesNotBelieveSumsFromAnotherMemory) {
  const ExactCase exact(Format::kBf16, Format::kFp32, 3);
  const auto reason_of = [&](const std::function<void(IntegerProduct&)>& change) {
    const FingerprintResult result =
        exact.check(1,
                    [&](Index index, Factor factor, const IntegerForm& form,
                        std::span<const Residue> vector) -> Result<IntegerProduct> {
                      auto sums = exact.elsewhere()(index, factor, form, vector);
                      change(*sums);
                      return sums;
                    });
    EXPECT_FALSE(result.held);
    EXPECT_FALSE(result.named);
    return result.reason;
  };
  constexpr const char* kOther = "sums from another memory are not those of the elements here";
  // Zeros satisfy the identity.
  EXPECT_EQ(reason_of([](IntegerProduct& sums) {
              for (Residue& value : sums.values) { value = {}; }
            }),
            kOther);
  EXPECT_EQ(reason_of([](IntegerProduct& sums) { sums.values.clear(); }), kOther);
  EXPECT_EQ(reason_of([](IntegerProduct& sums) {
              for (std::uint8_t& bad : sums.bad_rows) { bad = 1; }
              sums.any_bad = true;
            }),
            kOther);
  const FingerprintResult lost = exact.check(
      1, [](Index, Factor, const IntegerForm&, std::span<const Residue>) -> Result<IntegerProduct> {
        return make_error("it is lost");
      });
  EXPECT_FALSE(lost.held);
  EXPECT_EQ(lost.reason, "it is lost");
}

TEST(Fingerprint, SaysWhyItCannotJudge) {
  std::mt19937_64 random(3);
  const auto reason_of = [&](TestFill fill, Format out, Index k) {
    TestShape test{.m = 3, .n = 5, .k = k, .in = Format::kFp32, .out = out, .fill = fill};
    const TestProduct drawn(test, random);
    const FingerprintResult result = check_fingerprint({&drawn.product(), 1}, {.seed = 1});
    EXPECT_FALSE(result.held);
    return result.reason;
  };
  EXPECT_EQ(reason_of(TestFill::kSpecial, Format::kFp32, 500), "an operand is not finite");
  EXPECT_EQ(reason_of(TestFill::kWide, Format::kFp32, 9),
            "operands are not small integers times a common power of two");
  EXPECT_EQ(reason_of(TestFill::kSmallIntegers, Format::kBf16, 9000),
            "an exact result is beyond the range that the format holds exactly");
}

TEST(Fingerprint, ResiduesAreThoseOfWideIntegers) {
  std::mt19937_64 random(2);
  __extension__ using Wide = unsigned __int128;
  for (int i = 0; i < 100000; ++i) {
    std::uint64_t x = random() % kPrime, y = random() % kPrime;
    if (i % 7 == 0) { x = kPrime - 1 - i % 3; }
    if (i % 5 == 0) { y = kPrime - 1; }
    const Residue a = Residue::reduced(x), b = Residue::reduced(y);
    ASSERT_EQ((a * b).value(), static_cast<std::uint64_t>(static_cast<Wide>(x) * y % kPrime));
    ASSERT_EQ((a + b).value(), (x + y) % kPrime);
    ASSERT_EQ((a - b).value(), (x + kPrime - y) % kPrime);
    const auto whole = static_cast<std::int64_t>(random());
    const auto rest = static_cast<std::int64_t>(Residue::of(whole).value());
    ASSERT_TRUE(rest >= 0 && rest < static_cast<std::int64_t>(kPrime));
    ASSERT_EQ((Residue::of(whole) + Residue::of(-(whole / 2)) + Residue::of(-(whole - whole / 2))),
              Residue());
  }
}

}  // namespace
}  // namespace assay::oracle
