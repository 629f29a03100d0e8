// SPDX-License-Identifier: Apache-2.0
// Each launch is cut into tasks for all devices, which exchange what their neighbours need.
#include <ballast/job_scheduler.hpp>
#include <ballast/kernels.cuh>
#include <cstdio>

struct smooth {  // a block is a row of 128 cells
  static constexpr int threads = 128;
  ballast::array_ref<float const> now;
  ballast::array_ref<float> next;
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    unsigned const at = block.index() * 128, above = at == 0 ? 0 : at - 128;
    block.for_each(128, [&](unsigned i) { next[at + i] = (now[above + i] + now[at + i]) / 2; });
  }
};
BALLAST_KERNELS(kernels, smooth)

int main() {
  ballast::job_scheduler jobs(ballast::open_devices(), kernels());
  ballast::shared_array<float, 2> now(jobs, {1000, 128}), next(jobs, {1000, 128});
  for (float value = 0; float& cell : now.write()) cell = value++;
  for (int step = 0; step < 100; ++step, std::swap(now, next))
    jobs.submit({1000}, reads(now, ballast::neighborhood(1)), writes(next, ballast::rows),
                [](auto from, auto to) {
                  return smooth{from, to};
                });
  std::printf("%.0f\n", double(now(999, 0)));
}
