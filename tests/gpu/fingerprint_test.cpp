// Fingerprints on a GPU: its row sums are the oracle's, and no flipped bit passes.
#include "oracle/fingerprint/fingerprint.h"

#include <chrono>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "src/harness/call/session.h"
#include "tests/gpu/device_matrix.h"
#include "tests/harness/operand_sums.h"
#include "tests/harness/support.h"
#include "tests/oracle/cases.h"

namespace assay {
namespace {

using oracle::Format;
using oracle::IntegerForm;
using oracle::IntegerProduct;
using oracle::kAllFormats;
using oracle::Matrix;
using oracle::Residue;

std::vector<Residue> draw_vector(Index length, std::mt19937_64& random) {
  std::vector<Residue> vector;
  for (Index i = 0; i < length; ++i) {
    vector.push_back(
        Residue::reduced(i % 5 == 0 ? oracle::kPrime - 1 - i % 2 : random() % oracle::kPrime));
  }
  return vector;
}

struct Shape {
  Format format = Format::kBf16;
  Index rows = 0, cols = 0, gap = 0, misalignment = 0;
  bool by_columns = false;
};

// Integers times 2^unit, and now and then any bits at all.
class DrawnMatrix {
 public:
  DrawnMatrix(const Shape& shape, const IntegerForm& form, std::mt19937_64& random) {
    const Index line = (shape.by_columns ? shape.rows : shape.cols) + shape.gap;
    const Index lines = shape.by_columns ? shape.cols : shape.rows;
    bytes_.resize(lines * line * oracle::shape(shape.format).size_bytes + shape.misalignment);
    matrix_ = {.data = bytes_.data() + shape.misalignment,
               .format = shape.format,
               .rows = shape.rows,
               .cols = shape.cols,
               .row_stride = shape.by_columns ? 1 : line,
               .col_stride = shape.by_columns ? line : 1};
    const auto whole = [&] { return static_cast<int>(random() % 9) - 4; };
    for (Index row = 0; row < shape.rows; ++row) {
      const bool wild = random() % 4 == 0;
      for (Index col = 0; col < shape.cols; ++col) {
        std::uint32_t bits = round_nearest(shape.format, std::ldexp(whole(), form.unit));
        if (wild && random() % 64 == 0) {
          bits = static_cast<std::uint32_t>(random()) &
                 (2 * oracle::shape(shape.format).sign_bit() - 1);
        }
        store(shape.format, const_cast<char*>(matrix_.address(row, col)), bits);
      }
    }
  }
  const Matrix& matrix() const { return matrix_; }

