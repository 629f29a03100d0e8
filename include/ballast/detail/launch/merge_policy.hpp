// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ballast/detail/base/strong.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {

/// How many multiprocessors a device has, at least 1. It is a separate type because it is easily exchanged
/// with a count of blocks.
using multiprocessor_count = strong_id<struct multiprocessor_tag, std::uint32_t>;

/// The most blocks that one multiprocessor executes in a launch of `blocks` blocks of equal cost: blocks over
/// multiprocessors, rounded up. Throws bad_argument ("blocks", "multiprocessors") unless both are at least 1.
/// Pure, like everything in this header: any thread may call.
BALLAST_API std::uint64_t level_number(std::uint64_t blocks, multiprocessor_count multiprocessors);

/// The predicted time of launches that run one after another, in levels: the time in which a multiprocessor
/// executes one block. It is the sum of the launches' level numbers and, for each, `start_levels`, what it
/// costs to start a kernel. Zero for no launches.
///
/// Assumes that all blocks cost the same, whichever kernel they belong to, that a multiprocessor executes one
/// at a time, and that launches do not overlap. Legal: every entry of `blocks` and `multiprocessors` at least
/// 1, `start_levels` finite and at least 0; else throws bad_argument with that name.
BALLAST_API double paper_time(std::span<std::uint64_t const> blocks, multiprocessor_count multiprocessors,
                              double start_levels = 1);

/// What is known of one waiting launch; its kernel runs `blocks` blocks.
struct kernel_facts {
  std::uint32_t family = 0;  ///< the merged kernel that contains its kernel
  std::uint32_t kernel = 0;  ///< its kernel's number there, below 128
  std::uint32_t blocks = 1;  ///< of its grid, at least 1
  /// That run at a time when it has the device alone, at least 1.
  std::uint32_t blocks_per_multiprocessor = 1;
  std::int64_t block_ns = 0;  ///< how long one block is expected to run, if few others do; 0 if that is
                              ///< unknown; at least 0
  double shared_ns = 0;       ///< for how long one block keeps a resource busy that all blocks share: as a
                              ///< rule the bytes that it moves by the bandwidth of the device's memory; 0 if
                              ///< that is unknown or nothing; finite, at least 0
  /// Higher ones first, as launch_stream_options::priority; kernels of unequal priority are not merged.
  std::int32_t priority = 0;
  std::uint32_t argument_bytes = 0;  ///< bytes that it takes of a merged launch's parameters, all included
  bool needs_occupancy = false;  ///< it is known to lose when fewer of its blocks run at a time than alone
  bool time_varies = false;      ///< its launches of late took much more or less than block_ns lets expect
};

/// What is known of a family's merged kernel.
struct family_facts {
  /// The number that kernel_facts::family names.
  std::uint32_t family = 0;
  std::uint32_t blocks_per_multiprocessor = 1;  ///< that run at a time, at least 1
  std::uint32_t max_kernels = 64;               ///< that one launch takes, at least 2
  std::uint32_t argument_bytes = 32'764;        ///< of parameters that one launch takes (the most of CUDA 13)
  bool spills = false;  ///< it keeps clearly more in local memory than any of its kernels alone
};

/// What is known of the device that launches go to, and of the host that issues them.
struct launch_costs {
  multiprocessor_count multiprocessors{1};  ///< at least 1
  double start_ns = 0;  ///< on the device, from one kernel's end to the begin of the next; finite, at least 0
  double issue_ns = 0;  ///< on the host, for each launch; finite, at least 0

  /// How many blocks the device executes concurrently if `blocks_per_multiprocessor` fit on each
  /// multiprocessor.
  std::uint64_t slots_of(std::uint32_t blocks_per_multiprocessor) const {
    return std::uint64_t{multiprocessors.value()} * blocks_per_multiprocessor;  // of 32 bits each
  }
};

///@{
/// Throw bad_argument with the member's name for what is out of range. `kernels` holds at least one.
BALLAST_API void check(std::span<kernel_facts const> kernels);
BALLAST_API void check(family_facts const& family);
BALLAST_API void check(launch_costs const& costs);
///@}

/// What a decision about merging knows of a kernel that waits to be launched.
struct merge_candidate {
  std::uint32_t blocks = 1;   ///< of its grid, at least 1
  std::int64_t block_ns = 0;  ///< how long one block is expected to run, 0 if that is unknown; at least 0
};

/// What a merge policy sees when it decides. All candidates may run at the same time: none depends on
/// another.
struct merge_view {
  std::span<merge_candidate const> waiting;  ///< in the order of the queue, oldest first
  multiprocessor_count multiprocessors{1};   ///< of the device, at least 1
  std::size_t max_kernels = 64;              ///< that fit into one launch, at least 2
};

/// The kernels of one launch: places in merge_view::waiting, in the order in which their blocks are to begin.
using merge_group = std::vector<std::size_t>;

/// Decides which waiting kernels become one launch. Pure: no clock, no device, no randomness, and nothing is
/// remembered, so the same view gives the same groups and any thread may ask.
class BALLAST_API merge_policy {
 public:
  virtual ~merge_policy() = default;

  /// Groups all of view.waiting: each kernel is in exactly one group, and the groups are in launch order.
  /// Throws bad_argument ("multiprocessors", "max_kernels", "blocks", "block_ns") for a view outside the
  /// ranges above.
  std::vector<merge_group> group(merge_view const& view) const;

