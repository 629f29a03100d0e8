// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "dispatch_stream.hpp"
#include "kernel_table.hpp"
#include "launch_plan.hpp"
#include "launch_stream.hpp"

namespace ballast::detail {

/// Counts of the work issued on a device. Any thread.
class issue_counts {
 public:
  /// Counts an issued launch that carries out this many kernels.
  void count(std::size_t kernels);
  void count_direct() { direct_.fetch_add(1, std::memory_order_relaxed); }
  void count_chained(std::size_t kernels) { chained_kernels_.fetch_add(kernels, std::memory_order_relaxed); }
  std::uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }
  void add_to(launch_statistics& sum) const;

  std::uint64_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }
  /// Returns how many kernels were in flight before.
  std::uint64_t add_in_flight(std::size_t kernels) {
    return in_flight_.fetch_add(kernels, std::memory_order_relaxed);
  }
  void remove_in_flight(std::size_t kernels) { in_flight_.fetch_sub(kernels, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> launches_ = 0, kernels_ = 0, merged_launches_ = 0, merged_kernels_ = 0;
  std::atomic<std::uint64_t> direct_ = 0, chained_kernels_ = 0;
  std::atomic<std::uint64_t> in_flight_ = 0;  // kernels
};

/// Events after the work that must end before a launch, for its stream to wait for.
using completion_events = std::vector<std::unique_ptr<event>>;

/// Puts launches on streams, singly or merged, and describes each for its end. It does not decide
/// where or when. The caller holds the stream, which is not full, marks launch streams and stream as issued
/// afterwards, and is the dispatcher's thread unless stated otherwise.
class launch_issuer {
 public:
  /// CPU cores notify `wake_event` of ends. All arguments live as long as this object.
  launch_issuer(compute_device& device, dispatch_streams& streams, kernel_table& table, issue_counts& counts,
                event_count& wake_event, bool is_traced);

  /// Records events after predecessors of `work` that are in flight on other streams than `own`. Any thread
  /// that does not hold a stream. Throws device_lost.
  void record_events_before(submission const& work, dispatch_stream const& own, completion_events& events);

  /// Issues the oldest launches of these launch streams (those of `planned`, in the same order), and the
  /// launches chained to them. Returns an error, if there was one. Throws device_lost.
  std::exception_ptr issue(dispatch_stream& target, planned_launch const& planned,
                           std::span<launch_stream_state* const> lines, completion_events const& events);
  /// For each launch stream of the last issue(), the number of launches that were issued together.
  std::span<std::uint32_t const> issued_of_each() const { return chained_; }
  /// Issues a launch that `line` has not recorded yet, on the launch stream's thread.
  void issue_directly(dispatch_stream& target, launch_stream_state& line, submission& work,
                      completion_events const& events);

 private:
  using line_span = std::span<launch_stream_state* const>;

  void enqueue(dispatch_stream& target, line_span lines, completion_events const& events);
  void enqueue_alone(dispatch_stream& target, submission& work);
  void enqueue_callable(dispatch_stream& target, submission& work);
  void enqueue_merged(dispatch_stream& target, line_span lines);
  std::uint32_t add_member(submission const& work, std::uint32_t piece);
  void chain_followers(planned_launch const& planned, line_span lines);
  std::uint32_t followers_of(submission_queue& chain, std::uint32_t most, std::uint32_t pieces) const;
  completion_signal completion_of_next(dispatch_stream const& target) const;
  void describe(launch_in_flight& next, planned_launch const& planned, line_span lines) const;
  void describe_content(launch_in_flight& next, submission const& work) const;
  void measure_if_due(dispatch_stream& target, submission& work);

  compute_device& device_;
  dispatch_streams& streams_;
  kernel_table& table_;
  issue_counts& counts_;
  event_count& wake_event_;
  bool const is_traced_;
  merged_launch merged_;
  std::vector<std::uint32_t> chained_;  // for each launch stream, the number of launches
  std::uint64_t merged_since_start_ = 0;
};

}  // namespace ballast::detail
