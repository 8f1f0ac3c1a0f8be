// Whether this program is built with AddressSanitizer, which has a heap and addresses of its own.
#pragma once

namespace assay::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

// Of `cases` that are much alike: those that are worth their time under sanitizers, which is
// tenfold.
constexpr int sanitized_share(int cases) { return kSanitized ? (cases + 7) / 8 : cases; }

}  // namespace assay::testing
