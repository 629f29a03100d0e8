// SPDX-License-Identifier: Apache-2.0
// Arrays whose copy on the host is memory of the caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "adopted_fixture.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "captured_log.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::uint32_t size = two_device_jobs::size;

struct adopted_arrays : testing::Test, two_device_jobs {
  std::vector<std::uint32_t> memory = numbers();
};

TEST_F(adopted_arrays, have_the_values_that_the_memory_had_and_give_the_newest_back) {
  words array(*jobs, adopt(std::span(memory)));
  EXPECT_EQ(array.address(), memory.data());
  EXPECT_EQ(array.size(), size);
  EXPECT_EQ(values_of(array), numbers());
  count(array);
  count(array);
  auto const released = array.release();
  EXPECT_EQ(released.data(), memory.data());
  EXPECT_EQ(released.size(), size);
  EXPECT_EQ(memory, numbers(3));
}

TEST_F(adopted_arrays, show_what_jobs_wrote_to_who_reads_them_and_what_the_host_wrote_to_jobs) {
  words array(*jobs, adopt(memory.data(), {size}), "callers");
  count(array);
  EXPECT_EQ(array.read()[5], 7u);
  EXPECT_EQ(memory[5], 7u);
  array.update()[5] = 100;
  count(array);
  EXPECT_EQ(array(5), 101u);
  EXPECT_EQ(array(6), 9u);
}

TEST_F(adopted_arrays, bring_the_newest_values_home_when_they_are_destroyed) {
  {
    words array(*jobs, adopt(std::span(memory)));
    count(array);
  }
  EXPECT_EQ(memory, numbers(2));
}

TEST_F(adopted_arrays, wait_when_they_are_destroyed_while_a_job_runs) {
  gate closed(devices);
  auto const from = numbers(50);
  auto source = from;
  words read(*jobs, adopt(std::span(source)));
  std::optional<words> written(std::in_place, *jobs, adopt(std::span(memory)));
  copy_behind(closed, read, *written);
  closed.await_arrival();
  std::thread opener([&] { closed.open(); });
  written.reset();
  EXPECT_EQ(memory, from);
  opener.join();
}

TEST_F(adopted_arrays, keep_their_memory_where_a_release_runs_out_of_time) {
  gate closed(devices);
  words read(*jobs, {size}), written(*jobs, adopt(std::span(memory)));
  fill_with(read, 9);
  copy_behind(closed, read, written);
  EXPECT_THROW(written.release(deadline::in({})), timed_out);
  closed.open();
  count(written);
  EXPECT_EQ(written.release()[0], 10u);
  EXPECT_EQ(memory, std::vector<std::uint32_t>(size, 10));
}

TEST_F(adopted_arrays, may_be_moved_swapped_and_assigned_while_jobs_use_them) {
  auto others = numbers(1000);
  words one(*jobs, adopt(std::span(memory))), other(*jobs, adopt(std::span(others)));
  count(one);
  std::swap(one, other);
  count(one);
  count(one);
  words moved(std::move(other));
  count(moved);
  EXPECT_EQ(one.address(), others.data());
  EXPECT_EQ(moved.address(), memory.data());
  one = std::move(moved);
  EXPECT_EQ(others, numbers(1002)) << "assignment gives the old memory back";
  one.release();
  EXPECT_EQ(memory, numbers(3));
}

TEST_F(adopted_arrays, of_two_dimensions_have_the_sizes_that_were_given) {
  word_rows array(*jobs, adopt(std::span(memory), {8, 8}));
  EXPECT_EQ(array.size(1), 8u);
  EXPECT_EQ(array(1, 2), 11u);
  array.release();
  shared_array of_view(*jobs, adopt(array_view(memory.data(), {16, 4})));
  static_assert(std::is_same_v<decltype(of_view), word_rows>);
  EXPECT_EQ(of_view(15, 3), 64u);
}

TEST_F(adopted_arrays, may_hold_nothing) {
  words none(*jobs, adopt(static_cast<std::uint32_t*>(nullptr), {0}));
  EXPECT_EQ(none.release().size(), 0u);
  word_rows rows_of_none(*jobs, adopt(memory.data(), {0, 5}));
  EXPECT_EQ(rows_of_none.size(), 0u);
}

TEST_F(adopted_arrays, refuse_memory_that_cannot_hold_the_elements) {
  auto* const none = static_cast<std::uint32_t*>(nullptr);
  auto* const between = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(memory.data()) + 2);
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(none, {1})); }), "memory");
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(between, {1})); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt(std::span(memory), {9, 9}); }), "sizes");
  EXPECT_EQ(refused_argument([&] { adopt(array_view(memory.data(), {4, 4}, {8, 1})); }), "view");
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(memory.data(), {std::size_t(-1) / 2})); }), "sizes");
}

