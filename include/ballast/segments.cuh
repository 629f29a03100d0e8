// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/atomic_ref.cuh"
#include "ballast/block.cuh"

#if !defined(__CUDACC_RTC__)
#  include <algorithm>
#  include <utility>
#  include <vector>

#  include "ballast/error.hpp"
#endif

/// Rows of very unlike lengths, here called segments. Item i belongs to the first segment whose end exceeds
/// i: an array of ends is a CSR matrix's row offsets without the leading 0. A few long segments are cut into
/// pieces, a block each; many segments that are short but for a few are reduced in shares of equal work. The
/// functions that take a block are for ballast's kernels, and for a `__global__` kernel of one's own, whose
/// block is a `block_of<threads>({}, blockIdx.x)`; all threads of the block call them with the same
/// arguments; they compile with NVRTC too, without paths to the standard library. Nothing here waits for
/// another block.
namespace ballast {

/// Items begin .. end - 1 of a segment.
struct piece {
  std::uint32_t segment = 0;  ///< which segment
  std::uint64_t begin = 0;    ///< its first item, counted from that of segment 0
  std::uint64_t end = 0;      ///< one past its last item; equals begin in an empty segment
  std::uint32_t of = 1;       ///< how many pieces the segment has, which follow one another in the list
  std::uint32_t first = 0;    ///< the index in the list of the first of them
  /// Equal in all members.
  bool operator==(piece const&) const = default;
};

/// How cut_segments() cuts.
struct piece_limits {
  /// The most items of a piece, at least 1.
  std::uint64_t max_items = 512;
  /// True: the longest segment comes first in the list, and equally long ones come in order. A GPU starts
  /// blocks in order, so that short ones fill up the end.
  bool longest_first = false;
};

namespace detail {

/// The pieces of a segment; an empty segment has one, so that a block writes its result.
BALLAST_HD constexpr std::uint64_t pieces_of(std::uint64_t length, std::uint64_t limit) {
  return length == 0 ? 1 : (length - 1) / limit + 1;
}

/// Piece `i` of those of a segment, which `whole` describes. Their lengths differ by at most 1.
BALLAST_HD constexpr piece part_of(piece const& whole, std::uint64_t i) {
  auto const length = (whole.end - whole.begin) / whole.of, longer = (whole.end - whole.begin) % whole.of;
  piece part = whole;
  part.begin += i * length + (i < longer ? i : longer);
  part.end = part.begin + length + (i < longer);
  return part;
}

/// Segment `i` of these as one piece.
template <class Ends>
BALLAST_HD piece whole_segment(Ends const& ends, std::uint32_t i, std::uint64_t limit) {
  auto const begin = i == 0 ? 0 : std::uint64_t(ends[i - 1]), end = std::uint64_t(ends[i]);
  return {i, begin, end, std::uint32_t(pieces_of(end - begin, limit)), 0};
}

}  // namespace detail

#if !defined(__CUDACC_RTC__)
/// Cuts every segment into as few pieces as limits.max_items allows, of equal lengths but for 1 item; an
/// empty segment has one empty piece. `ends` is a range of integers that do not decrease.
/// Throws bad_argument ("max_items" if 0; "ends" if one is less than the one before, or if there would be
/// 2^32 pieces). Pure; any thread may call.
template <class Ends>
std::vector<piece> cut_segments(Ends const& ends, piece_limits limits) {
  constexpr std::uint64_t most = std::uint32_t(-1);
  if (limits.max_items == 0) throw_bad_argument("max_items", 0, "at least 1");
  std::vector<piece> segments;
  std::uint64_t end = 0, pieces = 0;
  for (auto const given : ends) {
    if (std::cmp_less(given, end)) throw_bad_argument("ends", given, "at least the end before");
    auto const next = std::uint64_t(given), of = detail::pieces_of(next - end, limits.max_items);
    pieces += of;
    if (of > most || pieces > most) throw_bad_argument("ends", given, "fewer than 2^32 pieces");
    segments.push_back({std::uint32_t(segments.size()), end, next, std::uint32_t(of), 0});
    end = next;
  }
  auto const is_first = [](piece const& a, piece const& b) {
    auto const of_a = a.end - a.begin, of_b = b.end - b.begin;
    return of_a != of_b ? of_a > of_b : a.segment < b.segment;
  };
  if (limits.longest_first) std::ranges::sort(segments, is_first);
  std::vector<piece> list;
  list.reserve(pieces);
  for (auto& each : segments) {
    each.first = std::uint32_t(list.size());
    for (std::uint32_t i = 0; i < each.of; ++i) list.push_back(detail::part_of(each, i));
  }
  return list;
}
#endif

/// The same by one block, where the ends are known on the device only: writes the pieces to pieces[0] on, in
/// the order of their segments, and returns their number. `ends` and `pieces` are pointers or array_refs;
/// there are segments + items / max_items of `pieces` at least. Not checked: max_items is at least 1, the
/// ends do not decrease, and there are at most 2^32 - 1024 segments and fewer than 2^32 pieces. Ends with a
/// sync() if there are segments.
template <class Block, class Ends, class Pieces>
BALLAST_HD std::uint32_t cut_segments(Block const& block, Ends const& ends, std::uint32_t segments,
                                      std::uint64_t max_items, Pieces const& pieces) {
  auto const count = [&](std::uint32_t i) { return detail::whole_segment(ends, i, max_items).of; };
  return block.scan(segments, std::uint32_t(0), count, plus(), [&](std::uint32_t i, std::uint32_t first) {
    auto whole = detail::whole_segment(ends, i, max_items);
    whole.first = first;
    for (std::uint32_t k = 0; k < whole.of; ++k) pieces[first + k] = detail::part_of(whole, k);
  });
}

namespace detail {

/// Counts one block more that is done with its piece; 1 for the last, which leaves the count at zero.
BALLAST_HD inline std::uint32_t arrive_last(std::uint32_t& arrived, std::uint32_t of) {
  device_atomic<std::uint32_t> const count(arrived);
  if (count.add_release(1) + 1 != of) return 0;
  fence_after_relaxed<scope::device>();
  count.store_relaxed(0);
  return 1;
}

}  // namespace detail

/// True in one block among those of a segment's pieces: in the last to call, which then sees what all of them
/// wrote to global memory before they called, and combines that in the order of the pieces. Each piece's
/// block calls once, on one device. counters[segment] is a std::uint32_t in global memory: zero before, and
/// zero again after the last call. After a run that ended early, set it to zero. Every thread gets the same
/// answer. Begins with a sync().
template <class Block, class Counters>
BALLAST_HD bool is_last_of(Block const& block, piece const& done, Counters const& counters) {
  block.sync();
  if (done.of == 1) return true;
  return block.reduce(1, std::uint32_t(0), [&](std::uint32_t) {
    return detail::arrive_last(counters[done.segment], done.of);
  }) != 0;
}

namespace detail {

/// Segments and items of a share together, so that empty segments count too; carries of a group.
inline constexpr std::uint32_t share_size = 2304, group_size = 32;

}  // namespace detail

/// What reduce_segments() leaves of a segment that goes on in the next share.
template <class T>
struct segment_carry {
  std::uint32_t segment;  ///< the segment; the number of segments after the last one
  T value;                ///< what its items in this share were combined to
};

/// Segments that blocks reduce together. Item and segment ends have type Index, an integer: with one of 64
/// bits there may be more than 2^32 items.
template <class T, class Index = std::uint32_t>
struct segments {
  array_ref<Index const> ends;          ///< `count` of them, which do not decrease
  std::uint32_t count;                  ///< at most 2^32 - 1024
  Index items;                          ///< the last end; at most 2^42
  array_ref<segment_carry<T>> carries;  ///< shares() of them, written by reduce_segments()

