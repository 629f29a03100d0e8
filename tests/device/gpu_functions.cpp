// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "every_device.hpp"
#include "plain_kernels.hpp"
#if BALLAST_HAVE_CUDA
#  include "run_time_kernels.hpp"
#endif

namespace ballast::test {
namespace {

using testing::HasSubstr;

void some_function(int) {}
void another_function(int) {}

TEST(gpu_function, of_nothing_is_none_whatever_it_is_made_of) {
  EXPECT_FALSE(gpu_function());
  EXPECT_FALSE(gpu_function(nullptr));
  EXPECT_FALSE(gpu_function(native_kernel()));
  EXPECT_FALSE(gpu_function(native_function()));
  EXPECT_FALSE(gpu_function(static_cast<void (*)(int)>(nullptr)));
}

TEST(gpu_function, is_told_from_others_by_its_address_or_handle) {
  int one = 0, other = 0;
  gpu_function const kernel = reinterpret_cast<native_kernel>(&one);
  EXPECT_TRUE(kernel);
  EXPECT_EQ(kernel.identity(), &one);
  EXPECT_EQ(kernel, gpu_function(reinterpret_cast<native_kernel>(&one)));
  EXPECT_NE(kernel, gpu_function(reinterpret_cast<native_kernel>(&other)));
  EXPECT_NE(kernel, gpu_function(reinterpret_cast<native_function>(&other)));
  EXPECT_EQ(gpu_function(&some_function), gpu_function(some_function));
  EXPECT_NE(gpu_function(&some_function), gpu_function(&another_function));
}

TEST(gpu_function, of_a_handle_is_found_as_what_it_was_given_as) {
  int target = 0;
  detail::driver_handle kernel, function;
  EXPECT_EQ(gpu_function(reinterpret_cast<native_kernel>(&target)).find(kernel), 0);
  EXPECT_EQ(gpu_function(reinterpret_cast<native_function>(&target)).find(function), 0);
  EXPECT_EQ(kernel.kernel, reinterpret_cast<native_kernel>(&target));
  EXPECT_EQ(kernel.function, nullptr);
  EXPECT_FALSE(kernel.is_of_program);
  EXPECT_EQ(function.kernel, nullptr);
  EXPECT_EQ(function.function, reinterpret_cast<native_function>(&target));
}

TEST(host_devices, refuse_handles_of_kernels_in_favour_of_kernels_that_run_there) {
  auto const work = open_devices("host:1").front()->make_stream();
  int target = 0;
  try {
    work->launch_plain({reinterpret_cast<native_kernel>(&target), {1, 1}, nullptr, "mine"});
    ADD_FAILURE() << "nothing was thrown";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.argument(), "kernel");
    EXPECT_EQ(refusal.value(), "mine");
    EXPECT_THAT(refusal.legal(), HasSubstr("run on GPUs only"));
  }
}

#if BALLAST_HAVE_CUDA

/// Handles of kernels that were compiled now, on each GPU.
class handles_of_kernels : public every_gpu {
 protected:
  void SetUp() override {
    every_gpu::SetUp();
    if (IsSkipped()) return;
    if (nvrtc() == nullptr) GTEST_SKIP() << "needs libnvrtc";
  }

