// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ballast/error.hpp"
#include "pool_device.hpp"
#include "tree_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

std::uint64_t count_in(span const& one, std::string_view name) {
  for (auto const& count : one.counts)
    if (count.name == name) return count.value;
  ADD_FAILURE() << "no count " << name;
  return 0;
}

TEST(traced_pool, records_each_run_with_its_sets_name_and_what_was_counted) {
  recorder all({"another", "first"});
  auto options = pool_by("chunks");
  options.trace_to = {&all, 1};
  task_pool pool(device(), kernels_of_the_default_method(), options);
  for (int run = 0; run < 2; ++run) {
    auto const did = pool.run(task(idler{}));
    auto const spans = all.snapshot().spans;
    ASSERT_EQ(spans.size(), std::size_t(run) + 1);
    EXPECT_EQ(spans.back().device, 1u);
    EXPECT_EQ(spans.back().label, kernels_of_the_default_method().name());
    EXPECT_EQ(spans.back().tasks, did.run);
    EXPECT_LE(spans.back().begin_ns, spans.back().end_ns);
    EXPECT_EQ(count_in(spans.back(), "created"), did.created);
    EXPECT_EQ(count_in(spans.back(), "steals_won"), did.steals_won);
    EXPECT_EQ(count_in(spans.back(), "spilled"), did.spilled);
  }
}

TEST(traced_pool, records_a_run_that_was_stopped_too) {
  recorder all({"first"});
  auto options = pool_by("chunks");
  options.trace_to = &all;
  task_pool pool(device(), lying_kernels(), options);
  EXPECT_THROW(pool.run(task(liar{})), pool_stopped);
  EXPECT_EQ(all.size(), 1u);
}

TEST(traced_pool, refuses_a_recorder_of_too_few_devices) {
  recorder all({"first"});
  try {
    task_pool pool(device(), kernels_of_the_default_method(), {.trace_to = {&all, 1}});
    ADD_FAILURE() << "no device is left";
  } catch (bad_argument const& refused) { EXPECT_EQ(refused.argument(), "trace_to"); }
}

}  // namespace
}  // namespace ballast::test
