// SPDX-License-Identifier: Apache-2.0
#pragma once

// GCC has macros, and clang names features.
#if defined(__SANITIZE_ADDRESS__)
#  define BALLAST_TEST_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#  define BALLAST_TEST_THREAD_SANITIZER 1
#elif defined(__has_feature)
#  define BALLAST_TEST_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#  define BALLAST_TEST_THREAD_SANITIZER __has_feature(thread_sanitizer)
#endif

namespace ballast::test {

/// Whether a sanitizer makes everything up to fifty times as slow: then tests try less.
#if BALLAST_TEST_ADDRESS_SANITIZER || BALLAST_TEST_THREAD_SANITIZER
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ballast::test
