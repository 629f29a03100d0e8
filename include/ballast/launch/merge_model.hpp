// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "ballast/launch/kernel_facts.hpp"

namespace ballast::inline launch {

/// What the same kernels take in three ways, in ns from the moment at which the host begins to issue.
struct predicted_times {
  double merged_busy;        ///< of one launch, from the begin of its first block to the end of its last
  double merged;             ///< the same with its issue and its start
  double series;             ///< one launch after another, each issued as soon as the host can
  double streams;            ///< on a stream each, at least; never more than `series`
  double apart_busy;         ///< the same if the host issued all at once, without their starts
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
/// Assumes that a kernel's blocks all take the same time but for what they share, whatever else runs beside
/// them.
/// Throws bad_argument for what `check` refuses. O(kernels), allocates nothing; pure, any thread may call.
predicted_times predict(std::span<kernel_facts const> kernels, family_facts const& family,
                        launch_costs const& costs);

/// The same for facts that were checked.
predicted_times predict_checked(std::span<kernel_facts const> kernels, family_facts const& family,
                                launch_costs const& costs) noexcept;

}  // namespace ballast::inline launch
