// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ballast/detail/executor/device_thread.hpp"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/stream.hpp"
#include "dispatch_mode.hpp"
#include "dispatch_stream.hpp"
#include "graph_batch.hpp"
#include "kernel_table.hpp"
#include "launch_plan.hpp"
#include "launch_stream.hpp"
#include "launch_trace.hpp"

namespace ballast::detail {

/// The niceness that Linux knows: lower values get more of the processor.
inline constexpr int min_niceness = -20, max_niceness = 19;

/// Carries out the launches of the launch streams of one device: its thread takes what they submit, asks the
/// plan, issues, and looks for what has ended. It sleeps while there is nothing of that.
///
/// In three source files, by the thread and its work: dispatcher.cpp has what any thread calls and what
/// launch streams do on their own threads, dispatcher_thread.cpp the thread's loop, dispatcher_launch.cpp how
/// the thread issues. One class, since all three change what is in flight and share its locks.
class dispatcher final : private device_work {
 public:
  dispatcher(std::shared_ptr<compute_device> device, kernel_set const* kernels,
             launch_options const& options);
  dispatcher(dispatcher const&) = delete;
  dispatcher& operator=(dispatcher const&) = delete;
  ~dispatcher();

  // Any thread.
  compute_device& device() const { return *device_; }
  mergeable_kernels const& kernels() const { return kernels_; }
  std::shared_ptr<launch_stream_state> add_launch_stream(std::int32_t priority);
  std::size_t launch_stream_count() const;
  void pause() { paused_.store(true, std::memory_order_seq_cst); }
  void resume();
  /// Drops what was not issued, and what is submitted later, with an error for its launch streams.
  void stop(char const* cause);
  /// Throws stopped with that cause after stop().
  void throw_if_stopped() const;
  /// Sleeps until all that was submitted so far has finished or failed. Throws timed_out.
  void wait_all(deadline until);
  /// For a destructor: sleeps until all that was submitted so far has finished or failed, at most until the
  /// deadline. Returns at once if the queue is paused.
  void finish(deadline until) noexcept;
  /// Fails what was not issued, and waits for what is in flight, at most the queue's shutdown_timeout. No
  /// other call but is_at_rest() after it.
  void end();
  /// After end(): whether the device does nothing any more that was issued here. Else this has to stay.
  bool is_at_rest();
  void add_to(launch_statistics& sum) const;
  /// Takes a line that has something new.
  void add_to_inbox(launch_stream_state& line);

  // The thread of the line's launch stream.
  /// Issues the line's next launch here and now. Returns true also if that failed, which is then the line's
  /// error; false if the launch has to wait for the dispatcher's thread.
  bool issue_directly(launch_stream_state& line, submission& work);

 private:
  /// Events behind what has to end before a launch, for its stream to wait for.
  using completion_events = std::vector<std::unique_ptr<event>>;

  dispatch_mode mode() const { return mode_.load(std::memory_order_relaxed); }
  bool may_issue_directly(launch_stream_state const& line, submission const& work) const;
  bool is_alone(launch_stream_state const& line) const;
  std::uint32_t stream_for(launch_stream_state const& line) const;
  void enqueue_directly(dispatch_stream& target, launch_stream_state& line, submission& work,
                        completion_events const& events);
  bool is_sound();
  bool is_issued_here(dependency const& one) const;
  bool can_wait_on_device(submission const& work) const;
  void record_events_before(submission const& work, dispatch_stream const& own, completion_events& events);

  struct counts {
    std::atomic<std::uint64_t> launches = 0, kernels = 0, merged_launches = 0, merged_kernels = 0;
    std::atomic<std::uint64_t> direct = 0, chained_kernels = 0;
  };

  std::vector<std::shared_ptr<launch_stream_state>> all_launch_streams() const;

  // Who holds the stream.
  void enqueue_alone(dispatch_stream& target, submission& work);
  void enqueue_callable(dispatch_stream& target, submission& work);
  completion_signal completion_of_next(dispatch_stream const& target);
  void count(std::size_t kernels);
  /// What the trace is to say of the launch that is issued next; it carries out `work` too.
  void describe_content(launch_in_flight& next, submission const& work) const;
  void measure_if_due(dispatch_stream& target, submission& work);

  // Only the thread, from here on.
  bool poll(look why) override;
  awaited_work awaited() const override;
  bool is_done() override;
  void give_up(std::string const& cause);
  bool poll_once();
  bool drain_inbox();
  bool update(launch_stream_state& line);
  /// The stream of what a launch has to come behind, if that is in flight.
  using predecessor_stream = std::optional<std::uint32_t>;

