// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/resident_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "ballast/error.hpp"
#include "counted_run.hpp"

namespace ballast::test {
using namespace detail;
namespace {

std::vector<std::uint32_t> words_of(pinned_buffer<std::uint32_t> const& words) {
  return {words.span().begin(), words.span().end()};
}

/// On host devices: launches are not waited for, and another could come before them.
void await_blocks_inside(resident_control const& control, std::uint32_t blocks) {
  auto const until = soon();
  while (std::atomic_ref(*control.host_blocks).load() < blocks && !until.passed()) std::this_thread::yield();
  ASSERT_EQ(std::atomic_ref(*control.host_blocks).load(), blocks);
}

TEST(kernel_set, launch_every_block_of_a_task_as_an_ordinary_kernel) {
  pinned_buffer<std::uint32_t> words(device(), 6);
  std::ranges::fill(words.span(), 0u);
  auto const work = device()->make_stream();
  launch(resident_test_kernels(), *work, task(add{array_ref<std::uint32_t>(words.data()), 5}, {1, 4}));
  launch(resident_test_kernels(), *work,
         task(add_count_of_blocks{array_ref<std::uint32_t>(words.data())}, {0, 2}));
  work->synchronize();
  EXPECT_EQ(words_of(words), (std::vector<std::uint32_t>{2, 7, 5, 5, 5, 0}));
}

TEST(kernel_set, keep_a_task_through_its_record_and_back) {
  pinned_buffer<std::uint32_t> words(device(), 1);
  task const before(add{array_ref<std::uint32_t>(words.data()), 9}, {77, 123456});
  auto const after = task_of(resident_test_kernels(), record_of(resident_test_kernels(), before));
  EXPECT_EQ(after.key(), before.key());
  EXPECT_EQ(after.range().first, 77u);
  EXPECT_EQ(after.range().count, 123456u);
  EXPECT_EQ(after.arguments(), before.arguments());
}

TEST(kernel_set, refuse_block_counts_that_24_bits_cannot_hold) {
  auto const& list = resident_test_kernels();
  EXPECT_NO_THROW(record_of(list, task(add{}, {0, max_blocks_per_task})));
  EXPECT_THROW(record_of(list, task(add{}, {0, max_blocks_per_task + 1})), bad_argument);
  EXPECT_THROW(record_of(list, task(add{}, {0, 0})), bad_argument);
}

TEST(kernel_set, say_what_each_kernel_needs_and_which_is_heaviest) {
  auto const needs = resident_test_kernels().resources(*device());
  ASSERT_EQ(needs.size(), 2u);
  for (auto const& need : needs) EXPECT_GE(need.blocks_per_multiprocessor, 1);
  EXPECT_NE(resident_test_kernels().heaviest(*device()).name.find("add"), std::string::npos);
}

TEST(kernel_set, refuse_a_source_they_were_not_compiled_for) {
  struct other_source {};
  EXPECT_THROW(resident_test_kernels().entry_for(entry_key_of<other_source>), error);
}

TEST(resident_kernel, runs_every_task_of_every_worker_and_ends_by_itself) {
  counted_run run;
  run.start(100, false);
  run.kernel.join(soon());
  EXPECT_FALSE(run.kernel.running());
  EXPECT_EQ(run.executed(), 200u);
}

TEST(resident_kernel, stays_until_it_is_asked_to_stop) {
  counted_run run;
  run.start(1, true);
  EXPECT_TRUE(run.kernel.running());
  EXPECT_THROW(run.kernel.join(deadline::in(std::chrono::milliseconds(5))), timed_out);
  run.kernel.request_stop();
  run.kernel.join(soon());
  EXPECT_FALSE(run.kernel.running());
}

TEST(resident_kernel, starts_again_and_allocates_nothing_for_it) {
  counted_run run;
  auto const allocations = device()->allocations();
  for (std::uint32_t times = 1; times <= 3; ++times) {
    run.start(10, times == 2);
    run.kernel.request_stop();
    run.kernel.join(soon());
    EXPECT_EQ(run.executed(), times * 20);
  }
  EXPECT_EQ(device()->allocations(), allocations);
}

TEST(resident_kernel, is_refused_while_another_is_resident_on_the_device) {
  counted_run run;
  counted_run waiting;
  run.start(1, true);
  EXPECT_THROW(waiting.start(1, false), error);
  EXPECT_THROW(run.start(1, false), error);
  run.kernel.request_stop();
  run.kernel.join(soon());
  waiting.start(1, false);
  waiting.kernel.join(soon());
  EXPECT_EQ(waiting.executed(), 2u);
}

TEST(resident_kernel, that_cannot_start_in_time_says_how_many_blocks_did) {
  if (device()->is_cuda()) GTEST_SKIP() << "shown on cores: it needs a device that is full";
  resident_options options;
  options.start_timeout = std::chrono::milliseconds(30);
  counted_run occupying;
  auto const entry = occupying.entry;
  counting_source stays;
  stays.control = occupying.kernel.next_control();
  stays.words = occupying.words.data();
  stays.stays = true;
  auto const other = device()->make_stream();
  other->launch_cooperative(entry, 2, &stays, sizeof stays);
  await_blocks_inside(stays.control, 2);
  counted_run late(options);
  try {
    late.start(1, false);
    ADD_FAILURE() << "a kernel started on a device without a free core";
  } catch (timed_out const& passed) {
    EXPECT_NE(passed.state().find("0 of 2 blocks started"), std::string::npos) << passed.state();
  }
  occupying.kernel.request_stop();
  other->synchronize();
}

TEST(resident_kernel, refuses_more_blocks_than_fit_and_names_the_heaviest_kernel) {
  resident_options options;
  options.blocks = 1 << 20;
  try {
    counted_run run(options);
    ADD_FAILURE() << "a million blocks fit";
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "blocks");
    EXPECT_NE(refused.legal().find("add"), std::string::npos) << refused.legal();
  }
}

}  // namespace
}  // namespace ballast::test
