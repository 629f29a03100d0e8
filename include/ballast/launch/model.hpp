// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "ballast/base/strong.hpp"

namespace ballast::inline launch {

/// How many multiprocessors a device has; legal: at least 1. A type of its own, since beside a count of
/// blocks the two are easily exchanged.
using multiprocessor_count = strong_id<struct multiprocessor_tag, std::uint32_t>;

/// The most blocks that one multiprocessor executes of a launch with so many `blocks` of equal cost: blocks
/// over multiprocessors, rounded up. Throws bad_argument ("blocks", "multiprocessors") unless both are at
/// least 1. Pure, like all of this header: any thread may call.
std::uint64_t level_number(std::uint64_t blocks, multiprocessor_count multiprocessors);

/// The predicted time of launches that run one after another, in levels: the time in which a multiprocessor
/// executes one block. It is the sum of the launches' level numbers and, for each, `start_levels`, what it
/// costs to start a kernel. Zero for no launches.
///
/// Assumes that all blocks cost the same, whichever kernel they belong to, that a multiprocessor executes one
/// at a time, and that launches do not overlap. Legal: every entry of `blocks` and `multiprocessors` at least
/// 1, `start_levels` finite and at least 0; else throws bad_argument with that name.
double paper_time(std::span<std::uint64_t const> blocks, multiprocessor_count multiprocessors,
                  double start_levels = 1);

}  // namespace ballast::inline launch
