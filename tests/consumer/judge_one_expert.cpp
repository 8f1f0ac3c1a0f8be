// Reads a case, judges a right and a wrong answer to it with the installed oracle.
#include <cstdio>
#include <cstring>
#include <vector>

#include "oracle/judge.h"
#include "src/problem/case_text.h"

namespace {

using assay::oracle::Format;
using assay::oracle::Product;

Product product_of(const assay::CaseSpec& spec, const std::vector<float>& x,
                   const std::vector<float>& w, const std::vector<float>& y) {
  const assay::Index rows = spec.rows.at(0);
  Product product;
  product.a = {x.data(), Format::kFp32, rows, spec.k, spec.k, 1};
  product.b = {w.data(), Format::kFp32, spec.k, spec.n, spec.n, 1};
  product.got = {y.data(), Format::kFp32, rows, spec.n, spec.n, 1};
  return product;
}

assay::Index wrong_elements(const Product& product) {
  return assay::oracle::judge_exact({&product, 1}, assay::oracle::kFp32Fma, {.exact_input = true})
      .wrong;
}

}  // namespace

int main() {
  const auto spec = assay::parse_case("pass=fwd in=fp32 out=fp32 k=2 n=2 rows=2");
  if (!spec) {
    std::fprintf(stderr, "%s\n", spec.error().message.c_str());
    return 1;
  }
  const std::vector<float> x = {1, 2, 3, 4};
  const std::vector<float> w = {5, 6, 7, 8};
  const std::vector<float> right = {19, 22, 43, 50};
  std::vector<float> wrong = right;
  wrong[3] = 51;
  const assay::Index missed = wrong_elements(product_of(*spec, x, w, right));
  const assay::Index found = wrong_elements(product_of(*spec, x, w, wrong));
  std::printf("right answer: %d wrong elements; wrong answer: %d\n", static_cast<int>(missed),
              static_cast<int>(found));
  return missed == 0 && found == 1 ? 0 : 1;
}
