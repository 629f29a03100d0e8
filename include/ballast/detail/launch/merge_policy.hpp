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

/// The number of multiprocessors of a device, at least 1. A separate type, since it is easily confused with a
/// count of blocks.
using multiprocessor_count = strong_id<struct multiprocessor_tag, std::uint32_t>;

/// The most blocks that one multiprocessor executes in a launch of `blocks` blocks of equal cost: blocks over
/// multiprocessors, rounded up. Throws bad_argument ("blocks", "multiprocessors") unless both are at least 1.
/// Pure, like everything in this header: any thread may call.
BALLAST_API std::uint64_t level_number(std::uint64_t blocks, multiprocessor_count multiprocessors);

/// The predicted time of launches that run one after another, in levels: the time in which a multiprocessor
/// executes one block. It is the sum of the launches' level numbers, plus `start_levels`, the cost of
/// starting a kernel, for each. Zero for no launches.
///
/// Assumes that all blocks cost the same, whichever kernel they belong to, that a multiprocessor executes one
/// at a time, and that launches do not overlap. Legal: every entry of `blocks` and `multiprocessors` at least
/// 1, `start_levels` finite and at least 0; else throws bad_argument with that name.
BALLAST_API double paper_time(std::span<std::uint64_t const> blocks, multiprocessor_count multiprocessors,
                              double start_levels = 1);

/// The known facts about one waiting launch; its kernel runs `blocks` blocks.
struct kernel_facts {
  std::uint32_t family = 0;  ///< the merged kernel that contains its kernel
  std::uint32_t kernel = 0;  ///< its kernel's number in that merged kernel, below 128
  std::uint32_t blocks = 1;  ///< of its grid, at least 1
  /// The blocks that run on a multiprocessor at a time when the launch has the device alone, at least 1.
  std::uint32_t blocks_per_multiprocessor = 1;
  std::int64_t block_ns = 0;  ///< how long one block is expected to run, if few others do; 0 if that is
                              ///< unknown; at least 0
  double shared_ns = 0;       ///< for how long one block keeps a resource busy that all blocks share: as a
                              ///< rule the bytes that it moves by the bandwidth of the device's memory; 0 if
                              ///< that is unknown or nothing; finite, at least 0
  /// Launches of higher priority go first, as with launch_stream_options::priority; kernels of unequal
  /// priority are not merged.
  std::int32_t priority = 0;
  std::uint32_t argument_bytes = 0;  ///< bytes that it adds to a merged launch's parameters, all included
  bool needs_occupancy = false;  ///< it is known to run slower when fewer of its blocks are resident than in
                                 ///< a launch of its own
  bool time_varies = false;      ///< recent launches took much more or less time than block_ns suggests
};

/// The known facts about a family's merged kernel.
struct family_facts {
  /// The number in kernel_facts::family.
  std::uint32_t family = 0;
  std::uint32_t blocks_per_multiprocessor = 1;  ///< blocks that run at a time, at least 1
  std::uint32_t max_kernels = 64;               ///< the most kernels of one launch, at least 2
  std::uint32_t argument_bytes = 32'764;        ///< the most parameter bytes of one launch (CUDA 13's limit)
  bool spills = false;  ///< its merged kernel needs clearly more local memory than any of its kernels alone
};

/// The costs of the device that launches go to, and of the host that issues them.
struct launch_costs {
  multiprocessor_count multiprocessors{1};  ///< at least 1
  double start_ns = 0;  ///< device time from one kernel's end to the start of the next; finite, at least 0
  double issue_ns = 0;  ///< host time per launch; finite, at least 0

  /// The blocks that the device executes concurrently if `blocks_per_multiprocessor` fit on each
  /// multiprocessor.
  std::uint64_t slots_of(std::uint32_t blocks_per_multiprocessor) const {
    return std::uint64_t{multiprocessors.value()} * blocks_per_multiprocessor;  // of 32 bits each
  }
};

///@{
/// Throw bad_argument with the name of a member that is out of range. `kernels` holds at least one.
BALLAST_API void check(std::span<kernel_facts const> kernels);
BALLAST_API void check(family_facts const& family);
BALLAST_API void check(launch_costs const& costs);
///@}

/// A merge decision's knowledge of a kernel that waits to be launched.
struct merge_candidate {
  std::uint32_t blocks = 1;   ///< of its grid, at least 1
  std::int64_t block_ns = 0;  ///< expected run time of one block, 0 if unknown; at least 0
};

/// A merge policy's input. All candidates may run at the same time: none depends on another.
struct merge_view {
  std::span<merge_candidate const> waiting;  ///< in the order of the queue, oldest first
  multiprocessor_count multiprocessors{1};   ///< of the device, at least 1
  std::size_t max_kernels = 64;              ///< the most kernels in one launch, at least 2
};

/// The kernels of one launch: indices into merge_view::waiting, in the order in which their blocks are to
/// begin.
using merge_group = std::vector<std::size_t>;

/// Decides which waiting kernels become one launch. Pure: no clock, no device, no randomness and no state, so
/// the same view gives the same groups and any thread may call.
class BALLAST_API merge_policy {
 public:
  virtual ~merge_policy() = default;

  /// Groups all of view.waiting: each kernel is in exactly one group, and the groups are in launch order.
  /// Throws bad_argument ("multiprocessors", "max_kernels", "blocks", "block_ns") for a view outside the
  /// ranges above.
  std::vector<merge_group> group(merge_view const& view) const;