  /// The first of the groups of group(), that of the oldest kernel, for callers that issue one launch at a
  /// time. It replaces what `first` held, and is empty if nothing waits. Throws as group().
  void first_group(merge_view const& view, merge_group& first) const;

 private:
  /// At least one kernel waits; `first` is empty.
  virtual void choose_first(merge_view const& view, merge_group& first) const = 0;
};

/// Makes the policy of this name. Throws bad_argument ("merge"), which lists the names.
BALLAST_API std::unique_ptr<merge_policy> make_merge_policy(std::string_view name = "together");

/// The number of blocks of each launch that the groups make of view.waiting; it is what paper_time() takes.
BALLAST_API std::vector<std::uint64_t> blocks_of_launches(merge_view const& view,
                                                          std::span<merge_group const> groups);

/// What the same kernels take in three ways, in ns from the moment at which the host begins to issue.
struct predicted_times {
  double merged_busy;        ///< of one launch, from the begin of its first block to the end of its last
  double merged;             ///< merged_busy with the issue and the start of the launch
  double series;             ///< one launch after another, each issued as soon as the host can
  double streams;            ///< at least, with a stream for each launch; never more than `series`
  double apart_busy;         ///< `streams` if all launches were issued at the same time, without their starts
  double unshared_busy = 0;  ///< what merged_busy would be if no block held another up
};

/// Predicts the times of kernels of known block times, whose blocks begin in the order given. A kernel whose
/// block_ns is 0 counts as if its blocks took no time.
///
/// merged_busy: a device executes (multiprocessors x the family's blocks per multiprocessor) blocks at a time
/// and gives the next block to whichever place is free first. Blocks with shared_ns run in levels of as many
/// as there are places: where those of a level together want D > 1 times what there is of the resource, the
/// level takes D times as long. That is meant for blocks that begin longest first; in another order it is too
/// much. streams: the largest of the mean load of the multiprocessors, of what all need of the resource, and
/// of each kernel alone from its issue on.
///
/// With one block per multiprocessor, equal block_ns, no shared_ns, no issue_ns and start_ns = block_ns,
/// merged and series are those of paper_time in block times, exactly (below 2^53 ns).
///
/// Assumes that all blocks of a kernel take the same time except for what they share, whatever else runs.
/// Throws bad_argument for what `check` refuses. O(kernels), allocates nothing; pure, any thread may call.
BALLAST_API predicted_times predict(std::span<kernel_facts const> kernels, family_facts const& family,
                                    launch_costs const& costs);

/// Like predict(), for arguments that were already checked.
BALLAST_API predicted_times predict_checked(std::span<kernel_facts const> kernels, family_facts const& family,
                                            launch_costs const& costs) noexcept;

/// A verdict and the times that it compared.
struct merge_decision {
  /// `merge`, or the first reason against it.
  merge_verdict verdict = merge_verdict::merge;
  /// The times on which the verdict is based; all 0 if a time is unknown, or if the facts before the times
  /// decided.
  predicted_times predicted{};
};

/// True if `kernels`, in the order in which their blocks are to begin, should be one launch of the family's
/// merged kernel. A kernel whose time is unknown is taken to be short and speaks neither for lengths_differ
/// nor for no_gain: to issue a launch takes the host some microseconds, which merging saves in any case.
/// Never says `learned`, which merge_filter does. Throws bad_argument for what `check` refuses, and
/// ("kernels") for fewer than two. O(kernels), allocates nothing; pure, any thread may call.
BALLAST_API merge_decision decide_merge(std::span<kernel_facts const> kernels, family_facts const& family,
                                        launch_costs const& costs);

/// The reason against one kernel in any merged launch of the family; `merge` if there is none. Does not check
/// its arguments.
BALLAST_API merge_verdict verdict_alone(kernel_facts const& kernel, family_facts const& family,
                                        launch_costs const& costs);

/// A histogram of errors in classes of one percent.
class BALLAST_API error_histogram {
 public:
  static constexpr std::uint8_t last_class = 200;  ///< and all errors above
  /// The class of an error: |predicted / measured - 1| in percent, rounded up, at most last_class.
  static std::uint8_t class_of(double predicted, double measured);

  /// Counts an error of that class.
  void add(std::uint8_t error) { ++counts_[error], ++total_; }
  /// Takes back what add() counted, which must be there.
  void remove(std::uint8_t error) { --counts_[error], --total_; }
  /// Summarises the errors; all 0 if there are none.
  error_summary summary() const;

 private:
  double part_up_to(std::uint8_t error) const;
  double median() const;

  std::array<std::uint64_t, last_class + 1> counts_{};
  std::uint64_t total_ = 0;
};

/// Compares predictions with measurements, over all and over the newest. Its size is fixed. One thread at a
/// time may call.
class BALLAST_API prediction_error {
 public:
  /// How many predictions newest() goes by.
  static constexpr std::size_t newest_count = 256;

  /// Records a prediction and its measurement, both in the same unit. Throws bad_argument ("predicted",
  /// "measured") unless both are finite, `predicted` at least 0 and `measured` above 0.
  void record(double predicted, double measured);

  /// Over everything recorded.
  error_summary all() const { return all_.summary(); }
  /// The errors of the last newest_count predictions, or of all if there are fewer.
  error_summary newest() const { return newest_.summary(); }

 private:
  error_histogram all_, newest_;
  std::array<std::uint8_t, newest_count> ring_{};
  std::uint64_t recorded_ = 0;
};

}  // namespace ballast::detail
