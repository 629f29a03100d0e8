// SPDX-License-Identifier: Apache-2.0
// What may make reduce_segments() faster, each as a kernel of its own beside share_of_rows.
#pragma once

#include "device/row_kernels.cuh"

namespace ballast::bench {

/// Memory of a share whose values begin at any of four places, so that four lie where their items do.
struct movable_memory {
  std::uint32_t first[2];
  alignas(16) unsigned char bytes[sizeof(share_memory<float>) + 16];

  /// Value `shift` of those behind it is aligned to 16 bytes, with `shift` below 4.
  BALLAST_HD share_memory<float>& at(std::uint32_t shift) {
    auto const values = offsetof(share_memory<float>, values);
    return *reinterpret_cast<share_memory<float>*>(bytes + (16 - values % 16 + 4 * shift) % 16);
  }
};

/// As detail::load_share(), but loads columns and values four at a time, where all four are the share's.
template <class Block, class Term>
BALLAST_HD share_memory<float>& load_by_four(Block const& block, movable_memory& room,
                                             segments<float> const& of, std::uint32_t share, Term const& term,
                                             detail::share_place& place) {
  constexpr auto size = detail::share_size;
  auto const begin = std::uint64_t(share) * size, left = std::uint64_t(of.items) + of.count - begin;
  auto const length = left < size ? std::uint32_t(left) : size;
  detail::find_ends(block, of.ends, of.count, {begin, begin + length}, room.first);
  block.sync();
  auto const segment = room.first[0], ended = room.first[1] - segment, taken = length - ended;
  auto const item = std::uint32_t(begin - segment), shift = item % 4, first = item - shift;
  auto& memory = room.at(shift);
  // Items are counted from `first`: fours from `low` up to `high` are whole. Most threads have two of them,
  // which they load together; one that has fewer loads and puts the first once more, for which nobody waits.
  auto const low = (shift + 3) / 4, high = (shift + taken) / 4, end = shift + taken;
  constexpr std::uint32_t together = 512;
  auto const put = [&](std::uint32_t at, four<float> const& products) {
    auto* const values = reinterpret_cast<four<float>*>(memory.values - shift);
    values[at] = products;
  };
  if (low < high) {
    auto const mine = [&](std::uint32_t i) { return low + i < high ? low + i : low; };
    per_item<four<float>, together, Block> products;
    block.for_each(items<together>,
                   [&](std::uint32_t i) { products[i] = term.by_four(first / 4 + mine(i)); });
    block.for_each(items<together>, [&](std::uint32_t i) { put(mine(i), products[i]); });
  }
#if BALLAST_ON_GPU
#  pragma unroll 1
#endif
  for (auto at = low + together + block.rank(); at < high; at += Block::threads)
    put(at, term.by_four(first / 4 + at));
  block.for_each(8, [&](std::uint32_t i) {
    auto const at = i < 4 ? i : 4 * high + i - 4;
    bool const is_mine = i < 4 ? low == 1 && at >= shift : high >= low;
    if (is_mine && at < end) memory.values[at - shift] = term(first + at);
  });
  block.for_each(ended, [&](std::uint32_t i) {
    memory.ends[i] = static_cast<std::uint16_t>(of.ends[segment + i] - item);
  });
  if (block.rank() == 0) memory.ends[ended] = size;
  block.for_each(size - length, [&](std::uint32_t i) { memory.values[taken + i] = 0; });
  block.sync();
  place = {segment, ended};
  return memory;
}

/// As detail::walk_share() and what follows it, but the walk puts each sum into shared memory, behind the
/// values, so that it has no long branches; the block then stores all sums together.
template <class Block, class Term>
BALLAST_HD void walk_and_store(Block const& block, share_memory<float>& memory, segments<float> const& of,
                               std::uint32_t share, detail::share_place const& here, Term const& term) {
  constexpr auto size = detail::strand_size, strands = detail::share_size / size;
  auto* const sums = memory.values + (detail::share_size - here.ended);
  per_item<std::uint32_t, strands, Block> first, ended;
  auto const walk = [&](std::uint32_t strand) {
    auto segment = detail::ends_before(memory.ends, here.ended, strand * size);
    auto item = strand * size - segment;
    first[strand] = segment;
    float value = 0;
#if BALLAST_ON_GPU
#  pragma unroll
#endif
    for (std::uint32_t i = 0; i < size; ++i)
      if (memory.ends[segment] <= item) {
        sums[segment++] = value;
        value = 0;
      } else {
        value += memory.values[item++];
      }
    ended[strand] = segment;
    return segment_carry<float>{segment, value};
  };
  detail::plus_by_segment<float, plus> const by_segment{};
  auto const left = block.scan(items<strands>, segment_carry<float>{0, 0}, walk, by_segment,
                               [&](std::uint32_t strand, segment_carry<float> const& before) {
                                 if (first[strand] == ended[strand]) return;
                                 auto& sum = sums[first[strand]];
                                 sum = by_segment(before, {first[strand], sum}).value;
                               });
  block.for_each(here.ended, [&](std::uint32_t i) { term.store(here.segment + i, sums[i]); });
  if (block.rank() == 0) of.carries[share] = {here.segment + left.segment, left.value};
  block.sync();
}

/// share_of_rows, changed in one of two ways or in both.
template <class Term, bool ByFour, bool Together>
struct varied_share {
  static constexpr int threads = 256, blocks_per_multiprocessor = 8;
  using scratch = movable_memory;
  segments<float> rows;
  Term term;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    detail::share_place here;
    auto& memory = load(block, here);
    if constexpr (Together) {
      walk_and_store(block, memory, rows, block.index(), here, term);
    } else {
      auto const left = detail::walk_share(
          block, memory, here.ended, 0.0f, plus(),
          [&](std::uint32_t segment, float sum) { term.store(here.segment + segment, sum); });
      if (block.rank() == 0) rows.carries[block.index()] = {here.segment + left.segment, left.value};
    }
  }

 private:
  template <class Block>
  BALLAST_HD share_memory<float>& load(Block const& block, detail::share_place& here) const {
    if constexpr (ByFour) return load_by_four(block, block.scratch(), rows, block.index(), term, here);
    auto& memory = block.scratch().at(0);
    here = detail::load_share(block, memory, rows, block.index(), 0.0f, term);
    return memory;
  }
};
template <class Term>
using share_stored_together = varied_share<Term, false, true>;
template <class Term>
using share_read_by_four = varied_share<Term, true, false>;
template <class Term>
using share_of_both = varied_share<Term, true, true>;

}  // namespace ballast::bench
