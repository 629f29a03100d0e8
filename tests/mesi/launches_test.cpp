// SPDX-License-Identifier: Apache-2.0
// One scheduler for all tests of a run, as in a program: on BALLAST_TEST_DEVICES or else two cores, which
// check ranges, unless the environment says else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/detail/mesi/launch.hpp"
#include "ballast/detail/mesi/program.hpp"
#include "ballast/error.hpp"
#include "is_deep_run.hpp"
#include "shared.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

bool const environment_is_set = [] {
  auto const* const asked = std::getenv("BALLAST_TEST_DEVICES");
  std::string const devices = asked != nullptr ? asked : "host:1,host:1";
  bool const can_check = devices.find("cuda") == std::string::npos;
  for (auto const& [name, value] : {std::pair{"BALLAST_DEVICES", devices.c_str()},
                                    {"BALLAST_POLICY", "master_worker"},
                                    {"BALLAST_TASKS", "7"},
                                    {"BALLAST_CHECK_MAPS", can_check ? "1" : "0"},
                                    {"BALLAST_DEVICE_BYTES", "4194304"}})
    setenv(name, value, 0);
  return true;
}();

using table_values = std::vector<int>;
table_values values_of(int const (&of)[rows][columns]) { return {&of[0][0], &of[0][0] + rows * columns}; }

void fill_table() {
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) table.update()[y][x] = (y * 5 + x * 3) % 7;
}
/// add_neighbours by one thread.
table_values with_neighbours(table_values const& of, int more) {
  table_values to(of.size());
  for (int i = 0; i < rows * columns; ++i) {
    int const above = std::max(i - columns, i % columns);
    int const below = i + columns < rows * columns ? i + columns : i;
    to[std::size_t(i)] = of[std::size_t(above)] + of[std::size_t(i)] + of[std::size_t(below)] + more;
  }
  return to;
}

TEST(mesi_launch, writes_what_the_host_reads) {
  number(numbers.address(), numbers_count);
  int expected = 0;
  for (int const n : numbers.read()) EXPECT_EQ(n, expected++);
}

TEST(mesi_launch, sees_what_the_host_wrote_and_gives_halos_to_each_task) {
  fill_table();
  auto const expected = with_neighbours(values_of(table.read()), 3);
  add_neighbours(table.address(), next_table.address(), 3);
  EXPECT_EQ(values_of(next_table.read()), expected);
}

TEST(mesi_launch, of_many_with_swapped_pointers_come_one_after_the_other) {
  fill_table();
  auto expected = values_of(table.read());
  auto *now = table.address(), *next = next_table.address();
  for (int i = 0; i < 15; ++i, std::swap(now, next)) {
    add_neighbours(now, next, -i);
    expected = with_neighbours(expected, -i);
  }
  auto const* const begin = &mesi::host(now)[0][0];
  EXPECT_EQ(table_values(begin, begin + rows * columns), expected);
}

TEST(mesi_loop, of_more_launches_than_may_be_ahead_of_the_devices_takes_them_in_order) {
  for (int i = 0; i < 400; ++i) number(numbers.address() + i, numbers_count - i);
  for (int i = 0; i < numbers_count; ++i) EXPECT_EQ(numbers.read()[i], i < 400 ? 0 : i - 399);
}

TEST(mesi_launch, takes_an_argument_that_points_into_a_variable) {
  std::ranges::fill(numbers.update(), -1);
  number(numbers.address() + 100, 50);
  number(&numbers.address()[700], 300);
  auto const& all = numbers.read();
  EXPECT_EQ(all[99], -1);
  EXPECT_EQ(all[100], 0);
  EXPECT_EQ(all[149], 49);
  EXPECT_EQ(all[150], -1);
  EXPECT_EQ(all[999], 299);
}

