// SPDX-License-Identifier: Apache-2.0
#include "kernel_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ballast::test::plain_times_test {
using namespace detail;
namespace {

void some_function() {}
void other_function() {}
plain_shape const some{&some_function, {.grid = 2, .block = 32}, nullptr};

bool begins(plain_times& times, plain_shape const& what) {
  bool const is_due = times.is_due(what);
  if (is_due) times.begin(what);
  return is_due;
}

/// Which of so many launches are measured, each of which took `ns`.
std::vector<int> measured_of(plain_times& times, int launches, std::int64_t ns) {
  std::vector<int> measured;
  for (int i = 1; i <= launches; ++i)
    if (begins(times, some)) {
      measured.push_back(i);
      times.record(ns);
    }
  return measured;
}

TEST(times_of_plain_launches, are_measured_the_seldomer_the_more_there_were) {
  plain_times times;
  EXPECT_EQ(times.of(some), 0);
  EXPECT_EQ(measured_of(times, 13000, 500), (std::vector{1, 4, 16, 64, 256, 1024, 4096, 8192, 12288}));
  EXPECT_EQ(times.of(some), 500);
}

TEST(times_of_plain_launches, are_those_of_a_function_and_its_shape) {
  plain_times times;
  begins(times, some);
  times.record(500);
  EXPECT_EQ(times.of({&other_function, some.shape}), 0);
  EXPECT_EQ(times.of({&some_function, {.grid = 3, .block = 32}}), 0);
  EXPECT_EQ(times.of({&some_function, {.grid = 2, .block = 32}}), 500);
}

TEST(times_of_plain_launches, are_measured_one_at_a_time) {
  plain_times times;
  EXPECT_TRUE(begins(times, some));
  EXPECT_FALSE(begins(times, {&other_function, some.shape}));
  times.record(0);
  EXPECT_EQ(times.of(some), 0);
  EXPECT_TRUE(begins(times, {&other_function, some.shape}));
}

TEST(times_of_plain_launches, are_due_again_if_a_measure_could_not_begin) {
  plain_times times;
  EXPECT_TRUE(times.is_due(some));
  EXPECT_TRUE(begins(times, some));
  times.record(500);
  EXPECT_EQ(times.of(some), 500);
}

TEST(times_of_plain_launches, fall_at_once_and_rise_little_by_little) {
  plain_times times;
  for (std::int64_t const ns : {1000, 400, 1200}) {
    while (!begins(times, some)) {}
    times.record(ns);
  }
  EXPECT_EQ(times.of(some), 500);
}

TEST(times_of_plain_launches, are_known_of_1024_shapes) {
  plain_times times;
  for (std::uint32_t i = 1; i <= 1025; ++i) {
    bool const is_measured = begins(times, {&some_function, {.grid = i, .block = 32}});
    EXPECT_EQ(is_measured, i <= 1024) << i;
    if (is_measured) times.record(i);
  }
  EXPECT_EQ(times.of({&some_function, {.grid = 1024, .block = 32}}), 1024);
}

}  // namespace
}  // namespace ballast::test::plain_times_test
