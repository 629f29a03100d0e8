// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#if !BALLAST_ON_GPU
#  include <thread>
#endif

#include "ballast/array_view.cuh"
#include "ballast/atomic_ref.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"
#include "ballast/task.hpp"

namespace ballast::test {

/// What a task computes, for so many rounds that nobody can leave out.
BALLAST_HD inline std::uint32_t value_of(std::uint32_t number, std::uint32_t rounds) {
  auto value = number * 2654435761u + 1;
  for (std::uint32_t i = 0; i < rounds; ++i) value = (value ^ (value >> 15)) * 2246822519u + i;
  return value;
}

/// Counts how often it runs, in the memory of the rank that executes it, and has a result.
struct tally {
  static constexpr int threads = 64;
  std::uint32_t number, rounds;
  std::uint32_t* runs;
  result_ref<std::uint32_t> result;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(runs);
    visit(result);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::system>(*runs).add_relaxed(1);
    result = value_of(number, rounds);
  }
};

/// The same, and may run again if its rank is lost.
struct repeatable_tally : tally {
  static constexpr bool repeatable = true;
};

/// The same with more members than a record holds. The result is their sum.
struct large_tally {
  static constexpr int threads = 64;
  std::uint32_t words[20];
  std::uint32_t* runs;
  result_ref<std::uint32_t> result;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(runs);
    visit(result);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::system>(*runs).add_relaxed(1);
    std::uint32_t sum = 0;
    for (auto const word : words) sum += word;
    result = sum;
  }
};

/// Says in gate[1] that it runs, and does until *gate is not zero, in the memory of the rank that executes
/// it. Then it counts.
struct wait_at_gate {
  static constexpr int threads = 64;
  std::uint32_t* gate;
  std::uint32_t* runs;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(gate);
    visit(runs);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    atomic_ref<std::uint32_t, scope::system>(gate[1]).add_release(1);
    while (atomic_ref<std::uint32_t, scope::system>(*gate).load_acquire() == 0) {
#if !BALLAST_ON_GPU
      std::this_thread::yield();
#endif
    }
    atomic_ref<std::uint32_t, scope::system>(*runs).add_relaxed(1);
  }
};

/// Stores nothing, and travels.
struct idle {
  static constexpr int threads = 64;
  static constexpr bool travels_by_value = true;
  std::uint32_t number;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

struct result_page {
  std::uint32_t words[1024];
};

/// Results of 4096 bytes each.
template <int Pages>
struct fill_pages {
  static constexpr int threads = 64;
  std::uint32_t number;
  result_ref<result_page> pages[Pages];

  template <class Visit>
  void addresses(Visit&& visit) {
    for (auto& one : pages) visit(one);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for (std::uint32_t i = 0; i < Pages; ++i)
      block.for_each(1024u, [&](std::uint32_t k) { pages[i].get().words[k] = number + i + k; });
  }
};
using fill_a_page = fill_pages<1>;
using fill_eight_pages = fill_pages<8>;

/// tally, repeatable_tally, large_tally, wait_at_gate, idle, a kernel that fails and one that is silent.
kernel_set const& cluster_kernels();
/// The same but for the second kernel.
kernel_set const& other_cluster_kernels();
/// Those of visiting_kernels.cuh, and wait_at_gate.
kernel_set const& visiting_kernels();
/// fill_a_page and fill_eight_pages.
kernel_set const& page_kernels();
/// A task that fails where it runs, and one whose kernel does not say whether its members travel.
task failing_task();
task silent_task();

}  // namespace ballast::test
