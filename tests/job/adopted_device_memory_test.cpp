// SPDX-License-Identifier: Apache-2.0
// Arrays whose copy on a device is memory of the caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "adopted_fixture.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "captured_log.hpp"
#include "refused_argument.hpp"

namespace ballast::test::adopted_device_memory_test {
using namespace detail;
namespace {

constexpr std::uint32_t size = two_device_jobs::size;

/// Words in the memory of a device, which the host sees through copies only.
class device_words {
 public:
  device_words(std::shared_ptr<compute_device> const& device, std::vector<std::uint32_t> const& values)
      : buffer_(device, values.size()), stream_(device->make_stream()) {
    stream_->copy(data(), values.data(), buffer_.bytes());
    stream_->synchronize();
  }
  std::uint32_t* data() const { return buffer_.data(); }
  std::vector<std::uint32_t> values() const {
    std::vector<std::uint32_t> all(buffer_.size());
    stream_->copy(all.data(), data(), buffer_.bytes());
    stream_->synchronize();
    return all;
  }

 private:
  device_buffer<std::uint32_t> buffer_;
  std::unique_ptr<stream> stream_;
};

/// On the device of the parameter, of two.
struct adopted_device_memory : testing::TestWithParam<std::size_t>, two_device_jobs {
  adopted_memory<std::uint32_t, 1> adopted() { return adopt(home(), memory.data(), {size}); }
  compute_device& home() const { return *devices[GetParam()]; }
  device_words memory{devices[GetParam()], numbers()};
};

INSTANTIATE_TEST_SUITE_P(of_either_device, adopted_device_memory, testing::Values(0, 1));

TEST_P(adopted_device_memory, has_its_values_read_by_the_host) {
  words array(*jobs, adopted());
  EXPECT_EQ(array.size(), size);
  EXPECT_NE(array.address(), memory.data()) << "the host has a copy of its own";
  EXPECT_EQ(values_of(array), numbers());
  EXPECT_EQ(array(5), 6u);
}

TEST_P(adopted_device_memory, has_the_newest_values_of_jobs_on_two_devices_once_it_is_released) {
  words array(*jobs, adopted());
  count(array);
  count(array);
  auto const released = array.release();
  EXPECT_EQ(released.data(), memory.data());
  EXPECT_EQ(released.size(), size);
  EXPECT_EQ(memory.values(), numbers(3));
}

TEST_P(adopted_device_memory, has_what_every_policy_made_of_it) {
  std::uint32_t rounds = 0;
  words array(*jobs, adopted());
  for (auto const& policy : policy_names())
    for (int round = 0; round < 5; ++round, ++rounds) count(array, policy);
  array.release();
  EXPECT_EQ(memory.values(), numbers(1 + rounds));
}

TEST_P(adopted_device_memory, is_used_in_place_so_that_nothing_is_copied_for_a_job_on_its_device_alone) {
  jobs.emplace(device_list{devices[GetParam()]}, kernels(), job_options{.device_bytes = 4096});
  words array(*jobs, adopted());
  count(array);
  count(array);
  array.release();
  EXPECT_EQ(jobs->statistics().moved, moved_bytes{});
  EXPECT_EQ(memory.values(), numbers(3));
}

TEST_P(adopted_device_memory, gets_what_the_host_wrote_when_it_is_released) {
  words array(*jobs, adopted());
  array.update()[5] = 100;
  count(array);
  array.mutable_at(7) = 200;
  array.release();
  auto expected = numbers(2);
  expected[5] = 101;
  expected[7] = 200;
  EXPECT_EQ(memory.values(), expected);
}

TEST_P(adopted_device_memory, gets_the_newest_values_when_its_array_is_destroyed) {
  {
    words array(*jobs, adopted());
    count(array);
  }
  EXPECT_EQ(memory.values(), numbers(2));
}

TEST_P(adopted_device_memory, is_waited_for_when_its_array_is_destroyed_while_a_job_runs) {
  gate closed(devices);
  device_words const other(devices.front(), numbers(50));
  words read(*jobs, adopt(*devices.front(), other.data(), {size}));
  std::optional<words> written(std::in_place, *jobs, adopted());
  copy_behind(closed, read, *written);
  closed.await_arrival();
  std::thread opener([&] { closed.open(); });
  written.reset();
  opener.join();
  EXPECT_EQ(memory.values(), numbers(50));
}

TEST_P(adopted_device_memory, stays_with_its_array_where_a_release_runs_out_of_time) {
  gate closed(devices);
  words read(*jobs, {size}), written(*jobs, adopted());
  fill_with(read, 9);
  copy_behind(closed, read, written);
  EXPECT_THROW(written.release(deadline::in({})), timed_out);
  closed.open();
  count(written);
  written.release();
  EXPECT_EQ(memory.values(), std::vector<std::uint32_t>(size, 10));
}

TEST_P(adopted_device_memory, goes_with_the_elements_when_arrays_are_moved_and_swapped) {
  auto others = numbers(1000);
  words on_device(*jobs, adopted()), on_host(*jobs, adopt(std::span(others)));
  count(on_device);
  std::swap(on_device, on_host);
  count(on_device);
  count(on_device);
  words moved(std::move(on_host));
  count(moved);
  EXPECT_EQ(moved.release().data(), memory.data());
  EXPECT_EQ(memory.values(), numbers(3));
  on_device.release();
  EXPECT_EQ(others, numbers(1002));
}

TEST_P(adopted_device_memory, may_have_several_dimensions_and_neighbours_on_another_device) {
  constexpr std::uint32_t rows_of = 8, columns = 8;
  auto expected = numbers();
  {
    word_rows now(*jobs, adopt(home(), memory.data(), {rows_of, columns})), next(*jobs, {rows_of, columns});
    for (int step = 0; step < 4; ++step) {
      submit_mix(*jobs, now, next, {rows_of});
      expected = mixed(expected, rows_of, columns);
    }
  }
  EXPECT_EQ(memory.values(), expected);
}

TEST_P(adopted_device_memory, may_be_larger_than_what_the_scheduler_has_and_is_never_evicted) {
  constexpr std::uint32_t large = 4096;
  device_words const much(devices[GetParam()], numbers(1, large));
  jobs.emplace(devices, kernels(), job_options{.policy = "static", .tasks = 64, .device_bytes = 4096});
  words array(*jobs, adopt(home(), much.data(), {large})), own(*jobs, {large});
  fill_with(own, 5);
  for (int round = 0; round < 3; ++round)
    for (auto* const each : {&array, &own})
      jobs->submit({large}, updates(*each), [](auto all) { return count_visits{all}; });
  EXPECT_EQ(values_of(own), std::vector<std::uint32_t>(large, 8));
  array.release();
  EXPECT_EQ(much.values(), numbers(4, large));
}

TEST_P(adopted_device_memory, is_right_where_devices_reuse_nothing) {
  jobs.emplace(devices, kernels(),
               job_options{.policy = "static", .device_bytes = enough_device_bytes, .reuse = false});
  words array(*jobs, adopted());
  count(array);
  count(array);
  array.release();
  EXPECT_EQ(memory.values(), numbers(3));
}

TEST_P(adopted_device_memory, is_written_by_jobs_whose_maps_are_checked) {
  if (devices[0]->is_cuda() || devices[1]->is_cuda()) GTEST_SKIP() << "maps are checked on CPU cores";
  jobs.emplace(devices, kernels(),
               job_options{.policy = "static", .device_bytes = enough_device_bytes, .check_maps = true});
  words array(*jobs, adopted());
  count(array).wait();
  array.release();
  EXPECT_EQ(memory.values(), numbers(2));
}

TEST_P(adopted_device_memory, may_hold_nothing) {
  words none(*jobs, adopt(home(), static_cast<std::uint32_t*>(nullptr), {0}));
  EXPECT_EQ(none.release().size(), 0u);
}

TEST_P(adopted_device_memory, is_refused_where_it_cannot_hold_the_elements) {
  auto* const none = static_cast<std::uint32_t*>(nullptr);
  auto* const between = reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(memory.data()) + 2);
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(home(), none, {1})); }), "memory");
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(home(), between, {1})); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt(home(), array_view(memory.data(), {4, 4}, {8, 1})); }), "view");
}