  bool offer_if_ready(launch_stream_state& line, submission& oldest);
  std::optional<predecessor_stream> find_predecessor_stream(launch_stream_state const& line,
                                                            submission const& oldest) const;
  std::optional<predecessor_stream> common_predecessor_stream(launch_stream_state const& line,
                                                              submission const& oldest) const;
  bool may_change_stream(launch_stream_state& line) const;
  void offer(launch_stream_state& line, submission& oldest, predecessor_stream behind);
  bool retry_blocked();
  bool poll_completions();
  bool poll_stream(std::uint32_t place);
  std::size_t trace_ended(std::uint32_t place);
  void complete_launch(dispatch_stream& target, launch_in_flight const& ended);
  bool poll_kernel_ends(dispatch_stream& target);
  void complete_member(launch_in_flight::member const& member);
  void learn(dispatch_stream const& target, launch_in_flight const& ended);
  void notify_completed();
  bool record_events();
  bool needs_event(dispatch_stream const& target) const;
  void forget_if_left(launch_stream_state& line);
  bool issue_next();
  bool issue_graph();
  bool issue_graph(std::uint32_t target);
  void mask_graph_streams();
  bool issue(planned_launch const& planned);
  bool stream_became_busy(std::uint32_t place);
  std::uint32_t emptiest_stream() const;
  void issue_on(std::uint32_t place, planned_launch const& planned, completion_events const& events);
  completion_events events_before(planned_launch const& planned, std::uint32_t place);
  std::exception_ptr try_issue(dispatch_stream& target, planned_launch const& planned,
                               completion_events const& events);
  void describe(launch_in_flight& next, planned_launch const& planned);
  void enqueue_merged(dispatch_stream& target, planned_launch const& planned);
  std::uint32_t add_member(submission const& work, std::uint32_t piece);
  void chain_followers(planned_launch const& planned);
  std::uint32_t followers_of(submission_queue& chain, std::uint32_t most, std::uint32_t pieces);
  void mark_issued(launch_stream_state& line, std::uint32_t target, std::uint32_t launches,
                   bool in_graph = false);
  void notify_issue_watchers(std::span<std::uint32_t const> launch_streams);
  void fail(launch_stream_state& line, std::exception_ptr error);
  void fail_all(std::exception_ptr error);
  stopped stopped_by(char const* cause) const;
  bool is_anything_in_flight() const;
  void update_mode();
  launch_stream_state& launch_stream_of(std::uint32_t number) const { return *by_number_[number]; }

  std::shared_ptr<compute_device> device_;
  mergeable_kernels kernels_;
  device_thread
      thread_;  // before the streams: the last block of a launch may still ring when its end is seen
  device_buffer<running_launch> running_;
  pinned_buffer<completion_record> records_;
  pinned_buffer<kernel_completions> kernel_completions_;
  std::vector<std::atomic<std::uint32_t>> launches_in_flight_;
  std::deque<dispatch_stream> dispatch_streams_;

  clock::duration const timeout_, shutdown_timeout_;
  direct_dispatch const direct_dispatch_;
  std::uint32_t const connections_;
  bool const waits_on_device_, follows_others_;

  mutable std::mutex thread_mutex_;  // held while the thread does something
  kernel_table table_;
  launch_trace trace_;
  std::vector<ended_launch> ended_launches_;  // to be traced
  launch_plan plan_;
  planned_launch const* planned_ = nullptr;  // waits for room in its stream
  merged_launch merged_;
  std::vector<std::uint32_t> chained_;  // of planned_, how many launches of each launch stream
  std::uint64_t merged_since_start_ = 0;
  plain_times plain_times_;
  graph_batch batch_;
  mode_selector mode_selector_;
  std::uint64_t ended_since_update_ = 0;
  clock::time_point polled_at_;
  bool was_busy_ = false;
  std::vector<std::uint32_t> graph_streams_;
  std::vector<launch_stream_state*> by_number_;
  std::vector<std::uint32_t> in_flight_;  // by stream
  std::vector<launch_stream_state*> blocked_;
  std::vector<launch_stream_state*> completed_;  // lines of which something was noted
  std::size_t first_polled_ = 0;
  clock::time_point events_recorded_at_;
  std::uint32_t naps_ = 0, issued_since_poll_ = 0;
  bool suspects_fault_ = false;
  std::exception_ptr stop_error_;  // why nothing is issued any more
  bool lost_ = false;              // nor known to end

  std::shared_ptr<watch_fence> fence_ = std::make_shared<watch_fence>();
  mutable std::mutex launch_streams_mutex_;
  std::vector<std::shared_ptr<launch_stream_state>> launch_streams_;  // by number; null: that number is free

  std::atomic<launch_stream_state*> inbox_ = nullptr;
  std::atomic<std::uint64_t> kernels_in_flight_ = 0;
  std::atomic<dispatch_mode> mode_;
  std::atomic<bool> anyone_waits_ = false;  // as the thread saw it last
  std::atomic<bool> paused_ = false, closed_ = false;
  std::atomic<char const*> stopped_because_ = nullptr;
  counts counts_;
};

/// The dispatchers of a queue, one per device; shared with its launch streams, which may outlive it.
struct dispatchers {
  std::deque<dispatcher> all;
  device_list devices;
  launch_options options;
  std::mutex making;  ///< of launch streams
};

}  // namespace ballast::detail
