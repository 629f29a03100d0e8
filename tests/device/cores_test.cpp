// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "captured_log.hpp"
#include "host/device.hpp"
#include "sanitized.hpp"
#include "scratch_folder.hpp"

namespace ballast::test {
using namespace detail;
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(core_list, is_read_as_the_system_writes_it) {
  EXPECT_THAT(numbers_in_core_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(numbers_in_core_list("5"), ElementsAre(5));
  EXPECT_THAT(numbers_in_core_list("1,0-1"), ElementsAre(0, 1));
}

TEST(core_list, of_more_than_1024_cores_is_read_whole) {
  EXPECT_THAT(numbers_in_core_list("0-2047,9000"), testing::SizeIs(2049));
}

TEST(core_list, that_is_none_ends_where_it_makes_no_sense) {
  for (auto const* text : {"", "x", "-1", "3-1", "0-", "0-99999999999", "2000000000"})
    EXPECT_THAT(numbers_in_core_list(text), IsEmpty()) << text;
  EXPECT_THAT(numbers_in_core_list("2,x"), ElementsAre(2));
}

/// What a system says of threads and control groups.
class invented_system : public testing::Test {
 protected:
  void write(fs::path const& name, std::string const& text) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << text;
  }
  void add_thread(std::string const& number, std::string const& cores) const {
    write("task/" + number + "/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" + cores + "\n");
  }
  std::optional<double> quota(std::string const& membership) const {
    write("membership", membership);
    return core_quota(root() / "membership", root());
  }
  fs::path root() const { return own_.path(); }

 private:
  scratch_folder const own_;
};

TEST_F(invented_system, lets_a_process_use_what_any_of_its_threads_may) {
  add_thread("100", "0");
  add_thread("101", "0-1");
  add_thread("102", "3");
  EXPECT_THAT(usable_cores(root() / "task"), ElementsAre(0, 1, 3));
}

TEST_F(invented_system, lets_a_thread_end_while_it_is_looked_for) {
  add_thread("100", "2");
  fs::create_directories(root() / "task/101");
  EXPECT_THAT(usable_cores(root() / "task"), ElementsAre(2));
}

TEST_F(invented_system, lets_a_process_use_every_core_if_it_does_not_tell) {
  EXPECT_THAT(usable_cores(root() / "none"), testing::SizeIs(std::size_t(cores_of_process().all)));
}

TEST_F(invented_system, has_no_quota_if_no_control_group_has) {
  EXPECT_FALSE(quota(""));
  write("mine/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota("0::/mine\n"));
  EXPECT_FALSE(quota("0::/another\n"));
  write("cpu/mine/cpu.cfs_quota_us", "-1\n");
  write("cpu/mine/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(quota("2:cpu:/mine\n"));
}

TEST_F(invented_system, has_the_quota_of_its_control_group_or_of_one_above) {
  write("above/cpu.max", "150000 100000\n");
  write("above/mine/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota("0::/above/mine\n"), 1.5);
  write("cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/above/mine\n"), 0.5);
}

TEST_F(invented_system, of_version_1_has_the_quota_of_the_controller_of_cores) {
  write("cpu,cpuacct/mine/cpu.cfs_quota_us", "300000\n");
  write("cpu,cpuacct/mine/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("7:cpuset:/other\n4:cpu,cpuacct:/mine\n"), 3.0);
  EXPECT_FALSE(quota("4:cpuacct,cpuset:/mine\n"));
}

TEST(cores_of_a_process, are_those_of_its_masks_or_its_quota_rounded_up) {
  EXPECT_EQ(count_cores(8, {}, 8).usable, 8u);
  EXPECT_EQ(count_cores(2, {}, 8).usable, 2u);
  EXPECT_EQ(count_cores(8, 1.5, 8).usable, 2u);
  EXPECT_EQ(count_cores(8, 0.1, 8).usable, 1u);
  EXPECT_EQ(count_cores(2, 7.5, 8).usable, 2u);
  EXPECT_EQ(count_cores(2000, {}, 4096).usable, 2000u);
  EXPECT_EQ(count_cores(0, {}, 0).usable, 1u) << "it runs";
}

TEST(cores_of_a_process, say_what_keeps_it_from_more) {
  EXPECT_EQ(count_cores(8, {}, 8).limited_by, "");
  EXPECT_EQ(count_cores(8, 8.0, 8).limited_by, "");
  EXPECT_THAT(count_cores(2, {}, 8).limited_by, HasSubstr("affinity masks"));
  EXPECT_THAT(count_cores(8, 1.5, 8).limited_by, HasSubstr("a CPU quota of 1.5 cores"));
}

/// As OpenMP does with OMP_PROC_BIND: each of its threads has one core, and all together have all.
TEST(cores_of_a_process, are_as_many_when_its_main_thread_is_bound_to_one) {
  auto const before = cores_of_process().usable;
  cpu_set_t own, first;
  if (sched_getaffinity(0, sizeof own, &own) != 0) GTEST_SKIP() << "more cores than cpu_set_t has";
  std::atomic<bool> may_end = false;
  std::jthread const other([&] { may_end.wait(false); });
  CPU_ZERO(&first);
  CPU_SET(std::size_t(usable_cores().front()), &first);
  sched_setaffinity(0, sizeof first, &first);
  EXPECT_EQ(cores_of_process().usable, before);
  sched_setaffinity(0, sizeof own, &own);
  may_end = true;
  may_end.notify_all();
}

/// In a process of its own, all of whose threads are bound. Ends with 3 if the log said why "host" is small.
[[noreturn]] void open_the_host_on_one_core(char const* setting) {
  if (setting != nullptr) setenv("OMP_PROC_BIND", setting, 1);
  auto const all = cores_of_process().all;
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(std::size_t(usable_cores().front()), &first);
  sched_setaffinity(0, sizeof first, &first);
  captured_log const log;
  auto const cores = open_devices("host").front()->properties().multiprocessors;
  auto const why = "\"host\" has 1 of the machine's " + std::to_string(all) + " cores";
  bool const says_why = log.lines().find(why) != std::string::npos;
  bool const names_openmp = log.lines().find("OMP_PROC_BIND=true") != std::string::npos;
  std::_Exit(cores == 1 && says_why == (all > 1) && names_openmp == (all > 1 && setting != nullptr) ? 3 : 0);
}

TEST(host_device_without_a_count, says_why_it_has_fewer_cores_than_the_machine) {
  if (sanitized) GTEST_SKIP() << "sanitizers have threads of their own, which are not bound";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(open_the_host_on_one_core(nullptr), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(open_the_host_on_one_core("true"), testing::ExitedWithCode(3), "");
}

TEST(host_device_with_a_count, needs_no_reason) {
  captured_log const log;
  open_devices("host:1");
  EXPECT_THAT(log.lines(), testing::Not(HasSubstr("of the machine's")));
}

}  // namespace
}  // namespace ballast::test
