// Result and Status: how bad input travels. The message is one line that quotes the offending word,
// says why it is refused and what is allowed.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace assay {

struct [[nodiscard]] Error {
  std::string message;
  bool shortage = false;  // the machine has not got it: says nothing about the kernel
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

// Makes the failing value of any Result.
inline tl::unexpected<Error> refuse(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}
// The same where memory, threads, processes or descriptors have run out.
inline tl::unexpected<Error> run_short(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message), true});
}

}  // namespace assay
