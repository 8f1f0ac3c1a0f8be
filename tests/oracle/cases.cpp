#include "tests/oracle/cases.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "oracle/operand.h"

namespace assay::oracle {
namespace {

std::uint32_t draw_bits(Format format, TestFill fill, std::mt19937_64& random) {
  const FormatShape form = shape(format);
  std::normal_distribution<double> normal;
  const auto uniform = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  switch (fill) {
    case TestFill::kSmallIntegers:
      return round_nearest(format, uniform(-3, 3));
    case TestFill::kNormal:
    case TestFill::kCancelling:
      return round_nearest(format, normal(random));
    case TestFill::kWide: {
      const int exponent = uniform(form.min_exponent / 2, form.max_exponent / 2 - 2);
      return round_nearest(format, std::ldexp(normal(random), exponent));
    }
    case TestFill::kSubnormal:
      if (uniform(0, 7) == 0) { return round_nearest(format, normal(random)); }
      return round_nearest(format, std::ldexp(normal(random), form.min_exponent - uniform(-2, 4)));
    case TestFill::kHuge:
      return round_nearest(format, std::ldexp(normal(random), form.max_exponent - uniform(0, 3)));
    case TestFill::kSparse:
      return uniform(0, 15) == 0 ? round_nearest(format, std::ldexp(uniform(0, 1) * 2 - 1, -1)) : 0;
    case TestFill::kSpecial:
      break;
  }
  return static_cast<std::uint32_t>(random()) & (2 * form.sign_bit() - 1);
}

Matrix make_matrix(std::vector<std::uint8_t>& bytes, Format format, Index rows, Index cols,
                   bool by_columns) {
  // A gap after each line shows wrong strides.
  const Index line = (by_columns ? rows : cols) + 3;
  bytes.assign((by_columns ? cols : rows) * line * shape(format).size_bytes + 8, 0xFF);
  return {bytes.data(), format, rows, cols, by_columns ? 1 : line, by_columns ? line : 1};
}

void put(const Matrix& matrix, Index row, Index col, std::uint32_t bits) {
  store(matrix.format, const_cast<char*>(matrix.address(row, col)), bits);
}

void fill_matrix(const Matrix& matrix, TestFill fill, std::mt19937_64& random) {
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      put(matrix, row, col, draw_bits(matrix.format, fill, random));
    }
  }
}

// Pairs of columns of a cancel against equal pairs of rows of b, but for a small rest.
void make_cancelling(const Matrix& a, const Matrix& b, std::mt19937_64& random) {
  for (Index k = 0; k + 1 < a.cols; k += 2) {
    for (Index row = 0; row < a.rows; ++row) {
      put(a, row, k + 1, a.bits(row, k) ^ shape(a.format).sign_bit());
    }
    for (Index col = 0; col < b.cols; ++col) {
      const std::uint32_t change = random() % 8 == 0 ? 1 : 0;
      put(b, k + 1, col, b.bits(k, col) ^ change);
    }
  }
}

std::uint32_t output_bits(const TestShape& test, const Product& product, Index row, Index col,
                          std::uint32_t exact_bits, std::mt19937_64& random) {
  switch (test.output) {
    case TestOutput::kExact:
      return exact_bits;
    case TestOutput::kOffByOne:
      return exact_bits + static_cast<std::uint32_t>(random() % 3) - 1;
    case TestOutput::kRandomBits:
      return random() % 4 == 0 ? draw_bits(test.out, TestFill::kSpecial, random) : exact_bits;
    case TestOutput::kRoundedSum: {
      float sum = product.c.data == nullptr
                      ? 0.0F
                      : static_cast<float>(to_double(product.c.format, product.c.bits(row, col)));
      for (Index k = 0; k < test.k; ++k) {
        sum += static_cast<float>(element_value(product.a, row, k, Conversion::kNone)) *
               static_cast<float>(element_value(product.b, k, col, Conversion::kNone));
      }
      return round_nearest(test.out, sum);
    }
    case TestOutput::kZeros:
      break;
  }
  return 0;
}

