// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/resident_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "ballast/error.hpp"
#include "complaint.hpp"
#include "counted_run.hpp"
#include "refused_argument.hpp"

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

TEST(task, refuses_blocks_whose_indices_32_bits_cannot_hold) {
  EXPECT_NO_THROW(task(add{}, {~0u, 1}));
  EXPECT_NO_THROW(task(add{}, {~0u - 9, 10}));
  EXPECT_EQ(refused_argument([] { task(add{}, {~0u - 9, 11}); }), "first");
  EXPECT_EQ(refused_argument([] { task(add{}, {~0u, 2}); }), "first");
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

TEST(resident_kernel, has_its_room_beside_others_that_were_made_before_one_started) {
  if (device()->properties().multiprocessors < 2) GTEST_SKIP() << "needs two cores";
  counted_run first(with_workers(1)), second(with_workers(1));
  first.start(10, true);
  second.start(20, true);
  EXPECT_TRUE(first.kernel.running());
  EXPECT_TRUE(second.kernel.running());
  for (auto* const run : {&first, &second}) {
    run->kernel.request_stop();
    run->kernel.join(soon());
  }
  EXPECT_EQ(first.executed(), 10u);
  EXPECT_EQ(second.executed(), 20u);
  EXPECT_FALSE(device()->has_resident());
}

TEST(resident_kernel, of_any_number_of_blocks_has_those_that_are_left_at_its_start) {
  if (device()->properties().multiprocessors < 2) GTEST_SKIP() << "needs two cores";
  counted_run first(with_workers(1)), second(resident_options{});
  auto const allocations = device()->allocations();
  first.start(1, true);
  second.start(5, false);
  second.kernel.join(soon());
  // Beside another kernel of blocks of one warp an SM of a GPU has three places less, and the other one's
  // server has an SM.
  auto const lost = device()->is_cuda() ? 3u * std::uint32_t(device()->properties().multiprocessors) : 0;
  auto const most = second.kernel.max_blocks() - first.kernel.blocks() - lost;
  EXPECT_LE(second.kernel.blocks(), most);
  EXPECT_GE(second.kernel.blocks(), most - (device()->is_cuda() ? 32u : 0));
  auto const beside = second.workers();
  EXPECT_EQ(second.executed(), beside * 5);
  first.kernel.request_stop();
  first.kernel.join(soon());
  second.start(5, false);
  second.kernel.join(soon());
  EXPECT_EQ(second.kernel.blocks(), second.kernel.max_blocks());
  EXPECT_EQ(second.executed(), (beside + second.workers()) * 5);
  EXPECT_EQ(device()->allocations(), allocations);
}

TEST(resident_kernel, is_refused_where_others_leave_no_room_and_starts_when_they_have_ended) {
  counted_run run(whole_device());
  counted_run given(with_workers(1)), left(resident_options{});
  run.start(1, true);
  EXPECT_THROW(run.start(1, false), error);
  for (auto* const waiting : {&given, &left})
    EXPECT_THAT(complaint([&] { waiting->start(1, false); }),
                testing::HasSubstr("there is room for 0 beside the resident kernel of set "
                                   "resident_test_kernels (" +
                                   std::to_string(run.kernel.blocks()) + " block"));
  run.kernel.request_stop();
  run.kernel.join(soon());
  for (auto* const waiting : {&given, &left}) {
    waiting->start(1, false);
    waiting->kernel.join(soon());
    EXPECT_EQ(waiting->executed(), waiting->workers());
  }
}

TEST(resident_kernel, is_not_made_beside_one_that_runs) {
  counted_run run(with_workers(1));
  run.start(1, true);
  auto const allocations = device()->allocations();
  auto const make = [&] { resident_kernel(device(), run.list, run.entry, with_workers(1)); };
  EXPECT_THAT(complaint(make), testing::HasSubstr("make all of a device or a GPU before the first starts"));
  EXPECT_EQ(device()->allocations(), allocations);
  run.kernel.request_stop();
  run.kernel.join(soon());
}

TEST(resident_kernel, that_took_room_and_was_not_started_gives_it_back) {
  {
    counted_run run(with_workers(1));
    run.kernel.take_room();
    run.kernel.take_room();
    EXPECT_TRUE(device()->has_resident());
    EXPECT_FALSE(run.kernel.claimed());
    run.kernel.give_back_room();
    EXPECT_FALSE(device()->has_resident());
    run.kernel.take_room();
    run.start(1, false);
    run.kernel.join(soon());
    EXPECT_EQ(run.executed(), 1u);
    EXPECT_FALSE(device()->has_resident());
    run.kernel.take_room();
  }
  EXPECT_FALSE(device()->has_resident());
}

TEST(resident_kernel, is_made_though_its_starts_have_no_time) {
  auto options = with_workers(1);
  options.start_timeout = clock::duration(0);
  for (int time = 0; time < 20; ++time) EXPECT_NO_THROW(counted_run{options});
}

TEST(resident_kernel, is_refused_if_it_may_be_idle_for_no_time) {
  auto options = with_workers(1);
  for (int const ns : {0, -1}) {
    options.idle_timeout = clock::duration(ns);
    EXPECT_EQ(refused_argument([&] { counted_run{options}; }), "idle_timeout");
  }
}

TEST(resident_kernel, that_cannot_start_in_time_says_how_many_blocks_did) {
  if (device()->is_cuda()) GTEST_SKIP() << "shown on cores: it needs a device that is full";
  auto options = with_workers(2);
  options.start_timeout = std::chrono::milliseconds(200);
  counted_run occupying(whole_device()), late(options);
  auto const all = std::uint32_t(whole_device().blocks);
  counting_source stays = occupying.source(0, true);
  auto const other = device()->make_stream();
  other->launch_cooperative(occupying.entry.code, all, &stays, sizeof stays);
  await_blocks_inside(stays.control, all);
  try {
    late.start(1, false);
    ADD_FAILURE() << "a kernel started on a device without a free core";
  } catch (timed_out const& passed) {
    EXPECT_NE(passed.state().find("0 of 2 blocks started"), std::string::npos) << passed.state();
  }
  occupying.kernel.request_stop();
  other->synchronize();
}

TEST(resident_kernel, that_cannot_start_in_time_says_who_else_has_room) {
  if (device()->is_cuda()) GTEST_SKIP() << "shown on cores: it needs one that is held though it has room";
  if (device()->properties().multiprocessors < 2) GTEST_SKIP() << "needs two cores";
  auto options = with_workers(1);
  options.start_timeout = std::chrono::milliseconds(200);
  counted_run occupying(whole_device()), late(options);
  auto const all = std::uint32_t(whole_device().blocks);
  counting_source stays = occupying.source(0, true);
  auto const other = device()->make_stream();
  other->launch_cooperative(occupying.entry.code, all, &stays, sizeof stays);
  await_blocks_inside(stays.control, all);
  auto const room = device()->claim_resident({.holder = "one that takes more than it says"});
  try {
    late.start(1, false);
    ADD_FAILURE() << "a kernel started on a device without a free core";
  } catch (timed_out const& passed) {
    EXPECT_THAT(passed.state(), testing::HasSubstr("0 of 1 block started beside one that takes more than"));
  }
  device()->release_resident(room);
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
