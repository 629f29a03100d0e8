// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/device.hpp"
#include "device_operation.hpp"
#include "kernel_clock.hpp"

namespace ballast::detail {

/// One stream of an executor: what waits to be issued on it and what was, both in order. The executor's
/// thread only.
class stream_queue {
 public:
  /// `wake_event` is rung where the stream can when something has ended; it outlives the stream.
  stream_queue(compute_device& device, std::uint32_t executor, event_count& wake_event);

  void add(device_operation work) { waiting_.push_back(std::move(work)); }
  bool is_empty() const { return waiting_.empty() && issued_.empty(); }
  bool has_issued() const { return !issued_.empty(); }

  /// Issues the first work if nothing stands in its way: what it did is in the result. Where it has to wait
  /// for another executor, that one will wake this one.
  std::shared_ptr<operation_progress> issue_next();
  /// The first issued one, if it has ended. Throws what kept an event from being set behind it: the device is
  /// lost then.
  std::optional<ended_operation> next_end(kernel_clock const& clock);
  /// The same for any, waiting or issued, because the device is lost and close()d: whoever comes after it
  /// goes on as soon as what it comes after is over.
  std::optional<ended_operation> next_end_after_loss(std::exception_ptr const& loss);
  /// Whether nothing runs, or will, that was issued.
  bool is_at_rest() const;
  /// Waits, but not beyond `until`, for what a lost device still runs.
  void close(deadline until);

  /// Whose end was reported last.
  std::shared_ptr<operation_progress> const& last_ended() const { return last_ended_; }

 private:
  struct issued_work {
    std::shared_ptr<operation_progress> progress;
    bool is_kernel;
    progress_list dependencies;
    std::shared_ptr<event> begin = nullptr;  ///< of a kernel of CPU cores
    std::shared_ptr<event> end = nullptr;    ///< null for what could not be issued
    std::int64_t issued_ns = 0;
    std::exception_ptr failure = nullptr;
    std::function<void()> conclude = {};  ///< keeps what the work uses
  };

  template <class Reached>
  bool is_at(operation_progress& earlier, Reached reached) const;
  bool may_issue(device_operation const& work) const;
  bool is_in_same_stream(operation_progress const& earlier) const;
  issued_work enqueue(device_operation const& work);
  void try_to_enqueue(device_operation const& work, issued_work& result);
  void wait_for(progress_list const& earlier);
  bool is_first_over();
  bool are_reported(progress_list const& earlier) const;
  kernel_clock::interval times_of(issued_work const& kernel, kernel_clock const& clock) const;
  bool are_over(progress_list const& earlier) const;

  event_count& wake_event_;
  std::uint32_t const executor_;
  bool const on_cuda_;
  std::deque<device_operation> waiting_;
  std::deque<issued_work> issued_;
  bool is_lost_ = false;
  std::size_t over_ = 0;  ///< how many of those are known to have ended, from the first on
  std::int64_t last_end_ns_ = 0;
  std::shared_ptr<operation_progress> last_ended_;
  std::unique_ptr<stream> stream_;  ///< goes first, so that nothing runs that was issued
};

}  // namespace ballast::detail
