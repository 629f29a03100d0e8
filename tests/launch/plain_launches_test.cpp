// SPDX-License-Identifier: Apache-2.0
// Plain launches of many launch streams: on a GPU, and on cores that look like one.
#include <functional>
#include <optional>

#include "fixture.hpp"
#include "plain_kernels.hpp"
#include "pretended_gpu.hpp"

namespace ballast::test::plain_launches_test {
using namespace detail;
namespace {

struct tested_place {
  std::shared_ptr<compute_device> device;  // null: there is none
  append_kernel append;
};

tested_place pretended() { return {std::make_shared<pretended_gpu>(), append}; }

tested_place gpu() {
  for (auto const& device : devices())
    if (device->is_cuda()) return {device, plain_append()};
  return {};
}

/// Launch streams with a number each, to which their launches append.
class plain_launches : public testing::TestWithParam<tested_place (*)()> {
 protected:
  static constexpr std::uint32_t launch_streams = 64, launches = 8;

  void SetUp() override {
    place_ = GetParam()();
    if (place_.device == nullptr) GTEST_SKIP() << "needs a GPU";
    numbers_.emplace(place_.device, launch_streams);
    std::ranges::fill(numbers_->span(), 0u);
    expected_.assign(launch_streams, 0);
    queue_.emplace(device_list{place_.device});
    for (std::uint32_t p = 0; p < launch_streams; ++p) lines_.push_back(queue_->make_launch_stream());
  }
  void launch(std::uint32_t p, std::uint64_t added) {
    append(&expected_[p], added);
    lines_[p].launch(place_.append, 1, 1, &(*numbers_)[p], added);
  }
  /// `submit` while the queue is paused, so that all waits at once; then until all has finished.
  void together(std::function<void()> const& submit) {
    queue_->pause();
    submit();
    queue_->resume();
    queue_->wait_all();
    expect_each_once_and_in_order();
  }
  void expect_each_once_and_in_order() {
    EXPECT_EQ(std::vector(numbers_->span().begin(), numbers_->span().end()), expected_);
  }
  launch_statistics statistics() const { return queue_->statistics(); }

  tested_place place_;
  std::optional<pinned_buffer<std::uint64_t>> numbers_;
  std::vector<std::uint64_t> expected_;
  std::optional<launch_queue> queue_;
  std::vector<launch_stream> lines_;
};

std::string test_name(testing::TestParamInfo<tested_place (*)()> const& tested) {
  return tested.param == pretended ? "cores" : "a_gpu";
}

INSTANTIATE_TEST_SUITE_P(on, plain_launches, testing::Values(pretended, gpu), test_name);

TEST_P(plain_launches, are_carried_out_though_their_launch_streams_are_gone) {
  for (std::uint32_t round = 0; round < 5; ++round) {
    together([&] {
      for (std::uint32_t p = 0; p < launch_streams; ++p)
        for (std::uint32_t i = 0; i < launches; ++i) launch(p, i);
      lines_.clear();
    });
    for (std::uint32_t p = 0; p < launch_streams; ++p) lines_.push_back(queue_->make_launch_stream());
  }
  EXPECT_EQ(statistics().kernels, 5 * launch_streams * launches);
}

TEST_P(plain_launches, fail_alone_if_one_of_them_cannot_be_launched) {
  for (std::uint32_t round = 0; round < 5; ++round) {
    lines_[5] = queue_->make_launch_stream();
    completion wrong;
    together([&] {
      for (std::uint32_t i = 0; i < launches; ++i)
        for (std::uint32_t p = 0; p < launch_streams; ++p)
          if (p != 5) launch(p, i);
      for (std::uint32_t i = 0; i < launches; ++i)
        wrong = lines_[5].launch(place_.append, 1, 1025, &(*numbers_)[5], std::uint64_t{1});
    });
    EXPECT_THROW(wrong.wait(), error);
  }
}

TEST_P(plain_launches, keep_their_order_in_bursts_without_a_pause) {
  for (std::uint32_t round = 0; round < 20; ++round) {
    for (std::uint32_t p = 0; p < launch_streams; ++p)
      for (std::uint32_t i = 0; i < launches; ++i) launch(p, round + i);
    if (round % 4 == 3) queue_->wait_all();
  }
  expect_each_once_and_in_order();
  EXPECT_EQ(statistics().kernels, 20 * launch_streams * launches);
}

}  // namespace
}  // namespace ballast::test::plain_launches_test