TEST_F(adopted_arrays, refuse_memory_that_another_array_has_until_it_is_released) {
  auto const adopt_part = [&](std::size_t first, std::size_t count) {
    words(*jobs, adopt(std::span(memory).subspan(first, count)));
  };
  words array(*jobs, adopt(std::span(memory).subspan(8, 8)));
  EXPECT_EQ(refused_argument([&] { adopt_part(8, 8); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt_part(0, 9); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt_part(15, 1); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt_part(0, 64); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt_part(0, 8); }), "nothing");
  EXPECT_EQ(refused_argument([&] { adopt_part(16, 8); }), "nothing");
  EXPECT_EQ(refused_argument([&] { adopt_part(10, 0); }), "nothing");
  words own(*jobs, {8});
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(own.address() + 1, {1})); }), "memory");
  array.release();
  EXPECT_EQ(refused_argument([&] { adopt_part(8, 8); }), "nothing");
}

TEST_F(adopted_arrays, are_refused_as_arguments_that_were_kept_when_the_memory_is_the_callers_again) {
  std::optional<words> array(std::in_place, *jobs, adopt(std::span(memory)));
  auto const kept = updates(*array);
  array.reset();
  EXPECT_EQ(refused_argument([&] { jobs->submit({size}, kept, [](auto all) { return count_visits{all}; }); }),
            "arguments");
}

TEST_F(adopted_arrays, alone_can_be_released) {
  words own(*jobs, {4});
  EXPECT_EQ(refused_argument([&] { own.release(); }), "array");
  fill_with(own, 1);
}

TEST_F(adopted_arrays, leave_the_memory_to_the_caller_when_a_job_failed_and_the_log_says_so) {
  captured_log const log;
  {
    words array(*jobs, adopt(std::span(memory)), "callers");
    auto const failing = jobs->submit({size}, updates(array), [](auto all) {
      if (all) throw std::runtime_error("a planted failure");
      return count_visits{all};
    });
    EXPECT_THROW(failing.wait(), job_failed);
    EXPECT_THROW(array.release(), job_failed);
    EXPECT_EQ(array.address(), memory.data());
  }
  EXPECT_THAT(log.lines(), testing::HasSubstr("array 'callers' goes back without its newest values"));
}

TEST_F(adopted_arrays, may_go_after_their_scheduler_with_what_the_host_had) {
  captured_log const log;
  auto others = numbers(7);
  {
    words read(*jobs, adopt(std::span(memory))), lost(*jobs, adopt(std::span(others)), "lost");
    count(read);
    count(lost);
    read.read();
    jobs.reset();
    EXPECT_EQ(read.release()[0], 2u);
    EXPECT_THROW(lost.release(), error);
  }
  EXPECT_EQ(memory, numbers(2));
  EXPECT_THAT(log.lines(), testing::HasSubstr("array 'lost' goes back without"));
}

/// Destroys an array of adopted memory that a job which never ends is to write.
void destroy_while_a_job_hangs(device_list const& devices) {
  std::vector<std::uint32_t> memory = numbers();
  job_scheduler jobs(devices, kernels(),
                     {.device_bytes = enough_device_bytes, .timeout = {}, .shutdown_timeout = {}});
  set_log_sink(log_sink([](log_level, std::string_view line) { std::cerr << line << std::endl; }));
  words array(jobs, adopt(std::span(memory)), "callers");
  auto const ref = gate_for_ever(devices)->ref();
  jobs.submit({size}, updates(array), [ref](auto one) {
    return copy_behind_gate{ref, array_ref<std::uint32_t const>(one.data()), one};
  });
}

TEST_F(adopted_arrays, end_the_program_where_a_device_may_still_use_memory_that_is_to_go) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(destroy_while_a_job_hangs(devices), "array 'callers' is still used");
}

TEST_F(adopted_arrays, that_do_not_fit_on_a_device_together_are_written_back_in_between) {
  std::uint32_t const large = 768;  // words; a device has room for one such array
  jobs.emplace(devices, kernels(), job_options{.policy = "static", .device_bytes = 4096});
  std::vector<std::uint32_t> one(large, 1), other(large, 10);
  words first(*jobs, adopt(std::span(one))), second(*jobs, adopt(std::span(other)));
  for (int round = 0; round < 3; ++round)
    for (auto* const array : {&first, &second})
      jobs->submit({large}, updates(*array), [](auto all) { return count_visits{all}; });
  first.release();
  second.release();
  EXPECT_EQ(one, std::vector<std::uint32_t>(large, 4));
  EXPECT_EQ(other, std::vector<std::uint32_t>(large, 13));
}

}  // namespace
}  // namespace ballast::test
