// SPDX-License-Identifier: Apache-2.0
// Tasks create tasks, and the workers of a device share them.
#include <ballast/kernels.cuh>
#include <ballast/task_pool.hpp>
#include <cstdio>

struct node {
  static constexpr int threads = 1;
  static constexpr unsigned spawns = 2;  // the most tasks that a task creates
  static constexpr bool reduces = true;  // a task adds to the run's sum
  unsigned depth;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.add_to_sum(1);
    for (unsigned child = 0; depth > 0 && child < 2; ++child) block.spawn(node{depth - 1});
  }
};
BALLAST_KERNELS(kernels, node)

int main() {
  ballast::task_pool pool(ballast::open_devices().front(), kernels());
  std::printf("%llu nodes\n", 0ull + pool.run(ballast::task(node{20})).sum);
}
