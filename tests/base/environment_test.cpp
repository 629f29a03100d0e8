// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace ballast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char const* variable = "BALLAST_TEST_OF_ENVIRONMENT";

TEST(base_environment, yields_the_value_of_a_set_variable) {
  setenv(variable, "host:1/2.5", 1);
  EXPECT_EQ(environment(variable), "host:1/2.5");
}

TEST(base_environment, yields_nothing_for_an_unset_variable) {
  unsetenv(variable);
  EXPECT_FALSE(environment(variable).has_value());
}

TEST(base_environment, takes_an_empty_variable_for_an_unset_one) {
  setenv(variable, "", 1);
  EXPECT_FALSE(environment(variable).has_value());
}

TEST(base_environment, is_warned_of_names_that_differ_from_one_that_is_read_in_a_letter_or_two) {
  char const* const settings[] = {"HOME=/root",
                                  "BALLAST_DEVICE=host:2",
                                  "BALLAST_DEVICES=host:2",
                                  "BALLAST_POLICIES=x",
                                  "BALLAST_TASK=3",
                                  "BALLAST_TEST_DEVICES=host:1",
                                  "BALLAST_=",
                                  nullptr};
  EXPECT_THAT(
      detail::misspelt_variables(settings),
      ElementsAre("the environment variable BALLAST_DEVICE is not read; did you mean BALLAST_DEVICES?",
                  "the environment variable BALLAST_TASK is not read; did you mean BALLAST_TASKS?"));
}

TEST(base_environment, of_no_variables_is_spelt_right) {
  char const* const settings[] = {nullptr};
  EXPECT_THAT(detail::misspelt_variables(settings), IsEmpty());
  EXPECT_THAT(detail::misspelt_variables(nullptr), IsEmpty());
}

TEST(base_environment, lists_its_variables_by_name_each_once) {
  EXPECT_TRUE(std::ranges::is_sorted(detail::environment_variables(), std::less_equal<>(),
                                     &detail::environment_variable::name));
}

}  // namespace
}  // namespace ballast
