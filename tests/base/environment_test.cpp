// SPDX-License-Identifier: Apache-2.0
#include "ballast/arguments.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace ballast {
namespace {

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

}  // namespace
}  // namespace ballast
