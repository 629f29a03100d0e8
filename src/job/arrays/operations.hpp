// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ballast/detail/base/strong.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// Jobs are numbered from 1 in the order of their submission.
using job_number = strong_id<struct job_number_tag, std::uint64_t>;
/// The place of an array's copy: 0 is the host, 1 + d device d of the list.
using place_id = strong_id<struct place_tag, std::uint32_t>;
inline constexpr place_id host_place{0};
/// Operations are numbered from 1 in the order of planning; 0 is none.
using op_id = strong_id<struct op_tag, std::uint64_t>;
/// The arrays of a scheduler are numbered from 1 in the order of their construction.
using array_id = strong_id<struct array_tag, std::uint64_t>;

/// A few operations: usually so few that they need no heap memory.
struct op_set : boost::container::small_vector<op_id, 4> {
  using small_vector::small_vector;
  /// For Boost 1.74, whose iterators the standard library does not accept as contiguous. Vectors of later
  /// versions convert to a span anyway, and g++ warns of two ways.
  template <std::same_as<std::span<op_id const>> Span>
  requires(!std::contiguous_iterator<const_iterator>) operator Span() const { return {data(), size()}; }
};

enum class op_kind : std::uint8_t { copy, kernel, fill, host_access, exchange };
enum class op_status : std::uint8_t { waiting, issued, ended, failed };

/// The stream of an operation. Operations of one stream end in the order of their ids.
struct op_stream {
  std::uint32_t executor = 0, stream = 0;

  constexpr auto operator<=>(op_stream const&) const = default;
};

/// The streams of an executor, in the order in which a task uses them.
enum class device_stream : std::uint32_t { copy_in, compute_0, compute_1, copy_out };
inline constexpr std::uint32_t streams_per_device = 4;

/// Work that moves or changes bytes of arrays.
struct operation {
  op_kind kind;
  op_stream on;
  op_status status = op_status::waiting;
  bool has_failed_input = false;  ///< an operation that provides its data has failed, so it will fail too
  op_set dependencies = {};       ///< operations that must end before it begins: the newest of each stream,
                                  ///< ascending
  op_set data_dependencies = {};  ///< unfinished operations whose bytes it reads, in any order
};

/// The operations that were planned and not forgotten, and their order. An operation depends only on older
/// ones, so no two wait for each other. A plain state machine; one thread at a time.
class operations {
 public:
  op_id add(op_kind kind, op_stream on);

  /// `later` begins when `earlier` has ended, even if it failed. Does nothing if `earlier` has ended, is none
  /// or is `later` itself. Throws bad_argument ("later") if `later` was issued, ("earlier") if `earlier` is
  /// newer.
  void add_dependency(op_id later, op_id earlier);
  /// `later` fails if `from` does or has. Sets no order, since `later` waits for it anyway. Does nothing if
  /// `from` is none or `later` itself.
  void add_data_dependency(op_id later, op_id from);

  /// Marks the operation as issued. Throws bad_argument ("operation") unless it waits, and all its
  /// dependencies have ended or were issued.
  void mark_issued(op_id op);
  /// Marks the operation as failed if `failed`, or if its data were wrong. Throws bad_argument ("operation")
  /// unless it is issued.
  void mark_ended(op_id op, bool failed = false);
  /// The operation planned last; 0 if there was none.
  op_id newest() const { return op_id(forgotten_ + kept_.size()); }
  /// Forgets ended operations older than `op`, up to the first that has not ended.
  void forget_before(op_id op);

  /// True if the operation has ended, also if it has been forgotten since, or if `op` names no operation.
  /// Throws bad_argument ("operation") if it was never planned.
  bool has_ended(op_id op) const;
  /// Throws bad_argument ("operation") if it was forgotten, is none or was never planned.
  operation const& at(op_id op) const { return kept_[index_of(op)]; }
  /// Unless the operation has ended, adds it to a set of the form of operation::dependencies, and removes the
  /// set's ended ones.
  void add_newest(op_set& set, op_id op) const;

 private:
  operation& change(op_id op) { return kept_[index_of(op)]; }
  std::size_t index_of(op_id op) const;
  void pass_on_failure(op_id op);
  op_id oldest() const { return op_id(forgotten_ + 1); }
  op_id next() const { return op_id(forgotten_ + 1 + kept_.size()); }

  std::uint64_t forgotten_ = 0;
  std::deque<operation> kept_;
};

/// The time by the host's clock, which reports and spans use.
inline std::int64_t now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

/// The progress of an operation on its executor. Executors of operations that depend on this one read it.
class operation_progress {
 public:
  enum class step : std::uint8_t { planned, issued, over };

  /// `decided_at_end`: only its end may show whether the operation fails, so operations that depend on it
  /// wait for the report of its end.
  operation_progress(op_id op, op_stream on, backend of, bool decided_at_end = false)
      : op_(op), on_(on), backend_(of), decided_at_end_(decided_at_end) {}

  op_id op() const { return op_; }
  op_stream on() const { return on_; }
  bool is_issued() const { return step_.load(std::memory_order_seq_cst) != step::planned; }
  bool is_over() const { return step_.load(std::memory_order_seq_cst) == step::over; }
  /// True if an operation that depends on this one may be issued now on a device of this backend. Streams of
  /// one backend wait for each other's end events.
  bool may_be_followed(backend by) const {
    return is_over() || (is_issued() && by == backend_ && !decided_at_end_);
  }
  /// True if its executor knows by now that it has failed.
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }
  /// The host time when its executor saw its end; 0 before.
  std::int64_t over_ns() const { return over_ns_.load(std::memory_order_relaxed); }
  /// The event after it in its stream, once the operation was issued; null if its device was lost.
  event const* end_event() const { return end_event_.get(); }

  // The following members are called by the executor that carries it out.
  void mark_failed() { failed_.store(true, std::memory_order_release); }
  void mark_issued(std::shared_ptr<event> end_event) {
    end_event_ = std::move(end_event);
    advance_to(step::issued);
  }
  void mark_ended(std::int64_t seen_ns) {
    over_ns_.store(seen_ns, std::memory_order_relaxed);
    advance_to(step::over);
  }

  /// Makes each further step wake that executor (below 32). Check the steps again after this call.
  void watch(std::uint32_t executor) { watchers_.fetch_or(1u << executor, std::memory_order_seq_cst); }
  /// The executors to be woken after a step.
  std::uint32_t watchers() const { return watchers_.load(std::memory_order_seq_cst); }

 private:
  // Sequential consistency decides the race with watch(): one of the two sees the other.
  void advance_to(step next) { step_.store(next, std::memory_order_seq_cst); }

  op_id const op_;
  op_stream const on_;
  backend const backend_;
  bool const decided_at_end_;
  std::shared_ptr<event> end_event_;
  std::atomic<step> step_ = step::planned;
  std::atomic<bool> failed_ = false;
  std::atomic<std::int64_t> over_ns_ = 0;
  std::atomic<std::uint32_t> watchers_ = 0;
};

using progress_list = std::vector<std::shared_ptr<operation_progress>>;

/// An executor's report of an operation's end, in the order of its stream.
struct ended_operation {
  /// One launch of several tasks.
  struct joined_launch {
    job_part part;  ///< of all tasks
    std::int64_t begin_ns = 0, end_ns = 0;
  };

  op_id op;
  std::exception_ptr failure = nullptr;
  std::int64_t begin_ns = 0, end_ns = 0;  ///< host time; set if it is timed and has succeeded
  /// Set if it was joined to others: its own times are then a share of the launch's times, by units.
  std::optional<joined_launch> joined = {};
};

}  // namespace ballast::detail
