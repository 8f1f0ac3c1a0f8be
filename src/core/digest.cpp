#include "src/core/digest.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <openssl/evp.h>

#include "src/core/require.h"

namespace assay {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned int length = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  ASSAY_REQUIRE(done == 1 && length == digest.size(), done, length);
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return refuse("cannot read '" + path + "': it is a folder");
  if (std::filesystem::is_character_file(path, error))  // it may never end
    return refuse("cannot read '" + path + "': it is a device");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return refuse("cannot read '" + path + "': " + std::strerror(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad() || (text.fail() && !stream.eof() && stream.peek() != EOF))
    return refuse("cannot read '" + path + "': " + std::strerror(errno));
  return text.str();
}

Result<std::string> sha256_of_file(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return sha256_hex(*text);
}

bool is_sha256(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace assay
