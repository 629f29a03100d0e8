// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "device_kernels.hpp"
#include "every_device.hpp"
#include "held_stream.hpp"

namespace ballast::test {
namespace {

using launches = every_device;

TEST_F(launches, run_every_block_exactly_once) {
  for (auto const& device : devices_)
    for (std::uint32_t const grid : {0u, 1u, 2u, 7u, 10000u}) {
      pinned_buffer<std::uint32_t> visits(device, 10001);
      auto const work = device->make_stream();
      work->fill(visits.data(), 0, visits.bytes());
      visit_argument const argument{visits.data()};
      for (int times = 0; times < 3; ++times) work->launch(visit_kernel(), grid, &argument, sizeof argument);
      work->synchronize();
      for (std::uint32_t i = 0; i < visits.size(); ++i)
        ASSERT_EQ(visits[i], i < grid ? 3u : 0u) << device->name() << " block " << i << " of " << grid;
    }
}

TEST_F(launches, copy_their_argument_before_they_return) {
  for (auto const& device : devices_) {
    pinned_buffer<std::uint32_t> visits(device, 2);
    visits[0] = visits[1] = 0;
    auto const work = device->make_stream();
    visit_argument argument{&visits[0]};
    work->launch(visit_kernel(), 1, &argument, sizeof argument);
    argument.visits = &visits[1];
    work->synchronize();
    EXPECT_EQ(visits[0], 1u);
    EXPECT_EQ(visits[1], 0u);
  }
}

TEST_F(launches, from_several_streams_run_every_block_exactly_once) {
  for (auto const& device : devices_) {
    constexpr std::uint32_t lanes = 4, grid = 500, times = 20;
    pinned_buffer<std::uint32_t> visits(device, lanes * grid);
    for (auto& visit : visits.span()) visit = 0;
    std::vector<std::unique_ptr<stream>> works;
    for (std::uint32_t i = 0; i < lanes; ++i) works.push_back(device->make_stream());
    for (std::uint32_t i = 0; i < lanes * times; ++i) {
      visit_argument const argument{&visits[i % lanes * grid]};
      works[i % lanes]->launch(visit_kernel(), grid, &argument, sizeof argument);
    }
    for (auto const& work : works) work->synchronize();
    for (auto const visit : visits.span()) ASSERT_EQ(visit, times);
  }
}

TEST_F(launches, give_each_block_scratch_of_the_size_it_asks_for) {
  for (auto const& device : devices_)
    for (std::uint32_t const bytes : {1000u, 60u * 1024}) {
      auto const code = scratch_kernel(bytes);
      EXPECT_GE(device->resources(code).blocks_per_multiprocessor, 1);
      pinned_buffer<std::uint32_t> sums(device, 100);
      auto const work = device->make_stream();
      scratch_argument const argument{sums.data()};
      work->launch(code, 100, &argument, sizeof argument);
      work->synchronize();
      for (std::uint32_t block = 0; block < 100; ++block) ASSERT_EQ(sums[block], bytes * block);
    }
}

TEST_F(launches, cooperative_ones_hold_all_their_blocks_at_once) {
  for (auto const& device : devices_) {
    auto const code = meet_kernel();
    auto const fit = std::uint32_t(device->resources(code).blocks_per_multiprocessor *
                                   device->properties().multiprocessors);
    pinned_buffer<std::uint32_t> arrived(device, 1);
    device_buffer<std::uint32_t> counter(device, 1);
    auto const work = device->make_stream();
    work->fill(counter.data(), 0, counter.bytes());
    meet_argument const argument{counter.data()};
    work->launch_cooperative(code, fit, &argument, sizeof argument);
    work->copy(arrived.data(), counter.data(), counter.bytes());
    work->synchronize();
    EXPECT_EQ(arrived[0], fit);
    EXPECT_THROW(work->launch_cooperative(code, fit + 1, &argument, sizeof argument), bad_argument);
    try {
      work->launch_cooperative(code, fit + 1, &argument, sizeof argument);
    } catch (bad_argument const& refusal) {
      EXPECT_EQ(refusal.argument(), "blocks");
      EXPECT_EQ(refusal.value(), std::to_string(fit + 1));
      EXPECT_THAT(refusal.legal(), testing::HasSubstr(std::to_string(fit)));
    }
  }
}

// Blocks of two jobs that wait for their own kind would hang if each job got half of the workers.
TEST(host_launches, cooperative_ones_of_several_streams_do_not_wait_for_each_other) {
  auto const device = open_devices("host:3").front();
  constexpr std::uint32_t lanes = 4, times = 50;
  pinned_buffer<std::uint32_t> arrived(device, lanes * times), visits(device, 64);
  for (auto& word : arrived.span()) word = 0;
  for (auto& word : visits.span()) word = 0;
  std::vector<std::unique_ptr<stream>> works;
  for (std::uint32_t i = 0; i < lanes + 1; ++i) works.push_back(device->make_stream());
  visit_argument const visit{visits.data()};
  for (std::uint32_t i = 0; i < lanes * times; ++i) {
    meet_argument const argument{&arrived[i]};
    works[i % lanes]->launch_cooperative(meet_kernel(), 2 + i % 2, &argument, sizeof argument);
    works[lanes]->launch(visit_kernel(), 64, &visit, sizeof visit);
  }
  for (auto const& work : works) work->synchronize(deadline::in(std::chrono::minutes(4)));
  for (std::uint32_t i = 0; i < lanes * times; ++i) EXPECT_EQ(arrived[i], 2 + i % 2);
  for (auto const visit_count : visits.span()) EXPECT_EQ(visit_count, lanes * times);
}

TEST(host_launches, plain_ones_run_on_the_workers_that_a_cooperative_one_leaves) {
  auto const device = open_devices("host:2").front();
  pinned_buffer<std::uint32_t> words(device, 2), visits(device, 8);
  for (auto& word : words.span()) word = 0;
  for (auto& word : visits.span()) word = 0;
  auto const resident = device->make_stream(), plain = device->make_stream();
  hold_argument const hold{&words[0], &words[1]};
  resident->launch_cooperative(hold_kernel(), 1, &hold, sizeof hold);
  visit_argument const visit{visits.data()};
  plain->launch(visit_kernel(), 8, &visit, sizeof visit);
  plain->synchronize();
  EXPECT_FALSE(resident->idle());
  std::atomic_ref(words[1]).store(1, std::memory_order_release);
  resident->synchronize();
  for (auto const count : visits.span()) EXPECT_EQ(count, 1u);
}

TEST(host_launches, a_cooperative_one_that_does_not_fit_yet_holds_no_worker) {
  auto const device = open_devices("host:2").front();
  pinned_buffer<std::uint32_t> words(device, 3), visits(device, 8);
  for (auto& word : words.span()) word = 0;
  for (auto& word : visits.span()) word = 0;
  auto const resident = device->make_stream(), waiting = device->make_stream(), plain = device->make_stream();
  hold_argument const hold{&words[0], &words[1]};
  resident->launch_cooperative(hold_kernel(), 1, &hold, sizeof hold);
  while (std::atomic_ref(words[0]).load(std::memory_order_acquire) == 0) std::this_thread::yield();
  meet_argument const meet{&words[2]};
  waiting->launch_cooperative(meet_kernel(), 2, &meet, sizeof meet);
  visit_argument const visit{visits.data()};
  for (int times = 0; times < 50; ++times) {
    plain->launch(visit_kernel(), 8, &visit, sizeof visit);
    plain->synchronize(deadline::in(std::chrono::minutes(1)));
  }
  EXPECT_EQ(std::atomic_ref(words[2]).load(), 0u);
  std::atomic_ref(words[1]).store(1, std::memory_order_release);
  waiting->synchronize();
  EXPECT_EQ(words[2], 2u);
}

std::string what_of(auto&& call) {
  try {
    call();
  } catch (device_lost const& loss) { return loss.what(); }
  return "nothing was thrown";
}

// Empty if a planted fault is reported by every later call.
std::string complaint_about_fault(std::shared_ptr<compute_device> const& device) {
  auto const work = device->make_stream(), other = device->make_stream();
  auto const before = other->record();
  std::uint32_t const nothing = 0;
  work->launch(fault_kernel(), 4, &nothing, sizeof nothing);
  auto const waited = what_of([&] { work->synchronize(deadline::in(std::chrono::seconds(30))); });
  if (!device->is_cuda() && waited.find("fault threw: planted") == waited.npos) return waited;
  if (waited.find(device->name()) == waited.npos) return waited;
  std::uint32_t word = 0;
  if (what_of([&] { device->check(); }) != waited) return "check() does not report it";
  if (what_of([&] { work->fill(&word, 0, 4); }) != waited) return "fill() does not report it";
  if (what_of([&] { other->idle(); }) != waited) return "idle() does not report it";
  if (what_of([&] { before->reached(); }) != waited) return "reached() does not report it";
  if (what_of([&] { device->allocate(memory::device, 8); }) != waited) return "allocate() does not report it";
  if (what_of([&] { device->make_stream(); }) != waited) return "make_stream() does not report it";
  return "";
}

// A faulted GPU is lost to its process, so a GPU's turn is in a process of its own.
TEST(faults, lose_the_device_for_every_later_call) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (auto const& spec : parse_devices(tested_list())) {
    auto const complain = [&] { return complaint_about_fault(open_devices({spec}).front()); };
    if (spec.kind == backend::host) {
      EXPECT_EQ(complain(), "");
      continue;
    }
    EXPECT_EXIT(
        {
          auto const complaint = complain();
          if (!complaint.empty()) std::fprintf(stderr, "%s\n", complaint.c_str());
          std::_Exit(complaint.empty() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST(faults, of_one_host_device_leave_the_others_sound) {
  auto const devices = open_devices("host:1,host:1");
  EXPECT_EQ(complaint_about_fault(devices[0]), "");
  EXPECT_THROW(devices[0]->check(), device_lost);
  EXPECT_NO_THROW(devices[1]->check());
}

TEST(faults, of_one_block_leave_streams_of_others_not_at_rest_until_these_have_left) {
  auto const device = open_devices("host:2").front();
  held_stream held(device);
  held.await_start();
  auto const faulty = device->make_stream();
  std::uint32_t const nothing = 0;
  faulty->launch(fault_kernel(), 1, &nothing, sizeof nothing);
  EXPECT_THROW(faulty->synchronize(), device_lost);
  EXPECT_THROW(held.get().idle(), device_lost);
  EXPECT_FALSE(held.get().is_at_rest());
  held.release();
  while (!held.get().is_at_rest()) std::this_thread::yield();
}

}  // namespace
}  // namespace ballast::test