  /// The first of the groups of group(), which holds the oldest kernel, for callers that issue one launch at
  /// a time. Replaces the content of `first`, with nothing if nothing waits. Throws as group().
  void first_group(merge_view const& view, merge_group& first) const;

 private:
  /// Appends the first group to `first`, which is empty. At least one kernel waits.
  virtual void choose_first(merge_view const& view, merge_group& first) const = 0;
};

/// Makes the policy of this name. Throws bad_argument ("merge"), which lists the names.
BALLAST_API std::unique_ptr<merge_policy> make_merge_policy(std::string_view name = "together");

/// The number of blocks of each launch that the groups make of view.waiting; it is what paper_time() takes.
BALLAST_API std::vector<std::uint64_t> blocks_of_launches(merge_view const& view,
                                                          std::span<merge_group const> groups);

/// The times of the same kernels issued in three ways, in ns from the moment at which the host begins to
/// issue.
struct predicted_times {
  double merged_busy;        ///< of one launch, from the start of its first block to the end of its last
  double merged;             ///< merged_busy, and the time to issue and to start the launch
  double series;             ///< one launch after another, each issued as soon as the host is free
  double streams;            ///< a lower bound, with a stream for each launch; never more than `series`
  double apart_busy;         ///< as `streams`, but all launches are issued at the same time and start at no
                             ///< cost
  double unshared_busy = 0;  ///< what merged_busy would be if blocks did not slow each other down
};

/// Predicts the times of kernels of known block times, whose blocks begin in the order given. A kernel whose
/// block_ns is 0 counts as if its blocks took no time.
///
/// merged_busy: a device executes (multiprocessors x the family's blocks per multiprocessor) blocks at a time
/// and gives the next block to the slot that is free first. Blocks with shared_ns run in levels of one block
/// per slot: if the blocks of a level together need D > 1 times the available resource, the level takes D
/// times as long. This model suits blocks that begin longest first; in another order it overestimates.
/// streams: the largest of the multiprocessors' mean load, of the time that all blocks need the resource, and
/// of each kernel's own time from the moment when it is issued.
///
/// With one block per multiprocessor, equal block_ns, no shared_ns, no issue_ns and start_ns = block_ns,
/// merged and series are those of paper_time in block times, exactly (below 2^53 ns).
///
/// Assumes that all blocks of a kernel take the same time, whatever else runs, except for the shared
/// resource. Throws bad_argument as check(). O(kernels), allocates nothing; pure, any thread may call.
BALLAST_API predicted_times predict(std::span<kernel_facts const> kernels, family_facts const& family,
                                    launch_costs const& costs);

/// Like predict(), for arguments that passed check().
BALLAST_API predicted_times predict_checked(std::span<kernel_facts const> kernels, family_facts const& family,
                                            launch_costs const& costs) noexcept;

/// A verdict and the times that it compared.
struct merge_decision {
  /// `merge`, or the first reason against it.
  merge_verdict verdict = merge_verdict::merge;
  /// The times on which the verdict is based; all 0 if a time is unknown, or if other facts decided first.
  predicted_times predicted{};
};

/// Decides whether `kernels`, in the order in which their blocks will begin, should be one launch of the
/// family's merged kernel. A kernel of unknown time counts as short, and causes neither lengths_differ nor
/// no_gain: issuing a launch takes the host some microseconds, which merging saves in any case. Never returns
/// `learned`, which only merge_filter does. Throws bad_argument as check(), and ("kernels") for fewer than
/// two. O(kernels), allocates nothing; pure, any thread may call.
BALLAST_API merge_decision decide_merge(std::span<kernel_facts const> kernels, family_facts const& family,
                                        launch_costs const& costs);

/// The reason that excludes one kernel from any merged launch of the family; `merge` if there is none. Does
/// not check its arguments.
BALLAST_API merge_verdict verdict_alone(kernel_facts const& kernel, family_facts const& family,
                                        launch_costs const& costs);

/// A histogram of errors in classes of one percent.
class BALLAST_API error_histogram {
 public:
  static constexpr std::uint8_t last_class = 200;  ///< the class of all errors above 199%
  /// The class of an error: |predicted / measured - 1| in percent, rounded up, at most last_class.
  static std::uint8_t class_of(double predicted, double measured);

  /// Counts an error of that class.
  void add(std::uint8_t error) { ++counts_[error], ++total_; }
  /// Reverts an add() of this error, which must have been made.
  void remove(std::uint8_t error) { --counts_[error], --total_; }
  /// Summarises the errors; all 0 if there are none.
  error_summary summary() const;

 private:
  double part_up_to(std::uint8_t error) const;
  double median() const;

  std::array<std::uint64_t, last_class + 1> counts_{};
  std::uint64_t total_ = 0;
};

/// Compares predictions with measurements, over all and over the newest ones. Its size is fixed. One thread
/// at a time may call.
class BALLAST_API prediction_error {
 public:
  /// The number of predictions that newest() covers.
  static constexpr std::size_t newest_count = 256;

  /// Records a prediction and its measurement, both in the same unit. Throws bad_argument ("predicted",
  /// "measured") unless both are finite, `predicted` at least 0 and `measured` above 0.
  void record(double predicted, double measured);

  /// The errors of all recorded predictions.
  error_summary all() const { return all_.summary(); }
  /// The errors of the last newest_count predictions, or of all if there are fewer.
  error_summary newest() const { return newest_.summary(); }

 private:
  error_histogram all_, newest_;
  std::array<std::uint8_t, newest_count> ring_{};
  std::uint64_t recorded_ = 0;
};

}  // namespace ballast::detail
