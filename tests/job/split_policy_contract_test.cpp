// SPDX-License-Identifier: Apache-2.0
// What every split policy must keep.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ballast/detail/job/split_policy.hpp"
#include "ballast/job_scheduler.hpp"
#include "invented_devices.hpp"
#include "names_of.hpp"
#include "refused_argument.hpp"

namespace ballast::test::split_policy_contract_test {

using namespace detail;
namespace {

job_shape shape_of(std::uint32_t units, std::size_t devices, std::uint32_t tasks = 8) {
  job_shape shape{units, tasks};
  shape.devices.resize(devices);
  return shape;
}

/// How often each unit was given out.
class unit_counts {
 public:
  explicit unit_counts(std::uint32_t units) : counts_(units) {}

  void add(job_part part) {
    ASSERT_GT(part.count, 0u);
    ASSERT_LE(std::uint64_t{part.first} + part.count, counts_.size());
    for (std::uint32_t unit = part.first; unit < part.first + part.count; ++unit) ++counts_[unit];
  }

  /// Units that were given out so often.
  std::size_t given(int times) const { return std::size_t(std::ranges::count(counts_, times)); }

 private:
  std::vector<int> counts_;
};

std::vector<invented_device> unlike_devices(std::size_t count) {
  std::vector<invented_device> devices(count);
  for (std::size_t device = 0; device < count; ++device)
    devices[device].unit_ns = 500.0 * double(1 + device % 3);
  return devices;
}

class every_split_policy : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<split_policy> policy() const { return make_split_policy(GetParam()); }

