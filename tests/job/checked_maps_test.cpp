// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "job_fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Jobs whose maps are right, with every policy, on one and two CPU cores.
class right_maps : public testing::TestWithParam<std::tuple<std::string, std::string, std::uint32_t>> {
 protected:
  static job_options checked(std::uint64_t device_bytes = enough_device_bytes) {
    return {.device_bytes = device_bytes, .check_maps = true};
  }
  static job_setup setup(job_grid const& grid) {
    return {.grid = grid, .policy = std::get<1>(GetParam()), .tasks = std::get<2>(GetParam())};
  }
  device_list devices_ = open_devices(std::get<0>(GetParam()));
  job_scheduler jobs_{devices_, kernels(), checked()};
};

void expect_mixed_in_steps(job_scheduler& jobs, job_setup const& setup) {
  constexpr std::uint32_t rows_of = 13, columns_of = 11;
  word_rows now(jobs, {rows_of, columns_of}), next(jobs, {rows_of, columns_of});
  number(now);
  auto expected = values_of(now);
  for (int step = 0; step < 4; ++step) {
    submit_mix(jobs, now, next, setup);
    expected = mixed(expected, rows_of, columns_of);
  }
  EXPECT_EQ(values_of(now), expected);
}

TEST_P(right_maps, give_what_one_thread_gives_in_a_chain) { expect_mixed_in_steps(jobs_, setup(13)); }

TEST_P(right_maps, give_the_same_in_memory_that_is_too_small) {
  job_scheduler jobs(devices_, kernels(), checked(4096));
  expect_mixed_in_steps(jobs, setup(13));
  words visits(jobs, {4096});
  fill_with(visits, 1);
  jobs.submit(setup(64), updates(visits, one_to_one(64)), [](auto all) {
    return add_one_to_slices{array_ref<std::uint32_t const>(all.data()), all, 64, 64, 64};
  });
  EXPECT_EQ(values_of(visits), std::vector<std::uint32_t>(4096, 2));
}

TEST_P(right_maps, may_leave_some_unwritten_that_says_so) {
  words marks(jobs_, {10});
  fill_with(marks, 3);
  jobs_.submit(setup(10), writes_some(marks), [](auto all) { return mark_even{all}; });
  EXPECT_EQ(values_of(marks), (std::vector<std::uint32_t>{1000, 3, 1002, 3, 1004, 3, 1006, 3, 1008, 3}));
}

TEST_P(right_maps, may_cut_boxes_of_all_ranks_along_all_dimensions) {
  shared_array<std::uint32_t, 3> from(jobs_, {4, 5, 6}), to(jobs_, {4, 5, 6});
  number(from);
  for (int dimension = 0; dimension < 3; ++dimension) {
    SCOPED_TRACE(dimension);
    auto const side = std::uint32_t(from.size(dimension));
    std::uint32_t const inner[] = {30, 6, 1};
    jobs_.submit(setup(side), reads(from, slice(dimension)), writes(to, slice(dimension)),
                 [=, each = inner[dimension]](auto of, auto into) {
                   return add_one_to_slices{of, into, side, each, 120 / side};
                 });
    auto expected = values_of(from);
    for (auto& value : expected) ++value;
    EXPECT_EQ(values_of(to), expected);
    std::swap(from, to);
  }
}

TEST_P(right_maps, may_name_one_array_in_arguments_of_which_one_sees_what_the_other_wrote) {
  words both(jobs_, {10}), sums(jobs_, {10});
  fill_with(both, 1);
  fill_with(sums, 100);
  jobs_.submit(setup(10), writes(both), reads(both), updates(sums), [](auto written, auto seen, auto all) {
    return write_and_see{written, seen, all};
  });
  std::vector<std::uint32_t> expected(10);
  std::iota(expected.begin(), expected.end(), 110u);
  EXPECT_EQ(values_of(sums), expected);
}

TEST_P(right_maps, may_name_one_array_in_arguments_that_do_not_meet) {
  words halves(jobs_, {20});
  number(halves);
  auto const half = [](std::size_t begin) -> access_map {
    return [=](map_view const& view) -> region {
      return {{begin + view.part.first, begin + view.part.first + view.part.count}};
    };
  };
  jobs_.submit(setup(10), reads(halves, half(0)), writes(halves, half(10)), [](auto low, auto high) {
    return add_one_to_slices{low, high.from(10), 10, 1, 1};
  });
  std::vector<std::uint32_t> expected(20);
  for (std::uint32_t i = 0; i < 20; ++i) expected[i] = 1 + i % 10 + i / 10;
  EXPECT_EQ(values_of(halves), expected);
}

std::vector<std::string> sets_of_cores() { return {"host:1", "host:1,host:1"}; }

INSTANTIATE_TEST_SUITE_P(policies, right_maps,
                         testing::Combine(testing::ValuesIn(sets_of_cores()),
                                          testing::ValuesIn(policy_names()), testing::Values(1u, 2u, 5u)));

TEST(checked_maps, are_not_to_be_had_on_gpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no GPU";
  EXPECT_EQ(refused_argument([] { job_scheduler(open_devices("cuda:0"), {.check_maps = true}); }),
            "check_maps");
}

}  // namespace
}  // namespace ballast::test
