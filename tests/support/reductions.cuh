// SPDX-License-Identifier: Apache-2.0
// Kernels that reduce and scan, for the tests of every room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/kernel.cuh"

namespace ballast::test {

/// x becomes factor * x + addend. Their composition is associative, does not commute, and is exact.
struct affine {
  std::uint32_t factor = 1, addend = 0;
  bool operator==(affine const&) const = default;
};
struct first_then {
  BALLAST_HD affine operator()(affine const& first, affine const& then) const {
    return {then.factor * first.factor, then.factor * first.addend + then.addend};
  }
};

/// A value of three words, and one that initialises itself.
struct extent_of_values {
  float low = 1000, high = -1000;
  std::uint32_t values = 0;
  bool operator==(extent_of_values const&) const = default;
};
struct widen {
  BALLAST_HD extent_of_values operator()(extent_of_values const& a, extent_of_values const& b) const {
    return {minimum()(a.low, b.low), maximum()(a.high, b.high), a.values + b.values};
  }
};

inline constexpr std::uint32_t reduced_cases = 20, max_reduced = 2100;

/// What the blocks reduce: how many items a block has, and which.
struct reduced_items {
  BALLAST_HD static std::uint32_t size_of(std::uint32_t block) {
    constexpr std::uint32_t sizes[reduced_cases] = {
        0, 1, 2, 5, 31, 32, 33, 63, 64, 65, 96, 100, 255, 256, 257, 960, 1000, 1024, 1025, max_reduced};
    return sizes[block];
  }
  BALLAST_HD static std::uint32_t number(std::uint32_t i) { return (i + 1) * 2654435761u >> 9; }
  BALLAST_HD static std::int32_t negative(std::uint32_t i) { return -std::int32_t(number(i)) - 5; }
  // A quotient, which no compiler fuses with the sum.
  BALLAST_HD static float fraction(std::uint32_t i) { return 1.0f / float(1 + number(i) % 1000); }
  BALLAST_HD static affine map(std::uint32_t i) { return {number(i) | 1, number(i) % 17}; }
};

/// What one block finds.
struct reduced {
  std::uint64_t sum, scanned_sum, told;
  std::int32_t least, greatest;
  float fractions, scanned_fractions;
  affine maps, scanned_maps;
  extent_of_values extent;
  std::uint32_t threads, kept, counted;
  std::uint64_t sums_before[max_reduced];
  affine maps_before[max_reduced];
  float fractions_before[max_reduced];
  std::uint32_t counts[max_reduced];
  std::uint32_t mirrored[100];
};

/// Every thread adds what it was told to `told`, which must be 0 at first.
template <int Threads>
struct reduce_cases {
  static constexpr int threads = Threads;
  struct scratch {
    std::uint32_t item[100];
  };
  array_ref<reduced> found;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    reduce_numbers(block);
    scan_numbers(block);
    reduce_others(block);
    scan_in_place(block);
    reduce_what_threads_keep(block);
  }

