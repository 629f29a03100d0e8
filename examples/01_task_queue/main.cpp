// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include <ballast/balanced_queue.hpp>

#include "kernels.cuh"

int main() {
  auto const devices = ballast::open_devices();  // every GPU, else the CPU's cores
  std::uint32_t const blocks = 2000;
  ballast::pinned_buffer<std::uint32_t> steps(devices.front(), blocks * collatz::threads);

  ballast::balanced_queue queue(devices, kernels());  // a kernel now stays on each device
  std::vector<ballast::task> tasks;
  for (std::uint32_t block = 0; block < blocks; ++block)
    tasks.emplace_back(collatz{ballast::array_ref(steps.data())}, ballast::block_range{block, 1});
  queue.submit(tasks).wait();  // each task runs exactly once, on whichever device is free
  queue.close();

  auto const longest = std::ranges::max_element(steps.span());
  std::printf("%td needs %u steps\n", longest - steps.span().begin() + 1, *longest);
  return *longest == 442 ? 0 : 1;  // below 256 000, 230 631 needs the most
}
