// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/array_view.cuh"
#include "ballast/kernel_set.hpp"
#include "ballast/result_ref.cuh"

namespace ballast::test {
using namespace detail;

/// 40 bytes without an address.
struct all_by_value {
  static constexpr int threads = 64;
  static constexpr bool travels_by_value = true;
  std::uint32_t words[10];

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

/// Every kind of address: to[i] = *first + from[i] + added.
struct add_to_each {
  static constexpr int threads = 64;
  std::uint32_t added;
  array_ref<std::uint32_t const> from;
  array_view<std::uint32_t> to;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(to);
    visit(from);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(std::uint32_t(to.extent(0)), [&](std::uint32_t i) { to[i] = from[i] + added; });
  }
};
static_assert(sizeof(add_to_each) == 40);

struct triple {
  double sum;
  std::uint32_t least, most;
};

/// Results of unequal sizes, of which the larger one is aligned to 8.
struct sum_of_words {
  static constexpr int threads = 64;
  std::uint32_t const* words;
  std::uint32_t count;
  result_ref<std::uint32_t> first;
  result_ref<triple> all;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(words);
    visit(first);
    visit(all);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    array_ref<std::uint32_t const> const read(words);
    triple found{0, read[0], read[0]};
    for (std::uint32_t i = 0; i < count; ++i) {
      found.sum += read[i];
      found.least = read[i] < found.least ? read[i] : found.least;
      found.most = read[i] > found.most ? read[i] : found.most;
    }
    first = read[0];
    all.get() = found;
  }
};

/// As sum_of_words, but of 212 bytes of members, some of them the words.
struct sum_of_members {
  static constexpr int threads = 64;
  std::uint32_t words[47];
  std::uint32_t factor;
  array_ref<std::uint32_t> also_to;
  result_ref<std::uint32_t> sum;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(also_to);
    visit(sum);
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() != 0) return;
    std::uint32_t total = 0;
    for (auto const one : words) total += one * factor;
    also_to[block.index()] = total;
    sum = total;
  }
};
static_assert(sizeof(sum_of_members) == 208);

/// Says nothing.
struct silent {
  static constexpr int threads = 64;
  std::uint32_t word;

  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

/// All five.
kernel_set const& travelling_kernels();
/// all_by_value, silent, add_to_each.
kernel_set const& others_kernels();
/// One whose tasks create tasks.
kernel_set const& splitting_kernels();
/// One with 36864 bytes of results.
kernel_set const& kernels_of_large_results();
/// What throws when called: addresses() visits a copy, or a member twice.
kernel_set const& kernels_that_visit_copies();
kernel_set const& kernels_that_visit_twice();

}  // namespace ballast::test
