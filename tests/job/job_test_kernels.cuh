// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "ballast/array_view.cuh"
#include "ballast/atomic_ref.cuh"
#include "ballast/job_scheduler.hpp"
#include "ballast/kernel.cuh"
#include "mix_rows.cuh"

namespace ballast::test {
using namespace detail;

/// Adds one to the element of each block.
struct count_visits {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> visits;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) { visits[block.index()] += 1; });
  }
};

/// Adds one to the element of each block; the blocks from `first` to `end` - 1 touch nothing.
struct count_beside {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> visits;
  std::uint32_t first, end;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      if (block.index() < first || block.index() >= end) visits[block.index()] += 1;
    });
  }
};

/// Writes 1 to the element of each block if its worker is its place in its task, else 2.
struct check_worker {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> verdicts;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    bool const is_right = block.worker() == block.index() - block.first() && block.workers() == block.count();
    block.for_each(1, [&](std::uint32_t) { verdicts[block.index()] = is_right ? 1 : 2; });
  }
};

/// A block is a row of sums: each is of all that is read, and of the row's number.
struct add_all {
  static constexpr int threads = 32;
  array_ref<std::uint32_t const> from;
  array_ref<std::uint32_t> sums;
  std::uint32_t elements;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      std::uint32_t sum = block.index();
      for (std::uint32_t i = 0; i < elements; ++i) sum += from[i];
      sums[block.index()] = sum;
    });
  }
};

/// Writes the element of each second block only.
struct mark_even {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> marks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      if (block.index() % 2 == 0) marks[block.index()] = 1000 + block.index();
    });
  }
};

/// Copies an element per block when the gate is open; the gate is no array. Its second word says that a block
/// is there.
struct copy_behind_gate {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> gate;
  array_ref<std::uint32_t const> from;
  array_ref<std::uint32_t> to;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    atomic_ref<std::uint32_t, scope::system>(gate[1]).store_release(1);
    while (atomic_ref<std::uint32_t, scope::system>(gate[0]).load_acquire() == 0) {}
    block.for_each(1, [&](std::uint32_t) { to[block.index()] = from[block.index()]; });
  }
};

/// Counts the items of each number of them, one below, at and above the block's threads and one of several
/// times those; a unit has 200.
struct count_items {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> visits;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    std::uint32_t* const of_block = visits.data() + 200 * std::size_t(block.index());
    block.for_each(items<1>, [&](std::uint32_t i) { ++of_block[i]; });
    block.for_each(items<32>, [&](std::uint32_t i) { ++of_block[1 + i]; });
    block.for_each(items<33>, [&](std::uint32_t i) { ++of_block[33 + i]; });
    block.for_each(items<64>, [&](std::uint32_t i) { ++of_block[66 + i]; });
    block.for_each(items<70>, [&](std::uint32_t i) { ++of_block[130 + i]; });
  }
};

/// Makes one more of each element with the block's index in one dimension, of which `side` are, and which
/// goes on after `inner` elements. Shifts are mistakes.
struct add_one_to_slices {
  static constexpr int threads = 32;
  array_ref<std::uint32_t const> from;
  array_ref<std::uint32_t> to;
  std::uint32_t side, inner, elements_of_slice;
  std::int32_t read_shift = 0, write_shift = 0;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(elements_of_slice, [&](std::uint32_t i) {
      auto const at = (std::size_t(i / inner) * side + block.index()) * inner + i % inner;
      to.data()[std::ptrdiff_t(at) + write_shift] = from.data()[std::ptrdiff_t(at) + read_shift] + 1;
    });
  }
};

/// Adds what it has just written, by another argument.
struct write_and_see {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> written;
  array_ref<std::uint32_t const> seen;
  array_ref<std::uint32_t> sums;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      written[block.index()] = 10 + block.index();
      sums[block.index()] += seen[block.index()];
    });
  }
};

/// Writes each row backwards, and where its elements were in the whole array.
struct turn_rows {
  static constexpr int threads = 32;
  array_view<std::uint32_t const, 2> from;
  array_view<std::uint32_t, 3> to;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const row = block.index(), columns = std::uint32_t(from.extent(1));
    block.for_each(columns, [&](std::uint32_t column) {
      to(row, column, 0) = from(row, columns - 1 - column);
      to(row, column, 1) = std::uint32_t(from.extent(0)) * 1000 + row;
    });
  }
};

/// A block is an element: three times its neighbour's and a number that prepare() reads.
struct add_weight {
  static constexpr int threads = 32;
  struct scratch {
    std::uint32_t weight;
  };
  array_ref<std::uint32_t const> weights, now;
  array_ref<std::uint32_t> next;
  std::uint32_t elements;

  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    block.for_each(1, [&](std::uint32_t) { block.scratch().weight = weights[block.index()]; });
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(1, [&](std::uint32_t) {
      next[block.index()] = 3 * now[(block.index() + 1) % elements] + block.scratch().weight;
    });
  }
};

/// Throws on CPU cores: their device is lost.
struct fault {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> any;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {
#if !BALLAST_ON_GPU
    throw std::runtime_error("a planted fault");
#endif
  }
};

/// In no list.
struct unlisted {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> any;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

kernel_set const& kernels();

}  // namespace ballast::test
