// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/atomic_ref.cuh"
#include "ballast/detail/pool/deques.cuh"
#include "ballast/detail/pool/ring_queue.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

namespace ballast::test {
using namespace detail;

/// A record of two words that must fit each other.
struct entry {
  std::uint64_t number, inverse;
};

/// How often each number was taken; the word behind the last counts torn records.
struct takings {
  array_ref<std::uint32_t> times;
  std::uint32_t records;

  BALLAST_HD void note(entry const& taken) const {
    bool const is_whole = taken.inverse == ~taken.number && taken.number < records;
    device_atomic<std::uint32_t>(times[is_whole ? taken.number : records]).add_relaxed(1);
  }
};

/// Block 0 owns the deque: it pushes every number, pops where there is no room, and pops what is left. The
/// other blocks try to steal as often as there are numbers. No block waits for another.
template <class Deque>
struct share_deque {
  static constexpr int threads = 32;
  Deque deque;
  takings taken;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) block.index() == 0 ? own() : steal();
  }

 private:
  BALLAST_HD void own() const {
    for (std::uint64_t number = 0; number < taken.records; ++number)
      while (!deque.push({number, ~number})) pop();
    while (pop()) {}
  }
  BALLAST_HD bool pop() const {
    entry record;
    if (!deque.pop(record)) return false;
    taken.note(record);
    return true;
  }
  BALLAST_HD void steal() const {
    entry record;
    for (std::uint32_t attempt = 0; attempt < taken.records; ++attempt)
      if (deque.steal(record) == steal_outcome::taken) taken.note(record);
  }
};

using share_abp = share_deque<abp_deque_ref<entry>>;
using share_chase_lev = share_deque<chase_lev_deque_ref<entry>>;

/// Each block pushes every blocks-th number, pops where there is no room, and then pops until the ring seems
/// empty. `blocks` 0: a block that only pops.
struct share_ring {
  static constexpr int threads = 32;
  static constexpr std::uint32_t looks = 1u << 28;  ///< after which a test has failed
  ring_queue_ref<entry> ring;
  array_ref<std::uint32_t> times;
  std::uint32_t records, blocks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    if (blocks != 0) push_every(block.index());
    while (pop()) {}
  }

 private:
  struct bounded_wait {
    std::uint32_t left = looks;
    BALLAST_HD bool operator()() { return left-- > 0; }
  };

  BALLAST_HD void push_every(std::uint64_t first) const {
    for (std::uint64_t number = first; number < records; number += blocks)
      while (ring.push({number, ~number}, bounded_wait{}) == push_outcome::full) pop();
  }
  BALLAST_HD bool pop() const {
    entry record;
    if (ring.pop(record, bounded_wait{}) != pop_outcome::taken) return false;
    takings{times, records}.note(record);
    return true;
  }
};

kernel_set const& pool_test_kernels();

}  // namespace ballast::test