 private:
  std::vector<std::byte> bytes_;
  Matrix matrix_;
};

void expect_equal(const IntegerProduct& got, const IntegerProduct& expected) {
  ASSERT_EQ(got.bad_rows, expected.bad_rows);
  ASSERT_EQ(got.any_bad, expected.any_bad);
  ASSERT_EQ(got.values.size(), expected.values.size());
  for (std::size_t row = 0; row < expected.values.size(); ++row) {
    if (expected.bad_rows[row] != 0) { continue; }
    ASSERT_EQ(got.values[row].value(), expected.values[row].value()) << "row " << row;
  }
  if (expected.any_bad) { return; }
  ASSERT_EQ(got.largest, expected.largest);
}

TEST(DeviceProduct, IsTheOraclesBitForBit) {
  const auto device = open_device();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  std::mt19937_64 random(1);
  // Around the sizes at which a thread's run, a block's strip and the grid end.
  constexpr Index kSizes[] = {1, 7, 8, 9, 63, 64, 65, 127, 129, 200, 2047, 2049, 4095, 4097, 8200};
  for (int i = 0; i < 600; ++i) {
    const auto size = [&] { return kSizes[random() % std::size(kSizes)]; };
    Shape shape{.format = kAllFormats[i % 5], .rows = size(), .cols = size()};
    while (shape.rows * shape.cols > 2'000'000) {
      (shape.rows > shape.cols ? shape.rows : shape.cols) /= 3;
    }
    shape.by_columns = random() % 2 == 0;
    shape.gap = static_cast<Index>(random() % 3) * 8 + (random() % 3 == 0 ? 1 : 0);
    shape.misalignment = random() % 4 == 0 ? static_cast<Index>(random() % 16) : 0;
    const IntegerForm form{static_cast<int>(random() % 5) - 3,
                           random() % 2 == 0 ? 1 << 22 : 1 << (random() % 31)};
    const DrawnMatrix drawn(shape, form, random);
    const DeviceMatrix there(**device, drawn.matrix());
    const std::vector<Residue> vector = draw_vector(shape.cols, random);
    SCOPED_TRACE(::testing::Message()
                 << "format " << i % 5 << ' ' << shape.rows << 'x' << shape.cols << " gap "
                 << shape.gap << (shape.by_columns ? " by columns" : " by rows") << " unit "
                 << form.unit << " limit " << form.limit);
    const auto got = (*device)->multiply(there.matrix(), form, vector);
    ASSERT_TRUE(got.has_value()) << got.error().message;
    expect_equal(*got, oracle::multiply_modulo(drawn.matrix(), form, vector));
    if (HasFatalFailure()) { return; }
  }
}

TEST(DeviceProduct, LargestTermsDoNotOverflow) {
  const auto device = open_device();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  for (const bool by_columns : {false, true}) {
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      constexpr Index kRows = 9, kCols = 20000;
      const std::vector<std::uint32_t> bits(kRows * kCols, 0x4E800000U | sign);  // 2^30
      const Matrix matrix{.data = bits.data(),
                          .format = Format::kFp32,
                          .rows = kRows,
                          .cols = kCols,
                          .row_stride = by_columns ? 1 : kCols,
                          .col_stride = by_columns ? kRows : 1};
      const std::vector<Residue> vector(kCols, Residue::reduced(oracle::kPrime - 1));
      const IntegerForm form{0, 1 << 30};
      const DeviceMatrix there(**device, matrix);
      const auto got = (*device)->multiply(there.matrix(), form, vector);
      ASSERT_TRUE(got.has_value()) << got.error().message;
      expect_equal(*got, oracle::multiply_modulo(matrix, form, vector));
    }
  }
}

// A product whose matrices lie on the device, too.
class DeviceCase {
 public:
  DeviceCase(Device& device, std::uint64_t seed) : random_(seed) {
    oracle::TestShape test{.in = kAllFormats[seed % 5],
                           .out = kAllFormats[seed % 3],
                           .fill = oracle::TestFill::kSparse};
    test.m = 1 + static_cast<Index>(random_() % 90);
    test.n = 1 + static_cast<Index>(random_() % 90);
    test.k = 1 + static_cast<Index>(random_() % 900);
    test.a_by_columns = random_() % 2 == 0;
    test.b_by_columns = random_() % 2 == 0;
    test.initial = random_() % 2 == 0;
    test.times = 1 + static_cast<int>(random_() % 2);
    drawn_ = std::make_unique<oracle::TestProduct>(test, random_);
    product_ = drawn_->product();
    // As dW lies in enk.
    if (random_() % 2 == 0) {
      product_.a = drawn_->product().b.transposed();
      product_.b = drawn_->product().a.transposed();
      product_.got = product_.got.transposed();
      if (test.initial) { product_.c = product_.c.transposed(); }
    }
    for (const Matrix* const matrix : {&product_.a, &product_.b, &product_.c, &product_.got}) {
      there_.push_back(std::make_unique<DeviceMatrix>(device, *matrix));
    }
    multiply_ = [this, &device](Index, oracle::Factor factor, const IntegerForm& form,
                                std::span<const Residue> vector) {
      return device.multiply(there_[static_cast<int>(factor)]->matrix(), form, vector);
    };
  }

  oracle::FingerprintResult check(std::uint64_t seed) const {
    return oracle::check_fingerprint({&product_, 1}, {.seed = seed, .multiply = multiply_});
  }
  const Matrix& got() const { return product_.got; }
  void set(Index row, Index col, std::uint32_t bits) {
    store(got().format, const_cast<char*>(got().address(row, col)), bits);
    there_.back()->upload_element(got(), row, col);
  }
  std::uint64_t draw() { return random_(); }

