// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "ballast/device.hpp"
#include "test_devices.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::uint32_t records = 10'000, blocks = 16, capacity = 64;

/// The structures in memory of a device, used by blocks of an ordinary launch.
class shared_by_blocks : public testing::Test {
 protected:
  void SetUp() override { stream_->fill(times_.data(), 0, times_.bytes()); }

  template <class T>
  device_buffer<T> cleared(std::size_t size) {
    device_buffer<T> buffer(device_, size);
    stream_->fill(buffer.data(), 0, buffer.bytes());
    return buffer;
  }

  template <class Kernel>
  void run(Kernel const& kernel, std::uint32_t grid) {
    launch(pool_test_kernels(), *stream_, task(kernel, {0, grid}));
    stream_->synchronize();
  }

  void expect_each_number_once() {
    std::vector<std::uint32_t> times(times_.size());
    stream_->copy(times.data(), times_.data(), times_.bytes());
    stream_->synchronize();
    std::vector<std::uint32_t> expected(records, 1);
    expected.push_back(0);
    EXPECT_TRUE(times == expected);
  }

  array_ref<std::uint32_t> times() const { return array_ref(times_.data()); }

  std::shared_ptr<compute_device> device_ = devices().front();
  std::unique_ptr<stream> stream_ = device_->make_stream();
  device_buffer<std::uint32_t> times_{device_, records + 1};
};

TEST_F(shared_by_blocks, an_abp_deque_gives_each_record_to_one_block) {
  auto const words = cleared<abp_deque_words>(1);
  auto const slots = cleared<abp_deque_ref<entry>::slot>(capacity);
  run(share_abp{{words.data(), slots.data(), capacity}, {times(), records}}, blocks);
  expect_each_number_once();
}

TEST_F(shared_by_blocks, a_chase_lev_deque_gives_each_record_to_one_block) {
  auto const words = cleared<chase_lev_deque_words>(1);
  auto const slots = cleared<chase_lev_deque_ref<entry>::slot>(capacity);
  run(share_chase_lev{{words.data(), slots.data(), capacity}, {times(), records}}, blocks);
  expect_each_number_once();
}

TEST_F(shared_by_blocks, a_ring_gives_each_record_to_one_block) {
  auto const words = cleared<ring_queue_words>(1);
  auto const slots = cleared<ring_queue_ref<entry>::slot>(capacity);
  ring_queue_ref<entry> const ring(words.data(), slots.data(), capacity);
  run(share_ring{ring, times(), records, blocks}, blocks);
  run(share_ring{ring, times(), records, 0}, 1);  // what was hidden when the last block looked
  expect_each_number_once();
}

}  // namespace
}  // namespace ballast::test
