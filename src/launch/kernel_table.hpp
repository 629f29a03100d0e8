// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/detail/launch/submission.hpp"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// Two costs of a block of each kernel of a family on one device: its run time while few others run, and the
/// time for which it occupies the resource that all blocks share, which is the limit where many run. Learned
/// from the spans of launches, even for kernels that only ever ran merged. A span is one number for both
/// costs of many kernels: each cost moves in proportion to its share of the predicted work and to its
/// uncertainty (a Kalman filter without covariances, whose variance grows with the errors, so that it follows
/// changes; one outlier counts little). Launches that fill little of the device show only times; those that
/// fill it also show usage.
///
/// The costs are guesses for the model; only their signs are guaranteed. Its only state is what it learned:
/// no clock, no device. One thread at a time; allocates nothing after construction.
class kernel_times {
 public:
  /// Throws bad_argument for what `check` refuses.
  kernel_times(family_facts const& family, launch_costs const& costs);

  /// The value for kernel_facts::block_ns: at least 1, or 0 while nothing is known. Throws bad_argument
  /// ("kernel") from max_family_kernels on.
  std::int64_t block_ns(std::uint32_t kernel) const;

  /// The value for kernel_facts::shared_ns: at least 0, and 0 while launches indicate no more. Throws
  /// bad_argument ("kernel") from max_family_kernels on.
  double shared_ns(std::uint32_t kernel) const;

  /// The value for kernel_facts::time_varies: recent launches of the kernel took, on average, over 1.67 times
  /// the expected time, or below 1 / 1.67 of it. A slowdown of all kernels of a launch does not count. Throws
  /// bad_argument ("kernel") from max_family_kernels on.
  bool varies(std::uint32_t kernel) const;

  /// Learns that a launch of `kernel` alone took `span_ns` from the start of its first block to the end of
  /// its last. Ignores its block_ns and shared_ns. Throws bad_argument as check(), and ("span_ns") unless
  /// that is at least 1.
  void record_alone(kernel_facts const& kernel, std::int64_t span_ns);

  /// Learns that one launch of `kernels` took `span_ns`; `unshared_ns` was its prediction
  /// (predicted_times::unshared_busy) from the block_ns given here, which may have changed since. Kernels of
  /// unknown time (block_ns 0) count as equal, and then only they learn. Throws bad_argument as check(),
  /// ("span_ns") unless that is at least 1, and ("unshared_ns") unless that is finite and, if all times are
  /// known, above 0. O(kernels).
  void record_merged(std::span<kernel_facts const> kernels, double unshared_ns, std::int64_t span_ns);

  /// The blocks of one launch of `kernels` began together, and each kernel ended after its span. For known
  /// kernels (block_ns not 0) it learns only how much they vary. For each other kernel it also takes its
  /// longest span as its time. Call it before record_merged() for the same launch. Throws bad_argument as
  /// check(), ("spans_ns") unless there are as many, and ("span_ns") unless each is at least 1. O(kernels).
  void record_ends(std::span<kernel_facts const> kernels, std::span<std::int64_t const> spans_ns);

 private:
  struct learned {
    double block_ns = 0;
    double shared_ns = 0;
    double time_variance = 1;   ///< variance of the time's logarithm
    double usage_variance = 1;  ///< variance of the usage
    double mean_error = 0;      ///< over recent spans: of |relative_error()|, weighted by its shares
    double part = 0;            ///< its share of the work of the launch being learned from; else 0
    double fill = 0;            ///< its share of the places for blocks in that launch; else 0

    /// The demand for the resource, over its capacity, if the kernel's blocks filled the device.
    double usage(double slots) const { return shared_ns * slots / block_ns; }
  };
  struct expectation {
    double slots;
    double work;        ///< the sum of all blocks' times
    double busy_ns;     ///< the expected time of the launch
    double bound_part;  ///< share of the demand that exceeds the capacity
  };

  void guess(std::span<kernel_facts const> kernels, std::int64_t span_ns);
  double unshared_now(std::span<kernel_facts const> kernels, double unshared_ns);
  expectation expect(std::span<kernel_facts const> kernels, double slots, double unshared_ns) const;
  double set_parts(std::span<kernel_facts const> kernels, expectation const& expected);
  void learn(std::span<kernel_facts const> kernels, expectation const& expected, std::int64_t span_ns);
  static void learn_usage(learned& kernel, double error, double variance, expectation const& expected);
  static void learn_time(learned& kernel, double error, double variance);

