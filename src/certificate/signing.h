// Ed25519 keys in PEM, signatures, and base64 in its one canonical form.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/core/error.h"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace assay {

std::string to_base64(std::string_view bytes);
// Nothing unless to_base64 of the answer is the text again.
std::optional<std::string> from_base64(std::string_view text);

class SigningKey {
 public:
  // PKCS #8 PEM, not encrypted. Errors: unreadable, no private key, not Ed25519.
  static Result<SigningKey> load(const std::string& path);
  std::string sign(std::string_view message) const;  // 64 bytes
  const std::string& key_id() const { return key_id_; }

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::string key_id_;
};

class PublicKey {
 public:
  // SubjectPublicKeyInfo PEM. Errors: unreadable, no public key, not Ed25519.
  static Result<PublicKey> load(const std::string& path);
  bool verify(std::string_view message, std::string_view signature) const;
  // SHA-256 of the SubjectPublicKeyInfo in DER, hexadecimal.
  const std::string& key_id() const { return key_id_; }

 private:
  std::shared_ptr<evp_pkey_st> key_;
  std::string key_id_;
};

}  // namespace assay
