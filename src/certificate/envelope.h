// The file of a certificate, <artifact>.intoto.jsonl: one DSSE envelope a line, signed with
// Ed25519; without a key, no signatures and a last line with the SHA-256 of all bytes before it.
// There is one byte form for each certificate: reading it demands that writing it again gives the
// same bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/certificate/certificate.h"
#include "src/certificate/signing.h"

namespace assay {

// What a DSSE signature covers.
std::string pre_authentication_encoding(std::string_view type, std::string_view body);

// key may be null.
std::string certificate_text(const Certificate& certificate, const SigningKey* key);

struct CertificateFile {
  Certificate certificate{};
  std::vector<std::string> statements{};
  std::string key_id{};                   // empty: unsigned
  std::vector<std::string> signatures{};  // of each statement, 64 bytes

  bool is_signed() const { return !key_id.empty(); }
};

// Errors: `file:line: ` or `file: ` and what is wrong: no certificate, another version, a field, a
// byte that is not as our writer puts it, a checksum that does not match.
Result<CertificateFile> parse_certificate(std::string_view text, const std::string& file);

// Whether every statement was signed by the key. Errors: the first one that was not.
Status check_signatures(const CertificateFile& file, const PublicKey& key);

}  // namespace assay
