// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "device_kernels.hpp"
#include "every_device.hpp"

namespace ballast::test {
namespace {

using devices = every_device;

TEST_F(devices, count_their_allocations_and_align_them) {
  for (auto const& device : devices_) {
    auto const before = device->allocations();
    void* const here = device->allocate(memory::device, 1);
    void* const there = device->allocate(memory::pinned, 1000);
    EXPECT_EQ(device->allocations(), before + 2);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(here) % 256, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there) % 256, 0u);
    device->release(memory::device, here);
    device->release(memory::pinned, there);
    EXPECT_EQ(device->allocate(memory::device, 0), nullptr);
    EXPECT_EQ(device->allocations(), before + 2);
  }
}

TEST_F(devices, say_so_when_there_is_not_enough_memory) {
  for (auto const& device : devices_) {
    EXPECT_THROW(device->allocate(memory::device, std::size_t(1) << 50), error);
    EXPECT_NO_THROW(device->check());
    void* const small = device->allocate(memory::device, 8);
    EXPECT_NE(small, nullptr);
    device->release(memory::device, small);
  }
}

TEST_F(devices, are_told_apart_by_the_uuid_of_a_gpu_and_have_none_on_the_host) {
  for (auto const& device : devices_) {
    auto const& uuid = device->properties().uuid;
    EXPECT_EQ(uuid.size(), device->is_cuda() ? 40u : 0u);
    EXPECT_EQ(uuid.starts_with("GPU-"), device->is_cuda()) << uuid;
  }
}

TEST_F(devices, tell_how_much_memory_is_free) {
  for (auto const& device : devices_) {
    EXPECT_GT(device->free_bytes(), 0u);
    EXPECT_LE(device->free_bytes(), device->properties().memory_bytes);
  }
}

TEST_F(devices, leave_some_of_the_available_memory_of_the_machine_to_others) {
  for (auto const& device : devices_) {
    if (device->is_cuda()) continue;
    auto const all = std::size_t(device->properties().memory_bytes);
    try {
      device->release(memory::device, device->allocate(memory::device, all));
      ADD_FAILURE() << "nothing was left";
    } catch (error const& refused) {
      std::string const text = refused.what();
      EXPECT_NE(text.find("no memory for " + std::to_string(all) + " bytes"), text.npos) << text;
      EXPECT_NE(text.find(" of " + std::to_string(all) + " bytes available"), text.npos) << text;
    }
  }
}

TEST_F(devices, move_a_buffer_without_a_second_allocation) {
  for (auto const& device : devices_) {
    auto const before = device->allocations();
    device_buffer<int> first(device, 10);
    auto* const data = first.data();
    device_buffer<int> second(std::move(first));
    device_buffer<int> third;
    third = std::move(second);
    EXPECT_EQ(third.data(), data);
    EXPECT_EQ(third.bytes(), 10 * sizeof(int));
    EXPECT_EQ(device->allocations(), before + 1);
  }
}

TEST_F(devices, give_room_to_resident_kernels_until_their_multiprocessors_are_taken) {
  for (auto const& device : devices_) {
    auto const all = std::uint32_t(device->properties().multiprocessors);
    auto const first = device->claim_resident({.holder = "the first", .blocks = all, .min_blocks = all});
    EXPECT_THROW(device->claim_resident({.holder = "the second"}), error);
    EXPECT_TRUE(device->resident_holders().starts_with("the first (")) << device->resident_holders();
    EXPECT_EQ(device->resident_holders({&first, 1}), "");
    EXPECT_NE(detail::describe_resident_holder(*device).find(device->name() + " is held by the first"),
              std::string::npos);
    device->release_resident(first);
    EXPECT_EQ(device->resident_holders(), "");
    EXPECT_EQ(detail::describe_resident_holder(*device), "");
    auto const third = device->claim_resident({.holder = "the third", .blocks = 2 * all});
    EXPECT_EQ(third.blocks, all);
    device->release_resident(third);
    EXPECT_FALSE(device->has_resident());
  }
}

TEST_F(devices, tell_what_a_kernel_needs_and_how_many_blocks_fit) {
  for (auto const& device : devices_) {
    auto const needs = device->resources(visit_kernel());
    EXPECT_GE(needs.blocks_per_multiprocessor, 1);
    EXPECT_EQ(needs.registers > 0, device->is_cuda());
    EXPECT_GE(device->properties().multiprocessors, 1);
    EXPECT_FALSE(device->properties().model.empty());
    EXPECT_GT(device->properties().memory_bytes, 0u);
    EXPECT_EQ(device->properties().clock_hertz > 0, device->is_cuda());
  }
}

TEST_F(devices, refuse_a_kernel_that_was_not_compiled_for_them) {
  kernel_code const empty{"empty", nullptr, nullptr, 32, 0};
  for (auto const& device : devices_) {
    EXPECT_THROW(device->resources(empty), error);
    EXPECT_THROW(device->make_stream()->launch(empty, 1, nullptr, 0), error);
    EXPECT_NO_THROW(device->check());
  }
}

}  // namespace
}  // namespace ballast::test
