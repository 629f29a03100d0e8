// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::test {

/// Whether a sanitizer makes everything up to fifty times as slow: then tests try less.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ballast::test
