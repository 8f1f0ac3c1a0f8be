#include "src/certificate/signing.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "src/core/digest.h"
#include "src/core/file.h"
#include "src/core/require.h"

namespace assay {
namespace {

constexpr std::size_t kSignatureBytes = 64;

using Key = std::shared_ptr<EVP_PKEY>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// No passphrase is ever asked for: a run must not wait for a terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

std::string key_id_of(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int length = i2d_PUBKEY(key, &der);
  ASSAY_REQUIRE(length > 0, length);
  const std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(length));
  OPENSSL_free(der);
  return sha256_hex(bytes);
}

template <class Read>
Result<Key> load_key(const std::string& path, const std::string& what, const Read& read) {
  const auto text = read_file(path);
  ASSAY_TRY(text);
  const Bio bio(BIO_new_mem_buf(text->data(), static_cast<int>(text->size())), BIO_free);
  const Key key(read(bio.get()), EVP_PKEY_free);
  if (!key) {
    return make_error(
        "'" + path + "' holds no " + what +
        " in PEM without a passphrase; `assay help certificate` says how to make one");
  }
  if (EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519) {
    const char* name = EVP_PKEY_get0_type_name(key.get());
    return make_error("'" + path + "' holds a key of type " + (name ? name : "unknown") +
                      "; allowed is Ed25519");
  }
  return key;
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) { return std::nullopt; }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text),
                                     static_cast<int>(text.size()));
  if (length < 0) { return std::nullopt; }
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') {
    ++padding;
  }
  bytes.resize(static_cast<std::size_t>(length) - padding);
  if (to_base64(bytes) != text) { return std::nullopt; }
  return bytes;
}

Result<SigningKey> SigningKey::load(const std::string& path) {
  auto key = load_key(path, "private key", [](BIO* bio) {
    return PEM_read_bio_PrivateKey(bio, nullptr, no_passphrase, nullptr);
  });
  ASSAY_TRY(key);
  SigningKey signing;
  signing.key_ = *key;
  signing.key_id_ = key_id_of(key->get());
  return signing;
}

std::string SigningKey::sign(std::string_view message) const {
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(kSignatureBytes, '\0');
  std::size_t length = signature.size();
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &length,
                     bytes_of(message), message.size()) == 1;
  ASSAY_REQUIRE(done && length == kSignatureBytes, done, length);
  return signature;
}

Result<PublicKey> PublicKey::load(const std::string& path) {
  auto key = load_key(path, "public key", [](BIO* bio) {
    return PEM_read_bio_PUBKEY(bio, nullptr, no_passphrase, nullptr);
  });
  ASSAY_TRY(key);
  PublicKey verifying;
  verifying.key_ = *key;
  verifying.key_id_ = key_id_of(key->get());
  return verifying;
}

bool PublicKey::verify(std::string_view message, std::string_view signature) const {
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  return signature.size() == kSignatureBytes &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

}  // namespace assay