TEST(mesi_launch, of_several_files_share_variables) {
  factor.update() = 2.5;
  number(numbers.address(), numbers_count);
  scale_numbers();
  factor.update() = 2;  // waits for the launch that reads it
  scale_numbers();
  EXPECT_EQ(numbers.read()[3], 14);
  EXPECT_EQ(numbers.read()[999], 4994);
}

TEST(mesi_launch, without_threads_does_nothing) {
  numbers.update()[0] = 77;
  number(numbers.address(), 0);
  number(numbers.address(), -5);
  number(nullptr, 0);
  EXPECT_EQ(numbers.read()[0], 77);
}

TEST(mesi_launch, of_a_variable_that_is_kept_open_has_brought_it_home_when_it_returns) {
  static mesi::variable<int[numbers_count]> own{"own"};
  int* const escaped = mesi::open(own);
  for (int i = 0; i < 20; ++i) {
    escaped[numbers_count - 1] = 0;
    number(own.address(), numbers_count);
    ASSERT_EQ(escaped[numbers_count - 1], numbers_count - 1);
  }
}

TEST(mesi_launch, may_come_from_several_threads_beside_host_accesses) {
  static mesi::variable<int[numbers_count]> each[4] = {
      mesi::variable<int[numbers_count]>{"first"}, mesi::variable<int[numbers_count]>{"second"},
      mesi::variable<int[numbers_count]>{"third"}, mesi::variable<int[numbers_count]>{"fourth"}};
  std::vector<std::thread> all;
  for (auto& own : each)
    all.emplace_back([&own] {
      for (int i = 0; i < 20; ++i) {
        number(own.address(), numbers_count);
        own.update()[i] += own.read()[numbers_count - 1];
        EXPECT_EQ(own.read()[i], i + numbers_count - 1);
      }
    });
  for (auto& thread : all) thread.join();
}

TEST(mesi_launch, refuses_a_pointer_to_no_variable_by_kernel_and_parameter) {
  int elsewhere[numbers_count] = {};
  EXPECT_THAT([&] { number(elsewhere, 10); },
              ThrowsMessage<bad_argument>(testing::AllOf(
                  HasSubstr("to"), HasSubstr("number"),
                  HasSubstr("is a pointer to something else; legal is one to a shared variable"))));
  EXPECT_THAT([&] { number(nullptr, 10); }, ThrowsMessage<bad_argument>(HasSubstr("number")));
}

TEST(mesi_launch, refuses_a_pointer_to_elements_of_another_size_or_into_one) {
  static mesi::variable<short[numbers_count]> shorts{"shorts"};
  auto* const bytes = reinterpret_cast<char*>(numbers.address());
  EXPECT_THAT(
      [&] { number(reinterpret_cast<int*>(shorts.address()), 10); },
      ThrowsMessage<bad_argument>(testing::AllOf(
          HasSubstr("to of number"), HasSubstr("of 4 bytes in 'shorts'"), HasSubstr("elements of 2 bytes"))));
  EXPECT_THAT([&] { number(reinterpret_cast<int*>(bytes + 2), 10); },
              ThrowsMessage<bad_argument>(HasSubstr("a pointer into an element of 'numbers'")));
}

TEST(mesi_launch, runs_kernels_of_files_that_make_none_known) {
  numbers.update()[7] = 1;
  number_late(numbers.address());
  EXPECT_EQ(numbers.read()[7], -7);
}

TEST(mesi_launch, refuses_to_write_beyond_a_variable_and_names_it) {
  EXPECT_THAT([] { number(numbers.address() + 900, 101); },
              ThrowsMessage<bad_argument>(testing::AllOf(HasSubstr("to of number"),
                                                         HasSubstr("elements 900 to 1000 of 'numbers'"),
                                                         HasSubstr("from 0 to 999"))));
}

