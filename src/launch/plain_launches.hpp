// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ballast/detail/launch/submission.hpp"
#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// A plain launch without its arguments, or the type of a callable.
struct plain_shape {
  gpu_function function = {};
  launch_shape shape;
  void const* callable = nullptr;

  bool operator==(plain_shape const&) const = default;
};

/// The shape of a submission that enqueues itself.
plain_shape shape_of(submission& work);

/// `hash` with one more word mixed in.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}
/// `hash` with all that a shape consists of mixed in.
std::uint64_t mixed(std::uint64_t hash, plain_shape const& what);

/// How long launches run that do not report it, learned from few, since an event after a launch holds up what
/// shares a hardware queue with it: the first of a shape, the 4th, the 16th and so on, at last one in 4096,
/// and never two at a time. Pure: no clock, no device. One thread at a time.
class plain_times {
 public:
  /// How long a launch of that shape runs, in ns; 0 if that is unknown.
  std::int64_t of(plain_shape const& what) const;

  /// A launch is issued: whether it should be measured. If it is, begin() follows.
  bool is_due(plain_shape const& what);
  /// The launch is measured; record() must follow.
  void begin(plain_shape const& what);
  /// Records how long the measured launch took, as the host saw it. Short times count immediately, long ones
  /// little by little: a launch may have waited, and its end may have been seen late. 0 ns: it was not
  /// measured after all.
  void record(std::int64_t span_ns);

 private:
  static constexpr std::size_t max_shapes = 1024;  ///< launches of further shapes are not measured
  static constexpr std::uint64_t max_between_measurements = 4096;

  struct hash_of {
    std::size_t operator()(plain_shape const& what) const { return mixed(0, what); }
  };
  struct known {
    std::int64_t ns = 0;
    std::uint64_t launches = 0, next_measured = 1;
  };

  std::unordered_map<plain_shape, known, hash_of> shapes_;
  known* measured_ = nullptr;  // while it runs; a map's elements stay where they are
};

/// The parts of a batch that a graph cannot change: how many launches each branch has, and what they are but
/// for the arguments.
struct batch_shape {
  std::uint64_t hash = 0;
  std::vector<std::uint32_t> lengths;  ///< of the branches
  std::vector<plain_shape> launches;   ///< branch after branch
};

struct batched_launch {
  plain_shape what;
  std::span<std::uint32_t const> argument_bytes;
  std::size_t first_address = 0;  ///< index of its first argument among those of all
};

/// Launches of one launch stream, in their order.
struct batch_branch {
  std::uint64_t hash = 0;  ///< of what they are
  std::uint32_t launch_stream = 0;
  std::size_t first = 0;
  std::uint32_t length = 0;
};

/// Plain launches that wait, in branches of one launch stream each, sorted so that the same launches give the
/// same shape whichever launch streams they are of, and launch streams keep their branches from one batch to
/// the next. Refers to the arguments of the submissions. One thread at a time.
class plain_batch {
 public:
  void clear();
  void begin_branch(std::uint32_t launch_stream);
  /// The next launch of the branch that was begun last; `addresses` of its arguments, which are copied.
  void add(described_launch const& added, void* const* addresses);
  /// Sorts the branches: once, after the last add().
  void sort();

  std::size_t launches() const { return launches_.size(); }
  std::span<batch_branch const> branches() const { return branches_; }
  std::span<batched_launch const> of(batch_branch const& one) const {
    return {&launches_[one.first], one.length};
  }
  void* const* arguments_of(batched_launch const& one) const { return &addresses_[one.first_address]; }

  // After sort().
  std::uint64_t hash() const { return hash_; }
  bool has(batch_shape const& shape) const;
  batch_shape shape() const;
  /// The branches of a graph of the batch; their arguments are the batch's.
  std::vector<graph_branch> graph_branches() const;

 private:
  std::vector<batched_launch> launches_;
  std::vector<batch_branch> branches_;
  std::vector<void*> addresses_;
  std::uint64_t hash_ = 0;
};

}  // namespace ballast::detail
