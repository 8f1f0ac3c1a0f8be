#include "src/core/digest.h"

#include <array>
#include <memory>

#include <openssl/evp.h>

#include "src/core/file.h"
#include "src/core/require.h"

namespace assay {
namespace {

class Sha256 {
 public:
  Sha256() {
    const int done = EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
    ASSAY_REQUIRE(done == 1, done);
  }
  void add(std::string_view bytes) {
    const int done = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
    ASSAY_REQUIRE(done == 1, done);
  }
  std::string hex() {
    std::array<unsigned char, 32> digest{};
    unsigned int length = 0;
    const int done = EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
    ASSAY_REQUIRE(done == 1 && length == digest.size(), done, length);
    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free};
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

Result<std::string> sha256_of_file(const std::string& path) {
  Sha256 digest;
  const Status status = for_each_piece(path, [&](std::string_view piece) { digest.add(piece); });
  ASSAY_TRY(status);
  return digest.hex();
}

bool is_sha256(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace assay
