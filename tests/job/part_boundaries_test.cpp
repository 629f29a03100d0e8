// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"
#include "job_journal.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::uint32_t row_count = 600, column_count = 5;
constexpr int steps = 4;

/// Steps of a stencil on two devices, each with one part of a step, all planned before the first one begins.
class part_boundaries : public testing::Test {
 protected:
  device_list devices_{two_devices()};
  gate gate_{devices_};  // outlives the kernels behind it
  job_scheduler jobs_{
      devices_, kernels(), {.policy = "static", .in_flight = 64, .device_bytes = enough_device_bytes}};
  word_rows from_{jobs_, {row_count, column_count}}, now_{jobs_, {row_count, column_count}},
      next_{jobs_, {row_count, column_count}};
  job_journal journal_{jobs_};

  ~part_boundaries() override { gate_.open(); }

  void submit_steps() {
    number(from_);
    jobs_.submit({row_count * column_count}, reads(from_), writes(now_),
                 [gate = gate_.ref()](auto from, auto to) {
                   return copy_behind_gate{gate, from, to};
                 });
    for (int step = 0; step < steps; ++step) submit_mix(jobs_, now_, next_, {row_count});
  }
  std::vector<journal_line> submitted(bool of_kernels) const {
    return journal_.lines(journal_line::what::submitted, of_kernels);
  }
};

TEST_F(part_boundaries, are_computed_by_a_kernel_of_their_own_and_change_no_result) {
  submit_steps();
  gate_.open();
  auto expected = values_of(from_);
  for (int step = 0; step < steps; ++step) expected = mixed(expected, row_count, column_count);
  EXPECT_EQ(values_of(now_), expected);
  EXPECT_EQ(jobs_.statistics().tasks, 2u * (1 + steps));
  EXPECT_EQ(submitted(true).size(), 2u * (1 + 2 * steps));
}

TEST_F(part_boundaries, are_all_that_the_copies_to_a_neighbour_wait_for) {
  submit_steps();
  std::map<std::uint64_t, bool> is_rest;  // of each kernel, which come by twos after the first job's
  auto const kernels_of_all = submitted(true);
  for (std::size_t i = 2; i < kernels_of_all.size(); ++i) is_rest[kernels_of_all[i].operation] = i % 2 == 1;
  int ends_waited_for = 0;
  auto const newest_job = kernels_of_all.back().job;
  for (auto const& copy : submitted(false)) {
    if (copy.job < newest_job - steps + 2) continue;  // the first step reads what the gate's job wrote
    auto const newest = std::ranges::max(copy.dependencies);
    EXPECT_FALSE(is_rest.at(newest)) << copy.operation;
    ++ends_waited_for;
  }
  EXPECT_EQ(ends_waited_for, 2 * (steps - 1));
  gate_.open();
  jobs_.wait_all();
}

TEST_F(part_boundaries, are_computed_first_though_all_units_read_something_in_common_as_well) {
  words shared(jobs_, {7});
  gate_.open();
  fill_with(shared, 1);
  number(now_);
  jobs_.submit({row_count}, reads(now_, neighborhood(1)), reads(shared, all), writes(next_, rows),
               [](auto from, auto, auto to) {
                 return mix_rows{from, to, row_count, column_count};
               });
  EXPECT_EQ(submitted(true).size(), 2u * 2);
  jobs_.wait_all();
}

TEST_F(part_boundaries, that_nobody_reads_are_not_cut_off_and_kernels_follow_the_last_writer_in_one_stream) {
  number(from_);
  jobs_.submit({row_count * column_count}, reads(from_), writes(now_),
               [gate = gate_.ref()](auto from, auto to) {
                 return copy_behind_gate{gate, from, to};
               });
  for (int step = 0; step < steps; ++step)
    jobs_.submit({row_count * column_count}, updates(now_), [](auto all) { return count_visits{all}; });
  std::map<std::uint32_t, std::vector<std::uint32_t>> streams;
  for (auto const& kernel : submitted(true)) streams[kernel.device].push_back(kernel.stream);
  for (auto const& [device, of_kernels] : streams)
    EXPECT_EQ(of_kernels, std::vector(1 + steps, of_kernels.front())) << device;
  EXPECT_EQ(streams.size(), 2u);
  gate_.open();
  jobs_.wait_all();
}

TEST_F(part_boundaries, that_fail_alone_fail_their_job_and_no_other) {
  gate_.open();
  number(now_);
  fill_with(from_, 1);
  std::atomic<int> calls = 0;
  auto const failing = jobs_.submit({row_count}, reads(now_, neighborhood(1)), writes(next_, rows),
                                    [&calls](auto from, auto to) {
                                      if (calls++ == 0) throw error("planted");
                                      return mix_rows{from, to, row_count, column_count};
                                    });
  auto const other =
      jobs_.submit({row_count * column_count}, updates(from_), [](auto all) { return count_visits{all}; });
  EXPECT_THROW(failing.wait(), job_failed);
  EXPECT_THROW(next_.read(), job_failed);
  other.wait();
  EXPECT_EQ(values_of(from_), std::vector<std::uint32_t>(row_count * column_count, 2));
  EXPECT_EQ(calls, 4);
  fill_with(next_, 0);
  auto const expected = mixed(values_of(now_), row_count, column_count);
  submit_mix(jobs_, now_, next_, {row_count});
  EXPECT_EQ(values_of(now_), expected);
}

}  // namespace
}  // namespace ballast::test