  /// Launches add_shared by its handle in a stream of the device; each block adds 3 for each word.
  static std::vector<unsigned> sums_of(std::shared_ptr<compute_device> const& device,
                                       gpu_function const& add_shared, std::uint32_t blocks, unsigned bytes) {
    pinned_buffer<unsigned> sums(device, blocks);
    for (auto& sum : sums.span()) sum = 0;
    auto* at = sums.data();
    unsigned terms = 3;
    void* const arguments[] = {&at, &terms, &bytes};
    auto const work = device->make_stream();
    work->launch_plain({add_shared, {blocks, 128, bytes}, arguments, "add_shared"});
    work->synchronize();
    return {sums.span().begin(), sums.span().end()};
  }
  static std::vector<unsigned> all(std::uint32_t blocks, unsigned sum) {
    return std::vector<unsigned>(blocks, sum);
  }
};

TEST_F(handles_of_kernels, are_launched_in_a_stream_with_their_arguments) {
  for (auto const& device : devices_) {
    run_time_kernels const made(device->spec().index);
    EXPECT_EQ(sums_of(device, made.kernel("add_shared"), 40, 4096), all(40, 3 * 1024));
    EXPECT_EQ(sums_of(device, made.function("add_shared"), 40, 4096), all(40, 3 * 1024));
  }
}

TEST_F(handles_of_kernels, are_allowed_the_shared_memory_that_they_ask_for) {
  for (auto const& device : devices_) {
    run_time_kernels const made(device->spec().index);
    for (unsigned const bytes : {60u * 1024, 48u, 62u * 1024}) {
      EXPECT_EQ(sums_of(device, made.kernel("add_shared"), 9, bytes), all(9, 3 * bytes / 4));
      EXPECT_EQ(sums_of(device, made.function("add_shared"), 9, bytes), all(9, 3 * bytes / 4));
    }
  }
}

TEST_F(handles_of_kernels, may_be_unloaded_and_loaded_again) {
  for (auto const& device : devices_)
    for (int times = 0; times < 5; ++times) {
      run_time_kernels const made(device->spec().index);
      EXPECT_EQ(sums_of(device, made.function("add_shared"), 5, 60 * 1024), all(5, 3 * 15 * 1024));
    }
}

TEST_F(handles_of_kernels, tell_the_attributes_of_their_kernels) {
  for (auto const& device : devices_) {
    run_time_kernels const made(device->spec().index);
    auto const of = [&](gpu_function const& function) {
      return device->resources({.name = "add_shared", .cuda_function = function, .threads = 128});
    };
    auto const kernel = of(made.kernel("add_shared")), function = of(made.function("add_shared"));
    EXPECT_EQ(kernel.static_shared_bytes, 512);
    EXPECT_GT(kernel.registers, 0);
    EXPECT_GE(kernel.blocks_per_multiprocessor, 4);
    EXPECT_EQ(function.static_shared_bytes, 512);
    EXPECT_EQ(function.registers, kernel.registers);
    EXPECT_EQ(function.blocks_per_multiprocessor, kernel.blocks_per_multiprocessor);
  }
}

TEST_F(handles_of_kernels, run_on_a_part_of_a_gpu) {
  auto const part = open_devices("cuda:0@64").front();
  run_time_kernels const made(0);
  EXPECT_EQ(sums_of(part, made.kernel("add_shared"), 1000, 4096), all(1000, 3 * 1024));
  EXPECT_EQ(sums_of(part, made.function("add_shared"), 1000, 4096), all(1000, 3 * 1024));
  EXPECT_EQ(sums_of(part, made.kernel("add_shared"), 100, 60 * 1024), all(100, 3 * 15 * 1024));
  EXPECT_EQ(sums_of(part, made.function("add_shared"), 100, 60 * 1024), all(100, 3 * 15 * 1024));
}

TEST_F(handles_of_kernels, are_launched_by_graphs_between_functions_of_the_program) {
  for (auto const& device : devices_) {
    run_time_kernels const made(device->spec().index);
    pinned_buffer<unsigned> log(device, 4);
    pinned_buffer<std::uint64_t> number(device, 1);
    for (auto& word : log.span()) word = 0;
    number[0] = 0;
    auto* log_at = log.data();
    auto* number_at = number.data();
    unsigned added[] = {70, 80};
    std::uint64_t digit = 4;
    void* const by_kernel[] = {&log_at, &added[0]};
    void* const by_function[] = {&log_at, &added[1]};
    void* const digits[] = {&number_at, &digit};
    std::vector<graph_branch> const branches{{{{made.kernel("append"), {1, 32}, by_kernel, "append"},
                                               {append_digit_function(), {1, 1}, digits, "append_digit"},
                                               {made.function("append"), {1, 32}, by_function, "append"}}}};
    auto const graph = device->make_graph(branches);
    added[0] = 7;
    graph->set_arguments(0, 0, by_kernel);
    auto const work = device->make_stream();
    graph->launch(*work);
    work->synchronize();
    EXPECT_THAT(log.span(), testing::ElementsAre(2, 7, 80, 0));
    EXPECT_EQ(number[0], 4u);
  }
}

TEST_F(handles_of_kernels, that_are_null_are_refused_by_name) {
  for (auto const& device : devices_) {
    auto const work = device->make_stream();
    for (gpu_function const& none : {gpu_function(native_kernel()), gpu_function(native_function())}) try {
        work->launch_plain({none, {1, 1}, nullptr, "mine"});
        ADD_FAILURE() << "nothing was thrown";
      } catch (bad_argument const& refusal) {
        EXPECT_EQ(refusal.argument(), "function");
        EXPECT_EQ(refusal.value(), "null");
        EXPECT_THAT(refusal.legal(), HasSubstr("mine"));
      }
  }
}

#endif

}  // namespace
}  // namespace ballast::test
