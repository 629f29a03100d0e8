// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/device.hpp"
#include "ballast/trace.hpp"
#include "kernel_table.hpp"
#include "launch_stream.hpp"

namespace ballast::detail {

/// A launch's content, for its label.
struct launch_content {
  std::string_view kernel = {};  ///< the name of its first ballast kernel; empty if it has none
  std::uint32_t kernels = 0;     ///< launches of launch streams
  bool has_others = false;       ///< than that kernel

  void add_kernel(std::string_view name);
  std::string label() const;
};

/// A launch that has ended. Its time on the device is 0 if it did not report one.
struct ended_launch {
  launch_content what;
  std::int64_t issued_ns = 0, device_ns = 0;
};

/// Converts the launches of one stream, oldest first, that were seen to have ended at `seen_ns`, to spans
/// that do not overlap. Each ends where the next begins, or at `seen_ns`. It is as long as its launch
/// reported, or reaches back to its issue, but not before `free_from_ns`, when the stream was free. Pure.
std::vector<span> spans_of_stream(std::vector<ended_launch> const& ended, std::int64_t free_from_ns,
                                  std::int64_t seen_ns);

/// Passes the launches of one device to a recorder, a row for each stream. Only the polling thread uses it.
class launch_trace {
 public:
  launch_trace(trace_target to, std::size_t streams) : to_(to), free_from_ns_(streams) {}

  /// True if there is a recorder; any thread.
  explicit operator bool() const { return bool(to_); }
  /// Records launches that were just seen to have ended.
  void record(std::uint32_t stream, std::vector<ended_launch> const& ended) noexcept;

 private:
  trace_target const to_;
  std::vector<std::int64_t> free_from_ns_;  // by stream
};

/// An issued launch that is not known to have ended.
struct launch_in_flight {
  struct member {
    launch_stream_state* line;
    std::uint32_t launches;  ///< launches of this launch stream, in order
    bool has_ended = false;  ///< and was noted
  };
  std::vector<member> members;             ///< the launch streams whose launches it carries out
  std::vector<kernel_facts> facts;         ///< of these launches, if they were kernels of a set
  predicted_times predicted{};             ///< of a merged launch, if times are known
  mergeable_kernel const* lone = nullptr;  ///< the set's kernel, if the launch consists of this kernel alone
  bool reports_end = false;                ///< it writes a completion_record
  bool reports_each = false;               ///< and the ends of its kernels
  bool is_timed = false;                   ///< its completion_record contains the duration of its work
  bool needs_end_only_if_watched = false;  ///< its end is not urgent unless its launch stream is watched
  std::unique_ptr<event> end_event;        ///< otherwise the event after it; null until there is one
  bool is_measured = false;                ///< alone in its stream, with an event after it, from issued_at on
  clock::time_point issued_at;             ///< set if the launch is measured or traced
  /// The number of this launch, if nothing else was in flight when it was issued; else 0.
  std::uint64_t alone_as = 0;
  launch_content content;  ///< set, like issued_at, if the launch is traced

  /// Makes this the description of no launch; its vectors keep their memory.
  void clear();
};

/// A stream of the device with its launches in flight, oldest first.
class dispatch_stream {
 public:
  static constexpr std::uint32_t max_in_flight = 64;

  /// `running`, `records` and `ends` (max_in_flight of them) are the stream's own and cleared; the first is
  /// on the device, the others are pinned. `in_flight` is its own too, zero, and lies next to those of other
  /// streams, which are read together.
  dispatch_stream(std::unique_ptr<stream> on, running_launch* running, completion_record* records,
                  kernel_completions* ends, std::atomic<std::uint32_t>& in_flight)
      : on_(std::move(on)),
        running_(running),
        records_(records),
        kernel_completions_(ends),
        in_flight_(in_flight) {}

  // Any thread.
  std::uint32_t in_flight() const { return in_flight_.load(std::memory_order_acquire); }
  bool is_full() const { return in_flight() == max_in_flight; }
  std::mutex& mutex() { return mutex_; }

  // For the holder of mutex().
  stream& on() { return *on_; }
  /// The description of the launch that is issued next, which mark_issued() adds to those in flight. The
  /// stream must not be full.
  launch_in_flight& next() { return at(issued_ + 1); }
  /// How the launch of next() reports its end, without the receiver to notify.
  completion_signal completion_of_next() const {
    auto const number = issued_ + 1;
    auto const place = number % max_in_flight;
    return {.running = running_,
            .record = &records_[place],
            .ends = &kernel_completions_[place],
            .number = number};
  }
  void mark_issued();
  /// Gives the launch issued last, and with it all before, an event or record of its end, if it has none. For
  /// the polling thread.
  void record_event();

