// SPDX-License-Identifier: Apache-2.0
#include "biased_lock.hpp"

#if defined(__linux__)
#  include <linux/membarrier.h>
#  include <sys/syscall.h>
#  include <unistd.h>
#endif

namespace ballast::detail {
namespace {

#if defined(__linux__)
bool ask_kernel(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }
bool register_process() { return ask_kernel(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }
/// A full fence on every core that runs a thread of this process; false if the system refused it.
bool fence_all_threads() { return ask_kernel(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }
#else
bool register_process() { return false; }
bool fence_all_threads() { return false; }
#endif

}  // namespace

// Checked when the first lock is made: registering can take milliseconds once threads run.
biased_lock::biased_lock() { can_be_biased(); }

bool biased_lock::can_be_biased() {
  static bool const registered = register_process();
  return registered;
}

bool biased_lock::is_biased_to_this_thread() const {
  auto const* const to = biased_to_.load(std::memory_order_acquire);
  return to != nullptr && to->owner == number_of_this_thread();
}

std::uint64_t biased_lock::next_thread_number() {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

bool biased_lock::turn_back(seat& mine) {
  mine.inside.store(0, std::memory_order_release);
  return false;
}

bool biased_lock::lock_by_exchange(std::uint64_t me) {
  if (held_.load(std::memory_order_relaxed) != 0) return false;
  if (held_.exchange(1, std::memory_order_acquire) != 0) return false;
  if (!revoke_bias() || (revoked_ != nullptr && revoked_->inside.load(std::memory_order_acquire) != 0)) {
    held_.store(0, std::memory_order_release);
    return false;
  }
  taken_ = &held_;
  count_acquisition(me);
  return true;
}

// After the fence this thread sees the owner's store that it is inside, or the owner sees that it has lost
// the bias.
bool biased_lock::revoke_bias() {
  auto* const from = biased_to_.load(std::memory_order_relaxed);
  if (from == nullptr) return true;
  biased_to_.store(nullptr, std::memory_order_relaxed);
  if (fence_all_threads()) {
    revoked_ = from;
    return true;
  }
  biased_to_.store(from, std::memory_order_release);
  return false;
}

void biased_lock::count_acquisition(std::uint64_t me) {
  consecutive_acquisitions_ = last_acquirer_ == me ? consecutive_acquisitions_ + 1 : 1;
  last_acquirer_ = me;
  if (consecutive_acquisitions_ < acquisitions_before_bias || !can_be_biased()) return;
  consecutive_acquisitions_ = 0;
  biased_to_.store(seat_of(me), std::memory_order_release);
}

biased_lock::seat* biased_lock::seat_of(std::uint64_t thread) {
  for (auto& one : seats_) {
    if (one.owner == 0) one.owner = thread;
    if (one.owner == thread) return &one;
  }
  return nullptr;
}

}  // namespace ballast::detail
