// SPDX-License-Identifier: Apache-2.0
// The host submits tasks whose cost nobody knows; each runs once, on whichever device is free.
#include <ballast/balanced_queue.hpp>
#include <ballast/kernels.cuh>
#include <cstdio>

struct collatz {  // a kernel: its members are its arguments
  static constexpr int threads = 128;
  ballast::array_ref<unsigned> steps;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(threads, [&](unsigned i) {
      unsigned at = block.index() * threads + i, count = 0;
      for (unsigned long n = at + 1; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      steps[at] = count;
    });
  }
};
BALLAST_KERNELS(kernels, collatz)

int main() {
  auto const devices = ballast::open_devices();  // all GPUs, else all cores
  ballast::pinned_buffer<unsigned> steps(devices.front(), 2000 * collatz::threads);
  ballast::balanced_queue queue(devices, kernels());  // a kernel now stays on each device
  for (unsigned i = 0; i < 2000; ++i) queue.submit(ballast::task(collatz{ballast::array_ref(steps)}, {i, 1}));
  queue.close();  // every task has run
  std::printf("230631 takes %u steps\n", steps[230630]);
}
