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

/// Mixes one more word into `hash`.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}
/// Mixes all parts of a shape into `hash`.
std::uint64_t mixed(std::uint64_t hash, plain_shape const& what);

/// The run times of launches that do not report them. It measures few launches, since an event after a launch
/// holds up others in the same hardware queue: the first of a shape, the 4th, the 16th and so on, finally one
/// in 4096, and never two at a time. Pure: no clock, no device. One thread at a time.
class plain_times {
 public:
  /// The run time of a launch of that shape, in ns; 0 if unknown.
  std::int64_t of(plain_shape const& what) const;

  /// True if the launch being issued should be measured. If so, call begin().
  bool is_due(plain_shape const& what);
  /// Begins measuring the launch; record() must follow.
  void begin(plain_shape const& what);
  /// Records the measured launch's time, as the host saw it. Short times count at once, long ones gradually:
  /// the launch may have waited, or its end may have been seen late. 0 ns: it was not measured after all.
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
  known* measured_ = nullptr;  // while it runs; a map's elements never move
};

/// The parts of a batch that a graph cannot change: the number of launches in each branch, and their shapes.
struct batch_shape {
  std::uint64_t hash = 0;
  std::vector<std::uint32_t> lengths;  ///< of the branches
  std::vector<plain_shape> launches;   ///< branch after branch
};

struct batched_launch {
  plain_shape what;
  std::span<std::uint32_t const> argument_bytes;
  std::size_t first_address = 0;  ///< index of its first argument among all arguments
};

/// Launches of one launch stream, in their order.
struct batch_branch {
  std::uint64_t hash = 0;  ///< of the shapes
  std::uint32_t launch_stream = 0;
  std::size_t first = 0;
  std::uint32_t length = 0;
};

/// Waiting plain launches, in branches of one launch stream each. They are sorted so that the same launches
/// give the same shape for any launch streams, and launch streams keep their branches from one batch to the
/// next. Refers to the arguments of the submissions. One thread at a time.
class plain_batch {
 public:
  void clear();
  void begin_branch(std::uint32_t launch_stream);
  /// Adds the next launch of the newest branch; `addresses` of its arguments are copied.
  void add(described_launch const& added, void* const* addresses);
  /// Sorts the branches. Call it once, after the last add().
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
  /// The branches of a graph of the batch, with the batch's arguments.
  std::vector<graph_branch> graph_branches() const;

 private:
  std::vector<batched_launch> launches_;
  std::vector<batch_branch> branches_;
  std::vector<void*> addresses_;
  std::uint64_t hash_ = 0;
};

}  // namespace ballast::detail
