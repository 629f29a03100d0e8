// SPDX-License-Identifier: Apache-2.0
#include "ballast/device/stream.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ballast/base/error.hpp"
#include "ballast/device/buffer.hpp"
#include "held_stream.hpp"
#include "test_devices.hpp"

namespace ballast::test {
namespace {

using streams = every_device;

TEST_F(streams, carry_copies_and_fills_out_in_order) {
  for (auto const& device : devices_) {
    constexpr std::size_t size = 5003;
    pinned_buffer<std::uint32_t> in(device, size), out(device, size);
    device_buffer<std::uint32_t> there(device, size), further(device, size);
    std::iota(in.span().begin(), in.span().end(), 7u);
    auto const work = device->make_stream();
    work->fill(there.data(), 0xff, there.bytes());
    work->copy(there.data(), in.data(), in.bytes());
    work->fill(there.data(), 0, 4 * sizeof(std::uint32_t));
    work->copy(further.data(), there.data(), there.bytes());
    work->copy(out.data(), further.data(), further.bytes());
    work->synchronize();
    EXPECT_TRUE(work->idle());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], i < 4 ? 0 : i + 7) << device->name() << " " << i;
  }
}

TEST_F(streams, copy_from_ordinary_host_memory_and_back) {
  for (auto const& device : devices_) {
    std::vector<int> const in{3, 1, 4, 1, 5};
    std::vector<int> out(in.size());
    device_buffer<int> there(device, in.size());
    auto const work = device->make_stream();
    work->copy(there.data(), in.data(), there.bytes());
    work->copy(out.data(), there.data(), there.bytes());
    work->synchronize();
    EXPECT_EQ(out, in);
  }
}

TEST_F(streams, copy_between_any_two_devices) {
  for (auto const& from : devices_)
    for (auto const& to : devices_) {
      device_buffer<std::uint32_t> source(from, 100), target(to, 100);
      auto const work = (from->is_cuda() ? from : to)->make_stream();
      std::vector<std::uint32_t> in(100, 42), out(100);
      work->copy(source.data(), in.data(), source.bytes());
      work->copy(target.data(), source.data(), source.bytes());
      work->copy(out.data(), target.data(), target.bytes());
      work->synchronize();
      EXPECT_EQ(out, in) << from->name() << " to " << to->name();
    }
}

TEST_F(streams, start_late_work_after_an_event_of_another_stream) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> word(device, 2);
    device_buffer<std::uint32_t> between(device, 1);
    word[0] = 0;
    word[1] = 5;
    held_stream first(device);
    auto const second = device->make_stream();
    first.get().copy(between.data(), &word[1], sizeof word[0]);
    auto const copied = first.get().record();
    second->wait_for(*copied);
    second->copy(&word[0], between.data(), sizeof word[0]);
    auto const end = second->record();
    first.await_start();
    EXPECT_FALSE(copied->reached());
    EXPECT_FALSE(end->reached());
    EXPECT_FALSE(second->idle());
    first.release();
    second->synchronize();
    EXPECT_TRUE(copied->reached());
    EXPECT_TRUE(end->reached());
    EXPECT_EQ(word[0], 5u);
    EXPECT_EQ(word[1], 5u);
  }
}

TEST_F(streams, events_of_one_stream_have_times_in_order) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    auto const begin = work->record();
    pinned_buffer<char> bytes(device, 1 << 20);
    work->fill(bytes.data(), 1, bytes.bytes());
    auto const end = work->record();
    work->synchronize();
    EXPECT_GE(end->since(*begin).count(), 0);
    EXPECT_LE(begin->since(*end).count(), 0);
  }
}

TEST_F(streams, wait_for_events_without_a_time_as_for_others) {
  for (auto const& device : devices_) {
    held_stream first(device);
    auto const second = device->make_stream();
    auto const released = first.get().record_unmeasured();
    second->wait_for(*released);
    auto const end = second->record_unmeasured();
    first.await_start();
    EXPECT_FALSE(released->reached());
    EXPECT_FALSE(end->reached());
    first.release();
    second->synchronize();
    EXPECT_TRUE(released->reached());
    EXPECT_TRUE(end->reached());
  }
}

void expect_no_time(std::string const& which, event const& end, event const& begin) {
  try {
    end.since(begin);
    ADD_FAILURE() << "nothing was thrown";
  } catch (bad_argument const& refusal) { EXPECT_EQ(refusal.argument(), which); }
}

TEST_F(streams, events_without_a_time_are_refused_where_times_are_asked) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    for (int times = 0; times < 3; ++times) {  // the events of the first time are lent again
      auto const unmeasured = work->record_unmeasured();
      auto const begin = work->record(), end = work->record();
      work->synchronize();
      expect_no_time("event", *unmeasured, *begin);
      expect_no_time("earlier", *end, *unmeasured);
      EXPECT_GE(end->since(*begin).count(), 0);
    }
  }
}

TEST_F(streams, copy_and_record_while_a_kernel_stays_on_another_stream) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> words(device, 2);
    device_buffer<std::uint32_t> between(device, 1);
    words[0] = 9;
    words[1] = 0;
    auto const work = device->make_stream();
    held_stream held(device);
    held.await_start();
    work->copy(between.data(), &words[0], sizeof words[0]);
    work->copy(&words[1], between.data(), sizeof words[0]);
    auto const copied = work->record();
    work->synchronize();
    EXPECT_TRUE(copied->reached());
    EXPECT_EQ(words[1], 9u);
    EXPECT_FALSE(held.get().idle());
  }
}

TEST_F(streams, synchronize_gives_up_at_its_deadline) {
  for (auto const& device : devices_) {
    held_stream held(device);
    EXPECT_THROW(held.get().synchronize(deadline::in(std::chrono::milliseconds(1))), deadline_passed);
    held.release();
    held.get().synchronize();
    EXPECT_TRUE(held.get().idle());
  }
}

TEST_F(streams, carry_out_what_is_left_before_they_go) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> words(device, 64);
    words[63] = 0;
    {
      auto const work = device->make_stream();
      for (std::uint32_t i = 0; i < 63; ++i) words[i] = i + 1;
      for (std::uint32_t i = 0; i < 63; ++i) work->copy(&words[63], &words[i], sizeof words[i]);
    }
    EXPECT_EQ(words[63], 63u);
  }
}

}  // namespace
}  // namespace ballast::test
