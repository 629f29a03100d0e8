// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "lambdas.hpp"

namespace ballast::test {
namespace {

class lambda_in_a_launch : public testing::Test {
 protected:
  std::shared_ptr<compute_device> device_ = open_devices().front();
};

TEST_F(lambda_in_a_launch, sees_its_block_and_has_each_item_of_a_loop_once_and_reduces) {
  constexpr std::uint32_t blocks = 7;
  pinned_buffer<std::uint32_t> places(device_, blocks * 8);
  std::ranges::fill(places.span(), 0u);
  launch_queue queue({device_});
  auto stream = queue.make_launch_stream();
  launch_telling(stream, array_ref(places.data()), 1000, blocks).wait();
  for (std::uint32_t block = 0; block < blocks; ++block) {
    auto const of_block = places.span().subspan(block * 8, 8);
    EXPECT_EQ(std::vector(of_block.begin(), of_block.end()),
              (std::vector<std::uint32_t>{block, 0, blocks, 1000, 99 * 100 / 2, 149 * 150 / 2,
                                          7 + 998 * 999 / 2, 14 + 999 * 1000}));
  }
}

TEST_F(lambda_in_a_launch, keeps_what_it_captured_until_it_has_run) {
  constexpr std::uint32_t launches = 2000, blocks = 3;
  pinned_buffer<std::uint32_t> sums(device_, blocks);
  std::ranges::fill(sums.span(), 0u);
  {
    launch_queue queue({device_});
    auto stream = queue.make_launch_stream();
    for (std::uint32_t i = 1; i <= launches; ++i) launch_adding(stream, array_ref(sums.data()), i, blocks);
  }
  for (auto const sum : sums.span()) EXPECT_EQ(sum, launches * (launches + 1) / 2);
}

TEST_F(lambda_in_a_launch, of_items_is_called_for_each_once) {
  constexpr std::uint32_t most = 5000;
  pinned_buffer<std::uint32_t> sums(device_, most);
  launch_queue queue({device_});
  auto stream = queue.make_launch_stream();
  for (auto const items : {1u, 255u, 1024u, 1025u, most}) {
    std::ranges::fill(sums.span(), 0u);
    for (std::uint32_t value = 1; value <= 3; ++value)
      launch_of_items(stream, array_ref(sums.data()), value, items).wait();
    for (std::uint32_t i = 0; i < most; ++i) ASSERT_EQ(sums[i], i < items ? 3 * i + 6 : 0) << i;
  }
}

TEST_F(lambda_in_a_launch, of_no_blocks_or_items_is_refused) {
  launch_queue queue({device_});
  auto stream = queue.make_launch_stream();
  EXPECT_THROW(launch_of_items(stream, array_ref<std::uint32_t>(), 1, 0), bad_argument);
  EXPECT_THROW(launch_adding(stream, array_ref<std::uint32_t>(), 1, 0), bad_argument);
}

TEST_F(lambda_in_a_launch, that_throws_fails_its_launch_on_cores) {
  launch_queue queue(open_devices("host:1"));
  auto stream = queue.make_launch_stream();
  EXPECT_THROW(launch_throwing(stream).wait(), error);
}

}  // namespace
}  // namespace ballast::test
