// SPDX-License-Identifier: Apache-2.0
// Memory that devices get from a resource of the user's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "device_kernels.hpp"
#include "every_device.hpp"
#include "noting_resource.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct memory_resources : testing::Test {
  std::shared_ptr<noting_resource> resource = std::make_shared<noting_resource>(tested_list());
  device_list devices = open_devices(tested_list(), {.memory = resource});
};

TEST_F(memory_resources, give_devices_all_that_buffers_have_and_get_it_back_with_its_size) {
  for (auto const& device : devices) {
    device_buffer<int> const here(device, 10);
    pinned_buffer<int> const there(device, 1000);
    EXPECT_EQ(resource->lent(), (std::map<void*, noting_resource::loan>{
                                    {here.data(), {device->name(), memory::device, 40}},
                                    {there.data(), {device->name(), memory::pinned, 4000}}}));
    EXPECT_EQ(device->allocations(), 2u);
  }
  EXPECT_TRUE(resource->lent().empty());
  EXPECT_EQ(resource->loans(), 2 * devices.size());
  EXPECT_EQ(resource->wrong_returns(), 0u);
}

TEST_F(memory_resources, give_memory_that_streams_use) {
  for (auto const& device : devices) {
    device_buffer<std::uint32_t> const there(device, 64);
    pinned_buffer<std::uint32_t> const words(device, 64);
    auto const work = device->make_stream();
    work->fill(there.data(), 0xff, there.bytes());
    work->copy(words.data(), there.data(), there.bytes());
    work->synchronize();
    EXPECT_EQ(words[63], 0xffffffffu);
  }
}

TEST_F(memory_resources, are_not_asked_for_nothing) {
  EXPECT_EQ(devices.front()->allocate(memory::device, 0), nullptr);
  devices.front()->release(memory::device, nullptr);
  EXPECT_EQ(resource->loans(), 0u);
}

TEST_F(memory_resources, live_as_long_as_a_device_or_a_buffer) {
  std::weak_ptr<noting_resource> const seen = resource;
  device_buffer<int> kept(devices.front(), 1);
  devices.clear();
  resource.reset();
  EXPECT_FALSE(seen.expired());
  kept = {};
  EXPECT_TRUE(seen.expired());
}

TEST_F(memory_resources, that_throw_leave_the_device_as_it_was_and_the_error_says_what) {
  auto const& device = devices.front();
  resource->before_each = [] { throw std::bad_alloc(); };
  EXPECT_THAT([&] { device->allocate(memory::device, 123); },
              testing::ThrowsMessage<error>(
                  AllOf(HasSubstr("no memory for 123 bytes on " + device->name()), HasSubstr("bad_alloc"))));
  EXPECT_THROW(device_buffer<int>(device, 5), error);
  EXPECT_EQ(device->allocations(), 0u);
  resource->before_each = {};
  device_buffer<int> const works(device, 5);
  EXPECT_EQ(resource->lent().size(), 1u);
}

TEST_F(memory_resources, may_throw_errors_of_the_library_which_stay_what_they_are) {
  resource->before_each = [] { throw device_lost("a planted device", "a planted cause"); };
  EXPECT_THROW(devices.front()->allocate(memory::pinned, 1), device_lost);
}

TEST_F(memory_resources, refuse_with_null) {
  resource->answer = [](void*) -> void* { return nullptr; };
  EXPECT_THAT([&] { devices.front()->allocate(memory::device, 77); },
              testing::ThrowsMessage<error>(HasSubstr("77 bytes on " + devices.front()->name())));
  EXPECT_EQ(devices.front()->allocations(), 0u);
}

TEST_F(memory_resources, get_an_address_back_that_is_not_aligned) {
  resource->answer = [](void* address) -> void* { return static_cast<std::byte*>(address) + 128; };
  EXPECT_EQ(refused_argument([&] { devices.front()->allocate(memory::device, 1000); }), "memory");
  EXPECT_EQ(refused_argument([&] { pinned_buffer<int>(devices.front(), 1); }), "memory");
  EXPECT_TRUE(resource->lent().empty());
  EXPECT_EQ(resource->loans(), 2u);
  EXPECT_EQ(resource->wrong_returns(), 0u);
}

TEST_F(memory_resources, are_asked_by_several_threads_at_a_time) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (std::size_t i = 1; i <= 200; ++i) device_buffer<std::byte> const some(devices.front(), i);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(resource->loans(), 800u);
  EXPECT_TRUE(resource->lent().empty());
  EXPECT_EQ(resource->wrong_returns(), 0u);
}

TEST(memory_resources_of_a_lost_device, get_their_memory_back_and_are_asked_for_no_more) {
  auto const resource = std::make_shared<noting_resource>("host:1");
  auto const device = open_devices("host:1", {.memory = resource}).front();
  {
    device_buffer<int> const kept(device, 1);
    auto const work = device->make_stream();
    std::uint32_t const nothing = 0;
    work->launch(fault_kernel(), 1, &nothing, sizeof nothing);
    EXPECT_THROW(work->synchronize(), device_lost);
    EXPECT_THROW(device->allocate(memory::device, 1), device_lost);
    EXPECT_EQ(resource->loans(), 1u);
  }
  EXPECT_TRUE(resource->lent().empty());
}

// docs/how-to/other-cuda-code.md names this.
/// Hands out one block of the caller's, from its begin to its end, and begins anew when nothing is lent.
class block_of_mine final : public memory_resource {
 public:
  block_of_mine(std::byte* begin, std::size_t bytes) : begin_(begin), bytes_(bytes) {}

  void* allocate(compute_device const&, memory where, std::size_t bytes) override {
    std::lock_guard const hold(mutex_);
    auto const size = (bytes + 255) / 256 * 256;
    if (where != memory::device || size > bytes_ - used_)
      return nullptr;  // the message names device and size
    ++lent_;
    return begin_ + std::exchange(used_, used_ + size);
  }
  void deallocate(compute_device const&, memory, void*, std::size_t) noexcept override {
    std::lock_guard const hold(mutex_);
    if (--lent_ == 0) used_ = 0;
  }

 private:
  std::byte* const begin_;  // at a multiple of 256
  std::size_t const bytes_;
  std::mutex mutex_;
  std::size_t used_ = 0, lent_ = 0;
};

TEST(block_of_mine_as_a_resource, is_where_buffers_are_until_it_is_full) {
  auto const plain = open_devices(tested_list());
  device_buffer<std::byte> const block(plain.front(), 1024);
  auto const devices =
      open_devices(tested_list(), {.memory = std::make_shared<block_of_mine>(block.data(), block.bytes())});
  for (int round = 0; round < 3; ++round) {
    device_buffer<std::byte> const first(devices.front(), 1), second(devices.front(), 700);
    EXPECT_EQ(first.data(), block.data());
    EXPECT_EQ(second.data(), block.data() + 256);
    EXPECT_THROW(device_buffer<std::byte>(devices.front(), 1), error);
  }
}

}  // namespace
}  // namespace ballast::test
