// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "ballast/stream.hpp"
#include "operations.hpp"

namespace ballast::detail {

/// The streams of an executor, in the order in which a task uses them.
enum class device_stream : std::uint32_t { copy_in, compute_0, compute_1, copy_out };
inline constexpr std::uint32_t streams_per_device = 4;

/// How far an executor has come with an operation; other executors that wait for it look here.
class operation_progress {
 public:
  enum class step : std::uint8_t { planned, issued, over };

  /// `decided_at_end`: whether it fails may be known only when it is over, and others wait to be told.
  operation_progress(op_id op, op_stream on, bool on_cuda, bool decided_at_end = false)
      : op_(op), on_(on), on_cuda_(on_cuda), decided_at_end_(decided_at_end) {}

  op_id op() const { return op_; }
  op_stream on() const { return on_; }
  bool is_issued() const { return step_.load(std::memory_order_seq_cst) != step::planned; }
  bool is_over() const { return step_.load(std::memory_order_seq_cst) == step::over; }
  /// Whether what comes after it may be issued on that backend now. Streams of one backend wait for each
  /// other's end events.
  bool may_be_followed(bool on_cuda) const {
    return is_over() || (is_issued() && on_cuda == on_cuda_ && !decided_at_end_);
  }
  /// Whether it has failed as far as its executor knows by now.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  /// When its executor saw it over, by the host's clock; 0 before.
  std::int64_t over_ns() const { return over_ns_.load(std::memory_order_relaxed); }
  /// Of one that was issued: behind it in its stream; null if its device was lost.
  event const* end_event() const { return end_event_.get(); }

  // The executor that carries it out.
  void mark_failed() { failed_.store(true, std::memory_order_release); }
  void mark_issued(std::shared_ptr<event> end_event) {
    end_event_ = std::move(end_event);
    advance_to(step::issued);
  }
  void mark_ended(std::int64_t seen_ns) {
    over_ns_.store(seen_ns, std::memory_order_relaxed);
    advance_to(step::over);
  }

  /// That executor (below 32) is woken at each step from now on: look at the steps again after this.
  void watch(std::uint32_t executor) { watchers_.fetch_or(1u << executor, std::memory_order_seq_cst); }
  /// The executors to be woken after a step.
  std::uint32_t watchers() const { return watchers_.load(std::memory_order_seq_cst); }

 private:
  // Sequential consistency decides the race with watch(): one of the two sees the other.
  void advance_to(step next) { step_.store(next, std::memory_order_seq_cst); }

  op_id const op_;
  op_stream const on_;
  bool const on_cuda_, decided_at_end_;
  std::shared_ptr<event> end_event_;
  std::atomic<step> step_ = step::planned;
  std::atomic<bool> failed_ = false;
  std::atomic<std::int64_t> over_ns_ = 0;
  std::atomic<std::uint32_t> watchers_ = 0;
};

using progress_list = std::vector<std::shared_ptr<operation_progress>>;

/// An operation as an executor is given it.
struct device_operation {
  std::shared_ptr<operation_progress> progress;
  bool is_kernel = false;           ///< its times are wanted
  progress_list dependencies;       ///< begins when these are over
  progress_list data_dependencies;  ///< fails without being tried if one of these has failed by then
  std::function<void(stream&)> enqueue;
  std::function<void()>
      conclude;  ///< if there is one: called when it has ended well, and fails it if it throws
};

/// What an executor reports of an operation, in the order of its stream.
struct ended_operation {
  op_id op;
  std::exception_ptr failure = nullptr;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< of a kernel that ended well, by the host's clock
};

}  // namespace ballast::detail
