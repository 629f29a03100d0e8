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
#include "dispatch_stream.hpp"
#include "kernel_table.hpp"
#include "launch_stream.hpp"

namespace ballast::detail {

/// The small kernels whose launches go into rings: all of them, or only those known to be short.
enum class ring_use : std::uint8_t { all, short_ones };

/// The kernel whose launch was put into a slot, and the time.
struct put_launch {
  mergeable_kernel const* kernel = nullptr;
  std::uint64_t at_ns = 0;
};

/// The host's side of a ring, which one launch stream has at a time.
struct alignas(64) ordered_ring {
  std::uint32_t number = 0;
  launch_stream_state* line = nullptr;
  // Used by the issuing thread.
  std::uint64_t position = 0;    ///< of the next launch
  std::uint64_t noted_seen = 0;  ///< a copy of `noted`, which the dispatcher's thread writes: reading that is
                                 ///< a cache miss
  std::atomic<std::uint64_t> published = 0;
  std::atomic<std::uint64_t> by_producers = 0;  ///< of these, put by threads of launch streams
  std::vector<ended_launch> content{};          ///< by slot, if the queue is traced
  std::vector<put_launch> put{};                ///< by slot, if rings are for short kernels
  /// A thread waits for the only launch in flight, so it goes here in every dispatch mode.
  std::atomic<bool> is_awaited = false;
  // Used by the dispatcher's thread.
  alignas(64) std::atomic<std::uint64_t> noted = 0;  ///< the ends that were recorded
  std::uint64_t noted_ns = 0;                        ///< when the last was

  std::uint64_t in_flight() const {
    return published.load(std::memory_order_seq_cst) - noted.load(std::memory_order_relaxed);
  }
  /// The launches, among these in rings, that are part of a trial.
  std::uint64_t tried() const { return is_awaited.load(std::memory_order_relaxed) ? 0 : in_flight(); }
};

/// Launches of a device that go through rings in pinned memory to blocks which stay on the device for one
/// quantum at a time (docs/decisions/0033). A launch stream's launches are all in its ring or all elsewhere,
/// which the issuing thread ensures.
class ordered_rings {
 public:
  /// Null if no kernel of the set goes through rings, or if no block that runs them fits on the device.
  /// Throws as resident_kernel.
  static std::unique_ptr<ordered_rings> make(std::shared_ptr<compute_device> const& device,
                                             mergeable_kernels const& kernels, ring_use use,
                                             event_count& wake_event, bool is_traced);
  ordered_rings(std::shared_ptr<compute_device> const& device, mergeable_kernels const& kernels, ring_use use,
                event_count& wake_event, bool is_traced);

  /// Called by the issuing thread of the launch stream. True if the launch belongs in the stream's ring;
  /// assigns a free ring if the stream has none.
  bool takes(launch_stream_state& line, submission const& work);
  /// Puts the launch into the ring and marks it as issued; false if the ring is full. Requires that takes()
  /// returned true, and that the launch stream has nothing in flight elsewhere.
  bool put(launch_stream_state& line, submission const& work, bool is_awaited);
  /// Counts that the launch stream's own thread put the last launch.
  void count_direct(launch_stream_state const& line);

  /// Frees the launch stream's ring, in which none of its launches is in flight.
  void release(launch_stream_state& line) noexcept;

  // The dispatcher's thread.
  /// Calls ended(ring, launches) for each ring with newly executed launches; returns whether there was one.
  bool poll(auto ended);
  /// Starts the kernel if launches wait and it does not run; returns whether it did. Throws device_lost, and
  /// CUDA's error for the launch.
  bool keep_running();
  bool is_anything_in_flight() const;
  /// The launches in flight of threads that do not wait for each launch.
  std::uint64_t tried() const;
  bool is_anything_tried() const;
  /// Records the time of a launch of the kernel, `index` in its family, that went another way, and alone.
  void note_span(std::uint32_t family, std::uint32_t index, std::int64_t span_ns) {
    spans_ns_[place_of(family, index)].store(span_ns, std::memory_order_relaxed);
  }
  /// Records the time of a block of the kernel in its merged launches, 0 if unknown.
  void note_block(std::uint32_t family, std::uint32_t index, std::int64_t block_ns);

  /// Any thread. True if the kernel runs, or its end was not seen yet.
  bool is_running() const { return kernel_.claimed() || is_passing_; }
  /// Called after put(): starts the kernel if it does not run and no other thread is about to start it.
  /// Failures are left to the dispatcher's thread, which must be woken: a start takes less time than a
  /// wake-up.
  void start_if_idle() noexcept;
  void add_to(launch_statistics& sum) const;
  // Call it after the dispatcher's thread has ended.
  bool is_at_rest() noexcept { return stream_->is_at_rest(); }

 private:
  std::uint32_t used() const { return used_.load(std::memory_order_acquire); }
  std::uint64_t executed(ordered_ring const& ring) const;
  static std::size_t place_of(std::uint32_t family, std::uint32_t index) {
    return family * std::size_t{max_family_kernels} + index;
  }
  std::int64_t span_ns(std::uint32_t family, std::uint32_t index) const {
    return spans_ns_[place_of(family, index)].load(std::memory_order_relaxed);
  }
  bool is_short(submission const& work) const;
  bool lacks_room() const;
  void note_spans(ordered_ring& ring, std::uint64_t until);
  ordered_ring* claim(launch_stream_state& line);
  void clear_memory();
  void start();
  void start_passing();
  ordered_rings_ref next_run();

  ring_use const use_;
  kernel_code const code_;
  event_count& wake_event_;
  std::unique_ptr<stream> stream_;
  pinned_buffer<launch_slot> slots_;
  pinned_buffer<ring_end> ends_;
  pinned_buffer<std::uint32_t> over_;
  device_buffer<std::uint64_t> positions_;
  device_buffer<ring_workers> workers_;
  resident_kernel kernel_;  // ends before its memory is freed

  std::vector<ordered_ring> rings_;
  std::uint32_t const max_used_;
  std::atomic<std::uint32_t> used_ = 0;  // rings below this were assigned at some time
  std::mutex free_mutex_;
  std::vector<ordered_ring*> free_;       // given back
  std::atomic<std::uint32_t> available_;  // rings that no launch stream has
  std::mutex kernel_mutex_;               // held to start the kernel or to see its end
  std::uint32_t run_ = 0;
  std::exception_ptr failure_;  // of a start
  std::atomic<std::uint64_t> starts_ = 0;
  std::atomic<bool> is_passing_ = false;  // one block runs the rings' launches, beside resident kernels
  std::atomic<std::uint64_t> refused_at_ns_ = 0;     // when a claim was last refused
  std::vector<std::atomic<std::int64_t>> spans_ns_;  // recent time of a kernel's launch, 0 if unknown
};

/// Reads the words that launching threads write only if something has ended: each read takes the cache line
/// from them.
bool ordered_rings::poll(auto ended) {
  bool found = false;
  auto const rings = used();
  for (std::uint32_t i = 0; i < rings; ++i) {
    auto& ring = rings_[i];
    auto const told = executed(ring);
    auto const noted = ring.noted.load(std::memory_order_relaxed);
    if (told == noted) continue;
    auto const published = ring.published.load(std::memory_order_seq_cst);
    auto const until = std::min(told, published);  // a launch may end before it is published
    if (until == noted) continue;
    if (use_ == ring_use::short_ones) note_spans(ring, until);
    ended(ring, std::uint32_t(until - noted));
    ring.noted.store(until, std::memory_order_release);  // descriptions of these launches may be overwritten
    found = true;
  }
  return found;
}

}  // namespace ballast::detail