  /// Shares there are, each for one call of reduce_segments().
  BALLAST_HD constexpr std::uint32_t shares() const {
    return up(std::uint64_t(items) + count, detail::share_size);
  }
  /// Groups of carries there are, each for one call of add_carries().
  BALLAST_HD constexpr std::uint32_t groups() const { return up(shares(), detail::group_size); }

 private:
  static BALLAST_HD constexpr std::uint32_t up(std::uint64_t total, std::uint32_t size) {
    return std::uint32_t((total + size - 1) / size);
  }
};

/// Memory that the threads of a block share in reduce_segments(): a kernel's `scratch` or a part of it, or
/// `__shared__`. Of reduce_segments() alone; undefined before and after.
template <class T>
struct share_memory {
  ///@{
  /// For the library.
  std::uint32_t first[2];
  std::uint16_t ends[detail::share_size + 1];
  T values[detail::share_size];
  ///@}
};

namespace detail {

// Segments and items lie on a path: a segment's end comes after its items, so the end of segment s has place
// s + ends[s]. A share is a stretch of the path (merge path: Odeh, Green, Mwassi, Shmueli and Birk 2012), and
// a strand is a stretch of the share, which one thread walks. Strands, not threads, decide the order in which
// values are combined, so that it is the same for any number of threads.

/// Places of a strand; an odd number, so that the threads of a warp read different banks of shared memory.
inline constexpr std::uint32_t strand_size = 9;

/// How many of `count` ends come before a place of the path.
template <class Ends>
BALLAST_HD std::uint32_t ends_before(Ends const& ends, std::uint32_t count, std::uint64_t place) {
  std::uint32_t low = 0, high = place < count ? std::uint32_t(place) : count;
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    if (std::uint64_t(ends[middle]) + middle < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#if defined(__CUDACC__)
/// The same by a warp, which looks at 32 ends at a time.
template <class Ends>
__device__ std::uint32_t ends_before_by_warp(Ends const& ends, std::uint32_t count, std::uint64_t place) {
  std::uint32_t low = 0, high = place < count ? std::uint32_t(place) : count;
  while (low < high) {
    auto const apart = (high - low + chunk_items) / (chunk_items + 1);
    auto const at = low + (lane_of_warp() + 1) * apart - 1;
    bool const is_before = at < high && std::uint64_t(ends[at]) + at < place;
    auto const passed = std::uint32_t(__popc(__ballot_sync(whole_warp, is_before)));
    auto const next = low + (passed + 1) * apart - 1;
    low += passed * apart;
    if (passed < chunk_items && next < high) high = next;
  }
  return low;
}
#endif

/// Sets before[i] to the ends before places[i].
template <class Block, class Ends>
BALLAST_HD void find_ends(Block const& block, Ends const& ends, std::uint32_t count,
                          std::uint64_t const (&places)[2], std::uint32_t (&before)[2]) {
#if BALLAST_ON_GPU
  if constexpr (Block::threads >= chunk_items) {
    for (std::uint32_t i = block.rank() / chunk_items; i < 2; i += Block::threads / chunk_items) {
      auto const found = ends_before_by_warp(ends, count, i == 0 ? places[0] : places[1]);
      if (lane_of_warp() == 0) before[i] = found;
    }
    return;
  }
#endif
  block.for_each(2, [&](std::uint32_t i) { before[i] = ends_before(ends, count, places[i]); });
}

/// The first segment of a share, and how many end in it.
struct share_place {
  std::uint32_t segment, ended;
};

/// Finds a share and brings its values and ends to the memory; after the last share's values there is `zero`.
template <class Block, class T, class Index, class Map>
BALLAST_HD share_place load_share(Block const& block, share_memory<T>& memory, segments<T, Index> const& of,
                                  std::uint32_t share, T const& zero, Map& map) {
  check_reduction<T, Map>(0);
  constexpr auto size = share_size;
  auto const begin = std::uint64_t(share) * size, left = std::uint64_t(of.items) + of.count - begin;
  auto const length = left < size ? std::uint32_t(left) : size;
  find_ends(block, of.ends, of.count, {begin, begin + length}, memory.first);
  block.sync();
  auto const segment = memory.first[0], ended = memory.first[1] - segment, taken = length - ended;
  auto const item = static_cast<Index>(begin - segment);
  per_item<T, size, Block> values;  // so that a thread's loads do not wait for each other
  block.for_each(items<size>, [&](std::uint32_t i) {
    values[i] = i < taken ? static_cast<T>(map(static_cast<Index>(item + i))) : zero;
  });
  block.for_each(ended, [&](std::uint32_t i) {
    memory.ends[i] = static_cast<std::uint16_t>(of.ends[segment + i] - item);
  });
  if (block.rank() == 0) memory.ends[ended] = size;  // after the last end no item ends a segment
  block.for_each(items<size>, [&](std::uint32_t i) { memory.values[i] = values[i]; });
  block.sync();
  return {segment, ended};
}

/// Combines values that belong to segments, where the right one may begin a segment.
template <class T, class Plus>
struct plus_by_segment {
  Plus plus;
  BALLAST_HD segment_carry<T> operator()(segment_carry<T> const& a, segment_carry<T> const& b) const {
    return {b.segment, a.segment == b.segment ? static_cast<T>(plus(a.value, b.value)) : b.value};
  }
};

/// Where the values of the `ended` segments are put that end in a share: behind its items.
template <class T>
BALLAST_HD T* sums_of(share_memory<T>& memory, std::uint32_t ended) {
  return memory.values + (share_size - ended);
}

/// Walks all strands of a share, in which `ended` segments end, and puts their values into sums_of(); the
/// block reads them after a sync(). Returns what is left over. A walk that called the user's code for each
/// end had branches that threads of a warp take apart.
template <class Block, class T, class Plus>
BALLAST_HD segment_carry<T> walk_share(Block const& block, share_memory<T>& memory, std::uint32_t ended,
                                       T const& zero, Plus const& plus) {
  constexpr auto strands = share_size / strand_size;
  auto* const sums = sums_of(memory, ended);
  per_item<std::uint32_t, strands, Block> first, after_last;
  std::uint32_t segment = 0;  // one thread begins where it stopped, several search
  auto const walk = [&](std::uint32_t strand) {
    if constexpr (Block::threads != 1) segment = ends_before(memory.ends, ended, strand * strand_size);
    first[strand] = segment;
    auto item = strand * strand_size - segment;
    T value = zero;
#if BALLAST_ON_GPU
#  pragma unroll
#endif
    for (std::uint32_t i = 0; i < strand_size; ++i)
      if (memory.ends[segment] <= item) {
        sums[segment++] = value;
        value = zero;
      } else {
        value = static_cast<T>(plus(value, memory.values[item++]));
      }
    after_last[strand] = segment;
    return segment_carry<T>{segment, value};
  };
  plus_by_segment<T, Plus> const by_segment{plus};
  return block.scan(items<strands>, segment_carry<T>{0, zero}, walk, by_segment,
                    [&](std::uint32_t strand, segment_carry<T> const& before) {
                      auto const begun = first[strand];
                      if (begun == after_last[strand]) return;
                      sums[begun] = by_segment(before, {begun, sums[begun]}).value;
                    });
}

}  // namespace detail

/// Combines the items of each segment that ends in share `share`, and calls store(segment, value) once for
/// it, in one thread; `value` is `zero` if the segment is empty. It lacks what lies in earlier shares, which
/// add_carries() adds in a second step, after all of the first. A share is for one call, by any block; shares
/// may come in any order, and take as long for long segments as for short ones.
/// map(item) is called once for each item, an Index below of.items; T holds its result, and is trivially
/// copyable and default constructible. plus(a, b) is associative, and both plus(zero, a) and plus(a, zero)
/// are a. The ends alone decide in which order values are combined: the results of both steps have the same
/// bits for any number of blocks and threads, on a GPU and on cores, if `map` and `plus` give the same bits
/// there. Not checked: `share` is below of.shares(). Begins with no sync(), ends with one.
template <class Block, class T, class Index, class Map, class Plus, class Store>
BALLAST_HD void reduce_segments(Block const& block, share_memory<T>& memory, segments<T, Index> const& of,
                                std::uint32_t share, decltype(segment_carry<T>::value) zero, Map&& map,
                                Plus plus, Store&& store) {
  auto const here = detail::load_share(block, memory, of, share, T(zero), map);
  auto const left = detail::walk_share(block, memory, here.ended, T(zero), plus);
  auto const* const sums = detail::sums_of(memory, here.ended);
  block.for_each(here.ended, [&](std::uint32_t i) { store(here.segment + i, sums[i]); });
  if (block.rank() == 0) of.carries[share] = {here.segment + left.segment, left.value};
  block.sync();
}

namespace detail {

/// How many carries, from number i on, belong to a segment whose first carry that is; else 0.
template <class T, class Index>
BALLAST_HD std::uint32_t carries_from(segments<T, Index> const& of, std::uint32_t i) {
  if (i >= of.shares()) return 0;
  auto const segment = of.carries[i].segment;
  if (segment >= of.count || (i > 0 && of.carries[i - 1].segment == segment)) return 0;
  return std::uint32_t((std::uint64_t(of.ends[segment]) + segment) / share_size) - i;
}

/// The most carries that one thread adds alone.
inline constexpr std::uint32_t few_carries = 8;

}  // namespace detail

/// After reduce_segments() has been called for all shares, calls add(segment, value) once for each segment
/// that begins at or goes over borders of shares and whose first border is in group `group`: `value` combines
/// the parts before the share that it ends in, for `y[segment] = plus(value, y[segment])`. To be called for
/// each group below of.groups(), once, in any order and by any blocks, with the `zero` and `plus` of the
/// first step.
template <class Block, class T, class Index, class Plus, class Add>
BALLAST_HD void add_carries(Block const& block, segments<T, Index> const& of, std::uint32_t group,
                            decltype(segment_carry<T>::value) zero, Plus plus, Add&& add) {
  constexpr auto none = detail::group_size;
  auto const first = group * detail::group_size;
  block.for_each(items<none>, [&](std::uint32_t i) {
    auto const count = detail::carries_from(of, first + i);
    if (count == 0 || count > detail::few_carries) return;
    auto const from = of.carries.from(first + i);
    T value = zero;
    for (std::uint32_t k = 0; k < count; ++k) value = static_cast<T>(plus(value, from[k].value));
    add(from[0].segment, value);
  });
  for (std::uint32_t next = 0;;) {
    auto const is_long = [&](std::uint32_t i) {
      return i >= next && detail::carries_from(of, first + i) > detail::few_carries ? i : none;
    };
    auto const i = block.reduce(items<none>, std::uint32_t(none), is_long, minimum());
    if (i == none) return;
    auto const from = of.carries.from(first + i);
    auto const value = block.reduce(
        detail::carries_from(of, first + i), zero, [&](std::uint32_t k) { return from[k].value; }, plus);
    if (block.rank() == 0) add(from[0].segment, value);
    next = i + 1;
  }
}

}  // namespace ballast