  // The following members are for the polling thread.
  /// The oldest launch in flight if it is seen to have ended, else null. mark_ended() then removes it. Throws
  /// device_lost.
  launch_in_flight* ended();
  /// Lists all launches that are seen to have ended, oldest first, before the first of them is removed.
  /// Throws device_lost.
  void list_ended(std::vector<ended_launch>& into);
  /// The duration of the launch that ended() returned: on the device if it was reported, as the host saw it
  /// if it was measured, else 0.
  std::int64_t span_ns_of_ended() const;
  void mark_ended();
  /// The oldest launch in flight if it reports the ends of its kernels, else null.
  launch_in_flight* oldest_reporting_each();
  /// True if the kernel at this place of the launch that oldest_reporting_each() returned has ended.
  bool has_kernel_ended(std::uint32_t place) const { return end_of_kernel(place).is_of(ended_ + 1); }
  /// The time from the start of the launch that ended() returned, which reports each kernel, to the end of
  /// its kernel at this place.
  std::int64_t span_ns_of_kernel(std::uint32_t place) const;
  /// The newest launch in flight, null if there is none.
  launch_in_flight const* newest() const;
  /// True if the next completion needs no new event.
  bool is_known_by_event();

 private:
  static constexpr std::uint64_t none = 0;

  launch_in_flight& at(std::uint64_t number) { return launches_[number % max_in_flight]; }
  launch_in_flight const& at(std::uint64_t number) const { return launches_[number % max_in_flight]; }
  bool has_ended(std::uint64_t number);
  kernel_end end_of_kernel(std::uint32_t place) const;
  std::uint64_t find_next_tracked();

  std::unique_ptr<stream> on_;
  running_launch* running_;
  completion_record* records_;
  kernel_completions* kernel_completions_;
  std::array<launch_in_flight, max_in_flight> launches_;

  alignas(64) std::mutex mutex_;
  std::uint64_t issued_ = 0;
  std::atomic<std::uint32_t>& in_flight_;
  // Numbers of launches; only the polling thread uses them.
  alignas(64) std::uint64_t ended_ = 0;
  std::uint64_t known_ended_ = 0;      // at least ended_
  std::uint64_t searched_ = 0;         // searched up to here for an event or record
  std::uint64_t next_tracked_ = none;  // the oldest one found that is not known to have ended
};

/// The streams of a dispatcher, with the memory in which launches report their ends.
class dispatch_streams {
 public:
  dispatch_streams(std::shared_ptr<compute_device> const& device, std::uint32_t count);

  // Any thread.
  std::uint32_t size() const { return std::uint32_t(in_flight_.size()); }
  dispatch_stream& operator[](std::uint32_t place) { return streams_[place]; }
  /// The number of launches that the stream had in flight a moment ago.
  std::uint32_t in_flight(std::uint32_t place) const {
    return in_flight_[place].load(std::memory_order_relaxed);
  }
  bool is_anything_in_flight() const;
  /// True if the device has finished everything that was issued here.
  bool is_at_rest();

 private:
  device_buffer<running_launch> running_;
  pinned_buffer<completion_record> records_;
  pinned_buffer<kernel_completions> kernel_completions_;
  std::vector<std::atomic<std::uint32_t>> in_flight_;
  std::deque<dispatch_stream> streams_;
};

/// The number of launches in flight on each stream, for one decision. Only the issuing thread uses it.
class stream_loads {
 public:
  explicit stream_loads(dispatch_streams& streams) : streams_(streams), in_flight_(streams.size()) {}

  /// Looks at all streams.
  std::span<std::uint32_t const> look();
  /// Looks at the stream of this place again: true if it was empty and is no longer, because a launch stream
  /// issued a launch itself. For the stream's holder. Two chains on one stream would take as long as both. A
  /// stream chosen because the launch's predecessor is in flight there was not empty, so the launch stays
  /// after it.
  bool became_busy(std::uint32_t place);
  std::uint32_t emptiest() const;

 private:
  dispatch_streams& streams_;
  std::vector<std::uint32_t> in_flight_;
};

}  // namespace ballast::detail
