// SPDX-License-Identifier: Apache-2.0
#include "run/job_sequence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"
#include "noting_device.hpp"
#include "refused_argument.hpp"

namespace ballast::test::job_sequence_test {
using namespace detail;
namespace {

using testing::HasSubstr;

constexpr std::uint32_t rows_of = 13, columns_of = 5;

void add_mix(job_sequence& steps, word_rows& now, word_rows& next) {
  steps.add({.grid = rows_of, .name = "mix"}, reads(now, neighborhood(1)), writes(next, rows),
            [](auto from, auto to) {
              return mix_rows{from, to, rows_of, columns_of};
            });
}

void add_count(job_sequence& steps, words& visits, std::uint32_t blocks) {
  steps.add({blocks}, updates(visits), [](auto all) { return count_visits{all}; });
}

std::vector<std::uint32_t> mixed(std::vector<std::uint32_t> now, std::uint32_t steps) {
  for (std::uint32_t step = 0; step < steps; ++step) now = test::mixed(now, rows_of, columns_of);
  return now;
}

void add_weights(job_sequence& steps, words& weights, words& now, words& next) {
  auto const elements = std::uint32_t(now.size());
  steps.add({elements}, reads(weights), reads(now, all), writes(next),
            [elements](auto each, auto from, auto to) {
              return add_weight{each, from, to, elements};
            });
}

/// What add_weight does.
std::vector<std::uint32_t> weighted(std::vector<std::uint32_t> const& now,
                                    std::vector<std::uint32_t> const& weights) {
  auto next = weights;
  for (std::size_t i = 0; i < now.size(); ++i) next[i] += 3 * now[(i + 1) % now.size()];
  return next;
}

/// On one of the devices, on all, and by learned times.
class sequence_on_devices : public testing::TestWithParam<std::tuple<std::string, sequence_devices>> {
 protected:
  sequence_devices const on_ = std::get<1>(GetParam());
  job_scheduler jobs_{open_devices(std::get<0>(GetParam())),
                      kernels(),
                      {.device_bytes = enough_device_bytes, .sequences_on = on_}};
};

TEST_P(sequence_on_devices, gives_what_its_jobs_give_one_by_one) {
  for (auto const times : {1u, 2u, 7u, 500u}) {
    SCOPED_TRACE(times);
    word_rows now(jobs_, {rows_of, columns_of}), next(jobs_, {rows_of, columns_of});
    number(now);
    auto const expected = mixed(values_of(now), 2 * times);
    job_sequence both(jobs_, "steps");
    add_mix(both, now, next);
    add_mix(both, next, now);
    jobs_.submit(both, times);
    EXPECT_EQ(values_of(now), expected);
  }
}

TEST_P(sequence_on_devices, keeps_its_place_among_other_jobs_and_accesses_of_the_host) {
  words visits(jobs_, {64});
  fill_with(visits, 0);
  job_sequence steps(jobs_, "steps");
  add_count(steps, visits, 64);
  add_count(steps, visits, 64);
  for (int round = 0; round < 5; ++round) {
    jobs_.submit(steps, 100);
    jobs_.submit({64}, updates(visits), [](auto all) { return count_visits{all}; });
    for (auto& value : visits.update({0, 8})) value += 1000;
  }
  std::vector<std::uint32_t> expected(64, 5 * 201);
  for (std::size_t i = 0; i < 8; ++i) expected[i] += 5000;
  EXPECT_EQ(values_of(visits), expected);
}

TEST_P(sequence_on_devices, is_one_job_with_a_task_for_each_device) {
  words visits(jobs_, {10});
  fill_with(visits, 0);
  job_sequence steps(jobs_, "counts");
  add_count(steps, visits, 10);
  auto const report = report_of(jobs_.submit(steps, 3));
  EXPECT_EQ(report.name, "counts");
  auto const devices = open_devices(std::get<0>(GetParam())).size();
  EXPECT_EQ(report.tasks.size(), on_ == sequence_devices::all ? devices : 1);
  EXPECT_EQ(jobs_.statistics().submitted, 1u);
}

TEST_P(sequence_on_devices, that_is_empty_or_runs_no_times_ends_at_once) {
  words visits(jobs_, {10});
  fill_with(visits, 4);
  job_sequence steps(jobs_, "steps");
  EXPECT_TRUE(jobs_.submit(steps, 3).ready());
  add_count(steps, visits, 0);
  EXPECT_EQ(steps.jobs(), 0u);
  add_count(steps, visits, 10);
  EXPECT_TRUE(jobs_.submit(steps, 0).ready());
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(10, 4));
}

TEST_P(sequence_on_devices, keeps_what_its_jobs_do_not_write) {
  words marks(jobs_, {9}), halves(jobs_, {8});
  fill_with(marks, 7);
  fill_with(halves, 7);
  job_sequence steps(jobs_, "steps");
  steps.add({9}, writes_some(marks), [](auto all) { return mark_even{all}; });
  steps.add({4},
            updates(halves,
                    [](map_view const& view) {
                      return region{{view.part.first, view.part.first + view.part.count}};
                    }),
            [](auto all) { return count_visits{all}; });
  jobs_.submit(steps, 2);
  EXPECT_EQ(values_of(marks), (std::vector<std::uint32_t>{1000, 7, 1002, 7, 1004, 7, 1006, 7, 1008}));
  EXPECT_EQ(values_of(halves), (std::vector<std::uint32_t>{9, 9, 9, 9, 7, 7, 7, 7}));
}

TEST_P(sequence_on_devices, reads_what_a_job_read_before_another_wrote_it) {
  words values(jobs_, {4}), sums(jobs_, {4});
  fill_with(values, 1);
  job_sequence steps(jobs_, "steps");
  steps.add({4}, reads(values, all), writes(sums), [](auto from, auto to) { return add_all{from, to, 4}; });
  steps.add({4}, reads(sums, all), writes(values), [](auto from, auto to) { return add_all{from, to, 4}; });
  jobs_.submit(steps);
  EXPECT_EQ(values_of(values), (std::vector<std::uint32_t>{22, 23, 24, 25}));
}

TEST_P(sequence_on_devices, prepares_from_what_no_job_writes) {
  constexpr std::uint32_t elements = 300, times = 500;
  words weights(jobs_, {elements}), now(jobs_, {elements}), next(jobs_, {elements});
  number(weights);
  number(now);
  auto const weight = values_of(weights);
  auto expected = values_of(now);
  for (std::uint32_t step = 0; step < 2 * times; ++step) expected = weighted(expected, weight);
  job_sequence both(jobs_, "steps");
  add_weights(both, weights, now, next);
  add_weights(both, weights, next, now);
  jobs_.submit(both, times);
  EXPECT_EQ(values_of(now), expected);
}

TEST_P(sequence_on_devices, that_was_submitted_may_be_added_to) {
  words visits(jobs_, {16});
  fill_with(visits, 0);
  job_sequence steps(jobs_, "steps");
  add_count(steps, visits, 16);
  for (int more = 0; more < 10; ++more) {
    jobs_.submit(steps, 3);
    add_count(steps, visits, 16);
  }
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(16, 3 * 55));
}

