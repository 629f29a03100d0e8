// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/job_record.hpp"
#include "split/split_run.hpp"

namespace ballast::test {
using namespace detail;
namespace {

planned_task ended_task_of(std::vector<std::pair<std::int64_t, std::int64_t>> const& times) {
  planned_task task{.job = nullptr, .device_index = 0, .part = {}, .uses = {}};
  for (auto const& [begin_ns, end_ns] : times)
    task.pieces.push_back({.part = {}, .uses = {}, .begin_ns = begin_ns, .end_ns = end_ns});
  return task;
}

TEST(busy_time, of_one_kernel_is_its_time) { EXPECT_EQ(ended_task_of({{100, 350}}).busy_ns(), 250); }

TEST(busy_time, counts_pieces_that_ran_beside_each_other_once) {
  EXPECT_EQ(ended_task_of({{100, 120}, {105, 110}, {110, 350}}).busy_ns(), 250);
}

TEST(busy_time, leaves_out_how_long_ends_waited_for_a_neighbour) {
  auto const task = ended_task_of({{900, 920}, {100, 350}});
  EXPECT_EQ(task.busy_ns(), 270);
  EXPECT_EQ(task.end_ns(), 920);
}

TEST(busy_time, of_a_device_counts_tasks_that_ran_beside_each_other_once) {
  device_run run;
  run.add({.part = {0, 1}, .begin_ns = 100, .end_ns = 200});
  run.add({.part = {1, 1}, .begin_ns = 150, .end_ns = 260});
  run.add({.part = {2, 1}, .begin_ns = 155, .end_ns = 250});
  run.add({.part = {3, 1}, .begin_ns = 300, .end_ns = 310});
  EXPECT_EQ(run.kernels_ns, 170);
  EXPECT_EQ(run.span_ns(), 210);
}

}  // namespace
}  // namespace ballast::test
