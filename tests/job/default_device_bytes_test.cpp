// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "device_residency.hpp"

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

}  // namespace
}  // namespace ballast::test
