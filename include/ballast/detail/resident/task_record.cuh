// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/kernel.cuh"

namespace ballast::detail {

/// A task as workers see it: the 48 data bytes of a queue slot. The kernel is its id in the kernel set.
struct task_record {
  static constexpr std::uint32_t words = 12;
  static constexpr std::uint32_t argument_bytes = 40;
  static constexpr std::uint32_t halt = 127;  ///< the kernel id that ends a worker (Chen et al. 2010, HALT)
  static constexpr std::uint32_t grid_bit = 128;  ///< a bit of data[11]: each block is a task of its own

  std::uint32_t data[words];  ///< ten argument words, the first block, count << 8 | grid_bit | kernel

  BALLAST_HD std::uint32_t kernel() const { return data[11] & 0x7f; }
  BALLAST_HD block_range range() const { return {data[10], data[11] >> 8}; }
  BALLAST_HD bool is_grid() const { return (data[11] & grid_bit) != 0; }
  /// How many tasks it stands for.
  BALLAST_HD std::uint32_t tasks() const { return is_grid() ? range().count : 1; }
  /// The task that is block `i` of a grid task's range.
  BALLAST_HD task_record task_of_block(std::uint32_t i) const {
    task_record one = *this;
    one.describe({data[10] + i, 1}, kernel());
    return one;
  }
  /// Without its first block; it has several.
  BALLAST_HD task_record rest() const {
    task_record others = *this;
    others.describe({data[10] + 1, range().count - 1}, kernel());
    return others;
  }
  BALLAST_HD void describe(block_range range, std::uint32_t kernel) {
    data[10] = range.first;
    data[11] = range.count << 8 | kernel;
  }
};

}  // namespace ballast::detail
