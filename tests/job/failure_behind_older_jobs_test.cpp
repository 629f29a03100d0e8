// SPDX-License-Identifier: Apache-2.0
// What older jobs do that still wait for their turn when a newer one fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Asked what a job writes that waits for its turn, which a waiting access of the host wants to know first.
struct counted_map {
  std::atomic<int>& asked;

  region operator()(map_view const& view) const {
    asked.fetch_add(1);
    asked.notify_all();
    return {{0, view.array.elements()}};
  }
};

/// Throws when a part of two units is to be given out.
region broken_map(map_view const& view) {
  if (view.part.count == 2) throw std::runtime_error("a planted map");
  return {{view.part.first, view.part.first + view.part.count}};
}

/// The first device has room for nothing but a kernel behind the gate, so that older jobs wait for it, and
/// newer ones fail on the second device meanwhile.
class failure_behind_older_jobs : public testing::Test {
 protected:
  static constexpr std::uint32_t units = 4;  // two for each device

  device_list devices_ = two_devices();
  gate gate_{devices_};  // outlives the kernel behind it
  job_scheduler jobs_{
      devices_, kernels(), {.policy = "static", .in_flight = 1, .device_bytes = enough_device_bytes}};
  words held_{jobs_, {1}}, shared_{jobs_, {units}, "shared"}, sum_{jobs_, {1}};

  void SetUp() override {
    fill_with(held_, 0);
    number(shared_);
    fill_first_device();
  }
  ~failure_behind_older_jobs() override { gate_.open(); }

  /// A job of one unit goes to the first device.
  void fill_first_device() {
    words out(jobs_, {1});
    jobs_.submit({1}, reads(held_), writes(out), [gate = gate_.ref()](auto from, auto to) {
      return copy_behind_gate{gate, from, to};
    });
  }
  completion add_up(words& from) {
    return jobs_.submit({1}, reads(from, all), writes(sum_, all), [](auto a, auto b) {
      return add_all{a, b, units};
    });
  }
  /// Fails in submit().
  completion fail_to_write_shared() {
    return jobs_.submit({.grid = units, .name = "newer"}, writes(shared_, broken_map),
                        [](auto all) { return count_visits{all}; });
  }
  static std::string failure_of(completion const& done) {
    try {
      done.wait();
    } catch (job_failed const& failure) { return failure.what(); }
    return "none";
  }
};

TEST_F(failure_behind_older_jobs, leaves_what_these_read_as_it_is_and_loses_it_afterwards) {
  auto const older = add_up(shared_);
  auto const newer = fail_to_write_shared();
  EXPECT_FALSE(older.ready());
  gate_.open();
  older.wait();
  EXPECT_EQ(values_of(sum_), std::vector<std::uint32_t>{1 + 2 + 3 + 4});
  EXPECT_THAT(failure_of(newer), HasSubstr("a planted map"));
  for (std::uint64_t i = 0; i < units; ++i) EXPECT_THROW(shared_.read({i, i + 1}), job_failed) << i;
}

TEST_F(failure_behind_older_jobs, is_not_hidden_by_what_these_write) {
  words ones(jobs_, {units});
  fill_with(ones, 1);
  auto const older = jobs_.submit({1}, reads(ones, all), writes(shared_, all), [](auto a, auto b) {
    return add_all{a, b, units};
  });
  auto const newer = fail_to_write_shared();
  EXPECT_FALSE(older.ready());
  gate_.open();
  older.wait();
  EXPECT_THAT(failure_of(newer), HasSubstr("a planted map"));
  EXPECT_THAT(
      [&] {
        shared_.read({0, 1});
      },
      ThrowsMessage<job_failed>(AllOf(HasSubstr("was to write"), HasSubstr("a planted map"))));
}

/// One task of the newer job fails on its device; the other one waits for the older job.
TEST_F(failure_behind_older_jobs, of_a_task_loses_what_these_read_only_afterwards) {
  access_map const first_half = [](map_view const&) -> region { return {{0, 2}}; };
  auto const older = jobs_.submit({1}, reads(shared_, first_half), writes(sum_, all), [](auto a, auto b) {
    return add_all{a, b, 2};
  });
  auto const newer = jobs_.submit({units}, updates(shared_), [](auto all) {
    if (all) throw std::runtime_error("a planted failure");
    return count_visits{all};
  });
  EXPECT_THROW(shared_.read({2, units}), job_failed);  // by then it has failed
  EXPECT_FALSE(older.ready());
  gate_.open();
  older.wait();
  EXPECT_EQ(values_of(sum_), std::vector<std::uint32_t>{1 + 2});
  EXPECT_THAT(failure_of(newer), HasSubstr("a planted failure"));
  EXPECT_THROW(shared_.read({0, 1}), job_failed);
}

TEST_F(failure_behind_older_jobs, goes_on_to_newer_jobs_that_read_what_was_lost) {
  auto const older = add_up(shared_);
  fail_to_write_shared();
  words last(jobs_, {1});
  auto const newest = jobs_.submit({1}, reads(shared_, all), writes(last, all), [](auto a, auto b) {
    return add_all{a, b, units};
  });
  EXPECT_FALSE(older.ready());
  gate_.open();
  older.wait();
  EXPECT_THAT(failure_of(newest), HasSubstr("which failed"));
}