  multiprocessor_count multiprocessors_;
  double merged_slots_;
  std::vector<learned> kernels_;
};

/// A kernel of a set as launches see it.
struct mergeable_kernel {
  kernel_key key;
  std::uint32_t bytes;   ///< of the kernel's members
  kernel_code alone;     ///< runs a lone_launch of it
  kernel_code merged;    ///< runs a merged_launch of its family; equal for all of a family
  bool needs_occupancy;  ///< it runs slower when fewer of its blocks are resident than in a launch of its own
  std::uint16_t family;  ///< number of its family, from 0
  std::uint16_t index;   ///< its number within the family
  std::uint32_t number;  ///< its place in the set
  bool fits_ring;        ///< workers of ordered rings run it
};

/// The number of pieces that the kernel's members take among a merged launch's arguments.
inline std::uint32_t pieces_of(mergeable_kernel const& kernel) {
  return (kernel.bytes + argument_piece - 1) / argument_piece;
}

/// The kernels of a set that launches may merge, in families of equal threads and blocks per multiprocessor.
/// Immutable. The set must outlive it; null stands for a set without kernels.
class mergeable_kernels {
 public:
  explicit mergeable_kernels(kernel_set const* set);

  kernel_set const* set() const { return set_; }
  std::span<mergeable_kernel const> kernels() const { return kernels_; }
  std::uint32_t families() const { return families_; }
  /// The kernel with this key; null if the set has none, or was not compiled for launches.
  mergeable_kernel const* find(kernel_key key) const {
    for (auto const& kernel : kernels_)
      if (kernel.key == key) return &kernel;
    return nullptr;
  }

 private:
  kernel_set const* set_;
  std::vector<mergeable_kernel> kernels_;
  std::uint32_t families_ = 0;
};

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
    std::size_t operator()(plain_shape const& what) const;
  };
  struct known {
    std::int64_t ns = 0;
    std::uint64_t launches = 0, next_measured = 1;
  };

  std::unordered_map<plain_shape, known, hash_of> shapes_;
  known* measured_ = nullptr;  // while it runs; a map's elements never move
};

/// A dispatcher's knowledge of the kernels of its set on its device: their requirements, and the times of
/// their blocks; and of other launches their times. One thread at a time.
class kernel_table {
 public:
  /// Loads the kernels.
  kernel_table(compute_device& device, mergeable_kernels const& kernels);

  launch_costs const& costs() const { return costs_; }
  std::vector<family_facts> const& families() const { return families_; }
  /// The known facts of a launch of `kernel` with this number of blocks.
  kernel_facts facts(mergeable_kernel const& kernel, std::uint32_t blocks, std::int32_t priority) const;
  /// The time of one block, 0 if unknown.
  std::int64_t block_ns(mergeable_kernel const& kernel) const {
    return block_ns(kernel.family, kernel.index);
  }
  std::int64_t block_ns(std::uint32_t family, std::uint32_t index) const {
    return times_[family].block_ns(index);
  }
  /// True if the kernels of a launch of `busy_ns` (0 if unknown) end at different times, or may do so by
  /// much: then each should report its end.
  bool ends_differ(std::span<kernel_facts const> kernels, double busy_ns) const;
  /// The time of a grid of these blocks alone, 0 if unknown.
  std::int64_t expected_ns(kernel_facts const& kernel) const;

  /// Learns that a launch of these kernels took this time. `predicted` is all 0 if nothing was predicted.
  void learn(std::span<kernel_facts const> kernels, predicted_times const& predicted, std::int64_t span_ns);
  /// Call it before learn(), with each kernel's time from the launch's begin to its end. Learns nothing from
  /// launches whose blocks do not all begin together.
  void learn_ends(std::span<kernel_facts const> kernels, std::span<std::int64_t const> spans_ns);
  prediction_error const& errors() const { return errors_; }
  /// The times of launches that run no kernel of the set.
  plain_times& plain() { return plain_; }

 private:
  launch_costs costs_;
  std::vector<family_facts> families_;
  std::vector<kernel_times> times_;                       // by family
  std::vector<std::vector<std::uint32_t>> blocks_alone_;  // by family and place
  prediction_error errors_;
  plain_times plain_;
};

}  // namespace ballast::detail