TEST_P(sequence_on_devices, that_has_run_may_be_added_to) {
  words visits(jobs_, {16});
  fill_with(visits, 0);
  job_sequence steps(jobs_, "steps");
  add_count(steps, visits, 16);
  jobs_.submit(steps, 1000).wait();
  jobs_.submit({16}, updates(visits), [](auto all) { return count_visits{all}; }).wait();
  add_count(steps, visits, 16);
  jobs_.submit(steps, 1000).wait();
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(16, 3001));
}

TEST_P(sequence_on_devices, runs_as_often_as_each_submission_says) {
  words visits(jobs_, {16});
  fill_with(visits, 0);
  job_sequence steps(jobs_, "steps");
  add_count(steps, visits, 16);
  std::uint32_t sum = 0;
  for (auto const times : {1u, 700u, 50u, 50u, 3u, 900u, 127u, 128u, 129u, 5000u, 1u}) {
    jobs_.submit(steps, times);
    sum += times;
  }
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(16, sum));
}

TEST_P(sequence_on_devices, may_go_before_it_has_run) {
  words visits(jobs_, {16});
  fill_with(visits, 0);
  {
    job_sequence steps(jobs_, "steps");
    add_count(steps, visits, 16);
    jobs_.submit(steps, 700);
  }
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(16, 700));
}

