// SPDX-License-Identifier: Apache-2.0
// Counters of workers as docs/pool.md describes them.

#include "visit.cuh"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ballast/device.hpp"
#include "pool_device.hpp"

namespace ballast::test {

TEST(counters_of_workers, add_up_to_the_nodes_of_the_tree) {
  auto const device = test::device();
  task_pool pool(device, visit_kernels());
  device_buffer<std::uint64_t> visits(device, pool.workers());
  auto const stream = device->make_stream();
  stream->fill(visits.data(), 0, visits.bytes());
  stream->synchronize();
  pool.run(task(visit{array_ref(visits.data()), 16}));
  std::vector<std::uint64_t> each(visits.size());
  stream->copy(each.data(), visits.data(), visits.bytes());
  stream->synchronize();
  auto const all = std::reduce(each.begin(), each.end());
  EXPECT_EQ(all, 131071u);
}

}  // namespace ballast::test
