// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "every_device.hpp"
#include "plain_kernels.hpp"

namespace ballast::test {
namespace {

using plain_launches = every_gpu;
using testing::HasSubstr;

std::uint64_t count(launch_extent const& of) { return std::uint64_t(of.x) * of.y * of.z; }

std::uint64_t weighted(launch_extent const& extent, std::uint64_t which, factors const& weight) {
  auto const x = which % extent.x, y = which / extent.x % extent.y, z = which / extent.x / extent.y;
  return x * weight.by_x + y * weight.by_y + z * weight.by_z;
}

std::string refusal_of(stream& work, plain_launch const& launch) {
  try {
    work.launch_plain(launch);
  } catch (device_lost const&) { return "the device was lost"; } catch (error const& refused) {
    return refused.what();
  }
  return "nothing was thrown";
}

// Whether the stream still carries out what it is given.
void expect_sound(std::shared_ptr<compute_device> const& device, stream& work) {
  pinned_buffer<std::uint64_t> number(device, 1);
  number[0] = 4;
  auto* at = number.data();
  std::uint64_t digit = 2;
  void* const arguments[] = {&at, &digit};
  work.launch_plain({append_digit_function(), {1, 1}, arguments, "append_digit"});
  work.synchronize();
  EXPECT_EQ(number[0], 42u);
  EXPECT_NO_THROW(device->check());
}

TEST(host_plain_launches, are_refused_in_favour_of_kernels_that_run_there) {
  auto const device = open_devices("host:1").front();
  auto const work = device->make_stream();
  try {
    work->launch_plain({do_nothing_function(), {1, 1}, nullptr, "do_nothing"});
    ADD_FAILURE() << "nothing was thrown";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "kernel");
    EXPECT_EQ(refusal.value(), "do_nothing");
    EXPECT_THAT(refusal.legal(), HasSubstr("a ballast kernel or a callable on host:1"));
    EXPECT_THAT(refusal.legal(), HasSubstr("plain __global__ functions run on GPUs only"));
  }
  EXPECT_TRUE(work->idle());
}

TEST_F(plain_launches, have_every_thread_of_a_shape_run_once_with_all_arguments) {
  for (auto const& device : devices_)
    for (launch_shape const& shape : {launch_shape{5, 33}, launch_shape{{3, 4}, {8, 6}},
                                      launch_shape{{2, 3, 4}, {4, 3, 2}}, launch_shape{1, 1}}) {
      auto const blocks = count(shape.grid), threads = count(shape.block);
      pinned_buffer<std::uint64_t> notes(device, blocks * threads + 1);
      for (auto& note : notes.span()) note = 3;
      auto* at = notes.data();
      std::uint8_t added = 200;
      double scale = 2;
      factors weight{3, 50, 700};
      void* const arguments[] = {&at, &added, &scale, &weight};
      auto const work = device->make_stream();
      work->launch_plain({record_threads_function(), shape, arguments, "record_threads"});
      work->synchronize();
      for (std::uint64_t i = 0; i < blocks * threads; ++i)
        ASSERT_EQ(notes[i], 200 + 2 * (weighted(shape.grid, i / threads, weight) +
                                       1000 * weighted(shape.block, i % threads, weight)));
      EXPECT_EQ(notes[blocks * threads], 3u);
    }
}

TEST_F(plain_launches, copy_their_arguments_before_they_return_and_run_in_order) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint64_t> number(device, 1);
    number[0] = 0;
    auto* at = number.data();
    std::uint64_t digit = 0;
    void* const arguments[] = {&at, &digit};
    auto const work = device->make_stream();
    for (digit = 1; digit < 10; ++digit)
      work->launch_plain({append_digit_function(), {1, 1}, arguments, "append_digit"});
    work->synchronize();
    EXPECT_EQ(number[0], 123456789u);
  }
}

TEST_F(plain_launches, of_a_function_without_parameters_need_no_arguments) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    work->launch_plain({do_nothing_function(), {2, 32}, nullptr, "do_nothing"});
    work->synchronize();
  }
}

TEST_F(plain_launches, are_given_the_shared_memory_that_they_ask_for) {
  for (auto const& device : devices_)
    for (std::uint32_t bytes : {100u * 1024, 1000u, 200u * 1024}) {
      pinned_buffer<std::uint32_t> sums(device, 100);
      auto* at = sums.data();
      void* const arguments[] = {&at, &bytes};
      auto const work = device->make_stream();
      work->launch_plain({sum_shared_function(), {100, 64, bytes}, arguments, "sum_shared"});
      work->synchronize();
      for (std::uint32_t block = 0; block < 100; ++block) ASSERT_EQ(sums[block], bytes * block);
    }
}

TEST_F(plain_launches, of_a_bad_shape_are_refused_by_name_and_leave_the_stream_sound) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    for (launch_shape const& shape : {launch_shape{1, 1025}, launch_shape{0, 32}, launch_shape{-1, 32},
                                      launch_shape{{1, 1, 65536}, 32}}) {
      auto const words = refusal_of(*work, {do_nothing_function(), shape, nullptr, "do_nothing"});
      EXPECT_THAT(words, HasSubstr(device->name()));
      EXPECT_THAT(words, HasSubstr("cuLaunchKernelEx of kernel do_nothing failed: "));
      EXPECT_THAT(words, HasSubstr("cudaErrorInvalid"));
      expect_sound(device, *work);
    }
  }
}

TEST_F(plain_launches, of_too_much_shared_memory_are_refused_by_name_and_leave_the_stream_sound) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    auto const words = refusal_of(*work, {do_nothing_function(), {1, 32, 1u << 30}, nullptr, "do_nothing"});
    EXPECT_THAT(words, HasSubstr("kernel do_nothing needs 1073741824 bytes of scratch"));
    EXPECT_THAT(words, HasSubstr(device->name()));
    expect_sound(device, *work);
  }
}

TEST_F(plain_launches, of_no_function_are_refused) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    EXPECT_THROW(work->launch_plain({nullptr, {1, 1}, nullptr, "nothing"}), bad_argument);
    expect_sound(device, *work);
  }
}

}  // namespace
}  // namespace ballast::test
