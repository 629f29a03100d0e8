// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "ballast/ballast.hpp"
#include "kernels.hpp"

namespace ballast::test {
namespace {

namespace fs = std::filesystem;

/// What the system says of a thread.
struct seen_thread {
  std::string name;
  std::bitset<64> blocked;  ///< signal s is bit s - 1
};

/// By their numbers.
std::map<std::string, seen_thread> threads_of_this_process() {
  std::map<std::string, seen_thread> all;
  for (auto const& one : fs::directory_iterator("/proc/self/task")) {
    std::ifstream status(one.path() / "status");
    seen_thread thread;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Name:\t")) thread.name = line.substr(6);
      if (line.starts_with("SigBlk:\t")) thread.blocked = std::stoull(line.substr(8), nullptr, 16);
    }
    if (!thread.name.empty()) all.emplace(one.path().filename(), thread);  // else it has ended
  }
  return all;
}

/// Those that were started after `before` was seen. Each names itself as soon as it runs.
std::map<std::string, seen_thread> started_since(std::map<std::string, seen_thread> const& before) {
  auto const own_name = before.begin()->second.name;
  auto const limit = deadline::in(std::chrono::minutes(1));
  for (;;) {
    auto started = threads_of_this_process();
    bool all_named = true;
    std::erase_if(started, [&](auto const& one) { return before.contains(one.first); });
    for (auto const& [number, thread] : started) all_named &= thread.name != own_name;
    if (all_named || limit.passed()) return started;
    std::this_thread::yield();
  }
}

bool is_of_fault(int signal) {
  for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    if (signal == fault) return true;
  return false;
}

/// Without those that no thread can block.
bool can_be_blocked(int signal) {
  return signal != SIGKILL && signal != SIGSTOP && (signal < 32 || signal >= SIGRTMIN);
}

void expect_to_leave_signals_to_the_program(seen_thread const& thread) {
  for (int signal = 1; signal <= 64; ++signal) {
    if (!can_be_blocked(signal)) continue;
    EXPECT_EQ(thread.blocked[std::size_t(signal - 1)], !is_of_fault(signal))
        << thread.name << " and signal " << signal;
  }
}

TEST(threads_of_all_rooms, leave_signals_to_the_program_and_have_names) {
  auto const before = threads_of_this_process();
  auto const devices = open_devices("host:1,host:1,host:1");
  balanced_queue queue({devices[0]}, plain_kernels());
  launch_queue launches({devices[1]});
  job_scheduler jobs({devices[2]}, kernels_for_nothing());
  pinned_buffer<std::uint32_t> sums(devices[0], 1);
  queue.submit(task(add<64>{array_ref<std::uint32_t>(sums.data()), 1, {}}, {0, 1})).then([] {}).wait();
  auto const started = started_since(before);
  EXPECT_THAT(started, testing::SizeIs(testing::Ge(8u)));
  for (auto const& [number, thread] : started) {
    expect_to_leave_signals_to_the_program(thread);
    EXPECT_NE(thread.name, before.begin()->second.name) << "thread " << number << " has no name of its own";
  }
  queue.close();
}

}  // namespace
}  // namespace ballast::test
