// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "ballast/detail/base/event_count.hpp"
#include "ballast/detail/launch/ordered_rings.cuh"
#include "ballast/detail/resident/resident_kernel.hpp"
#include "ballast/device.hpp"
#include "ballast/kernel_set.hpp"
#include "ballast/launch_queue.hpp"
#include "launch_stream.hpp"
#include "launch_trace.hpp"

namespace ballast::detail {

/// The host's side of a ring: one launch stream has it at a time.
struct alignas(64) ordered_ring {
  std::uint32_t number = 0;
  launch_stream_state* line = nullptr;
  // Of whoever issues for the line.
  std::uint64_t position = 0;       ///< of the next launch
  std::uint64_t executed_seen = 0;  ///< the device writes what it executed: to look is a cache miss
  std::atomic<std::uint64_t> published = 0;
  std::atomic<std::uint64_t> by_producers = 0;  ///< of these, by threads of launch streams
  std::vector<ended_launch> content{};          ///< by slot, if the queue is traced
  /// Of the dispatcher's thread: the ends that were noted.
  alignas(64) std::uint64_t noted = 0;

  bool is_in_flight() const { return published.load(std::memory_order_seq_cst) != noted; }
};

/// Launches of a device that go through rings in pinned memory to blocks which stay on the device, for one
/// quantum at a time (docs/decisions/0033). A launch stream's launches are all in its ring or all elsewhere:
/// who issues sees to that.
class ordered_rings {
 public:
  /// Null if no kernel of the set goes through rings, or the device has no room for a block that runs them.
  /// Throws as resident_kernel.
  static std::unique_ptr<ordered_rings> make(std::shared_ptr<compute_device> const& device,
                                             kernel_set const* kernels, event_count& wake_event,
                                             bool is_traced);
  ordered_rings(std::shared_ptr<compute_device> const& device, kernel_set const& kernels,
                event_count& wake_event, bool is_traced);

  // Whoever issues for the line.
  /// Whether the launch is one for the line's ring, which it is given if it has none and one is free.
  bool takes(launch_stream_state& line, submission const& work);
  /// Hands the launch over and marks it as issued; false if the ring is full. `takes` said yes, and nothing
  /// of the line is in flight elsewhere.
  bool put(launch_stream_state& line, submission const& work);
  /// That the thread of the line has put the last one.
  void count_direct(launch_stream_state const& line);

  // The dispatcher's thread.
  /// Lets go of the ring of a line that has nothing in flight.
  void release(launch_stream_state& line);
  /// Calls ended(ring, launches) for each ring of which launches were executed; returns whether there was
  /// one.
  template <class Ended>
  bool poll(Ended ended);
  /// Starts the kernel if launches wait and it does not run; returns whether it did. Throws device_lost, and
  /// what CUDA says of the launch.
  bool keep_running();
  bool is_anything_in_flight() const;
  /// Whether launches wait because others have the room.
  bool lacks_room() const { return lacks_room_; }

  // Any thread.
  /// Whether the kernel runs, or has ended and its room was not given back.
  bool is_running() const { return kernel_.claimed(); }
  /// Behind put(): starts the kernel if it does not run and nobody else is about to. What fails is left to
  /// the dispatcher's thread, which is to be woken: to start a kernel takes less time than that.
  void start_if_idle() noexcept;
  void add_to(launch_statistics& sum) const;
  // After the dispatcher's thread.
  bool is_at_rest() noexcept { return stream_->is_at_rest(); }

 private:
  std::uint32_t used() const { return used_.load(std::memory_order_acquire); }
  std::uint64_t executed(ordered_ring const& ring) const;
  ordered_ring* claim(launch_stream_state& line);
  void clear_memory();
  bool start();
  ordered_rings_ref next_run() const;

  event_count& wake_event_;
  std::unique_ptr<stream> stream_;
  pinned_buffer<launch_slot> slots_;
  pinned_buffer<ring_end> ends_;
  pinned_buffer<std::uint32_t> over_;
  device_buffer<std::uint64_t> positions_;
  device_buffer<ring_workers> workers_;
  resident_kernel kernel_;  // ends before the memory goes

  std::vector<ordered_ring> rings_;
  std::atomic<std::uint32_t> used_ = 0;  // those below were given to lines
  std::mutex free_mutex_;
  std::vector<ordered_ring*> free_;  // given back
  std::mutex kernel_mutex_;          // who starts the kernel or sees its end
  std::uint32_t run_ = 0;
  std::exception_ptr failure_;  // of a start
  std::atomic<std::uint64_t> starts_ = 0;
  std::atomic<bool> lacks_room_ = false;
};

/// What those who launch write is looked at only where something has ended: they would lose its line of the
/// cache at each look.
template <class Ended>
bool ordered_rings::poll(Ended ended) {
  bool found = false;
  auto const rings = used();
  for (std::uint32_t i = 0; i < rings; ++i) {
    auto& ring = rings_[i];
    auto const told = executed(ring);
    if (told == ring.noted) continue;
    auto const published = ring.published.load(std::memory_order_seq_cst);
    auto const until = std::min(told, published);  // a launch may end before it is published
    if (until == ring.noted) continue;
    ended(ring, std::uint32_t(until - ring.noted));
    ring.noted = until;
    found = true;
  }
  return found;
}

}  // namespace ballast::detail
