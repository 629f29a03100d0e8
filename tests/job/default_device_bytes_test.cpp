// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "run/job_runtime.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(memory_of_cores, is_taken_no_more_than_the_arrays_need_and_some_room_between_them) {
  auto const cores = open_devices("host:1,host:1");
  std::size_t const arrays = 1'000'000, room = 65'536;
  ASSERT_GT(default_device_bytes(cores, 0), arrays + room)
      << "this machine has too little memory for the test";
  EXPECT_EQ(default_device_bytes(cores, 0, arrays), arrays + room);
  EXPECT_LE(default_device_bytes(cores, 0, std::size_t(1) << 60), cores.front()->free_bytes());
}

TEST(memory_of_parts, is_divided_equally_when_they_take_theirs_in_turn) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "needs a GPU";
  auto const parts = open_devices("cuda:0@32,cuda:0@64,host:1");
  auto const free = double(parts.front()->free_bytes());
  auto const first = default_device_bytes(parts, 0);
  EXPECT_NEAR(double(first), 0.45 * free, 0.01 * free);
  device_buffer<std::byte> const taken(parts.front(), first);
  EXPECT_NEAR(double(default_device_bytes(parts, 1)), 0.45 * free, 0.01 * free);
}

}  // namespace
}  // namespace ballast::test
