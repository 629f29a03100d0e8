// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "every_device.hpp"
#include "held_stream.hpp"
#if BALLAST_HAVE_CUDA
#  include <cuda_runtime_api.h>
#endif

namespace ballast::test {
namespace {

void expect_refused_on_the_host(auto const& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "device");
    EXPECT_EQ(refusal.value(), "host:1");
    EXPECT_THAT(refusal.legal(), testing::StartsWith("a GPU: "));
  }
}

TEST(host_devices, adopt_neither_streams_nor_events_of_cuda) {
  auto const device = open_devices("host:1").front();
  int handle = 0;
  expect_refused_on_the_host([&] { device->adopt_stream(nullptr); });
  expect_refused_on_the_host([&] { device->adopt_stream(reinterpret_cast<native_stream>(&handle)); });
  expect_refused_on_the_host([&] { device->adopt_event(nullptr); });
  expect_refused_on_the_host([&] { device->adopt_event(reinterpret_cast<native_event>(&handle)); });
}

#if BALLAST_HAVE_CUDA

using adopted_streams = every_gpu;
using adopted_events = every_gpu;

// A caller's own stream and event, made by CUDA on one GPU.
class callers_own {
 public:
  explicit callers_own(compute_device const& device) : gpu_(device.spec().index) {
    require(cudaSetDevice(gpu_));
    require(cudaStreamCreate(&stream));
    require(cudaEventCreate(&event));
  }
  callers_own(callers_own const&) = delete;
  callers_own& operator=(callers_own const&) = delete;
  ~callers_own() {
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }

  void record() {
    require(cudaSetDevice(gpu_));
    require(cudaEventRecord(event, stream));
  }

  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;

 private:
  static void require(cudaError_t status) {
    if (status != cudaSuccess) throw error(cudaGetErrorString(status));
  }

  int gpu_;
};

TEST_F(adopted_streams, carry_work_out_like_others) {
  for (auto const& device : devices_) {
    callers_own callers(*device);
    for (auto const native : {callers.stream, cudaStreamLegacy, cudaStreamPerThread}) {
      auto const work = device->adopt_stream(native);
      EXPECT_EQ(work->native(), native);
      pinned_buffer<std::uint32_t> visits(device, 100);
      auto const begin = work->record();
      work->fill(visits.data(), 0, visits.bytes());
      visit_argument const argument{visits.data()};
      work->launch(visit_kernel(), 100, &argument, sizeof argument);
      auto const end = work->record();
      work->synchronize();
      EXPECT_TRUE(end->reached());
      EXPECT_GE(end->since(*begin).count(), 0);
      EXPECT_THAT(visits.span(), testing::Each(1u));
    }
  }
}

TEST_F(adopted_streams, are_never_the_default_stream_by_null) {
  for (auto const& device : devices_) EXPECT_THROW(device->adopt_stream(nullptr), bad_argument);
}

TEST_F(adopted_streams, neither_wait_nor_destroy_when_they_go) {
  for (auto const& device : devices_) {
    callers_own callers(*device);
    held_stream held(device);
    auto const held_back = held.get().record();
    device->adopt_stream(callers.stream)->wait_for(*held_back);
    EXPECT_EQ(cudaStreamQuery(callers.stream), cudaErrorNotReady);
    held.release();
    EXPECT_EQ(cudaStreamSynchronize(callers.stream), cudaSuccess);
  }
}

TEST_F(adopted_streams, and_others_wait_for_each_others_events) {
  for (auto const& device : devices_) {
    callers_own callers(*device);
    held_stream held(device);
    auto const adopted = device->adopt_stream(callers.stream);
    auto const own = device->make_stream();
    adopted->wait_for(*held.get().record_untimed());
    own->wait_for(*adopted->record_untimed());
    held.await_start();
    EXPECT_FALSE(adopted->idle());
    EXPECT_FALSE(own->idle());
    held.release();
    own->synchronize();
    EXPECT_TRUE(adopted->idle());
  }
}

TEST_F(adopted_streams, are_refused_on_another_gpu) {
  auto const other = std::ranges::find_if(
      devices_, [&](auto const& device) { return device->spec().index != devices_[0]->spec().index; });
  if (other == devices_.end()) GTEST_SKIP() << "needs two GPUs";
  callers_own callers(*devices_[0]);
  EXPECT_THROW((*other)->adopt_stream(callers.stream), bad_argument);
  EXPECT_NO_THROW((*other)->check());
}

TEST_F(adopted_events, stand_for_what_their_owner_recorded_last) {
  for (auto const& device : devices_) {
    callers_own callers(*device);
    auto const adopted = device->adopt_event(callers.event);
    EXPECT_TRUE(adopted->reached());
    held_stream held(device);
    auto const own = device->make_stream();
    device->adopt_stream(callers.stream)->wait_for(*held.get().record());
    callers.record();
    own->wait_for(*adopted);
    held.await_start();
    EXPECT_FALSE(adopted->reached());
    EXPECT_FALSE(own->idle());
    held.release();
    own->synchronize();
    EXPECT_TRUE(adopted->reached());
  }
}

TEST_F(adopted_events, stay_their_owners_and_have_the_time_that_they_were_made_with) {
  for (auto const& device : devices_) {
    callers_own callers(*device);
    auto const begin = device->adopt_stream(callers.stream)->record();
    callers.record();
    for (int times = 0; times < 2; ++times) {
      auto const end = device->adopt_event(callers.event);
      ASSERT_EQ(cudaEventSynchronize(callers.event), cudaSuccess);
      EXPECT_GE(end->since(*begin).count(), 0);
    }
    held_stream held(device);
    auto const lent_next = held.get().record();
    EXPECT_EQ(cudaEventQuery(callers.event), cudaSuccess);
  }
}

TEST_F(adopted_events, of_nothing_are_refused) {
  for (auto const& device : devices_) EXPECT_THROW(device->adopt_event(nullptr), bad_argument);
}

#endif

}  // namespace
}  // namespace ballast::test