std::uint32_t draw_scale(ScaleFormat format, bool hostile, std::mt19937_64& random) {
  if (hostile && random() % 4 == 0) {
    constexpr std::uint32_t kFp32[] = {0, 0x7fc00000, 0x7f800000, 1, 0x80000000, 0x00012345};
    return format == ScaleFormat::kFp32 ? kFp32[random() % std::size(kFp32)]
                                        : static_cast<std::uint32_t>(random() & 255);
  }
  const double size = std::ldexp(1.0 + static_cast<double>(random() % 0x800000) / 0x800000,
                                 static_cast<int>(random() % 9) - 4);
  if (format == ScaleFormat::kE8m0) { return 120 + static_cast<std::uint32_t>(random() % 15); }
  const Format stored = format == ScaleFormat::kFp32 ? Format::kFp32 : Format::kE4m3;
  return round_nearest(stored, random() % 8 == 0 ? -size : size);
}

void add_scales(Matrix& matrix, bool hostile, std::vector<std::uint8_t>& bytes,
                std::mt19937_64& random) {
  const auto block = [&](Index length) {
    constexpr Index kBlocks[] = {1, 2, 7, 16, 32};
    const Index drawn = kBlocks[random() % std::size(kBlocks)];
    return random() % 4 == 0 ? std::max<Index>(length, 1) : drawn;
  };
  ScaleGrid& scales = matrix.scales;
  scales.format = kAllScaleFormats[random() % std::size(kAllScaleFormats)];
  scales.block_rows = block(matrix.rows);
  scales.block_cols = block(matrix.cols);
  const Index down = matrix.rows / scales.block_rows + 1;
  const Index across = matrix.cols / scales.block_cols + 1;
  const bool by_columns = random() % 2 == 0;
  scales.row_stride = by_columns ? 1 : across;
  scales.col_stride = by_columns ? down : 1;
  scales.rows = down;
  scales.cols = across;
  const int size = size_bytes(scales.format);
  bytes.assign(down * across * size, 0);
  for (Index i = 0; i < down * across; ++i) {
    const std::uint32_t bits = draw_scale(scales.format, hostile, random);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  scales.data = bytes.data();
  if (scales.format != ScaleFormat::kE4m3 || random() % 4 == 0) { return; }
  scales.tensor_scale = std::bit_cast<float>(draw_scale(ScaleFormat::kFp32, hostile, random));
}

}  // namespace

TestProduct::TestProduct(const TestShape& test, std::mt19937_64& random) {
  product_.times = test.times;
  product_.a = make_matrix(a_, test.in_a.value_or(test.in), test.m, test.k, test.a_by_columns);
  product_.b = make_matrix(b_, test.in, test.k, test.n, test.b_by_columns);
  product_.got = make_matrix(got_, test.out, test.m, test.n, false);
  fill_matrix(product_.a, test.fill, random);
  fill_matrix(product_.b, test.fill, random);
  if (test.fill == TestFill::kCancelling) { make_cancelling(product_.a, product_.b, random); }
  if (test.out_scaled && !test.initial && test.times == 1) {
    const auto fraction = static_cast<float>(1 + (random() >> 41)) * 0x1p-23F;  // in (0, 1]
    const auto exponent = static_cast<int>(random() % 24) - 20;
    product_.out_scale = std::ldexp(random() % 3 == 0 ? 1.0F : fraction, exponent);
    product_.out_scale = std::max(*product_.out_scale, 0x1p-30F);
  }
  if (test.scaled) {
    const bool codes = shape(product_.a.format).size_bytes == 1;
    if (codes && random() % 8 != 0) {
      add_scales(product_.a, test.hostile_scales, a_scales_, random);
    }
    add_scales(product_.b, test.hostile_scales, b_scales_, random);
  }
  if (test.initial) {
    product_.c = make_matrix(c_, test.out, test.m, test.n, false);
    fill_matrix(product_.c, test.fill, random);
  }
  if (test.previous) {
    product_.previous = make_matrix(previous_, test.out, test.m, test.n, false);
    fill_matrix(product_.previous, test.fill, random);
  }
  const Index size_bytes = shape(test.out).size_bytes;
  std::vector<char> exact(test.m * test.n * size_bytes + 1);
  exact_result(product_, exact.data());
  for (Index row = 0; row < test.m; ++row) {
    for (Index col = 0; col < test.n; ++col) {
      const std::uint32_t bits = load(test.out, exact.data() + (row * test.n + col) * size_bytes);
      put(product_.got, row, col, output_bits(test, product_, row, col, bits, random));
    }
  }
}

}  // namespace assay::oracle
