// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <memory>

#include "ballast/completion.hpp"
#include "ballast/detail/base/event_count.hpp"

namespace ballast::detail {

/// True if the caller is a continuation.
bool is_in_continuation();
/// The timeout of a wait for the work without a deadline.
clock::duration timeout_of(completion const& work);
/// The error of a continuation that is dropped.
std::exception_ptr never_called();

/// The error that kept a ready completion's work from success; null if it succeeded.
std::exception_ptr failure_of(completion const& ended);

/// Work that ends when end() is called; any key refers to it.
class promised_end : public completion_source {
 public:
  /// `timeout` applies to waits without a deadline.
  explicit promised_end(clock::duration timeout) : timeout_(timeout) {}

  /// Call it once; `failure` is null if the work succeeded.
  void end(std::exception_ptr failure);

  bool has_ended(completion_key const&) override { return ended_.load(std::memory_order_acquire); }
  void wait(completion_key const& work, deadline until) override;
  clock::duration timeout(completion_key const&) const override { return timeout_; }
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) override;

 private:
  clock::duration const timeout_;
  std::exception_ptr failure_;  // written before ended_
  std::atomic<bool> ended_ = false;
  event_count changed_;
};

}  // namespace ballast::detail
