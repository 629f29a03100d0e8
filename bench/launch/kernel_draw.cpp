// SPDX-License-Identifier: Apache-2.0
#include "launch/kernel_draw.hpp"

#include <random>

namespace ballast::bench {

void drawn_kernel::start_on(stream& on) const {
  if (is_long)
    start(on, blocks, work);
  else
    start(on, blocks, work.half);
}

void drawn_kernel::submit_to(launch_stream& by) const {
  if (is_long)
    by.launch(work, blocks);
  else
    by.launch(work.half, blocks);
}

std::vector<std::uint32_t> random_grids(std::size_t kernels, std::uint32_t most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> grids(kernels);
  for (auto& blocks : grids) blocks = 1 + std::uint32_t(random() % most);
  return grids;
}

kernel_draw::kernel_draw(draw_rule const& rule, std::span<std::uint32_t const> grids, std::uint32_t* words) {
  for (std::size_t i = 0; i < grids.size(); ++i) {
    array_ref<std::uint32_t> const own(words + blocks_);
    kernels_.push_back({grids[i], rule.half_are_long && i % 2 == 1, {{own, rule.steps}}});
    blocks_ += grids[i];
  }
}

double kernel_draw::paper_levels(std::string const& merge, multiprocessor_count multiprocessors,
                                 double start_levels) const {
  std::vector<merge_candidate> waiting;
  for (auto const& kernel : kernels_) waiting.push_back({.blocks = kernel.blocks});
  merge_view const view{.waiting = waiting,
                        .multiprocessors = multiprocessors,
                        .max_kernels = detail::merged_launch::max_kernels};
  auto const launches = blocks_of_launches(view, make_merge_policy(merge)->group(view));
  return paper_time(launches, multiprocessors, start_levels);
}

}  // namespace ballast::bench
