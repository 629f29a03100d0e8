// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/launch_queue.hpp"

namespace ballast::test {

/// Launches lambdas (lambdas.cu): each adds what it captured to the element of its block.
completion launch_adding(launch_stream& on, array_ref<std::uint32_t> sums, std::uint32_t value,
                         std::uint32_t blocks);
/// Block b writes row b of `places`: its index, first, count, the items of a loop over `items`, the sums of
/// what two other loops visit, and of all numbers below `items` plus 7 those before the last and twice the
/// sum.
completion launch_telling(launch_stream& on, array_ref<std::uint32_t> places, std::uint32_t items,
                          std::uint32_t blocks);
/// Adds the item's number and `value` to each of `items` numbers.
completion launch_of_items(launch_stream& on, array_ref<std::uint32_t> sums, std::uint32_t value,
                           std::uint32_t items);
/// Throws on CPU cores.
completion launch_throwing(launch_stream& on);

}  // namespace ballast::test