 private:
  template <class Block>
  BALLAST_HD void reduce_numbers(Block& block) const {
    auto const n = reduced_items::size_of(block.index());
    auto const number = [](std::uint32_t i) { return reduced_items::number(i); };
    auto const sum = block.reduce(n, std::uint64_t(7), number);
    auto const greatest = block.reduce(n, std::int32_t(-2'000'000'000), &reduced_items::negative, maximum());
    auto const least = block.reduce(n, std::int32_t(-1), &reduced_items::negative, minimum());
    tell(block, sum);
    if (block.rank() != 0) return;
    auto& mine = found[block.index()];
    mine.sum = sum;
    mine.greatest = greatest;
    mine.least = least;
  }

  template <class Block>
  BALLAST_HD void scan_numbers(Block& block) const {
    auto const n = reduced_items::size_of(block.index());
    auto& mine = found[block.index()];
    auto const sum = block.scan(n, std::uint64_t(7), &reduced_items::number, plus(),
                                [&](std::uint32_t i, std::uint64_t before) { mine.sums_before[i] = before; });
    auto const fractions =
        block.scan(n, 0.25f, &reduced_items::fraction, plus(),
                   [&](std::uint32_t i, float before) { mine.fractions_before[i] = before; });
    auto const maps = block.scan(n, affine{3, 1}, &reduced_items::map, first_then(),
                                 [&](std::uint32_t i, affine before) { mine.maps_before[i] = before; });
    tell(block, sum);
    if (block.rank() != 0) return;
    mine.scanned_sum = sum;
    mine.scanned_fractions = fractions;
    mine.scanned_maps = maps;
  }

  template <class Block>
  BALLAST_HD void reduce_others(Block& block) const {
    auto const n = reduced_items::size_of(block.index());
    auto const fractions = block.reduce(n, 0.25f, &reduced_items::fraction);
    auto const maps = block.reduce(n, affine{3, 1}, &reduced_items::map, first_then());
    auto const extent = block.reduce(
        n, extent_of_values{},
        [](std::uint32_t i) {
          auto const value = reduced_items::fraction(i);
          return extent_of_values{value, value, 1};
        },
        widen());
    if (block.rank() != 0) return;
    auto& mine = found[block.index()];
    mine.fractions = fractions;
    mine.maps = maps;
    mine.extent = extent;
  }

  /// Counts become offsets where they are.
  template <class Block>
  BALLAST_HD void scan_in_place(Block& block) const {
    auto const n = reduced_items::size_of(block.index());
    auto& mine = found[block.index()];
    block.for_each(n, [&](std::uint32_t i) { mine.counts[i] = i % 3; });
    auto const all = block.scan(
        n, 0u, [&](std::uint32_t i) { return mine.counts[i]; }, plus(),
        [&](std::uint32_t i, std::uint32_t before) { mine.counts[i] = before; });
    if (block.rank() == 0) mine.counted = all;
  }

  /// Items that stay with their threads; and a reduce that is the only sync between writing and reading.
  template <class Block>
  BALLAST_HD void reduce_what_threads_keep(Block& block) const {
    auto& mine = found[block.index()];
    auto& shared = block.scratch();
    per_item<std::uint32_t, 100, Block> kept;
    block.for_each(items<100>, [&](std::uint32_t i) {
      kept[i] = i * i;
      shared.item[i] = i;
    });
    auto const sum = block.reduce(items<100>, 0u, [&](std::uint32_t i) { return kept[i]; });
    block.for_each(100, [&](std::uint32_t i) { mine.mirrored[i] = shared.item[99 - i]; });
    tell(block, 0);
    if (block.rank() == 0) mine.kept = sum;
  }

  template <class Block>
  BALLAST_HD void tell(Block& block, std::uint64_t value) const {
    auto& mine = found[block.index()];
    device_atomic<std::uint64_t>(mine.told).add_relaxed(value);
    if (value == 0) device_atomic<std::uint32_t>(mine.threads).add_relaxed(1);
  }
};

/// The rows of a sparse matrix, compressed, divided by a vector and summed: a warp takes a row.
struct sparse_rows {
  static constexpr int threads = 128, rows_of_block = 10;  // more than warps
  array_ref<std::uint32_t const> begin;                    ///< of each row, and the end of the last
  array_ref<float const> value, x;
  array_ref<std::uint32_t const> column;
  array_ref<float> y;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row_warp = block.warp();
    for (std::uint32_t i = row_warp.index(); i < rows_of_block; i += block.warps()) {
      auto const row = block.index() * rows_of_block + i, first = begin[row];
      auto const sum = row_warp.reduce(begin[row + 1] - first, 0.0f, [&](std::uint32_t k) {
        return value[first + k] / x[column[first + k]];  // no product, which compilers may fuse with the sum
      });
      if (row_warp.lane() == 0) y[row] = sum;
    }
  }
};

/// What a warp finds of the items that belong to it: as many as its block has.
struct reduced_by_warp {
  std::uint64_t sum;
  float fractions;
  std::uint32_t any_right, all_right, lanes;
  affine maps;
  affine maps_before[max_reduced];
};

/// The last warp of a block works alone.
template <int Threads>
struct warp_cases {
  static constexpr int threads = Threads;
  array_ref<reduced_by_warp> found;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const mine = block.warp();
    auto const n = reduced_items::size_of(block.index());
    auto& all = found[block.index()];
    if (mine.index() + 1 != block.warps()) return;  // the others need not call
    auto const sum = mine.reduce(n, std::uint64_t(7), &reduced_items::number);
    auto const fractions = mine.reduce(n, 0.25f, &reduced_items::fraction);
    auto const maps = mine.scan(n, affine{3, 1}, &reduced_items::map, first_then(),
                                [&](std::uint32_t i, affine before) { all.maps_before[i] = before; });
    bool const is_last = mine.lane() + 1 == mine.lanes();
    bool const any_right = mine.any(is_last) && !mine.any(false);
    bool const all_right = mine.all(true) && mine.all(is_last) == (mine.lanes() == 1);
    if (is_last) all.sum = sum;
    if (mine.lane() != 0) return;
    all.fractions = fractions;
    all.any_right = any_right;
    all.all_right = all_right;
    all.lanes = mine.lanes();
    all.maps = maps;
  }
};

}  // namespace ballast::test
