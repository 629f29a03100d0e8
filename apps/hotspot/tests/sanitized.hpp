// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ballast::hotspot {

/// Whether a sanitizer slows the tests down: then they take fewer and smaller cases.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ballast::hotspot
