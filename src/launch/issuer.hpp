// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ballast/device/buffer.hpp"
#include "ballast/device/doorbell.hpp"
#include "ballast/launch/launch_kernels.hpp"
#include "ballast/launch/launch_options.hpp"
#include "graph_batch.hpp"
#include "issue_lane.hpp"
#include "issue_way.hpp"
#include "kernel_table.hpp"
#include "launch_plan.hpp"
#include "producer_line.hpp"
#include "self_issue.hpp"

namespace ballast::inline launch {

/// Carries out the launches of the producers of one device: its thread takes what they submit, asks the plan,
/// issues, and looks for what has ended. It sleeps while there is nothing of that.
class issuer {
 public:
  issuer(std::shared_ptr<compute_device> device, launch_kernels const* kernels,
         launch_options const& options);
  issuer(issuer const&) = delete;
  issuer& operator=(issuer const&) = delete;
  ~issuer();

  // Any thread.
  compute_device& device() const { return *device_; }
  launch_kernels const* kernels() const { return kernels_; }
  std::shared_ptr<producer_line> add_line(std::int32_t priority);
  std::size_t lines() const;
  void pause() { paused_.store(true, std::memory_order_seq_cst); }
  void resume();
  /// Drops what was not issued, with an error for its producers; later submissions likewise.
  void stop(char const* cause);
  /// Throws error with that cause after stop().
  void refuse_if_stopped() const;
  /// Sleeps until all that was submitted so far has finished or failed. Throws deadline_passed.
  void drain(deadline until);
  /// The same for a destructor; returns at once if the queue is paused.
  void finish(deadline until) noexcept;
  /// Fails what was not issued, and waits for what is in flight, at most the queue's end_patience. No other
  /// call but is_at_rest() after it.
  void end();
  /// After end(): whether the device does nothing any more that was issued here. Else this has to stay.
  bool is_at_rest();
  void add_to(launch_statistics& sum) const;
  /// Takes a line that has something new.
  void take(producer_line& line);

  // The thread of the line's producer.
  /// Issues the line's next launch here and now: true, also if that failed, which is then the line's error;
  /// false if it is to wait like others.
  bool issue_at_once(producer_line& line, submission& work);

 private:
  /// Events behind what has to end before a launch, for its stream to wait for.
  using signs_of_ends = std::vector<std::unique_ptr<event>>;

  void wake();
  issue_way way() const { return way_.load(std::memory_order_relaxed); }
  bool may_issue_at_once(producer_line const& line, submission const& work) const;
  bool is_alone(producer_line const& line) const;
  std::uint32_t lane_for(producer_line const& line) const;
  void enqueue_at_once(issue_lane& lane, producer_line& line, submission& work, signs_of_ends const& signs);
  bool is_sound();
  bool is_issued_here(launch_ticket const& ticket) const;
  bool device_can_wait_before(submission const& work) const;
  void sign_before(submission const& work, issue_lane const& target, signs_of_ends& signs);

  struct counts {
    std::atomic<std::uint64_t> launches = 0, kernels = 0, merged_launches = 0, merged_kernels = 0;
    std::atomic<std::uint64_t> by_producers = 0, chained_kernels = 0;
  };

  std::vector<std::shared_ptr<producer_line>> every_line() const;

  // Who holds the lane.
  void enqueue_alone(issue_lane& lane, submission& work);
  void enqueue_work(issue_lane& lane, submission& work);
  launch_end end_of_next(issue_lane const& lane);
  void count(std::size_t kernels);
  void measure_if_due(issue_lane& lane, submission& work);

  // Only the thread, from here on.
  void serve();
  bool look_around();
  void await_what_is_in_flight(deadline until);
  void await_rest(deadline until);
  bool look_for_ends();
  void give_up(std::string const& cause);
  bool look_once();
  bool absorb();
  bool look_at(producer_line& line);
  /// The lane of what a launch has to come behind, if that is in flight.
  using stream_place = std::optional<std::uint32_t>;

