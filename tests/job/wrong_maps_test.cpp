// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"
#include "sanitized.hpp"

namespace ballast::test::wrong_maps_test {
using namespace detail;
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::string failure_of(completion const& done) {
  try {
    done.wait();
  } catch (job_failed const& failure) { return failure.what(); }
  return "none";
}

/// A job whose kernel leaves the memory of a checked task: AddressSanitizer ends the process at the kernel's
/// line, else the job fails.
template <class Submit>
void expect_found(Submit submit, char const* message) {
#if BALLAST_TEST_ADDRESS_SANITIZER
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(failure_of(submit()), "AddressSanitizer(.|\n)*(job_test_kernels|mix_rows).cuh") << message;
#else
  EXPECT_THAT(failure_of(submit()), HasSubstr(message));
#endif
}

/// Of each unit the element of its number, though there may be more elements than units.
access_map elements_from(std::size_t first) {
  return [=](map_view const& view) -> region {
    auto const begin = first + view.part.first;
    return {{begin, begin + view.part.count}};
  };
}

/// One task, if a job does not ask for more, on one CPU core.
class wrong_maps : public testing::Test {
 protected:
  job_scheduler jobs_{
      open_devices("host:1"),
      kernels(),
      {.policy = "master_worker", .tasks = 1, .device_bytes = enough_device_bytes, .check_maps = true}};
  words from_{jobs_, {8}, "from"}, to_{jobs_, {8}, "to"};

