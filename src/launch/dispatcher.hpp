// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/executor/device_thread.hpp"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/launch_queue.hpp"
#include "completion_poller.hpp"
#include "direct_issuer.hpp"
#include "dispatch_mode.hpp"
#include "launch_plan.hpp"
#include "launch_stream.hpp"

namespace ballast::detail {

/// Carries out the launches of one device's launch streams. Its thread accepts submissions, offers the
/// plan all launches that are ready, issues those that the plan selects, and looks for ends. Launch streams
/// that are allowed to issue do so on their own threads.
class dispatcher final : private device_work {
 public:
  dispatcher(std::shared_ptr<compute_device> device, kernel_set const* kernels,
             launch_options const& options);
  dispatcher& operator=(dispatcher&&) = delete;
  ~dispatcher();

  // Any thread.
  compute_device& device() const { return *parts_.device; }
  mergeable_kernels const& kernels() const { return parts_.kernels; }
  std::shared_ptr<launch_stream_state> add_launch_stream(std::int32_t priority) {
    return parts_.lines.add(priority);
  }
  std::size_t launch_stream_count() const { return parts_.lines.all().size(); }
  void pause() { parts_.gate.pause(true); }
  void resume();
  /// Drops unissued and later launches, with an error for their launch streams.
  void stop(char const* cause);
  /// True if all launches have failed, or will, because the device was lost. Any thread.
  bool is_lost() const { return lost_; }
  /// Throws stopped with that cause after stop().
  void throw_if_stopped() const {
    if (auto const* const cause = parts_.gate.stopped_because()) throw stopped_by(cause);
  }
  /// Sleeps until all launches submitted so far have finished or failed. Throws timed_out.
  void wait_all(deadline until);
  /// The launches that have not finished, as text for messages.
  std::string state() const;
  /// Launches that have been submitted and have not finished, without those of failed launch streams.
  std::uint64_t unfinished() const;
  /// For a destructor: sleeps until all launches submitted so far have finished or failed, at most until the
  /// deadline. Returns at once if the queue is paused.
  void finish(deadline until) noexcept;
  /// Fails unissued launches, and waits for those in flight, at most for the queue's shutdown_timeout. After
  /// it, call only is_at_rest().
  void end();
  /// After end(): true if the device has finished everything that was issued here. Otherwise this object must
  /// stay alive.
  bool is_at_rest() {
    return parts_.streams.is_at_rest() && (parts_.rings == nullptr || parts_.rings->is_at_rest());
  }
  void add_to(launch_statistics& sum) const;
  /// Accepts a launch stream that has new launches.
  void add_to_inbox(launch_stream_state& line) {
    parts_.inbox.add(line);
    thread_.wake();
  }
  /// As direct_issuer::issue(); for the thread of the launch stream.
  bool issue_directly(launch_stream_state& line, submission& work) { return direct_.issue(line, work); }

 private:
  struct oldest_launch;

  stopped stopped_by(char const* cause) const;

  // From here on only for the dispatcher's thread.
  bool poll(look why) override;
  awaited_work awaited() const override;
  bool is_done() override;
  bool poll_once();
  bool drain_inbox();
  bool update(launch_stream_state& line);
  bool is_anything_in_flight() const;
  submission* oldest_of(launch_stream_state& line);
  launch_way send(launch_stream_state& line, submission& oldest);
  bool put(launch_stream_state& line, submission const& oldest);
  void block(launch_stream_state& line);
  void offer(launch_stream_state& line, submission& oldest, predecessor_stream behind);
  bool retry_blocked();
  bool poll_completions();
  void notify_completed();
  void forget_if_left(launch_stream_state& line);
  bool has_offers() const { return plan_.offers() != 0 || planned_ != nullptr; }
  bool issue_next();
  bool issue(planned_launch const& planned);
  void issue_on(std::uint32_t place, planned_launch const& planned, completion_events const& events);
  void mark_issued(launch_stream_state& line, std::uint32_t place, std::uint32_t launches);
  void after_issue(std::span<std::uint32_t const> launch_streams);
  void update_mode();
  void fail(launch_stream_state& line, std::exception_ptr error);
  void fail_all(std::exception_ptr error);
  void give_up(std::string const& cause);

  device_thread
      thread_;  // before the streams: a launch's last block may still notify it when the end is seen
  dispatch_parts parts_;
  direct_issuer direct_;
  clock::duration const shutdown_timeout_;
  launch_plan plan_;
  completion_poller poller_;

  mutable std::mutex thread_mutex_;  // held while the thread works
  stream_loads loads_;
  planned_launch const* planned_ = nullptr;  // waits for space in its stream
  std::vector<launch_stream_state*> planned_lines_;
  std::vector<launch_stream_state*> blocked_;
  std::uint32_t naps_ = 0, issued_since_poll_ = 0;
  bool suspects_fault_ = false;
  std::exception_ptr stop_error_;   // why nothing more is issued
  std::atomic<bool> lost_ = false;  // nor known to end
};

/// The dispatchers of a queue, one per device; shared with its launch streams, which may outlive it.
struct dispatchers {
  std::deque<dispatcher> all;
  device_list devices;
  launch_options options;
  std::mutex making;  ///< of launch streams
  process_of_origin process{};
};

}  // namespace ballast::detail
