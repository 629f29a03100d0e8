// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "device_kernels.hpp"
#include "every_device.hpp"
#include "held_stream.hpp"

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

/// Lists of parts of one GPU that one call opens.
class parts_of_a_gpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "needs a GPU";
    devices_ = open_devices(GetParam());
  }
  device_list devices_;
};

TEST_P(parts_of_a_gpu, have_the_multiprocessors_that_were_asked_for_and_none_in_common) {
  std::set<std::uint32_t> all;
  std::size_t sum = 0;
  for (auto const& part : devices_) {
    auto const used = used_by(part, max_resident_blocks(*part), true);
    EXPECT_EQ(used.size(), std::size_t(part->properties().multiprocessors)) << part->name();
    EXPECT_EQ(part->properties().multiprocessors, part->spec().multiprocessors);
    all.insert(used.begin(), used.end());
    sum += used.size();
  }
  EXPECT_EQ(all.size(), sum);
}

TEST_P(parts_of_a_gpu, run_kernels_while_one_stays_on_another_part) {
  for (auto const& holding : devices_) {
    std::vector<std::unique_ptr<pinned_buffer<std::uint32_t>>> visits;
    std::vector<std::unique_ptr<stream>> streams;
    for (auto const& part : devices_) {
      (void)part->resources(visit_kernel());
      visits.push_back(std::make_unique<pinned_buffer<std::uint32_t>>(part, 1000));
      std::ranges::fill(visits.back()->span(), 0u);
      streams.push_back(part->make_stream());
    }
    held_stream held(holding);
    held.await_start();
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      visit_argument const argument{visits[i]->data()};
      streams[i]->launch(visit_kernel(), 1000, &argument, sizeof argument);
      streams[i]->synchronize(deadline::in(std::chrono::seconds(20)));
      EXPECT_THAT(visits[i]->span(), testing::Each(1u)) << devices_[i]->name();
    }
    held.release();
  }
}

TEST_P(parts_of_a_gpu, address_each_others_memory_and_copy_it) {
  for (auto const& from : devices_)
    for (auto const& to : devices_) {
      EXPECT_TRUE(to->enable_peer_access(*from));
      device_buffer<std::uint32_t> source(from, 1000), target(to, 1000);
      std::vector<std::uint32_t> const in(1000, 42);
      std::vector<std::uint32_t> out(1000);
      auto const work = to->make_stream();
      work->copy(source.data(), in.data(), source.bytes());
      work->copy(target.data(), source.data(), source.bytes());
      work->copy(out.data(), target.data(), target.bytes());
      work->synchronize();
      EXPECT_EQ(out, in) << from->name() << " to " << to->name();
    }
}

TEST_P(parts_of_a_gpu, have_budgets_of_their_own_and_exclude_the_gpu_and_parts_of_another_call) {
  auto const others = open_devices(GetParam());
  auto const whole = open_devices("cuda:0").front();
  std::vector<detail::resident_room> rooms;
  for (auto const& part : devices_) {
    auto const all = std::uint32_t(part->properties().multiprocessors);
    rooms.push_back(part->claim_resident({.holder = "it on " + part->name(), .blocks = all}));
    EXPECT_EQ(rooms.back().blocks, all);
    EXPECT_THROW(part->claim_resident({.holder = "again"}), error);
    EXPECT_THROW(whole->claim_resident({.holder = "the whole"}), error);
    EXPECT_THROW(others.back()->claim_resident({.holder = "another call"}), error);
    EXPECT_TRUE(part->resident_holders().starts_with("it on " + part->name()));
  }
  for (std::size_t i = 0; i < rooms.size(); ++i) devices_[i]->release_resident(rooms[i]);
  EXPECT_FALSE(whole->has_resident());
  auto const room = whole->claim_resident({.holder = "the whole"});
  EXPECT_TRUE(devices_.front()->has_resident());
  EXPECT_THROW(devices_.front()->claim_resident({.holder = "a part"}), error);
  whole->release_resident(room);
}

TEST_P(parts_of_a_gpu, are_told_apart_by_their_names) {
  std::set<std::string> names;
  for (auto const& part : devices_) names.insert(part->name());
  EXPECT_EQ(names.size(), devices_.size());
}

INSTANTIATE_TEST_SUITE_P(of, parts_of_a_gpu,
                         testing::Values("cuda:0@64,cuda:0@64", "cuda:0@32,cuda:0@96",
                                         "cuda:0@8,cuda:0@40,cuda:0@16,cuda:0@8"));

TEST_F(green_contexts, that_do_not_fit_beside_each_other_are_refused_with_what_they_want) {
  auto const all = open_devices("cuda:0").front()->properties().multiprocessors;
  auto const too_many = all / 8 + 1;
  std::string list = "cuda:0@8";
  for (int i = 1; i < too_many; ++i) list += ",cuda:0@8";
  try {
    open_devices(list);
    ADD_FAILURE() << list << " was accepted";
  } catch (bad_argument const& refusal) {
    EXPECT_EQ(refusal.value(), list);
    EXPECT_THAT(refusal.legal(), testing::HasSubstr(" of its " + std::to_string(all) + " multiprocessors (" +
                                                    "these want " + std::to_string(8 * too_many) + ")"));
  }
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