INSTANTIATE_TEST_SUITE_P(devices, sequence_on_devices,
                         testing::Combine(testing::ValuesIn(device_sets()),
                                          testing::Values(sequence_devices::one, sequence_devices::all,
                                                          sequence_devices::learned)));

class job_sequence_of_a_scheduler : public testing::Test {
 protected:
  job_scheduler jobs_{two_devices(), kernels(), {.device_bytes = enough_device_bytes}};
  word_rows now_{jobs_, {rows_of, columns_of}, "now"}, next_{jobs_, {rows_of, columns_of}};
};

TEST_F(job_sequence_of_a_scheduler, copies_nothing_that_a_job_overwrites_first) {
  number(now_);
  fill_with(next_, 0);
  job_sequence both(jobs_);
  add_mix(both, now_, next_);
  add_mix(both, next_, now_);
  jobs_.submit(both, 3).wait();
  EXPECT_EQ(jobs_.statistics().moved.from_host, rows_of * columns_of * sizeof(std::uint32_t));
}

TEST_F(job_sequence_of_a_scheduler, refuses_what_submit_refuses_when_it_is_added) {
  job_sequence steps(jobs_);
  EXPECT_EQ(refused_argument([&] { add_mix(steps, now_, now_); }), "arguments");
  job_scheduler others(open_devices("host:1"), {.device_bytes = enough_device_bytes});
  words theirs(others, {8});
  EXPECT_EQ(refused_argument([&] { add_count(steps, theirs, 8); }), "arguments");
  EXPECT_EQ(refused_argument([&] {
              steps.add({5}, updates(now_, one_to_one(2)), [](auto all) { return count_visits{all}; });
            }),
            "map");
  EXPECT_EQ(steps.jobs(), 0u);
}

TEST_F(job_sequence_of_a_scheduler, of_another_scheduler_is_refused) {
  job_scheduler others(open_devices("host:1"), {.device_bytes = enough_device_bytes});
  job_sequence theirs(others);
  EXPECT_EQ(refused_argument([&] { jobs_.submit(theirs); }), "jobs");
}

TEST_F(job_sequence_of_a_scheduler, whose_arrays_fit_on_no_device_is_refused) {
  job_scheduler little(open_devices("host:1"), kernels(), {.device_bytes = 4096});
  words many(little, {600}), more(little, {600});
  job_sequence steps(little);
  add_count(steps, many, 600);
  fill_with(many, 0);
  little.submit(steps).wait();
  add_count(steps, more, 600);
  EXPECT_EQ(refused_argument([&] { little.submit(steps); }), "device_bytes");
}

TEST_F(job_sequence_of_a_scheduler, fails_as_a_whole_if_one_of_its_jobs_fails) {
  words broken(jobs_, {8}), whole(jobs_, {8});
  fill_with(broken, 1);
  fill_with(whole, 1);
  job_sequence steps(jobs_, "steps");
  add_count(steps, broken, 8);
  steps.add({8}, updates(broken), [](auto all) {
    if (all) throw std::runtime_error("a planted failure");
    return count_visits{all};
  });
  auto const done = jobs_.submit(steps, 2);
  try {
    done.wait();
    FAIL() << "it ended well";
  } catch (job_failed const& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("'steps'"));
    EXPECT_THAT(failure.what(), HasSubstr("a planted failure"));
  }
  EXPECT_THROW(broken.read(), job_failed);
  EXPECT_EQ(values_of(whole), std::vector<std::uint32_t>(8, 1));
}

