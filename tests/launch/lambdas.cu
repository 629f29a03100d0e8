// SPDX-License-Identifier: Apache-2.0
#include "lambdas.hpp"

#include <stdexcept>

#include "ballast/atomic_ref.cuh"

namespace ballast::test {

completion launch_adding(launch_stream& on, array_ref<std::uint32_t> sums, std::uint32_t value,
                         std::uint32_t blocks) {
  return on.launch(
      [=] BALLAST_HD(block_of<64> const& block) {
        if (block.rank() == 0) sums[block.index()] += value;
      },
      blocks);
}

completion launch_telling(launch_stream& on, array_ref<std::uint32_t> places, std::uint32_t items,
                          std::uint32_t blocks) {
  return on.launch(
      [=] BALLAST_HD(block_of<96> const& block) {
        auto const mine = places.from(block.index() * 8);
        if (block.rank() == 0) mine[0] = block.index(), mine[1] = block.first(), mine[2] = block.count();
        block.for_each(items, [&](std::uint32_t) { device_atomic<std::uint32_t>(mine[3]).add_relaxed(1); });
        per_item<std::uint32_t, 100, block_of<96>> kept;
        block.for_each(ballast::items<100>, [&](std::uint32_t i) { kept[i] = i; });
        block.sync();
        block.for_each(ballast::items<100>,
                       [&](std::uint32_t i) { device_atomic<std::uint32_t>(mine[4]).add_relaxed(kept[i]); });
        block.for_each(3, 50, [&](std::uint32_t row, std::uint32_t column) {
          device_atomic<std::uint32_t>(mine[5]).add_relaxed(row * 50 + column);
        });
        block.sync();
        auto const number = [](std::uint32_t i) { return i; };
        auto const sum = block.reduce(items, 7u, number);
        auto const scanned =
            block.scan(items, 7u, number, plus(), [&](std::uint32_t i, std::uint32_t before) {
              if (i + 1 == items) mine[6] = before;
            });
        if (block.rank() == 0) mine[7] = sum + scanned;
      },
      blocks);
}

completion launch_of_items(launch_stream& on, array_ref<std::uint32_t> sums, std::uint32_t value,
                           std::uint32_t items) {
  return on.launch([=] BALLAST_HD(item i) noexcept { sums[i] += i + value; }, items);
}

completion launch_throwing(launch_stream& on) {
  return on.launch(
      [] BALLAST_HD(block_of<32> const&) {
#if !BALLAST_ON_GPU
        throw std::runtime_error("the lambda fails");
#endif
      },
      1);
}

}  // namespace ballast::test
