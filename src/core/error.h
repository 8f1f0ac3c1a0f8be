// Result and Status: how bad input travels. The message is one line that quotes the offending word,
// says why it is wrong and what is allowed.
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
inline tl::unexpected<Error> make_error(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}
// The same where memory, threads, processes or descriptors have run out.
inline tl::unexpected<Error> run_short(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message), true});
}

// Returns the error of a Result or Status from the function that this stands in, if it has one.
#define ASSAY_TRY(result)                                   \
  do {                                                      \
    if (const auto& assay_tried = (result); !assay_tried) { \
      return tl::unexpected(assay_tried.error());           \
    }                                                       \
  } while (false)

}  // namespace assay