TEST_F(job_sequence_of_a_scheduler, that_fails_loses_no_element_that_it_only_reads) {
  words some(jobs_, {8}), sums(jobs_, {2});
  fill_with(some, 1);
  job_sequence steps(jobs_);
  steps.add({2}, reads(some, all), writes(sums), [](auto from, auto to) { return add_all{from, to, 8}; });
  auto const first_two = [](map_view const&) { return region{{0, 2}}; };
  steps.add({1}, updates(some, access_map("two", unit_overlap::never, first_two)), [](auto all) {
    if (all) throw std::runtime_error("a planted failure");
    return count_visits{all};
  });
  EXPECT_THROW(jobs_.submit(steps).wait(), job_failed);
  EXPECT_EQ(some.read({2, 8})[2], 1u);
  EXPECT_THROW(some.read({0, 2}), job_failed);
}

TEST_F(job_sequence_of_a_scheduler, under_checked_maps_tells_who_writes_beside_them) {
  job_scheduler checked(open_devices("host:1"), kernels(),
                        {.device_bytes = enough_device_bytes, .check_maps = true});
  words visits(checked, {8});
  fill_with(visits, 1);
  job_sequence right(checked), wrong(checked);
  add_count(right, visits, 8);
  checked.submit(right, 5).wait();
  // What the sequence only reads its second job writes: element 4.
  words sums(checked, {1});
  wrong.add({1}, reads(visits, all), writes(sums), [](auto from, auto to) { return add_all{from, to, 8}; });
  auto const four = [](map_view const&) { return region{{0, 4}}; };
  wrong.add({5}, updates(visits, access_map("four", unit_overlap::never, four)),
            [](auto some) { return count_visits{some}; });
  EXPECT_THROW(checked.submit(wrong, 5).wait(), job_failed);
}

/// Cores that tell the costs of a GPU.
class capturing_device final : public noting_device {
 public:
  capturing_device() : noting_device(open_devices("host:1").front()) {
    set_costs(default_costs(backend::cuda));
  }
};

/// On a device of which the test sees what its streams are asked for, and which captures.
class captured_sequence : public testing::Test {
 protected:
  std::shared_ptr<noting_device> device_ = std::make_shared<capturing_device>();

  std::size_t said(std::string_view beginning) {
    auto const& all = device_->notes().said;
    return std::size_t(
        std::ranges::count_if(all, [&](std::string const& one) { return one.starts_with(beginning); }));
  }
};

TEST_F(captured_sequence, is_captured_once_and_gives_the_same) {
  job_scheduler jobs({device_}, kernels(), {.device_bytes = enough_device_bytes});
  word_rows now(jobs, {rows_of, columns_of}), next(jobs, {rows_of, columns_of});
  number(now);
  auto const expected = mixed(values_of(now), 4 * 1001);
  job_sequence both(jobs);
  add_mix(both, now, next);
  add_mix(both, next, now);
  jobs.submit(both, 1001);
  jobs.submit(both, 1001);
  EXPECT_EQ(values_of(now), expected);
  EXPECT_EQ(said("captures 128 launches"), 1u);
  EXPECT_EQ(said("captures"), 1u);
  EXPECT_EQ(said("launches 128 captured"), 1000u / 64 + 1001 / 64);
}

TEST_F(captured_sequence, is_captured_anew_when_its_arrays_lie_elsewhere) {
  job_scheduler jobs({device_}, kernels(), {.device_bytes = 4096});
  words visits(jobs, {256}), others(jobs, {512}), large(jobs, {1000});
  fill_with(visits, 0);
  fill_with(others, 0);
  fill_with(large, 0);
  job_sequence steps(jobs);
  add_count(steps, visits, 256);
  jobs.submit(steps, 1000);
  jobs.submit({1000}, updates(large), [](auto all) { return count_visits{all}; });
  jobs.submit({512}, updates(others), [](auto all) { return count_visits{all}; });
  jobs.submit(steps, 1000);
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(256, 2000));
  EXPECT_EQ(said("captures"), 2u);
}

