// SPDX-License-Identifier: Apache-2.0
// Threads launch small kernels, each in an order of its own; the queue merges those of different threads.
#include <ballast/kernels.cuh>
#include <ballast/launch_queue.hpp>
#include <cstdio>
#include <thread>

struct add_one {
  static constexpr int threads = 32;
  ballast::array_ref<unsigned> count;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) ++count[0];
  }
};
BALLAST_KERNELS(kernels, add_one)

int main() {
  auto const device = ballast::open_devices().front();
  ballast::pinned_buffer<unsigned> counts(device, 4);
  for (unsigned& count : counts.span()) count = 0;
  ballast::launch_queue queue({device}, kernels());
  for (std::vector<std::jthread> threads; threads.size() < counts.size();)  // which end with the loop
    threads.emplace_back([mine = &counts[threads.size()], stream = queue.make_launch_stream()]() mutable {
      for (int i = 0; i < 100; ++i) stream.launch(add_one{ballast::array_ref(mine)}, 1);
    });
  queue.wait_all();
  std::printf("%u launches by the last thread\n", counts[3]);
}
