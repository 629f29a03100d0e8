// SPDX-License-Identifier: Apache-2.0
#include "host/device.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "ballast/device.hpp"
#include "sanitized.hpp"
#include "scratch_folder.hpp"

namespace ballast::test {
using namespace detail;
namespace {

namespace fs = std::filesystem;

class control_groups : public testing::Test {
 protected:
  void write(fs::path const& name, std::string const& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::size_t left(std::string const& membership) const {
    write("membership", membership);
    return available_in_control_group(root_ / "membership", root_);
  }

 private:
  scratch_folder const own_;
  fs::path const root_ = own_.path();
};

TEST_F(control_groups, without_a_limit_leave_everything) {
  write("mine/memory.max", "max\n");
  write("mine/memory.current", "1000\n");
  EXPECT_EQ(left("0::/mine\n"), unlimited_bytes);
  EXPECT_EQ(left("0::/another\n"), unlimited_bytes);
  EXPECT_EQ(left(""), unlimited_bytes);
}

TEST_F(control_groups, leave_what_is_not_used_and_what_files_would_give_back) {
  write("mine/memory.max", "5000\n");
  write("mine/memory.current", "3000\n");
  EXPECT_EQ(left("0::/mine\n"), 2000u);
  write("mine/memory.stat", "anon 1000\ninactive_file 500\n");
  EXPECT_EQ(left("0::/mine\n"), 2500u);
  write("mine/memory.current", "9000\n");
  EXPECT_EQ(left("0::/mine\n"), 0u);
}

TEST_F(control_groups, leave_no_more_than_those_above_them) {
  write("above/memory.max", "4000\n");
  write("above/memory.current", "3000\n");
  write("above/mine/memory.max", "9000\n");
  write("above/mine/memory.current", "0\n");
  EXPECT_EQ(left("0::/above/mine\n"), 1000u);
}

TEST_F(control_groups, of_version_1_leave_what_theirs_say) {
  write("memory/mine/memory.limit_in_bytes", "5000\n");
  write("memory/mine/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(left("7:cpu:/other\n5:memory:/mine\n"), 4000u);
}

/// In a process of its own.
[[noreturn]] void limit_the_address_space() {
  constexpr std::size_t left = 500'000'000;
  auto const device = open_devices("host:1").front();
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit const limit{pages * std::size_t(sysconf(_SC_PAGESIZE)) + left, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  // A thread that is just starting reserves address space and gives some of it back.
  std::_Exit(device->free_bytes() <= 2 * left ? 3 : 0);
}

TEST(host_device, has_no_more_free_than_its_process_may_allocate) {
  if (sanitized) GTEST_SKIP() << "sanitizers need address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(limit_the_address_space(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace ballast::test