TEST_F(captured_sequence, is_captured_anew_where_submissions_are_shorter_than_the_graph_and_often) {
  job_scheduler jobs({device_}, kernels(), {.device_bytes = enough_device_bytes});
  words visits(jobs, {8});
  fill_with(visits, 0);
  job_sequence steps(jobs);
  add_count(steps, visits, 8);
  jobs.submit(steps, 1000);
  for (int round = 0; round < 40; ++round) jobs.submit(steps, 50);
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(8, 3000));
  EXPECT_EQ(said("captures 128 launches"), 1u);
  EXPECT_EQ(said("captures 50 launches"), 1u);
}

TEST_F(captured_sequence, begins_each_launch_early_that_follows_another_of_it) {
  job_scheduler jobs({device_}, kernels(), {.device_bytes = enough_device_bytes});
  words visits(jobs, {8});
  fill_with(visits, 0);
  job_sequence steps(jobs);
  add_count(steps, visits, 8);
  add_count(steps, visits, 8);
  jobs.submit(steps, 3).wait();
  jobs.submit({8}, updates(visits), [](auto all) { return count_visits{all}; }).wait();
  jobs.submit(steps, 1).wait();
  EXPECT_EQ(device_->notes().overlap,
            (std::vector<bool>{false, true, false, true, true, true, false, false, true}));
}

TEST_F(captured_sequence, waits_for_earlier_work_where_its_graph_begins) {
  job_scheduler jobs({device_}, kernels(), {.device_bytes = enough_device_bytes});
  words visits(jobs, {8});
  fill_with(visits, 0);
  job_sequence steps(jobs);
  add_count(steps, visits, 8);
  jobs.submit(steps, 1 + max_captured_launches).wait();
  jobs.submit(steps, 5 * max_captured_launches).wait();
  ASSERT_EQ(said("captures 128 launches"), 1u);
  auto const& overlap = device_->notes().overlap;
  EXPECT_EQ(std::ranges::count(overlap, false), 2 + std::ptrdiff_t(said("launches 128 captured")));
}

TEST(launch_of_a_sequence, overlaps_only_if_its_kernel_waits_for_an_earlier_one) {
  kernel_code const compiled;
  EXPECT_TRUE(may_overlap(&compiled, true));
  EXPECT_FALSE(may_overlap(&compiled, false)) << "a copy may come before it";
  EXPECT_FALSE(may_overlap(nullptr, true)) << "a plain kernel does not wait";
  EXPECT_FALSE(may_overlap(nullptr, false));
}

TEST(capture_plan, waits_until_what_was_lost_pays_for_it) {
  device_costs const costs{
      .launch_ns = 4000, .build_graph_ns = 2e6, .build_launch_ns = 2000, .launch_graph_ns = 15000};
  EXPECT_FALSE(plan_capture(costs, 2, 0, 10'000).is_due) << "nothing is loaded yet";
  EXPECT_TRUE(plan_capture(costs, 2, 2, 10'000).is_due);
  EXPECT_EQ(plan_capture(costs, 2, 2, 10'000).repetitions, 64u);
  EXPECT_FALSE(plan_capture(costs, 2, 2, 100).is_due);
  EXPECT_TRUE(plan_capture(costs, 2, 500, 100).is_due);
  EXPECT_FALSE(plan_capture(costs, 1, 100'000, 3).is_due) << "a graph of three launches gains nothing";
  EXPECT_TRUE(plan_capture(costs, 300, 1'000, 1).is_due);
  EXPECT_EQ(plan_capture(costs, 300, 1'000, 9).repetitions, 1u);
}

}  // namespace
}  // namespace ballast::test::job_sequence_test
