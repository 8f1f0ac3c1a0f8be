// Verifying a certificate: envelope, schema, digests, signature, verdict, waivers and policy, in
// this order, without running anything.
#pragma once

#include <string>
#include <vector>

#include "src/certificate/envelope.h"
#include "src/certificate/policy.h"

namespace assay {

struct VerifyOptions {
  std::string artifact{};              // the plug-in's file; "": not compared
  std::vector<std::string> depends{};  // other files that the certificate has to name
  std::string key{};                   // PEM of the public key
  std::string policy{};                // a file
  std::string profile{};  // a file; "": that of the certificate's name in corpus/profiles
  std::string at{};       // the time that ages and dates are judged by, RFC 3339
};

struct Verification {
  std::string wrong{};               // the first thing that is; empty: accepted
  std::vector<std::string> notes{};  // what the acceptance does not cover
  Certificate certificate{};

  bool accepted() const { return wrong.empty(); }
};

// Errors: what cannot be read or judged by: files, an older or newer version, a damaged file, a
// wrong type of key, an expired policy.
Result<Verification> verify_certificate(const std::string& path, const VerifyOptions& options);

// `accepted: ...` with every waiver, and below it what that does not cover; or `rejected: ...`.
std::string verification_text(const std::string& file, const Verification& verification);

// The first demand that is not met; empty: all are. `at`: the time of asking.
std::string broken_demand(const CertificateFile& file, const Policy& policy, const std::string& at);
// The first contradiction inside, or reason why it certifies nothing.
std::string broken_claim(const Certificate& certificate, const Policy& policy,
                         const std::string& at);

}  // namespace assay
