// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "device_kernels.hpp"
#include "every_device.hpp"

namespace ballast::test {
namespace {

/// The numbers of the multiprocessors on which the blocks of one launch ran.
std::set<std::uint32_t> used_by(std::shared_ptr<compute_device> const& device, std::uint32_t blocks,
                                bool together) {
  pinned_buffer<std::uint32_t> numbers(device, blocks);
  sm_number_argument const argument{numbers.data()};
  auto const work = device->make_stream();
  if (together)
    work->launch_cooperative(sm_number_kernel(), blocks, &argument, sizeof argument);
  else
    work->launch(sm_number_kernel(), blocks, &argument, sizeof argument);
  work->synchronize();
  return {numbers.span().begin(), numbers.span().end()};
}

std::uint32_t max_resident_blocks(compute_device& device) {
  return std::uint32_t(device.resources(sm_number_kernel()).blocks_per_multiprocessor *
                       device.properties().multiprocessors);
}

/// Opens parts of the first GPU; without one the tests are skipped.
class green_contexts : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "needs a GPU";
  }
  static std::shared_ptr<compute_device> part_of(int multiprocessors) {
    return open_devices("cuda:0@" + std::to_string(multiprocessors)).front();
  }
};

TEST_F(green_contexts, have_the_multiprocessors_that_were_asked_for) {
  auto const part = part_of(16);
  EXPECT_EQ(part->properties().multiprocessors, 16);
  EXPECT_EQ(part->name(), "cuda:0@16");
}

TEST_F(green_contexts, run_no_block_on_more_multiprocessors) {
  for (int const multiprocessors : {8, 64}) {
    auto const used = used_by(part_of(multiprocessors), 100'000, false);
    EXPECT_LE(used.size(), std::size_t(multiprocessors));
  }
}

TEST_F(green_contexts, run_blocks_that_are_there_together_on_all_of_theirs) {
  for (int const multiprocessors : {8, 64}) {
    auto const part = part_of(multiprocessors);
    EXPECT_EQ(used_by(part, max_resident_blocks(*part), true).size(), std::size_t(multiprocessors));
  }
  auto const whole = open_devices("cuda:0").front();
  EXPECT_EQ(used_by(whole, max_resident_blocks(*whole), true).size(),
            std::size_t(whole->properties().multiprocessors));
}

TEST_F(green_contexts, refuse_more_blocks_together_than_fit_on_theirs) {
  auto const part = part_of(8);
  EXPECT_THROW(used_by(part, max_resident_blocks(*part) + 1, true), bad_argument);
  EXPECT_NO_THROW(part->check());
}

TEST_F(green_contexts, of_other_sizes_are_refused_with_the_legal_ones) {
  for (int const multiprocessors : {1, 7, 12, 65535}) {
    try {
      part_of(multiprocessors);
      ADD_FAILURE() << multiprocessors << " was accepted";
    } catch (bad_argument const& refusal) {
      EXPECT_EQ(refusal.argument(), "devices");
      EXPECT_EQ(refusal.value(), "cuda:0@" + std::to_string(multiprocessors));
      EXPECT_THAT(refusal.legal(), testing::MatchesRegex("[0-9].* of this GPU's [0-9]+ multiprocessors"));
    }
  }
}

TEST_F(green_contexts, can_be_made_again_when_one_has_gone) {
  for (int times = 0; times < 20; ++times) EXPECT_FALSE(used_by(part_of(8), 10, false).empty());
}

TEST_F(green_contexts, make_streams_from_several_threads) {
  auto const part = part_of(8);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int times = 0; times < 20; ++times) EXPECT_LE(used_by(part, 100, false).size(), 8u);
    });
}

TEST_F(green_contexts, copy_to_and_from_other_gpus) {
  if (cuda_device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  auto const devices = open_devices("cuda:0@64,cuda:1@8");
  for (auto const& [from, to] : {std::pair(devices[0], devices[1]), std::pair(devices[1], devices[0])}) {
    device_buffer<std::uint32_t> source(from, 1000), target(to, 1000);
    std::vector<std::uint32_t> const in(1000, 42);
    std::vector<std::uint32_t> out(1000);
    auto const work = from->make_stream();
    work->copy(source.data(), in.data(), source.bytes());
    work->copy(target.data(), source.data(), source.bytes());
    work->copy(out.data(), target.data(), target.bytes());
    work->synchronize();
    EXPECT_EQ(out, in) << from->name() << " to " << to->name();
  }
}

}  // namespace
}  // namespace ballast::test
