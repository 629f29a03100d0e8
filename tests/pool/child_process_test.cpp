// SPDX-License-Identifier: Apache-2.0
// A child made by fork() has no workers of its parent's pool: it is refused that, and never waits.
#include "forked_child.hpp"

#include <memory>
#include <string>

#include "pool_device.hpp"
#include "sanitized.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

TEST(child_made_by_fork, is_refused_the_pools_of_its_parent) {
  if (sanitized || device()->is_cuda()) GTEST_SKIP() << "no threads, or no CUDA, in such a child";
  auto pool = std::make_unique<task_pool>(device(), kernels_of_the_default_method(), pool_by("chunks"));
  pool->run(task(idler{}));
  EXPECT_EQ(end_of_child([&] {
              is_refused_after_fork([&] { pool->run(task(idler{})); }, "run()");
              pool.reset();
              return !testing::Test::HasFailure();
            }),
            well);
  pool->run(task(idler{}));
}

}  // namespace
}  // namespace ballast::test
