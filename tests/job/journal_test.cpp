// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "ballast/deadline.hpp"
#include "job_fixture.hpp"
#include "job_journal.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using what = journal_line::what;

/// One device, two tasks at a time, whose kernels wait at a gate.
class journal_of_jobs : public testing::Test {
 protected:
  device_list devices_{two_devices().front()};
  gate gate_{devices_};  // outlives the kernels behind it
  job_scheduler jobs_{
      devices_, kernels(), {.policy = "master_worker", .tasks = 2, .device_bytes = enough_device_bytes}};
  words from_{jobs_, {8}}, to_{jobs_, {8}};
  job_journal journal_{jobs_};

  ~journal_of_jobs() override { gate_.open(); }

  completion submit() {
    number(from_);
    return jobs_.submit({8}, reads(from_), writes(to_), [gate = gate_.ref()](auto from, auto to) {
      return copy_behind_gate{gate, from, to};
    });
  }
};

TEST_F(journal_of_jobs, shows_that_the_next_task_is_copied_while_a_kernel_runs) {
  auto const done = submit();
  auto const until = deadline::in(std::chrono::seconds(60));
  while (journal_.lines(what::ended, false).size() < 2 && !until.passed()) std::this_thread::yield();
  EXPECT_EQ(journal_.lines(what::ended, false).size(), 2u);
  EXPECT_TRUE(journal_.lines(what::ended, true).empty());  // the gate is closed
  gate_.open();
  done.wait();
  EXPECT_EQ(journal_.lines(what::ended, true).size(), 2u);
}

TEST_F(journal_of_jobs, has_no_way_from_a_kernel_to_the_copies_of_the_next_task) {
  gate_.open();
  submit().wait();
  auto const kernel_count = journal_.lines(what::submitted, true).size();
  std::set<std::uint64_t> kernels_seen;
  for (auto const& line : journal_.lines(what::submitted, true)) kernels_seen.insert(line.operation);
  EXPECT_EQ(kernels_seen.size(), kernel_count);
  for (auto const& copy : journal_.lines(what::submitted, false))
    EXPECT_TRUE(std::ranges::none_of(copy.dependencies, [&](auto op) { return kernels_seen.contains(op); }));
}

TEST_F(journal_of_jobs, tells_each_operation_twice_and_after_what_it_comes) {
  gate_.open();
  submit().wait();
  EXPECT_EQ(values_of(to_), values_of(from_));
  std::map<std::uint64_t, std::size_t> submitted, ended;
  auto const all = journal_.lines();
  for (std::size_t i = 0; i < all.size(); ++i) {
    (all[i].happened == what::submitted ? submitted : ended).emplace(all[i].operation, i);
    for (auto const earlier : all[i].dependencies) EXPECT_TRUE(submitted.contains(earlier));
  }
  ASSERT_EQ(submitted.size(), ended.size());
  for (auto const& [op, line] : submitted) EXPECT_LT(line, ended.at(op));
  for (auto const& line : all)
    for (auto const earlier : line.dependencies) EXPECT_LT(ended.at(earlier), ended.at(line.operation));
}

}  // namespace
}  // namespace ballast::test
