// SPDX-License-Identifier: Apache-2.0
// What becomes of devices when their process forks or ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "forked_child.hpp"
#include "held_stream.hpp"
#include "sanitized.hpp"

namespace ballast::test {
namespace {

int filled_byte(compute_device& device) {
  unsigned char byte = 0;
  auto const stream = device.make_stream();
  stream->fill(&byte, 7, 1);
  stream->synchronize();
  return byte;
}

bool is_refused_as_the_parents(compute_device& device) {
  try {
    device.make_stream();
    return false;
  } catch (error const& refusal) { return std::string(refusal.what()).find("fork()") != std::string::npos; }
}

TEST(child_made_by_fork, may_open_cores_of_its_own) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  auto const parents = open_devices("host:2").front();
  EXPECT_EQ(end_of_child([] { return filled_byte(*open_devices("host:2").front()) == 7; }), well);
  EXPECT_EQ(filled_byte(*parents), 7);
}

TEST(child_made_by_fork, is_refused_the_devices_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  auto const parents = open_devices("host:2").front();
  auto const stream = parents->make_stream();
  EXPECT_EQ(end_of_child([&] {
              EXPECT_THROW(stream->synchronize(), error);
              return is_refused_as_the_parents(*parents) && !testing::Test::HasFailure();
            }),
            well);
  EXPECT_EQ(filled_byte(*parents), 7);
}

TEST(child_made_by_fork, can_let_go_of_the_devices_of_its_parent) {
  if (sanitized) GTEST_SKIP() << "sanitizers start no threads in such a child";
  auto parents = open_devices("host:2").front();
  auto stream = parents->make_stream();
  EXPECT_EQ(end_of_child([&] {
              stream.reset();
              parents.reset();
              return true;
            }),
            well);
}

[[noreturn]] void end_beside_a_kernel() {
  alarm(60);
  auto* const held = new held_stream(open_devices("host:1").front());
  held->await_start();
  std::exit(well);
}

TEST(process, ends_with_exit_while_a_kernel_runs_whose_stream_was_left_behind) {
  if (sanitized) GTEST_SKIP() << "sanitizers tell of what was left behind";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_beside_a_kernel(), testing::ExitedWithCode(well), "");
}

}  // namespace
}  // namespace ballast::test
