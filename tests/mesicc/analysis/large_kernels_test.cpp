// SPDX-License-Identifier: Apache-2.0
// What the analysis of kernels of many statements costs, and that their ranges are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "analysis/analyse_launch.hpp"
#include "golden.hpp"
#include "launch_builder.hpp"
#include "range_check.hpp"

namespace ballast::mesicc {
namespace {

/// A kernel of many statements that are alike: what statement `number` of `count` does with x and y.
struct large_kernel {
  char const* name;
  void (*statement)(launch_builder& k, built_array x, built_array y, int number, int count);
  bool is_shuffled = false;

  launch_model of(int count, int threads) const {
    launch_builder k("large", threads);
    auto const x = k.array("x", {threads + 100 * count}), y = k.array("y", {2 * threads * count});
    std::vector<int> numbers(std::size_t(count), 0);
    std::iota(numbers.begin(), numbers.end(), 0);
    if (is_shuffled) std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
    for (int const number : numbers) statement(k, x, y, number, count);
    return k.model();
  }
};

void PrintTo(large_kernel const& kernel, std::ostream* to) { *to << kernel.name; }

std::vector<large_kernel> large_kernels() {
  auto const neighbours = [](launch_builder& k, built_array x, built_array y, int number, int) {
    k.read(x(k.x + number)), k.write(y(k.x));
  };
  return {
      {"neighbours", neighbours},
      {"neighbours_shuffled", neighbours, true},
      {"sums", [](launch_builder& k, built_array x, built_array y, int number,
                  int) { k.read(x(k.x + number)), k.update(y(k.x)); }},
      {"every_second", [](launch_builder& k, built_array x, built_array y, int number,
                          int) { k.read(x(k.x + 2 * number)), k.write(y(k.x)); }},
      {"far_apart", [](launch_builder& k, built_array x, built_array y, int number,
                       int) { k.read(x(k.x + 100 * number)), k.write(y(k.x)); }},
      {"rows", [](launch_builder& k, built_array, built_array y, int number,
                  int count) { k.update(y(k.x * count + number)); }},
      {"every_second_of_rows", [](launch_builder& k, built_array, built_array y, int number,
                                  int count) { k.update(y(2 * (k.x * count + number))); }},
      {"rows_twice",
       [](launch_builder& k, built_array, built_array y, int number, int count) {
         k.write(y(k.x * count + number)), k.read(y(k.x * count + number / 2));
       }},
      {"loops", [](launch_builder& k, built_array, built_array y, int,
                   int) { k.loop(0, 2, [&](auto const& i) { k.update(y(2 * k.x + i)); }); }},
  };
}

class large : public testing::TestWithParam<large_kernel> {};

/// With what a question may cost being limited, that is the time that planning takes.
TEST_P(large, kernels_take_twice_as_many_questions_if_they_are_twice_as_long) {
  auto const found = [](int statements) {
    return analyse(GetParam().of(statements, 4096), {.operations = 50'000});
  };
  auto const shorter = found(100), longer = found(200);
  EXPECT_EQ(listed(longer.diagnostics), "");
  EXPECT_GT(shorter.questions, 100u);
  EXPECT_LE(longer.questions, 2 * shorter.questions + 20);
}

TEST_P(large, kernels_have_ranges_that_hold_all_that_threads_touch) {
  auto const model = GetParam().of(80, 9);
  auto const found = analyse(model);
  ASSERT_TRUE(found.plan);
  EXPECT_EQ(check_ranges(*found.plan, interpreted_launch(model, found.plan->cut, {}, 1)).wrong, "");
}

INSTANTIATE_TEST_SUITE_P(kernels, large, testing::ValuesIn(large_kernels()),
                         [](auto const& of) { return of.param.name; });

std::string explained(char const* name, int statements) {
  auto const kernels = large_kernels();
  auto const found =
      analyse(std::ranges::find(kernels, std::string(name), &large_kernel::name)->of(statements, 4096));
  return found.plan ? found.plan->explanation : listed(found.diagnostics);
}

TEST(large_kernels, of_a_thousand_statements_read_no_more_than_they_need) {
  EXPECT_THAT(explained("neighbours", 1000), testing::HasSubstr("  x: reads [b, e + 999)"));
  EXPECT_THAT(explained("neighbours_shuffled", 1000), testing::HasSubstr("  x: reads [b, e + 999)"));
  EXPECT_THAT(explained("every_second", 1000), testing::HasSubstr("  x: reads [b, e + 1998)"));
  EXPECT_THAT(explained("rows", 1000), testing::HasSubstr("  y: reads [1000 * b, 1000 * e)"));
}

/// Each of them is two cases.
TEST(large_kernels, of_many_conditions_that_are_not_known_are_understood) {
  launch_builder k("large", 4096);
  auto const x = k.array("x", {4096}), y = k.array("y", {4096});
  for (int number = 0; number < 60; ++number) {
    k.read(x(k.x));
    k.return_if(k.unknown() == number);
    k.write(y(k.x));
  }
  auto const found = analyse(k.model());
  EXPECT_EQ(listed(found.diagnostics), "");
  ASSERT_TRUE(found.plan);
  EXPECT_THAT(found.plan->explanation, testing::HasSubstr("  y: writes [b, e)"));
}

TEST(large_kernels, are_refused_by_the_first_two_statements_that_are_in_each_others_way) {
  launch_builder k("large", 4096);
  auto const y = k.array("y", {300'000});
  for (int number = 0; number < 200; ++number) k.write(y(50 * k.x + number));
  EXPECT_EQ(listed(analyse(k.model()).diagnostics),
            "k.mcu:1:5: error: cannot partition kernel 'large' along lThreadId.x: different values of "
            "lThreadId.x write the same element of 'y' (assumption A2)\n"
            "k.mcu:51:5: note: the same element is written here\n"
            "k.mcu:100:3: note: with --allow-unpartitioned this launch runs as one task, on one device\n");
}

TEST(large_kernels, are_refused_after_twice_as_many_questions_if_they_are_twice_as_long) {
  auto const found = [](int columns) {
    launch_builder k("large", 4096);
    auto const y = k.array("y", {4096 * columns});
    for (int column = 0; column < columns; ++column) k.write(y(4096 * column + k.x));
    return analyse(k.model());
  };
  auto const shorter = found(100), longer = found(200);
  EXPECT_FALSE(longer.plan);
  EXPECT_LE(longer.questions, 2 * shorter.questions + 20);
}

}  // namespace
}  // namespace ballast::mesicc
