// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "ballast/deadline.hpp"

namespace ballast::detail {

/// By the host's clock, which reports and spans count by.
inline std::int64_t now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

}  // namespace ballast::detail