  void SetUp() override {
    number(from_);
    fill_with(to_, 50);
  }
  struct shifts {
    std::int32_t read = 0, write = 0;
  };
  /// Of elements 2 to 5.
  completion copy(shifts by) {
    return jobs_.submit({4}, reads(from_, elements_from(2)), writes(to_, elements_from(2)),
                        [=](auto from, auto to) {
                          return add_one_to_slices{from.from(2), to.from(2), 8, 1, 1, by.read, by.write};
                        });
  }
};

TEST_F(wrong_maps, are_found_where_a_task_reads_beside_its_elements) {
  expect_found([&] { return copy({.read = 1}); },
               "element 5 of array 'to' (argument 2) was made from something that is read but not declared");
  expect_found([&] { return copy({.read = -2}); },
               "element 2 of array 'to' (argument 2) was made from something that is read but not declared");
}

TEST_F(wrong_maps, are_found_where_a_task_writes_beside_its_elements) {
  expect_found([&] { return copy({.write = 1}); },
               "element 6 of array 'to' (argument 2) is written but not declared");
}

TEST_F(wrong_maps, are_found_where_a_task_writes_before_and_behind_the_array) {
  expect_found([&] { return copy({.write = -4}); },
               "element -2 of array 'to' (argument 2) is written but not declared");
  expect_found([&] { return copy({.write = 6}); },
               "element 8 of array 'to' (argument 2) is written but not declared");
}

TEST_F(wrong_maps, are_told_with_job_units_device_and_kernel) {
  auto const done = jobs_.submit({.grid = 8, .name = "mark", .tasks = 2}, writes(to_),
                                 [](auto all) { return mark_even{all}; });
  EXPECT_THAT(
      failure_of(done),
      AnyOf("job 'mark' (number 3), units 0 to 3 on host:1: kernel ballast::test::mark_even: element 1 of "
            "array 'to' (argument 1) is declared written but not written",
            "job 'mark' (number 3), units 4 to 7 on host:1: kernel ballast::test::mark_even: element 5 of "
            "array 'to' (argument 1) is declared written but not written"));
}

TEST_F(wrong_maps, are_found_where_a_task_adds_to_what_it_should_write) {
  auto const done = jobs_.submit({8}, writes(to_), [](auto all) { return count_visits{all}; });
  EXPECT_THAT(
      failure_of(done),
      HasSubstr(
          "element 0 of array 'to' (argument 1) was made from something that is read but not declared"));
}

TEST_F(wrong_maps, are_found_where_a_task_writes_what_it_only_reads) {
  auto const done = jobs_.submit({8}, reads(to_), [](auto all) {
    return count_visits{array_ref<std::uint32_t>(const_cast<std::uint32_t*>(all.data()))};
  });
  EXPECT_THAT(failure_of(done),
              HasSubstr("element 0 of array 'to' (argument 1) is written but not declared"));
}

TEST_F(wrong_maps, are_found_where_a_halo_is_missing) {
  word_rows now(jobs_, {8, 6}), next(jobs_, {8, 6}, "next");
  number(now);
  expect_found(
      [&] {
        return jobs_.submit({.grid = 8, .tasks = 2}, reads(now, rows), writes(next, rows),
                            [](auto from, auto to) {
                              return mix_rows{from, to, 8, 6};
                            });
      },
      " of array 'next' (argument 2) was made from something that is read but not declared");
}

/// Two columns by a task, of which the holes between two rows are not.
TEST_F(wrong_maps, are_found_in_the_holes_of_a_box) {
  word_rows now(jobs_, {6, 8}), next(jobs_, {6, 8}, "next");
  number(now);
  auto const copy_columns = [&](std::int32_t write_shift) {
    return jobs_.submit(
        {.grid = 4, .tasks = 2}, reads(now, slice(1, 2)), writes(next, slice(1, 2)),
        [=](auto from, auto to) { return add_one_to_slices{from, to, 4, 2, 12, 0, write_shift}; });
  };
  expect_found([&] { return copy_columns(2); }, " of array 'next' (argument 2) is written but not declared");
}

TEST_F(wrong_maps, are_found_where_a_task_reads_what_another_argument_of_the_same_array_declares) {
  expect_found(
      [&] {
        return jobs_.submit({4}, reads(from_, elements_from(0)), reads(from_, elements_from(4)),
                            writes(to_, elements_from(0)), [](auto low, auto, auto to) {
                              return add_one_to_slices{low, to, 4, 1, 1, 4, 0};
                            });
      },
      "element 0 of array 'to' (argument 3) was made from something that is read but not declared");
}

TEST_F(wrong_maps, are_told_of_all_arguments_that_share_elements) {
  expect_found(
      [&] {
        return jobs_.submit({4}, updates(from_, elements_from(0)), reads(from_, elements_from(0)),
                            [](auto all, auto) { return count_visits{all.from(4)}; });
      },
      "element 4 of array 'from' (arguments 1, 2) is written but not declared");
}

TEST_F(wrong_maps, let_nothing_reach_the_arrays) {
  auto const done = jobs_.submit({4}, writes(to_, elements_from(0)), updates(from_, elements_from(0)),
                                 [](auto to, auto) { return count_visits{to}; });
  EXPECT_THROW(done.wait(), job_failed);
  EXPECT_THROW(to_.read({0, 4}), job_failed);
  EXPECT_THROW(from_.read({0, 4}), job_failed);
  EXPECT_EQ(to_.read({4, 8})[0], 50u);
  EXPECT_EQ(from_.read({4, 8})[0], 5u);
}

TEST_F(wrong_maps, keep_jobs_from_reading_what_was_made_and_leave_others_alone) {
  words sums(jobs_, {8}), others(jobs_, {8});
  fill_with(others, 1);
  jobs_.submit({8}, writes(to_), [](auto all) { return mark_even{all}; });
  std::atomic<int> readers = 0;
  auto const reader = jobs_.submit({8}, reads(to_, all), writes(sums), [&](auto from, auto all_sums) {
    ++readers;
    return add_all{from, all_sums, 8};
  });
  jobs_.submit({8}, updates(others), [](auto visits) { return count_visits{visits}; });
  EXPECT_NE(failure_of(reader), "none");
  EXPECT_EQ(readers, 0);  // what is wrong is known before anybody uses it
  EXPECT_EQ(values_of(others), std::vector<std::uint32_t>(8, 2));
}

}  // namespace
}  // namespace ballast::test::wrong_maps_test
