// SPDX-License-Identifier: Apache-2.0
// The stencil of 00_hello_jobs, with its kernel where it is used.
#include <ballast/job_scheduler.hpp>
#include <cstdio>

using row = ballast::block_of<128>;  // 128 threads on a GPU, one on cores

int main() {
  ballast::job_scheduler jobs(ballast::open_devices());
  ballast::shared_array<float, 2> now(jobs, {1000, 128}), next(jobs, {1000, 128});
  for (float value = 0; float& cell : now.write()) cell = value++;
  for (int step = 0; step < 100; ++step, std::swap(now, next))
    jobs.submit({1000}, reads(now, ballast::neighborhood(1)), writes(next, ballast::rows),
                [=] BALLAST_HD(row const& block, ballast::array_view<float const, 2> from,
                               ballast::array_view<float, 2> to) {
                  unsigned const r = block.index(), above = r == 0 ? 0 : r - 1;
                  block.for_each(128, [&](unsigned i) { to(r, i) = (from(above, i) + from(r, i)) / 2; });
                });
  std::printf("%.0f\n", double(now(999, 0)));
}
