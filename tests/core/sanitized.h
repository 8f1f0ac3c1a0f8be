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

}  // namespace assay::testing
