#include "src/certificate/envelope.h"

#include <algorithm>

#include <fmt/format.h>

#include "src/core/digest.h"
#include "src/core/json_object.h"
#include "src/core/json_text.h"
#include "src/core/text.h"

namespace assay {
namespace {

constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";
constexpr std::string_view kChecksumField = "sha256OfAllBefore";
constexpr std::size_t kLargestFile = std::size_t{16} << 20;

struct Signature {
  std::string key_id{}, bytes{};
};

struct Envelope {
  std::string payload{};
  std::vector<Signature> signatures{};  // none: unsigned

  std::string key_id() const { return signatures.empty() ? "" : signatures.front().key_id; }
};

std::string checksum_line(std::string_view before) {
  return json_text(Json{{kChecksumField, sha256_hex(before)}}) + "\n";
}

// The bytes of a field in base64.
void base64_field(JsonFields& json, const char* field, std::string& bytes) {
  json.text(
      field, [&] { return to_base64(bytes); },
      [&](const std::string& text) -> Status {
        const auto read = from_base64(text);
        if (!read) { return make_error("is not canonical base64"); }
        bytes = *read;
        return {};
      });
}

void fields(JsonFields& json, Signature& signature) {
  json("keyid", signature.key_id);
  if (signature.key_id.empty()) { json.fail("keyid", "is empty"); }
  base64_field(json, "sig", signature.bytes);
  if (signature.bytes.size() != 64) { json.fail("sig", "is not an Ed25519 signature in base64"); }
}

void fields(JsonFields& json, Envelope& envelope) {
  json.constant("payloadType", kPayloadType);
  base64_field(json, "payload", envelope.payload);
  json("signatures", envelope.signatures);
  if (envelope.signatures.size() > 1) {
    json.fail("signatures", "is not an array of at most one signature");
  }
}

std::string file_text(const std::vector<Envelope>& envelopes) {
  std::string text;
  for (const Envelope& envelope : envelopes) { text += json_text(json_of(envelope)) + "\n"; }
  if (envelopes.front().signatures.empty()) { text += checksum_line(text); }
  return text;
}

// Counted from 1.
std::size_t first_difference(std::string_view text, std::string_view again) {
  const auto differ = std::mismatch(text.begin(), text.end(), again.begin(), again.end());
  return static_cast<std::size_t>(differ.first - text.begin()) + 1;
}

// Where the last line begins, if it is a checksum.
std::size_t start_of_checksum(std::string_view text) {
  const std::size_t before = text.size() < 2 ? text.npos : text.rfind('\n', text.size() - 2);
  const std::size_t at = before == text.npos ? 0 : before + 1;
  return text.substr(at).starts_with(fmt::format("{{\"{}\"", kChecksumField)) ? at : text.npos;
}

Result<std::vector<Envelope>> read_envelopes(std::string_view text, const std::string& file) {
  std::vector<Envelope> envelopes;
  const std::size_t checksum = start_of_checksum(text);
  if (checksum != text.npos) {
    if (checksum_line(text.substr(0, checksum)) != text.substr(checksum)) {
      return make_error(
          fmt::format("{}: damaged: the bytes do not match the checksum of the last line", file));
    }
    text = text.substr(0, checksum);
  }
  Index number = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      return make_error(fmt::format("{}:{}: the line is cut off", file, number));
    }
    const auto json = parse_json_object(text.substr(at, end - at));
    if (!json) { return make_error(fmt::format("{}:{}: {}", file, number, json.error().message)); }
    at = end + 1;
    if (const Status status = read_json(*json, "", envelopes.emplace_back()); !status) {
      return make_error(fmt::format("{}:{}: {}", file, number, status.error().message));
    }
  }
  if (envelopes.empty()) { return make_error(file + ": no certificate of assay: it is empty"); }
  return envelopes;
}

}  // namespace

std::string pre_authentication_encoding(std::string_view type, std::string_view body) {
  return fmt::format("DSSEv1 {} {} {} {}", type.size(), type, body.size(), body);
}

std::string certificate_text(const Certificate& certificate, const SigningKey* key) {
  std::vector<Envelope> envelopes;
  for (std::string& statement : statements_of(certificate)) {
    Envelope& envelope = envelopes.emplace_back(Envelope{.payload = std::move(statement)});
    if (key) {
      envelope.signatures = {
          {key->key_id(), key->sign(pre_authentication_encoding(kPayloadType, envelope.payload))}};
    }
  }
  return file_text(envelopes);
}

Result<CertificateFile> parse_certificate(std::string_view text, const std::string& file) {
  if (text.size() > kLargestFile) {
    return make_error(fmt::format("{}: {} bytes, no certificate of assay", file, text.size()));
  }
  auto envelopes = read_envelopes(text, file);
  ASSAY_TRY(envelopes);
  auto certificate = read_statement(envelopes->front().payload);
  if (!certificate) {
    return make_error(fmt::format("{}:1: {}", file, certificate.error().message));
  }
  CertificateFile result{.certificate = std::move(*certificate)};
  result.statements = statements_of(result.certificate);
  result.key_id = envelopes->front().key_id();
  if (result.statements.size() != envelopes->size()) {
    return make_error(fmt::format("{}: {} statements; a certificate of verdict {} has {}", file,
                                  envelopes->size(), name(result.certificate.verdict),
                                  result.statements.size()));
  }
  std::vector<Envelope> again = *envelopes;
  for (std::size_t i = 0; i < again.size(); ++i) {
    again[i].payload = result.statements[i];
    if (again[i].payload != (*envelopes)[i].payload) {
      return make_error(
          fmt::format("{}:{}: the statement is not as assay writes it, from byte {} of "
                      "its payload on",
                      file, i + 1, first_difference((*envelopes)[i].payload, again[i].payload)));
    }
    if (again[i].key_id() != result.key_id) {
      return make_error(
          fmt::format("{}:{}: the statements are not all signed by one key", file, i + 1));
    }
    result.signatures.push_back(again[i].signatures.empty() ? "" : again[i].signatures[0].bytes);
  }
  if (const std::string written = file_text(again); written != text) {
    return make_error(
        fmt::format("{}: not as assay writes it, from byte {} on: blanks, order or digits", file,
                    first_difference(text, written)));
  }
  return result;
}

Status check_signatures(const CertificateFile& file, const PublicKey& key) {
  if (!file.is_signed()) {
    return make_error("the certificate is unsigned, and a key was given to check a signature with");
  }
  if (file.key_id != key.key_id()) {
    return make_error(
        fmt::format("signed by key {}, not by the given key {}", file.key_id, key.key_id()));
  }
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    const std::string message = pre_authentication_encoding(kPayloadType, file.statements[i]);
    if (!key.verify(message, file.signatures[i])) {
      return make_error(
          fmt::format("the signature of statement {} is wrong: forged or damaged", i + 1));
    }
  }
  return {};
}

}  // namespace assay
