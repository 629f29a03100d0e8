// SPDX-License-Identifier: Apache-2.0
// Kernels that cut and reduce segments.
#pragma once

#include "ballast/segments.cuh"
#include "reductions.cuh"

namespace ballast::test {

/// What becomes of a segment, and how often.
struct segment_results {
  array_ref<float> fractions;
  array_ref<affine> maps;
  array_ref<std::uint32_t> stored, added;  ///< calls for the segment
  array_ref<std::uint32_t> mapped;         ///< calls for the item
};

/// Either step of a reduction, by any number of blocks.
template <int Threads, class T, class Index>
struct reduce_rows {
  static constexpr int threads = Threads;
  using scratch = share_memory<T>;
  segments<T, Index> of;
  segment_results to;
  bool second;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    run(block, block.scratch(), block.count());
  }
  template <class Block>
  BALLAST_HD void run(Block const& block, share_memory<T>& memory, std::uint32_t blocks) const {
    for (auto i = block.index(); i < (second ? of.groups() : of.shares()); i += blocks)
      if (second)
        add(block, i);
      else
        reduce(block, memory, i);
  }

 private:
  static constexpr bool are_maps = std::is_same_v<T, affine>;

  template <class Block>
  BALLAST_HD void reduce(Block const& block, share_memory<T>& memory, std::uint32_t share) const {
    reduce_segments(
        block, memory, of, share, T{}, [&](Index i) { return value(i); }, combined(),
        [&](std::uint32_t segment, T const& sum) {
          ++to.stored[segment];
          result(segment) = sum;
        });
  }
  template <class Block>
  BALLAST_HD void add(Block const& block, std::uint32_t group) const {
    add_carries(block, of, group, T{}, combined(), [&](std::uint32_t segment, T const& sum) {
      ++to.added[segment];
      result(segment) = combined()(sum, result(segment));
    });
  }
  BALLAST_HD T value(Index i) const {
    ++to.mapped[std::size_t(i)];
    if constexpr (are_maps)
      return reduced_items::map(std::uint32_t(i));
    else
      return reduced_items::fraction(std::uint32_t(i));
  }
  BALLAST_HD static auto combined() {
    if constexpr (are_maps)
      return first_then();
    else
      return plus();
  }
  BALLAST_HD T& result(std::uint32_t segment) const {
    if constexpr (are_maps)
      return to.maps[segment];
    else
      return to.fractions[segment];
  }
};

/// A block composes the maps of a piece; the last block of a segment composes those of its pieces.
template <int Threads>
struct combine_pieces {
  static constexpr int threads = Threads;
  array_ref<piece const> pieces;
  std::uint32_t count;
  array_ref<affine> of_piece, of_segment;
  array_ref<std::uint32_t> counters, combined;  ///< how often a segment was combined

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    run(block, block.count());
  }
  template <class Block>
  BALLAST_HD void run(Block const& block, std::uint32_t blocks) const {
    for (auto i = block.index(); i < count; i += blocks) combine(block, i);
  }

 private:
  template <class Block>
  BALLAST_HD void combine(Block const& block, std::uint32_t i) const {
    piece const mine = pieces[i];
    auto const map = [&](std::uint32_t k) { return reduced_items::map(std::uint32_t(mine.begin) + k); };
    auto const part = block.reduce(std::uint32_t(mine.end - mine.begin), affine{}, map, first_then());
    if (block.rank() + 1 == block.size()) of_piece[i] = part;  // not the thread that counts
    if (!is_last_of(block, mine, counters)) return;
    auto const read = [&](std::uint32_t k) { return of_piece[mine.first + k]; };
    auto const all = block.reduce(mine.of, affine{}, read, first_then());
    if (block.rank() != 0) return;
    of_segment[mine.segment] = all;
    ++combined[mine.segment];
  }
};

/// Cuts on the device, by one block.
template <int Threads>
struct cut_there {
  static constexpr int threads = Threads;
  array_ref<std::uint32_t const> ends;
  std::uint32_t segments, max_items;
  array_ref<piece> pieces;
  array_ref<std::uint32_t> count;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const made = cut_segments(block, ends, segments, max_items, pieces);
    if (block.rank() == 0) count[0] = made;
  }
};

}  // namespace ballast::test
