// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/queue/task_queue.hpp"
#include "ballast/resident/resident_kernel.hpp"
#include "fed_memory.hpp"
#include "producer_lane.hpp"
#include "queue_memory.hpp"

namespace ballast::inline queue {

/// What a host thread waits for.
enum class awaited { room, completion };

/// Counts a thread among those that workers of the host backend ring the bell for, while it lives.
class bell_listener {
 public:
  bell_listener(queue_memory& memory, awaited what)
      : waiters_(!memory.on_host         ? nullptr
                 : what == awaited::room ? &memory.words.data()->room_waiters
                                         : &memory.words.data()->completion_waiters) {
    if (waiters_ != nullptr) std::atomic_ref(*waiters_).fetch_add(1);
  }
  ~bell_listener() {
    if (waiters_ != nullptr) std::atomic_ref(*waiters_).fetch_sub(1);
  }
  bell_listener(bell_listener const&) = delete;
  bell_listener& operator=(bell_listener const&) = delete;

 private:
  std::uint32_t* waiters_;
};

/// What a task_queue is inside. Apart, so that a queue whose kernel never ends can leave it behind alive.
struct task_queue::state {
  state(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
        queue_options const& options);

  std::unique_ptr<fed_memory> make_fed() const;
  void start();
  producer_lane& lane_of_this_thread();
  producer_lane& give_lane_to_this_thread();
  /// Without a deadline: options.patience from the moment that it must wait. A pointer, since an optional is
  /// handed over through memory: stored as one byte, read as eight, which waits for the store to leave the
  /// core.
  ticket submit(std::span<task_record const> batch, deadline const* until);
  ticket submit(task const& one, deadline const* until);
  ticket submit_patiently(task const& one, deadline const* until);
  std::optional<ticket> try_submit(task const& one);
  /// Writes a task as a batch if there is room, and returns the batch's number. For who holds the lane.
  std::optional<std::uint64_t> write_if_room(producer_lane& lane, task const& one);
  void open_lane(producer_lane& lane);
  void tell_lane(std::uint32_t lane);
  void tell_control(bool closed);

  bool finished(ticket const& which) const;
  /// Polls (GPU) or sleeps (host) until done() or an exception: the deadline, the kernel's end, a lost
  /// device.
  void await(std::function<bool()> const& done, awaited what, deadline until);
  /// Whether the kernel runs; throws device_lost saying what that means for the tasks.
  bool alive();
  [[noreturn]] void throw_stopped();
  std::vector<ticket> everything() const;

  void close(deadline until);
  /// Takes every lane in turn, or throws at the deadline.
  class every_lane_held;
  void hold_lanes(deadline until);
  void release_lanes();
  void launch();
  void start_kernel();
  void give_up_start();
  void announce_end(deadline until);
  void mark_closed(deadline until);
  void count_submitted(deadline until);
  void join(deadline until);
  std::vector<task> stop();
  void collect_from_ring(std::vector<task>& into);
  void collect_from_lanes(std::vector<task>& into);

  std::uint64_t submitted() const;
  std::uint64_t taken() const;
  std::uint64_t unfinished() const;
  std::string describe();

  std::shared_ptr<compute_device> device;
  compiled_kernels const* kernels;
  queue_options options;
  resident_kernel kernel;
  queue_memory memory;
  std::unique_ptr<fed_memory> fed;  ///< if tasks may create tasks
  std::unique_ptr<stream> copies;
  std::deque<producer_lane> lanes;
  std::uint64_t const uid;
  std::atomic<std::uint32_t> lanes_given = 0;
  std::atomic<std::uint32_t> lanes_told = 0;
  std::mutex control_mutex;  ///< for whoever writes host_words::control
  enum class phase : std::uint32_t { open, closing, ended };
  std::atomic<phase> now = phase::ended;
  std::atomic<bool> lost = false;
  std::atomic<std::uint32_t> run = 0;
  bool told_closed = false;
  bool completed = true;  ///< whether the last run ended by close(), with all its tasks executed
  bool collected = true;  ///< whether the last run's unexecuted tasks were handed back
};

/// Keeps submitting threads out while it lives. Throws deadline_passed if one does not leave.
class task_queue::state::every_lane_held {
 public:
  every_lane_held(state& queue, deadline until) : queue_(&queue) { queue.hold_lanes(until); }
  ~every_lane_held() { queue_->release_lanes(); }
  every_lane_held(every_lane_held const&) = delete;
  every_lane_held& operator=(every_lane_held const&) = delete;

 private:
  state* queue_;
};

}  // namespace ballast::inline queue
