// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "ballast/array_view.cuh"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using word_view = array_view<std::uint32_t>;
using words_to_read = array_view<std::uint32_t const>;
using rows_to_read = array_view<std::uint32_t const, 2>;
using cells = array_view<std::uint32_t, 3>;

constexpr auto of_views = [](rows_to_read, cells) { return count_visits{}; };
constexpr auto of_anything = [](auto from, auto) {
  static_assert(std::is_same_v<decltype(from), array_ref<std::uint32_t const>>);
  return count_visits{};
};
using read_rows = array_access<std::uint32_t const, 2>;
using written_cells = array_access<std::uint32_t, 3>;
static_assert(takes_views<decltype(of_views), read_rows, written_cells>);
static_assert(!takes_views<decltype(of_anything), read_rows, written_cells>, "references come first");
static_assert(!takes_views<decltype(of_views), array_access<std::uint32_t const>, written_cells>);
static_assert(array_access_of_any<read_rows const&> && array_access_of_any<array_access<float>>);

void expect_turned(shared_array<std::uint32_t, 3> const& turned, std::uint32_t all_rows,
                   std::uint32_t columns) {
  for (std::uint32_t row = 0; row < all_rows; ++row)
    for (std::uint32_t column = 0; column < columns; ++column) {
      ASSERT_EQ(turned(row, column, 0), row * columns + columns - column);
      ASSERT_EQ(turned(row, column, 1), all_rows * 1000 + row);
    }
}

TEST(views_of_jobs, have_extents_and_indices_of_the_whole_array_in_every_task) {
  std::uint32_t const all_rows = 24, columns = 5;
  for (auto const& set : device_sets())
    for (auto const& policy : policy_names()) {
      SCOPED_TRACE(set + ", " + policy);
      job_scheduler jobs(open_devices(set), kernels(), {.device_bytes = enough_device_bytes});
      word_rows from(jobs, {all_rows, columns});
      shared_array<std::uint32_t, 3> to(jobs, {all_rows, columns, 2});
      number(from);
      jobs.submit({.grid = all_rows, .policy = policy, .tasks = 6}, reads(from, rows), writes(to, rows),
                  [](rows_to_read one, cells other) {
                    return turn_rows{one, other};
                  });
      expect_turned(to, all_rows, columns);
    }
}

TEST(views_of_jobs, are_right_where_maps_are_checked) {
  job_scheduler jobs(
      open_devices("host:1,host:1"), kernels(),
      {.policy = "master_worker", .tasks = 4, .device_bytes = enough_device_bytes, .check_maps = true});
  word_rows from(jobs, {8, 3});
  shared_array<std::uint32_t, 3> to(jobs, {8, 3, 2});
  number(from);
  jobs.submit({8}, reads(from, rows), writes(to, rows),
              [](rows_to_read one, cells other) {
                return turn_rows{one, other};
              })
      .wait();
  expect_turned(to, 8, 3);
}

TEST(views_of_jobs, of_elements_that_a_job_updates_may_be_of_const) {
  job_scheduler jobs(two_devices(), kernels(), {.device_bytes = enough_device_bytes});
  words from(jobs, {16}), sums(jobs, {16});
  fill_with(from, 2);
  jobs.submit({1}, updates(from, all), writes(sums, all), [](words_to_read one, word_view other) {
    return mix_rows{array_ref(one.data()), array_ref(other.data()), 1, std::uint32_t(one.extent(0))};
  });
  EXPECT_EQ(values_of(sums), std::vector<std::uint32_t>(16, 30));
}

}  // namespace
}  // namespace ballast::test
