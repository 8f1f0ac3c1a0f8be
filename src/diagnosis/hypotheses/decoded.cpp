#include "src/diagnosis/hypotheses/decoded.h"

namespace assay {
namespace {

Decoded decode_product(const oracle::Product& product) {
  Decoded decoded{.m = product.got.rows, .n = product.got.cols, .k = product.a.cols};
  const auto value = [](const oracle::Matrix& matrix, Index row, Index col) {
    return oracle::to_double(matrix.format, matrix.bits(row, col));
  };
  for (Index row = 0; row < decoded.m; ++row) {
    for (Index k = 0; k < decoded.k; ++k) { decoded.a.push_back(value(product.a, row, k)); }
  }
  for (Index col = 0; col < decoded.n; ++col) {
    for (Index k = 0; k < decoded.k; ++k) { decoded.b.push_back(value(product.b, k, col)); }
  }
  for (Index row = 0; row < decoded.m; ++row) {
    for (Index col = 0; col < decoded.n; ++col) {
      decoded.c.push_back(product.c.data ? value(product.c, row, col) : 0);
    }
  }
  return decoded;
}

}  // namespace

std::vector<Decoded> decode_products(const Evidence& evidence) {
  std::vector<Decoded> decoded;
  for (const oracle::Product& product : evidence.products) {
    decoded.push_back(decode_product(product));
  }
  return decoded;
}

}  // namespace assay
