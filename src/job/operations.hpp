// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/small_vector.hpp>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <span>
#include <vector>

#include "ballast/detail/base/strong.hpp"
#include "ballast/job_scheduler.hpp"

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

/// The newest events of operations. One thread at a time.
class operation_journal {
 public:
  static constexpr std::size_t max_lines = 65536;

  void record_submission(op_id op, operation const& planned, job_number job);
  /// Records the end of an operation. Call it while the operation is still known.
  void record_end(op_id op, operation const& ended);

  std::vector<journal_entry> lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  void keep(journal_entry line);

  std::deque<journal_entry> lines_;
};

}  // namespace ballast::detail