TEST_F(failure_behind_older_jobs, is_told_in_the_state_while_its_completion_waits_for_them) {
  add_up(shared_);
  auto const newer = fail_to_write_shared();
  try {
    newer.wait_until(deadline::in({}));
    FAIL() << "the failed job ended before what an older one reads was given out";
  } catch (timed_out const& late) {
    EXPECT_THAT(late.state(), HasSubstr("\njob: 'newer' "));
    EXPECT_THAT(late.state(), HasSubstr("failed, and earlier jobs have yet to use what it was to write"));
  }
}

TEST_F(failure_behind_older_jobs, is_told_at_once_where_these_use_something_else) {
  words other(jobs_, {units});
  fill_with(other, 1);
  auto const older = add_up(other);
  auto const newer = fail_to_write_shared();
  EXPECT_TRUE(newer.ready());
  EXPECT_FALSE(older.ready());
}

// More than the runtime looks at when something has changed.
TEST_F(failure_behind_older_jobs, is_told_behind_many_of_these_and_the_end_of_an_empty_job_at_once) {
  words other(jobs_, {units}), none(jobs_, {0});
  fill_with(other, 1);
  std::vector<completion> older;
  for (int i = 0; i < 50; ++i) older.push_back(add_up(other));
  auto const empty = jobs_.submit({0}, updates(none), [](auto all) { return count_visits{all}; });
  auto const newer = fail_to_write_shared();
  for (int i = 0; i < 50; ++i) older.push_back(add_up(other));
  EXPECT_TRUE(empty.ready());
  EXPECT_FALSE(newer.ready());  // its map throws when the job is divided
  gate_.open();
  for (auto const& each : older) each.wait();
  EXPECT_THAT(failure_of(newer), HasSubstr("a planted map"));
  jobs_.wait_all();
}

// A map that throws when the host wants what the job is to write, long before its turn; that is told when
// something changes.
TEST_F(failure_behind_older_jobs, is_told_to_who_reads_what_it_was_to_write_behind_many_of_these) {
  words other(jobs_, {units});
  fill_with(other, 1);
  for (int i = 0; i < 50; ++i) add_up(other);
  std::atomic<bool> breaks = false, has_thrown = false;
  access_map const late([&](map_view const& view) -> region {
    if (breaks.exchange(false)) {
      has_thrown = true;
      has_thrown.notify_all();
      throw std::runtime_error("a planted late map");
    }
    return {{view.part.first, view.part.first + view.part.count}};
  });
  auto const newer = jobs_.submit({units}, writes(shared_, late), [](auto all) { return count_visits{all}; });
  breaks = true;
  auto host = std::async(std::launch::async, [&] {
    return shared_.read({0, 1}, deadline::in(std::chrono::minutes(1)))[0];
  });
  has_thrown.wait(false);
  auto const last = add_up(other);
  EXPECT_THROW(host.get(), job_failed);
  EXPECT_TRUE(newer.ready());
  EXPECT_FALSE(last.ready());
  gate_.open();
  EXPECT_THAT(failure_of(newer), HasSubstr("a planted late map"));
  last.wait();
}

TEST_F(failure_behind_older_jobs, leaves_what_the_host_waits_for_since_before) {
  std::atomic<int> asked = 0;
  words ones(jobs_, {units});
  fill_with(ones, 1);
  jobs_.submit({1}, reads(ones, all), writes(shared_, counted_map{asked}), [](auto a, auto b) {
    return add_all{a, b, 1};
  });
  auto const asked_by_submit = asked.load();
  auto host = std::async(std::launch::async, [&] { return shared_.read({0, 1})[0]; });
  asked.wait(asked_by_submit);
  auto const newer = fail_to_write_shared();
  gate_.open();
  EXPECT_EQ(host.get(), 1u);
  EXPECT_THAT(failure_of(newer), HasSubstr("a planted map"));
  EXPECT_THROW(shared_.read({0, 1}), job_failed);
}

TEST(failure_behind_an_access_of_the_host, is_told_although_the_scheduler_goes_before_that_has_its_turn) {
  std::uint32_t const units = 4;
  auto const devices = two_devices();
  auto const* const closed = gate_for_ever(devices);
  std::atomic<int> asked = 0;
  auto jobs = std::make_unique<job_scheduler>(
      devices, kernels(),
      job_options{
          .policy = "static", .in_flight = 1, .device_bytes = enough_device_bytes, .shutdown_timeout = {}});
  words in(*jobs, {1}), out(*jobs, {1}), shared(*jobs, {units});
  fill_with(in, 1);
  fill_with(shared, 1);
  jobs->submit({1}, reads(in), writes(out), [open = closed->ref()](auto from, auto to) {
    return copy_behind_gate{open, from, to};
  });
  auto const count = [](auto all) { return count_visits{all}; };
  jobs->submit({1}, updates(shared, counted_map{asked}), count);
  auto const asked_by_submit = asked.load();
  auto host = std::async(std::launch::async, [&] { return shared.read({0, 1})[0]; });
  asked.wait(asked_by_submit);
  auto const newer = jobs->submit({units}, writes(shared, broken_map), count);
  jobs.reset();
  closed->open();
  EXPECT_THROW(host.get(), error);
  EXPECT_THROW(newer.wait(), job_failed);
  EXPECT_THROW(shared.read({0, 1}), job_failed);
}

}  // namespace
}  // namespace ballast::test
