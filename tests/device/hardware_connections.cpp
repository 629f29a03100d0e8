// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "device_state.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr char variable[] = "CUDA_DEVICE_MAX_CONNECTIONS";

// Each test finds the variable unset and leaves it as it was.
class hardware_connections_test : public testing::Test {
 protected:
  hardware_connections_test() { unsetenv(variable); }
  ~hardware_connections_test() override {
    if (before_) setenv(variable, before_->c_str(), 1);
    if (!before_) unsetenv(variable);
  }

  connection_setting setting_;

 private:
  std::optional<std::string> before_ = environment(variable);
};

TEST_F(hardware_connections_test, are_eight_if_nobody_states_them) {
  EXPECT_EQ(setting_.current(), (hardware_connections{8, false}));
}

TEST_F(hardware_connections_test, are_what_the_variable_states) {
  for (std::uint32_t const count : {1u, 8u, 32u}) {
    setenv(variable, std::to_string(count).c_str(), 1);
    EXPECT_EQ(setting_.current(), (hardware_connections{count, true}));
  }
}

TEST_F(hardware_connections_test, are_eight_if_the_variable_states_no_legal_count) {
  for (auto const* const text : {"", "0", "33", "-1", "many", "16x", " 16", "99999999999"}) {
    setenv(variable, text, 1);
    EXPECT_EQ(setting_.current(), (hardware_connections{8, false})) << text;
  }
}

TEST_F(hardware_connections_test, are_set_for_who_asks_first) {
  EXPECT_TRUE(setting_.request(32));
  EXPECT_EQ(environment(variable), "32");
  EXPECT_EQ(setting_.current(), (hardware_connections{32, true}));
  EXPECT_FALSE(setting_.request(16));
  EXPECT_EQ(environment(variable), "32");
}

TEST_F(hardware_connections_test, of_the_environment_win) {
  for (auto const* const text : {"4", "no count"}) {
    setenv(variable, text, 1);
    EXPECT_FALSE(setting_.request(32));
    EXPECT_EQ(environment(variable), text);
  }
}

TEST_F(hardware_connections_test, stay_what_they_were_when_cuda_was_first_used) {
  setenv(variable, "4", 1);
  setting_.record_first_use();
  setenv(variable, "16", 1);
  setting_.record_first_use();
  EXPECT_EQ(setting_.current(), (hardware_connections{4, true}));
}

TEST_F(hardware_connections_test, are_not_set_once_cuda_was_used) {
  setting_.record_first_use();
  EXPECT_FALSE(setting_.request(32));
  EXPECT_EQ(environment(variable), std::nullopt);
  EXPECT_EQ(setting_.current(), (hardware_connections{8, false}));
}

TEST_F(hardware_connections_test, are_refused_outside_of_1_to_32) {
  for (std::uint32_t const count : {0u, 33u}) {
    EXPECT_THROW(setting_.request(count), bad_argument);
    EXPECT_THROW(request_connections(count), bad_argument);
  }
  EXPECT_EQ(environment(variable), std::nullopt);
}

TEST_F(hardware_connections_test, of_this_process_are_fixed_by_the_first_use_of_cuda_and_by_nothing_else) {
  cuda_device_count();
  auto const counted = process_connections();
  bool const fixed = BALLAST_HAVE_CUDA == 1;
  EXPECT_EQ(request_connections(5), !fixed);
  EXPECT_EQ(environment(variable), fixed ? std::nullopt : std::optional<std::string>("5"));
  EXPECT_EQ(process_connections(), fixed ? counted : (hardware_connections{5, true}));
}

}  // namespace
}  // namespace ballast::test
