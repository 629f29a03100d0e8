// SPDX-License-Identifier: Apache-2.0
// What docs/how-to/many-small-kernels.md shows, as it shows it.
#include <gtest/gtest.h>

#include <algorithm>

#include "ballast/device.hpp"
#include "ballast/launch_queue.hpp"
#include "ported_kernels.cuh"
#include "test_devices.hpp"

namespace ballast::test::ported {
namespace {

class page_on_many_small_kernels : public testing::Test {
 protected:
  void SetUp() override { std::ranges::fill(numbers_.span(), 1.0f); }
  bool all_are(float number) const {
    return std::ranges::all_of(numbers_.span(), [=](float one) { return one == number; });
  }

  std::uint32_t const n = 1000;
  std::shared_ptr<compute_device> device = devices().front();
  pinned_buffer<float> numbers_{device, n};
};

TEST_F(page_on_many_small_kernels, shows_one_work_without_and_with_a_queue) {
  if (!device->is_cuda()) GTEST_SKIP() << "needs a GPU: cores have no plain kernels";
  float* const x = numbers_.data();
  work_without_a_queue(x, n, 3);
  EXPECT_TRUE(all_are(8));
  ballast::launch_queue queue({device}, kernels());
  work_of_plain_launches(queue, x, n, 3);
  EXPECT_TRUE(all_are(64));
  work_between_others(queue, *device, x, n);
  EXPECT_TRUE(all_are(256));
}

TEST_F(page_on_many_small_kernels, shows_it_as_a_ballast_kernel) {
  float* const x = numbers_.data();
  ballast::launch_queue queue({device}, kernels());  // once, for all threads
  auto launch_stream = queue.make_launch_stream();   // one for each thread
  launch_stream.launch(scale_kernel{ballast::array_ref(x), n, 2}, (n + 127) / 128).wait();
  EXPECT_TRUE(all_are(2));
}

}  // namespace
}  // namespace ballast::test::ported
