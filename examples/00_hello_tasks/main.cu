// SPDX-License-Identifier: Apache-2.0
// The host submits tasks; each runs once, on whichever device is free.
#include <ballast/balanced_queue.hpp>
#include <ballast/kernels.cuh>
#include <cstdio>

struct square {  // the members are the arguments
  static constexpr int threads = 32;
  ballast::array_ref<unsigned> squares;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) squares[block.index()] = block.index() * block.index();
  }
};
BALLAST_KERNELS(kernels, square)

int main() {
  auto const devices = ballast::open_devices(ballast::default_device_list());
  ballast::pinned_buffer<unsigned> squares(devices.front(), 1000);
  ballast::balanced_queue queue(devices, kernels());
  for (unsigned i = 0; i < 1000; ++i)
    queue.submit(ballast::task(square{ballast::array_ref(squares.data())}, {i, 1}));
  queue.close();
  std::printf("999 squared is %u\n", squares[999]);
}