TEST_P(adopted_device_memory, is_refused_of_a_device_that_the_scheduler_does_not_have) {
  auto const others = open_devices("host:1");
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(*others.front(), memory.data(), {size})); }), "device");
}

TEST_P(adopted_device_memory, is_refused_where_another_array_has_some_of_it_until_that_is_released) {
  auto const adopt_part = [&](std::size_t first, std::size_t count) {
    words(*jobs, adopt(home(), memory.data() + first, {count}));
  };
  words array(*jobs, adopt(home(), array_view(memory.data() + 8, {8})));
  EXPECT_EQ(refused_argument([&] { adopt_part(0, 9); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt_part(15, 1); }), "memory");
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(memory.data() + 8, {1})); }), "memory");
  EXPECT_EQ(refused_argument([&] { words(*jobs, adopt(home(), array.address(), {1})); }), "memory");
  EXPECT_EQ(refused_argument([&] { adopt_part(0, 8); }), "nothing");
  array.release();
  EXPECT_EQ(refused_argument([&] { adopt_part(8, 8); }), "nothing");
}

TEST_P(adopted_device_memory, goes_back_without_its_newest_values_when_a_job_failed_and_the_log_says_so) {
  captured_log const log;
  {
    words array(*jobs, adopted(), "callers");
    auto const failing = jobs->submit({size}, updates(array), [](auto all) {
      if (all) throw std::runtime_error("a planted failure");
      return count_visits{all};
    });
    EXPECT_THROW(failing.wait(), job_failed);
    EXPECT_THROW(array.release(), job_failed);
  }
  EXPECT_THAT(log.lines(), testing::HasSubstr("array 'callers' goes back without its newest values"));
  EXPECT_EQ(memory.values(), numbers()) << "no kernel began";
}