  bool offer_if_ready(producer_line& line, submission& oldest);
  std::optional<stream_place> place_of(producer_line const& line, submission const& oldest) const;
  std::optional<stream_place> place_behind_all(producer_line const& line, submission const& oldest) const;
  bool may_leave_its_lane(producer_line& line) const;
  void offer(producer_line& line, submission& oldest, stream_place behind);
  bool unblock();
  bool sweep();
  bool sweep_lane(issue_lane& lane);
  void note_end(issue_lane& lane, launch_in_flight const& ended);
  bool note_kernel_ends(issue_lane& lane);
  void note_end_of(launch_in_flight::member const& member);
  void learn(issue_lane const& lane, launch_in_flight const& ended);
  void close_notes();
  bool sign_lanes();
  bool wants_sign(issue_lane const& lane) const;
  void forget_if_left(producer_line& line);
  bool issue_next();
  bool issue_batch();
  bool issue_batch(std::uint32_t lane);
  void spare_lanes_of_graphs();
  bool issue(planned_launch const& planned);
  bool was_taken_meanwhile(std::uint32_t place);
  std::uint32_t emptiest_lane() const;
  void issue_on(std::uint32_t place, planned_launch const& planned, signs_of_ends const& signs);
  signs_of_ends signs_before(planned_launch const& planned, std::uint32_t place);
  std::exception_ptr try_to_issue(issue_lane& lane, planned_launch const& planned,
                                  signs_of_ends const& signs);
  void describe(launch_in_flight& next, planned_launch const& planned);
  void enqueue_merged(issue_lane& lane, planned_launch const& planned);
  std::uint32_t add_member(submission const& work, std::uint32_t piece);
  void chain_followers(planned_launch const& planned);
  std::uint32_t followers_of(submission_chain& chain, std::uint32_t most, std::uint32_t pieces);
  void note_issued(producer_line& line, std::uint32_t lane, std::uint32_t launches, bool in_graph = false);
  void tell_watchers_of_issue(std::span<std::uint32_t const> producers);
  void fail(producer_line& line, std::exception_ptr error);
  void fail_all(std::exception_ptr error);
  bool must_look_again_soon();
  bool is_anything_in_flight() const;
  void note_progress();
  clock::time_point next_look() const;
  bool await_ring(std::uint64_t seen, clock::time_point until);
  void sleep(std::uint64_t seen);
  producer_line& line_of(std::uint32_t number) const { return *by_number_[number]; }

  std::shared_ptr<compute_device> device_;
  launch_kernels const* kernels_;
  doorbell bell_;  // before the lanes: the last block of a launch may still ring when its end is seen
  device_buffer<running_launch> running_;
  pinned_buffer<end_record> records_;
  pinned_buffer<kernel_ends> ends_;
  std::vector<std::atomic<std::uint32_t>> lanes_in_flight_;
  std::deque<issue_lane> lanes_;

  std::chrono::nanoseconds const end_patience_;
  self_issue const self_issue_;
  std::uint32_t const connections_;
  bool const waits_on_device_, follows_others_;

  mutable std::mutex thread_mutex_;  // held while the thread does something
  kernel_table table_;
  launch_plan plan_;
  planned_launch const* planned_ = nullptr;  // waits for room in its lane
  merged_launch merged_;
  std::vector<std::uint32_t> chained_;  // of planned_, how many launches of each producer
  std::uint64_t merged_since_start_ = 0;
  plain_times plain_times_;
  graph_batch batch_;
  way_chooser ways_;
  std::uint64_t ended_unnoted_ = 0;
  clock::time_point looked_at_;
  bool was_busy_ = false;
  std::vector<std::uint32_t> lanes_with_graph_;
  std::vector<producer_line*> by_number_;
  std::vector<std::uint32_t> in_flight_;  // by lane
  std::vector<producer_line*> blocked_;
  std::vector<producer_line*> noted_;  // lines of which something was noted
  std::size_t first_asked_ = 0;
  clock::time_point signed_at_;
  std::uint32_t looks_ = 0, naps_ = 0, issued_unswept_ = 0;
  bool suspects_fault_ = false;
  std::exception_ptr end_;  // why nothing is issued any more
  bool lost_ = false;       // nor known to end

  std::shared_ptr<watch_fence> fence_ = std::make_shared<watch_fence>();
  mutable std::mutex lines_mutex_;
  std::vector<std::shared_ptr<producer_line>> lines_;  // by number; null: that number is free

  std::atomic<producer_line*> announced_ = nullptr;
  std::atomic<std::uint64_t> kernels_in_flight_ = 0;
  std::atomic<issue_way> way_;
  std::atomic<bool> anyone_waits_ = false;  // as the thread saw it last
  std::atomic<bool> asleep_ = false, soundly_asleep_ = false;
  std::atomic<bool> paused_ = false, closed_ = false, ended_ = false;
  std::atomic<char const*> stopped_because_ = nullptr;
  counts counts_;
  std::thread thread_;
};

}  // namespace ballast::inline launch
