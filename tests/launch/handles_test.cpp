// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fixture.hpp"
#include "plain_kernels.hpp"
#include "refused_argument.hpp"
#if BALLAST_HAVE_CUDA
#  include "run_time_kernels.hpp"
#endif

namespace ballast::test {
namespace {

native_kernel invented_handle() {
  static int target = 0;
  return reinterpret_cast<native_kernel>(&target);
}

TEST(launches_of_handles, are_refused_on_cores) {
  if (devices().front()->is_cuda()) GTEST_SKIP() << "GPUs have them";
  launch_queue queue(first_device(), kernels());
  auto line = queue.make_launch_stream();
  EXPECT_EQ(refused_argument([&] { line.launch(invented_handle(), 1, 32, 5); }), "kernel");
  EXPECT_EQ(refused_argument([&] { line.launch(gpu_function(invented_handle()), {1, 32}); }), "kernel");
}

TEST(launches_of_handles, that_are_null_are_refused_by_name) {
  launch_queue queue(first_device(), kernels());
  auto line = queue.make_launch_stream();
  auto const refused = testing::ThrowsMessage<bad_argument>(testing::HasSubstr("null"));
  EXPECT_THAT([&] { line.launch(native_kernel(), 1, 32, 5); }, refused);
  EXPECT_THAT([&] { line.launch(native_function(), 1, 32); }, refused);
  EXPECT_THAT([&] { line.launch(gpu_function(), {1, 32}, 5u); }, refused);
}

#if BALLAST_HAVE_CUDA

class launches_of_handles_on_gpus : public testing::Test {
 protected:
  void SetUp() override {
    for (auto const& device : devices())
      if (device->is_cuda() && device_ == nullptr) device_ = device;
    if (device_ == nullptr) GTEST_SKIP() << "needs a GPU";
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs libnvrtc";
  }
  std::shared_ptr<compute_device> device_;
};

TEST_F(launches_of_handles_on_gpus, keep_their_order_between_kernels_of_the_set_and_plain_ones) {
  run_time_kernels const made(device_->spec().index);
  auto const by_kernel = made.kernel("append");
  auto const by_function = made.function("append");
  constexpr std::uint32_t rounds = 200;
  pinned_buffer<std::uint32_t> log(device_, 1 + 3 * rounds);
  for (auto& word : log.span()) word = 0;
  array_ref<std::uint32_t> const ref(log.data());
  launch_queue queue({device_}, kernels());
  auto line = queue.make_launch_stream();
  for (std::uint32_t i = 0; i < rounds; ++i) {
    line.launch(append_to_log{ref, 3 * i}, 1);
    line.launch(by_kernel, 1, 32, log.data(), 3 * i + 1);
    line.launch(by_function, launch_shape{1, 32}, log.data(), 3 * i + 2);
  }
  line.last().wait();
  ASSERT_EQ(log[0], 3 * rounds);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < 3 * rounds; ++i) {
    ASSERT_EQ(log[1 + i], i);
    sum += log[1 + i];
  }
  EXPECT_EQ(sum, 3 * rounds * (3 * rounds - 1) / 2);
}

TEST_F(launches_of_handles_on_gpus, of_many_launch_streams_run_once_each) {
  run_time_kernels const made(device_->spec().index);
  auto const kernel = made.kernel("append");
  constexpr std::uint32_t launch_streams = 64, rounds = 12, launches = 8;
  constexpr std::uint32_t words = 1 + rounds * launches;
  pinned_buffer<std::uint32_t> logs(device_, launch_streams * words);
  for (auto& word : logs.span()) word = 0;
  launch_queue queue({device_}, kernels());
  std::vector<launch_stream> lines;
  for (std::uint32_t p = 0; p < launch_streams; ++p) lines.push_back(queue.make_launch_stream());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    queue.pause();
    for (std::uint32_t i = 0; i < launches; ++i)
      for (std::uint32_t p = 0; p < launch_streams; ++p)
        lines[p].launch(kernel, 1, 32, logs.data() + p * words, round * launches + i);
    queue.resume();
    queue.wait_all();
  }
  for (std::uint32_t p = 0; p < launch_streams; ++p)
    for (std::uint32_t i = 0; i < words - 1; ++i) ASSERT_EQ(logs[p * words + 1 + i], i);
}

TEST_F(launches_of_handles_on_gpus, run_on_a_part_of_a_gpu) {
  auto const part = open_devices("cuda:0@64").front();
  run_time_kernels const made(0);
  pinned_buffer<std::uint32_t> log(part, 10);
  for (auto& word : log.span()) word = 0;
  launch_queue queue({part}, kernels());
  auto line = queue.make_launch_stream();
  line.launch(made.function("append"), 1, 32, log.data(), 5u);
  line.launch(append_to_log{array_ref<std::uint32_t>(log.data()), 6}, 1);
  line.launch(made.kernel("append"), 1, 32, log.data(), 7u);
  line.last().wait();
  EXPECT_EQ(log[0], 3u);
  EXPECT_EQ(log[1], 5u);
  EXPECT_EQ(log[2], 6u);
  EXPECT_EQ(log[3], 7u);
}

#endif

}  // namespace
}  // namespace ballast::test
