// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/detail/launch/merged_launch.cuh"
#include "ballast/kernel_set.hpp"
#include "kernel_times.hpp"

namespace ballast::detail {

/// A kernel of a set as launches see it.
struct mergeable_kernel {
  kernel_key key;
  std::uint32_t bytes;   ///< of the kernel's members
  kernel_code alone;     ///< runs a lone_launch of it
  kernel_code merged;    ///< runs a merged_launch of its family; equal for all of a family
  bool needs_occupancy;  ///< fewer of its blocks at a time than alone make it slower
  std::uint16_t family;  ///< number of its family, from 0
  std::uint16_t index;   ///< its number within the family
  std::uint32_t number;  ///< its place in the set
  bool fits_ring;        ///< workers of ordered rings run it
};

/// How many pieces of a merged launch's arguments the kernel's members take.
inline std::uint32_t pieces_of(mergeable_kernel const& kernel) {
  return (kernel.bytes + argument_piece - 1) / argument_piece;
}

/// The kernels of a set that launches may merge, in families: those of equal threads and blocks per
/// multiprocessor. Immutable. The set must outlive it; null stands for one without kernels.
class mergeable_kernels {
 public:
  explicit mergeable_kernels(kernel_set const* set);

  kernel_set const* set() const { return set_; }
  std::span<mergeable_kernel const> kernels() const { return kernels_; }
  std::uint32_t families() const { return families_; }
  /// Null if the set has no such kernel, or was not compiled for launches.
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

/// What a dispatcher knows of the kernels of its list on its device: what they need, and how long their
/// blocks take. One thread at a time.
class kernel_table {
 public:
  /// Loads the kernels.
  kernel_table(compute_device& device, mergeable_kernels const& kernels);

  launch_costs const& costs() const { return costs_; }
  std::vector<family_facts> const& families() const { return families_; }
  /// The known facts of a launch of `kernel` with that many blocks.
  kernel_facts facts(mergeable_kernel const& kernel, std::uint32_t blocks, std::int32_t priority) const;
  /// How long one block takes, 0 if that is unknown.
  std::int64_t block_ns(mergeable_kernel const& kernel) const {
    return block_ns(kernel.family, kernel.index);
  }
  std::int64_t block_ns(std::uint32_t family, std::uint32_t index) const {
    return times_[family].block_ns(index);
  }
  /// True if the kernels of a launch of `busy_ns`, 0 if that is unknown, end at different times, or may do so
  /// by much, as far as is known: then each should report its end.
  bool ends_differ(std::span<kernel_facts const> kernels, double busy_ns) const;
  /// How long a grid of these blocks takes alone, 0 if that is unknown.
  std::int64_t expected_ns(kernel_facts const& kernel) const;

  /// Learns that a launch of these took this time; all 0 where nothing was predicted.
  void learn(std::span<kernel_facts const> kernels, predicted_times const& predicted, std::int64_t span_ns);
  /// Call it before that, with each kernel's time from the launch's begin to its end. Nothing is learned of
  /// launches whose blocks do not all begin together.
  void learn_ends(std::span<kernel_facts const> kernels, std::span<std::int64_t const> spans_ns);
  prediction_error const& errors() const { return errors_; }

 private:
  launch_costs costs_;
  std::vector<family_facts> families_;
  std::vector<kernel_times> times_;                       // by family
  std::vector<std::vector<std::uint32_t>> blocks_alone_;  // by family and place
  prediction_error errors_;
};

}  // namespace ballast::detail
