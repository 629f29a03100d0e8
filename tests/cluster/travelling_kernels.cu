// SPDX-License-Identifier: Apache-2.0
#include "travelling_kernels.cuh"

#include "ballast/detail/queue/compile_queue.cuh"

namespace ballast::test {
using namespace detail;

struct split_in_two {
  static constexpr int threads = 64;
  static constexpr std::uint32_t spawns = 2;
  static constexpr bool travels_by_value = true;
  std::uint32_t depth;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(depth == 0 ? 0 : 2, [&](std::uint32_t) { block.spawn(split_in_two{depth - 1}); });
  }
};

struct page {
  unsigned char bytes[4096];
};
struct nine_pages {
  static constexpr int threads = 64;
  result_ref<page> pages[9];

  template <class Visit>
  void addresses(Visit&& visit) {
    for (auto& one : pages) visit(one);
  }
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

struct visits_a_copy {
  static constexpr int threads = 64;
  array_ref<int> words;

  template <class Visit>
  void addresses(Visit&& visit) {
    auto const copy = words;
    visit(copy);
  }
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

struct visits_twice {
  static constexpr int threads = 64;
  array_ref<int> words;

  template <class Visit>
  void addresses(Visit&& visit) {
    visit(words);
    visit(words);
  }
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

BALLAST_KERNELS(travelling_kernels, ballast::for_queues, all_by_value, add_to_each, sum_of_words,
                sum_of_members, silent)
BALLAST_KERNELS(others_kernels, ballast::for_jobs, all_by_value, silent, add_to_each)
BALLAST_KERNELS(splitting_kernels, ballast::for_queues, split_in_two)
BALLAST_KERNELS(kernels_of_large_results, ballast::for_jobs, nine_pages)
BALLAST_KERNELS(kernels_that_visit_copies, ballast::for_jobs, visits_a_copy)
BALLAST_KERNELS(kernels_that_visit_twice, ballast::for_jobs, visits_twice)

}  // namespace ballast::test