 private:
  std::mt19937_64 random_;
  std::unique_ptr<oracle::TestProduct> drawn_;
  oracle::Product product_;
  std::vector<std::unique_ptr<DeviceMatrix>> there_;
  oracle::MultiplyFactor multiply_;
};

TEST(DeviceFingerprint, FindsOneFlippedBitInAThousandPlaces) {
  const auto device = open_device();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  Index found = 0;
  for (std::uint64_t seed = 0; found < 1000; ++seed) {
    DeviceCase exact(**device, seed);
    const auto right = exact.check(seed);
    ASSERT_TRUE(right.held) << seed << ' ' << right.reason << ' ' << right.wrong_rows;
    for (int i = 0; i < 20; ++i) {
      const Format format = exact.got().format;
      const auto row = static_cast<Index>(exact.draw() % exact.got().rows);
      const auto col = static_cast<Index>(exact.draw() % exact.got().cols);
      const std::uint32_t before = exact.got().bits(row, col);
      const std::uint32_t after =
          before ^ 1U << (exact.draw() % (8 * oracle::shape(format).size_bytes));
      const double right_value = to_double(format, before), wrong = to_double(format, after);
      if (right_value == wrong) {
        continue;  // the sign of a zero is no difference
      }
      exact.set(row, col, after);
      const auto result = exact.check(seed + 1);
      exact.set(row, col, before);
      ASSERT_FALSE(result.held) << seed;
      ASSERT_EQ(result.reason, "") << seed;
      ASSERT_EQ(result.wrong_rows, 1);
      ASSERT_TRUE(result.named);
      ASSERT_EQ(result.row, row);
      ASSERT_EQ(result.col, col);
      ASSERT_EQ(result.exact, right_value);
      ASSERT_TRUE(result.got == wrong || (std::isnan(wrong) && std::isnan(result.got)));
      ++found;
    }
  }
}

// The operands of a kernel's calls: every pass, layout and format, pitches, paddings, accumulation.
TEST(DeviceFingerprint, OperandsThatStayGiveTheOraclesSums) {
  auto session = open_in_process_session("sm80");
  ASSERT_TRUE(session.has_value()) << session.error().message;
  for (const char* const pass : {"pass=fwd", "pass=dgrad", "pass=wgrad"}) {
    for (const char* const weights : {" weights=enk", " weights=ekn"}) {
      for (const char* const formats :
           {" in=bf16 out=bf16 fill=sparse", " in=bf16 out=fp32 fill=anchored",
            " in=fp16 out=fp16 fill=sparse", " in=fp16 out=fp32 fill=integers"}) {
        for (const char* const rest :
             {" k=264 n=136 rows=3,0,170,65 seed=1", " k=72 n=520 rows=30,1,0,5,200 ld=8 seed=2",
              " k=128 n=64 rows=0,64,33 wpitch=8 ld=x:16,w:8,y:24 tail=3 seed=3"}) {
          std::string line = std::string(pass) + formats + weights + rest;
          const bool accumulates =
              line.find("wgrad") < line.size() && line.find("out=fp32") < line.size();
          if (accumulates && line.find("wpitch") < line.size()) { line += " acc=2"; }
          SCOPED_TRACE(line);
          const Problem problem = problem_of(line);
          for (const Placement placement : {Placement::kLow, Placement::kHigh}) {
            const Outcome outcome =
                (*session)->run(problem, {.placement = placement, .operands_stay = true});
            ASSERT_EQ(outcome.status, RunStatus::kOk) << outcome.message;
            expect_sums_of_dense_operands(**session, problem, outcome);
            const auto result = check_fingerprint(**session, problem, outcome, {.seed = 1});
            ASSERT_TRUE(result.held) << result.reason << ' ' << result.wrong_rows;
          }
          if (HasFatalFailure()) { return; }
        }
      }
    }
  }
}

// No verdict: the rate of one pass over 2^31 elements, whose flat index needs 64 bits.
TEST(DeviceProduct, ReportsItsRate) {
  const auto device = open_device();
  ASSERT_TRUE(device.has_value()) << device.error().message;
  constexpr Index kLine = 8192, kLines = (Index{1} << 31) / kLine + 5;
  const std::vector<std::uint16_t> line(kLine, 0x3F80);  // 1
  const auto block = (*device)->map(kLine * kLines * 2);
  ASSERT_TRUE(block.has_value()) << block.error().message;
  for (Index i = 0; i < kLines; ++i) {
    ASSERT_TRUE((*device)->upload(0, block->address + static_cast<DeviceAddress>(i * kLine * 2),
                                  reinterpret_cast<const std::byte*>(line.data()), kLine * 2));
  }
  for (const bool by_columns : {false, true}) {
    const Matrix matrix{.data = reinterpret_cast<const void*>(block->address),
                        .rows = by_columns ? kLine : kLines,
                        .cols = by_columns ? kLines : kLine,
                        .row_stride = by_columns ? 1 : kLine,
                        .col_stride = by_columns ? kLine : 1};
    std::mt19937_64 random(1);
    const std::vector<Residue> vector = draw_vector(matrix.cols, random);
    Residue sum;
    for (const Residue& entry : vector) { sum = sum + entry; }
    double best = 0;
    for (int repeat = 0; repeat < 4; ++repeat) {
      const auto start = std::chrono::steady_clock::now();
      const auto got = (*device)->multiply(matrix, {0, 1 << 8}, vector);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      ASSERT_TRUE(got.has_value()) << got.error().message;
      ASSERT_EQ(got->values.front().value(), sum.value());
      ASSERT_EQ(got->values.back().value(), sum.value());
      ASSERT_FALSE(got->any_bad);
      best = repeat == 0 ? taken.count() : std::min(best, taken.count());
    }
    std::printf("%s: %.1f ms, %.0f GB/s\n", by_columns ? "by columns" : "by rows", best * 1e3,
                static_cast<double>(kLine * kLines * 2) / best * 1e-9);
  }
  (*device)->unmap(*block);
}

}  // namespace
}  // namespace assay