  void expect_each_once(std::uint32_t units, std::vector<invented_device> const& devices,
                        std::uint32_t tasks) const {
    auto const decides = policy();
    invented_devices runs(devices, {units, 3, 100, 100, 1000, 10});
    for (int repetition = 0; repetition < 6; ++repetition) {
      SCOPED_TRACE(testing::Message()
                   << units << " units, " << devices.size() << " devices, " << tasks << " tasks");
      runs.run(*decides, tasks);
      unit_counts counts(units);
      for (auto const& task : runs.placed()) {
        counts.add(task.part);
        EXPECT_LE(task.part.count, devices[task.device].max_units);
      }
      EXPECT_EQ(counts.given(1), units);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(split_policies, every_split_policy, testing::ValuesIn(names_of(split_policies())),
                         [](auto const& each) { return each.param; });

TEST_P(every_split_policy, gives_out_each_unit_once_in_each_run) {
  for (std::uint32_t const units : {0, 1, 2, 7, 64, 1000})
    for (std::size_t const devices : {1, 2, 3, 8})
      for (std::uint32_t const tasks : {1, 2, 8, 61, 1024})
        expect_each_once(units, unlike_devices(devices), tasks);
}

TEST_P(every_split_policy, serves_more_devices_than_units) { expect_each_once(3, unlike_devices(31), 8); }

TEST_P(every_split_policy, gives_no_task_more_units_than_fit) {
  auto devices = unlike_devices(3);
  devices[0].max_units = 1;
  devices[1].max_units = 7;
  for (std::uint32_t const tasks : {1, 8, 61}) expect_each_once(100, devices, tasks);
}

TEST_P(every_split_policy, has_nothing_more_after_the_last_unit) {
  auto const split = policy()->begin(shape_of(10, 1));
  while (split->next(0, 0)) {}
  EXPECT_EQ(split->unissued(), 0u);
  EXPECT_FALSE(split->next(0, 0));
}

TEST_P(every_split_policy, lets_a_single_device_run_ahead) {
  auto const split = policy()->begin(shape_of(8, 1, 8));
  std::uint32_t in_flight = 0;
  while (split->next(0, in_flight)) ++in_flight;
  EXPECT_EQ(split->unissued(), 0u);
}

TEST_P(every_split_policy, gives_nobody_the_units_of_a_device_that_never_comes_back) {
  auto const decides = policy();
  auto const split = decides->begin(shape_of(100, 2));
  unit_counts counts(100);
  counts.add(*split->next(0, 0));
  while (auto const part = split->next(1, 0)) {
    counts.add(*part);
    split->ended(1, {*part, 0, 1000});
  }
  EXPECT_EQ(counts.given(0), split->unissued());
  EXPECT_EQ(counts.given(1), 100 - split->unissued());
}

TEST_P(every_split_policy, may_be_stopped_midway_and_begins_the_next_job_anew) {
  auto const decides = policy();
  auto const stopped = decides->begin(shape_of(100, 2));
  auto const part = stopped->next(0, 0);
  ASSERT_TRUE(part);
  stopped->ended(0, {*part, 0, 1000});
  invented_devices runs(unlike_devices(2), {100});
  runs.run(*decides);
  unit_counts counts(100);
  for (auto const& task : runs.placed()) counts.add(task.part);
  EXPECT_EQ(counts.given(1), 100u);
}

TEST_P(every_split_policy, keeps_overlapping_jobs_apart) {
  auto const decides = policy();
  for (int repetition = 0; repetition < 3; ++repetition) {
    auto const one = decides->begin(shape_of(100, 2)), other = decides->begin(shape_of(100, 2));
    unit_counts of_one(100), of_other(100);
    for (std::uint32_t turn = 0; one->unissued() + other->unissued() > 0; ++turn)
      for (auto const& [split, counts] : {std::pair(one.get(), &of_one), std::pair(other.get(), &of_other)})
        if (auto const part = split->next(turn % 2, 0)) {
          counts->add(*part);
          split->ended(turn % 2, {*part, turn * 100, turn * 100 + 50, 0, 0, false});
        }
    EXPECT_EQ(of_one.given(1), 100u);
    EXPECT_EQ(of_other.given(1), 100u);
  }
}

TEST_P(every_split_policy, lets_a_split_outlive_it) {
  auto split = policy()->begin(shape_of(5, 1));
  while (auto const part = split->next(0, 0)) split->ended(0, {*part, 0, 10});
  EXPECT_EQ(split->unissued(), 0u);
}

TEST_P(every_split_policy, begins_anew_where_the_shape_changes) {
  auto const decides = policy();
  for (auto const& [units, devices] :
       {std::pair(100, 2), {100, 2}, {40, 3}, {40, 3}, {1, 1}, {0, 2}, {100, 2}}) {
    invented_devices runs(unlike_devices(std::size_t(devices)), {std::uint32_t(units)});
    runs.run(*decides);
    unit_counts counts{std::uint32_t(units)};
    for (auto const& task : runs.placed()) counts.add(task.part);
    EXPECT_EQ(counts.given(1), std::size_t(units));
  }
}

TEST_P(every_split_policy, decides_the_same_for_the_same_runs) {
  auto const tasks_of_runs = [&] {
    auto const decides = policy();
    invented_devices runs(unlike_devices(3), {200, 0, 100, 100, 50, 5});
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> all;
    for (int repetition = 0; repetition < 6; ++repetition) {
      runs.run(*decides);
      for (auto const& task : runs.placed()) all.emplace_back(task.device, task.part.first, task.part.count);
    }
    return all;
  };
  EXPECT_EQ(tasks_of_runs(), tasks_of_runs());
}

TEST_P(every_split_policy, refuses_a_device_that_the_job_does_not_have) {
  auto const split = policy()->begin(shape_of(10, 2));
  EXPECT_EQ(refused_argument([&] { split->next(2, 0); }), "device");
  EXPECT_EQ(refused_argument([&] { split->ended(2, {{0, 1}, 0, 1}); }), "device");
}

TEST_P(every_split_policy, refuses_what_is_no_job) {
  auto const refused = [&](auto change) {
    auto shape = shape_of(10, 2);
    change(shape);
    return refused_argument([&] { policy()->begin(shape); });
  };
  EXPECT_EQ(refused([](job_shape& shape) { shape.devices.clear(); }), "devices");
  EXPECT_EQ(refused([](job_shape& shape) { shape.tasks = 0; }), "tasks");
  EXPECT_EQ(refused([](job_shape& shape) { shape.in_flight = 0; }), "in_flight");
  EXPECT_EQ(refused([](job_shape& shape) { shape.in_flight = 65; }), "in_flight");
  EXPECT_EQ(refused([](job_shape& shape) { shape.devices[1].max_units = 0; }), "max_units");
  EXPECT_EQ(refused([](job_shape& shape) { shape.devices[1].bytes_per_ns = 0; }), "bytes_per_ns");
}

TEST(split_policies, refuse_a_name_that_there_is_not) {
  EXPECT_EQ(refused_argument([] { make_split_policy("eager"); }), "policy");
}

}  // namespace
}  // namespace ballast::test::split_policy_contract_test
