// SPDX-License-Identifier: Apache-2.0
#include "interruption.hpp"

#include <atomic>

namespace ballast::md {
namespace {

std::atomic<bool> asked = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

void request_stop() noexcept { asked.store(true, std::memory_order_relaxed); }
bool stop_requested() noexcept { return asked.load(std::memory_order_relaxed); }
void clear_stop() noexcept { asked.store(false, std::memory_order_relaxed); }

}  // namespace ballast::md