TEST_P(adopted_device_memory, is_whole_again_once_what_a_failed_job_lost_is_written_anew) {
  words array(*jobs, adopted());
  auto const failing = jobs->submit({size}, updates(array), [](auto all) {
    if (all) throw std::runtime_error("a planted failure");
    return count_visits{all};
  });
  EXPECT_THROW(failing.wait(), job_failed);
  fill_with(array, 7);
  count(array);
  array.release();
  EXPECT_EQ(memory.values(), std::vector<std::uint32_t>(size, 8));
}

TEST_P(adopted_device_memory, may_go_back_after_its_scheduler_with_what_it_had) {
  captured_log const log;
  device_words const other(devices[GetParam()], numbers(7));
  {
    words whole(*jobs, adopted()), lost(*jobs, adopt(home(), other.data(), {size}), "lost");
    lost.update()[0] = 1;  // the host has the newest
    jobs.reset();
    EXPECT_EQ(whole.release().data(), memory.data());
    EXPECT_THROW(lost.release(), error);
  }
  EXPECT_EQ(memory.values(), numbers());
  EXPECT_THAT(log.lines(), testing::HasSubstr("array 'lost' goes back without"));
}

TEST_P(adopted_device_memory, is_not_read_by_the_host_after_its_scheduler) {
  words array(*jobs, adopted());
  jobs.reset();
  EXPECT_THROW(array.read(), error);
}

/// Of a device that is lost while the host has all values too.
TEST(adopted_memory_of_a_lost_device, is_not_waited_for_and_the_host_keeps_what_it_read) {
  captured_log const log;
  auto const devices = open_devices("host:1,host:1");
  device_words const memory(devices.front(), numbers());
  job_scheduler jobs(devices, kernels(), {.policy = "static", .device_bytes = enough_device_bytes});
  {
    words array(jobs, adopt(*devices.front(), memory.data(), {size}), "callers"), any(jobs, {1});
    array.read();
    fill_with(any, 0);
    EXPECT_THROW(jobs.submit({1}, updates(any), [](auto all) { return fault{all}; }).wait(), job_failed);
    EXPECT_EQ(values_of(array), numbers());
    EXPECT_THAT([&] { array.release(); }, testing::ThrowsMessage<error>(testing::HasSubstr(
                                              "host:1#0 is lost, whose memory array 'callers' adopted")));
    EXPECT_EQ(values_of(array), numbers());
  }
  EXPECT_THAT(log.lines(), testing::HasSubstr("array 'callers' goes back without its newest values"));
}

/// Destroys an array of a device's memory that a job which never ends is to write.
void let_go_while_a_job_hangs(device_list const& devices, std::size_t home) {
  device_words const memory(devices[home], numbers());
  job_scheduler jobs(devices, kernels(),
                     {.device_bytes = enough_device_bytes, .timeout = {}, .shutdown_timeout = {}});
  set_log_sink(log_sink([](log_level, std::string_view line) { std::cerr << line << std::endl; }));
  words array(jobs, adopt(*devices[home], memory.data(), {size}), "callers");
  auto const ref = gate_for_ever(devices)->ref();
  jobs.submit({size}, updates(array), [ref](auto one) {
    return copy_behind_gate{ref, array_ref<std::uint32_t const>(one.data()), one};
  });
}

TEST_P(adopted_device_memory, ends_the_program_where_its_device_may_still_use_it_when_it_is_to_go) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(let_go_while_a_job_hangs(devices, GetParam()), "array 'callers' is still used");
}

}  // namespace
}  // namespace ballast::test::adopted_device_memory_test
