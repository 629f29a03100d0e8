// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <thread>

namespace ballast::detail {

/// The range of Linux: lower values get more of the processor.
inline constexpr int min_niceness = -20, max_niceness = 19;

/// A thread that does `work`, of that niceness from the beginning; without one, of the caller's. Throws
/// bad_argument ("dispatcher_niceness") if the system refuses it, error if it has no thread; then nothing of
/// `work` was done.
std::thread start_nice_thread(std::optional<int> niceness, std::function<void()> work);

}  // namespace ballast::detail
