// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "ballast/detail/executor/device_thread.hpp"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/launch_queue.hpp"
#include "dispatch_mode.hpp"
#include "dispatch_stream.hpp"
#include "kernel_table.hpp"
#include "launch_issuer.hpp"
#include "launch_placement.hpp"
#include "launch_stream.hpp"
#include "ordered_rings.hpp"

namespace ballast::detail {

/// Whether a dispatcher may issue launches. Any thread.
class dispatch_gate {
 public:
  bool is_open() const {
    return !is_paused() && !closed_.load(std::memory_order_relaxed) && stopped_because() == nullptr;
  }
  bool is_paused() const { return paused_.load(std::memory_order_seq_cst); }
  void pause(bool pauses) { paused_.store(pauses, std::memory_order_seq_cst); }
  /// Keeps the first cause.
  void stop(char const* cause) {
    char const* none = nullptr;
    stopped_because_.compare_exchange_strong(none, cause, std::memory_order_seq_cst);
  }
  /// The cause of a stop, or null.
  char const* stopped_because() const { return stopped_because_.load(std::memory_order_seq_cst); }
  void close() { closed_.store(true, std::memory_order_seq_cst); }

 private:
  std::atomic<bool> paused_ = false, closed_ = false;
  std::atomic<char const*> stopped_because_ = nullptr;
};

/// What a dispatcher's thread shares with the threads that launch; these only read `table`, and call of
/// `lines`, `trial` and `issuer` what is for them.
struct dispatch_parts {
  /// `wake_event`: of the dispatcher's thread. Throws as the device for its streams and memory.
  dispatch_parts(std::shared_ptr<compute_device> on, kernel_set const* set, launch_options const& options,
                 dispatcher* owner, event_count& wake_event);

  dispatch_mode mode() const { return trial.now(); }
  bool merges() const { return has_merge_policy && mode() != dispatch_mode::direct; }
  /// True if rings are used for all launches that they accept.
  bool uses_rings() const { return rings != nullptr && mode() == dispatch_mode::resident; }
  /// Gives back the launch stream's ring, for which others may be waiting, unless rings are still used.
  /// Called by the issuing thread before a launch goes another way, when none is in the ring.
  void leave_ring(launch_stream_state& line) {
    if (line.ring != nullptr && !uses_rings()) rings->release(line);
  }

  std::shared_ptr<compute_device> const device;
  mergeable_kernels const kernels;
  std::uint32_t const connections;
  direct_dispatch const order;
  bool const has_merge_policy;
  bool const looks_for_awaited;  ///< whether it looks for launches whose thread waits for each one
  dispatch_streams streams;
  bool const has_queue_for_each;  ///< each stream has a hardware queue of its own
  launch_stream_table lines;
  launch_inbox inbox;
  launch_placement const placement;
  issue_counts counts;
  kernel_table table;
  launch_issuer issuer;
  std::unique_ptr<ordered_rings> const rings;  ///< null if the order does not use rings
  mode_trial trial;
  dispatch_gate gate;
};

/// What both way_of_new() and way_of_oldest() ask about a launch.
struct asked_launch {
  dispatch_parts const& parts;
  launch_stream_state& line;
  submission const& work;

  dispatch_mode mode() const { return parts.mode(); }
  bool fits_ring() const { return parts.rings != nullptr && parts.rings->takes(line, work); }
  bool is_in_ring() const { return line.is_in_flight() && line.is_in_ring(); }
  bool may_enter_ring() const {
    return work.dependencies_met() && (!line.is_in_flight() || line.is_in_ring());
  }
};

/// Issues launches of launch streams on their own threads, where way_of_new() allows it.
class direct_issuer {
 public:
  /// Both outlive this object.
  direct_issuer(dispatch_parts& parts, device_thread& thread) : parts_(parts), thread_(thread) {}

  /// Issues the launch stream's next launch at once. Returns true also if that failed, and then sets the
  /// launch stream's error; false if the launch must wait for the dispatcher's thread. For the thread of the
  /// launch stream.
  bool issue(launch_stream_state& line, submission& work);

  // The dispatcher's thread.
  /// Records the launch streams, by number, whose launches were issued together.
  void note_issued(std::span<std::uint32_t const> together) {
    note_lone(together.size() == 1 ? together.front() : no_line);
  }
  /// Records whether launches wait in the plan.
  void note_waiting(bool anyone) { anyone_waits_.store(anyone, std::memory_order_relaxed); }

 private:
  struct new_launch;
  static constexpr std::uint32_t no_line = ~std::uint32_t{0};

  void note_lone(std::uint32_t number) { lone_line_.store(number, std::memory_order_relaxed); }
  bool note_put(launch_stream_state const& line);
  bool issue_on_stream(launch_stream_state& line, submission& work, std::uint32_t place,
                       completion_events const& events);
  bool is_alone(launch_stream_state const& line, submission const& work) const;
  std::uint32_t stream_for(launch_stream_state const& line) const;
  bool is_sound();

  dispatch_parts& parts_;
  device_thread& thread_;
  std::atomic<bool> anyone_waits_ = false;
  std::atomic<std::uint32_t> lone_line_ = no_line;  // the launch stream whose launch was issued last, unless
                                                    // it was merged
};

}  // namespace ballast::detail