TEST(mesi_launch, refuses_to_update_beyond_a_variable_but_cuts_off_what_it_may_not_write) {
  mesi::launch_uses const of({1, 1, mesi::axis::x}, mesi::threads(1), "shift");
  auto const beyond = [](mesi::part) { return mesi::ranges{{999, 1001}}; };
  EXPECT_THAT([&] { of.updates(numbers.address(), "to", beyond); },
              ThrowsMessage<bad_argument>(HasSubstr("elements 999 to 1000 of 'numbers'")));
  EXPECT_NO_THROW(of.updates_some(numbers.address(), "to", beyond));
}

TEST(mesi_launch, refuses_more_threads_than_lThreadId_can_count) {
  EXPECT_THAT(
      [] { number(numbers.address(), 2147483648); },
      ThrowsMessage<bad_argument>(testing::AllOf(HasSubstr("<<[2147483648, 1]>>"), HasSubstr("number"))));
}

TEST(mesi_failure, tells_the_host_that_reads_of_kernel_variable_and_cause) {
  if (std::string(std::getenv("BALLAST_CHECK_MAPS")) != "1") GTEST_SKIP() << "nothing is checked";
  static mesi::variable<int[numbers_count]> own{"own"};
  leave_out_last(own.address());
  EXPECT_THAT([] { own.read(); }, ThrowsMessage<error>(testing::AllOf(
                                      HasSubstr("leave_out_last"), HasSubstr("variable 'own' is lost"),
                                      HasSubstr("is declared written but not written"))));
  number(own.address(), numbers_count);
  EXPECT_EQ(own.read()[5], 5);
}

TEST(mesi_failure, that_nobody_was_told_of_ends_the_program_after_main) {
  if (std::string(std::getenv("BALLAST_CHECK_MAPS")) != "1") GTEST_SKIP() << "nothing is checked";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        leave_out_last(numbers.address());
        std::exit(0);
      },
      "leave_out_last.*element 999 of array 'numbers'.*is declared written but not written");
}

TEST(mesi_failure, of_a_variable_is_told_with_its_own_launch_and_the_other_one_is_still_to_be_told) {
  if (std::string(std::getenv("BALLAST_CHECK_MAPS")) != "1") GTEST_SKIP() << "nothing is checked";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        static mesi::variable<int[numbers_count]> second{"second"};
        leave_out_last(numbers.address());
        try {
          leave_out_last(second.address());
        } catch (error const& told) {  // the first one has ended already, and is told now
          std::fputs(told.what(), stderr);
          std::exit(1);
        }
        try {
          second.read();
        } catch (error const& told) {
          if (std::string(told.what()).find("of array 'second'") == std::string::npos) std::exit(3);
        }
        std::exit(0);
      },
      "element 999 of array 'numbers'.*is declared written but not written");
}

TEST(mesi_failure, that_the_host_was_told_of_is_not_told_again) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        try {
          leave_out_last(numbers.address());
          numbers.read();
        } catch (error const&) {}
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
}

TEST(mesi_program, shows_warnings_of_the_library_on_standard_error) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        mesi::scheduler();
        write_log(log_level::warning, "a GPU is left out");
        std::exit(3);
      },
      testing::ExitedWithCode(3), "ballast: a GPU is left out\n");
}

TEST(mesi_program, keeps_the_log_sink_that_was_there_before_it) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        set_log_sink(
            [](log_level, std::string_view line) { std::fprintf(stderr, "own: %s\n", line.data()); });
        mesi::scheduler();
        write_log(log_level::warning, "a GPU is left out");
        std::exit(3);
      },
      testing::ExitedWithCode(3), "^own: a GPU is left out\n$");
}

TEST(mesi_tasks, change_nothing_be_they_1_or_61) {
  auto const self = std::filesystem::canonical("/proc/self/exe").string();
  for (int const tasks : task_counts()) {
    auto const line = "BALLAST_TASKS=" + std::to_string(tasks) + " timeout 60 '" + self +
                      "' --gtest_brief=1 --gtest_filter='mesi_launch.*' >/dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
}

}  // namespace
}  // namespace ballast::test
