// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

class job_chain : public testing::Test {
 protected:
  job_scheduler jobs_{
      two_devices(), kernels(), {.policy = "master_worker", .device_bytes = enough_device_bytes}};

  completion count(words& visits, std::uint32_t blocks) {
    return jobs_.submit({blocks}, updates(visits), [](auto all) { return count_visits{all}; });
  }
};

TEST_F(job_chain, shows_the_host_what_jobs_wrote) {
  words visits(jobs_, {40});
  fill_with(visits, 0);
  for (int i = 0; i < 20; ++i) count(visits, 40);
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(40, 20));
}

TEST_F(job_chain, of_kernels_with_numbers_of_items_known_when_compiled_visits_each_item_once) {
  words visits(jobs_, {5 * 200});
  fill_with(visits, 0);
  for (int i = 0; i < 3; ++i) jobs_.submit({5}, updates(visits), [](auto all) { return count_items{all}; });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(5 * 200, 3));
}

TEST_F(job_chain, tells_each_block_its_place_in_its_task_as_its_worker) {
  words verdicts(jobs_, {4000});
  fill_with(verdicts, 0);
  jobs_.submit({4000}, updates(verdicts), [](auto all) { return check_worker{all}; });
  EXPECT_EQ(values_of(verdicts), std::vector<std::uint32_t>(4000, 1));
}

TEST_F(job_chain, shows_jobs_what_the_host_wrote_in_between) {
  words visits(jobs_, {40});
  fill_with(visits, 0);
  count(visits, 40);
  for (auto& value : visits.update({10, 20})) value += 100;
  count(visits, 40);
  std::vector<std::uint32_t> expected(40, 2);
  for (std::size_t i = 10; i < 20; ++i) expected[i] = 102;
  EXPECT_EQ(values_of(visits), expected);
}

TEST_F(job_chain, keeps_the_order_of_jobs_that_read_and_write_by_turns) {
  words all(jobs_, {30}), sums(jobs_, {7});
  fill_with(all, 0);
  std::uint32_t expected = 0;
  for (std::uint32_t round = 1; round <= 10; ++round) {
    count(all, 30);
    jobs_.submit({7}, reads(all, ballast::all), writes(sums), [](auto from, auto to) {
      return add_all{from, to, 30};
    });
    expected = 30 * round;
  }
  count(all, 30);
  EXPECT_EQ(values_of(sums), (std::vector<std::uint32_t>{expected, expected + 1, expected + 2, expected + 3,
                                                         expected + 4, expected + 5, expected + 6}));
}

TEST_F(job_chain, goes_on_where_arrays_change_places) {
  word_rows now(jobs_, {37, 5}), next(jobs_, {37, 5});
  number(now);
  auto expected = values_of(now);
  for (int step = 0; step < 50; ++step) {
    submit_mix(jobs_, now, next, {37});
    expected = mixed(expected, 37, 5);
  }
  EXPECT_EQ(values_of(now), expected);
}

TEST_F(job_chain, goes_on_where_an_array_is_gone) {
  words sums(jobs_, {3});
  {
    words all(jobs_, {10});
    fill_with(all, 2);
    jobs_.submit({3}, reads(all, ballast::all), writes(sums), [](auto from, auto to) {
      return add_all{from, to, 10};
    });
  }
  EXPECT_EQ(values_of(sums), (std::vector<std::uint32_t>{20, 21, 22}));
}

TEST_F(job_chain, keeps_what_a_job_does_not_write_of_its_region) {
  words marks(jobs_, {9});
  fill_with(marks, 7);
  jobs_.submit({9}, writes_some(marks), [](auto all) { return mark_even{all}; });
  EXPECT_EQ(values_of(marks), (std::vector<std::uint32_t>{1000, 7, 1002, 7, 1004, 7, 1006, 7, 1008}));
}

TEST_F(job_chain, gives_single_elements_to_the_host) {
  word_rows grid(jobs_, {3, 4});
  number(grid);
  EXPECT_EQ(grid(1, 2), 7u);
  grid.mutable_at(2, 3) = 100;
  jobs_.submit({12}, updates(grid), [](auto all) { return mark_even{all}; });
  EXPECT_EQ(grid(0, 0), 1000u);
  EXPECT_EQ(grid(2, 3), 100u);
  EXPECT_EQ(grid(2, 2), 1010u);
}

TEST_F(job_chain, ends_jobs_without_blocks_at_once) {
  words none(jobs_, {0}), some(jobs_, {3});
  fill_with(some, 4);
  auto const done = count(none, 0);
  EXPECT_TRUE(done.ready());
  EXPECT_TRUE(report_of(done).tasks.empty());
  EXPECT_TRUE(count(some, 0).ready());
  EXPECT_EQ(values_of(some), std::vector<std::uint32_t>(3, 4));
}

TEST_F(job_chain, takes_arrays_without_elements) {
  words none(jobs_, {0}), sums(jobs_, {2});
  EXPECT_TRUE(none.read().empty());
  EXPECT_TRUE(none.update().empty());
  jobs_.submit({2}, reads(none, all), writes(sums), [](auto from, auto to) { return add_all{from, to, 0}; });
  EXPECT_EQ(values_of(sums), (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(job_chain, keeps_arrays_readable_when_the_scheduler_is_gone) {
  auto jobs = std::make_unique<job_scheduler>(two_devices(), kernels(),
                                              job_options{.device_bytes = enough_device_bytes});
  words visits(*jobs, {6});
  fill_with(visits, 1);
  jobs->submit({6}, updates(visits), [](auto all) { return count_visits{all}; });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(6, 2));
  jobs.reset();
  EXPECT_EQ(visits(5), 2u);
  EXPECT_EQ(visits.update().size(), 6u);
}

TEST_F(job_chain, knows_completions_of_no_job) {
  completion const none;
  EXPECT_TRUE(none.ready());
  none.wait();
  EXPECT_THROW(report_of(none), bad_argument);
}

}  // namespace
}  // namespace ballast::test
