// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ballast/device/doorbell.hpp"
#include "ballast/device/stream.hpp"
#include "ids.hpp"
#include "operations.hpp"

namespace ballast::inline job {

/// The streams of a lane, in the order in which a task uses them.
enum class lane_stream : std::uint32_t { copy_in, compute_0, compute_1, copy_out };
inline constexpr std::uint32_t streams_of_lane = 4;

/// How far a lane has come with an operation; other lanes that wait for it look here.
class lane_progress {
 public:
  enum class step : std::uint8_t { planned, issued, over };

  /// `decided_at_end`: whether it fails may be known only when it is over, and others wait to be told.
  lane_progress(op_id op, op_stream on, bool on_cuda, bool decided_at_end = false)
      : op_(op), on_(on), on_cuda_(on_cuda), decided_at_end_(decided_at_end) {}

  op_id op() const { return op_; }
  op_stream on() const { return on_; }
  bool is_issued() const { return step_.load(std::memory_order_seq_cst) != step::planned; }
  bool is_over() const { return step_.load(std::memory_order_seq_cst) == step::over; }
  /// Whether what comes after it may be issued on that backend now. Streams of one backend wait for each
  /// other's moments.
  bool may_be_followed(bool on_cuda) const {
    return is_over() || (is_issued() && on_cuda == on_cuda_ && !decided_at_end_);
  }
  /// Whether it has failed as far as its lane knows by now.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  /// When its lane saw it over, by the host's clock; 0 before.
  std::int64_t over_ns() const { return over_ns_.load(std::memory_order_relaxed); }
  /// Of one that was issued: behind it in its stream; null if its device was lost.
  event const* moment() const { return moment_.get(); }

  // The lane that carries it out.
  void note_failed() { failed_.store(true, std::memory_order_release); }
  void note_issued(std::shared_ptr<event> moment) {
    moment_ = std::move(moment);
    advance_to(step::issued);
  }
  void note_over(std::int64_t seen_ns) {
    over_ns_.store(seen_ns, std::memory_order_relaxed);
    advance_to(step::over);
  }

  /// That lane (below 32) is woken at each step from now on: look at the steps again after this.
  void watch(std::uint32_t lane) { watchers_.fetch_or(1u << lane, std::memory_order_seq_cst); }
  /// The lanes to be woken after a step.
  std::uint32_t watchers() const { return watchers_.load(std::memory_order_seq_cst); }

 private:
  // Sequential consistency decides the race with watch(): one of the two sees the other.
  void advance_to(step next) { step_.store(next, std::memory_order_seq_cst); }

  op_id const op_;
  op_stream const on_;
  bool const on_cuda_, decided_at_end_;
  std::shared_ptr<event> moment_;
  std::atomic<step> step_ = step::planned;
  std::atomic<bool> failed_ = false;
  std::atomic<std::int64_t> over_ns_ = 0;
  std::atomic<std::uint32_t> watchers_ = 0;
};

using progress_list = std::vector<std::shared_ptr<lane_progress>>;

/// An operation as a lane is given it.
struct lane_work {
  std::shared_ptr<lane_progress> progress;
  bool is_kernel = false;  ///< its times are wanted
  progress_list after;     ///< begins when these are over
  progress_list data_of;   ///< fails without being tried if one of these has failed by then
  std::function<void(stream&)> enqueue;
  std::function<void()>
      conclude;  ///< if there is one: called when it has ended well, and fails it if it throws
};

/// What a lane reports of an operation, in the order of its stream.
struct lane_end {
  op_id op;
  std::exception_ptr failure = nullptr;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< of a kernel that ended well, by the host's clock
};

}  // namespace ballast::inline job
