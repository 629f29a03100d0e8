// SPDX-License-Identifier: Apache-2.0
// How often the thread of continuations asks, and that it misses no end.
#include "continuations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/error.hpp"
#include "sanitized.hpp"

namespace ballast {
namespace {

using namespace detail;

constexpr std::uint64_t never = ~std::uint64_t(0);

/// Work by number, which ends when a test says so. Counts how often it is asked whether that has ended.
class counted_source final : public completion_source {
 public:
  explicit counted_source(std::uint64_t max_overtaken = never, bool tells = true)
      : max_overtaken_(max_overtaken), tells_(tells) {}

  bool has_ended(completion_key const& work) override {
    ++looks;
    if (work.first >= far) ++far_looks;
    std::lock_guard const hold(mutex_);
    return work.first < ended_below_ || ended_.contains(work.first);
  }
  void wait(completion_key const& work, deadline) override {
    while (!has_ended(work)) std::this_thread::yield();
  }
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) override {
    std::function<void()> meanwhile;
    {
      std::lock_guard const hold(mutex_);
      listener_ = listener;
      if (listener != nullptr) meanwhile = std::exchange(at_next_listening_, nullptr);
    }
    if (meanwhile) meanwhile();
    return tells_;
  }
  std::uint64_t max_overtaken(completion_key const&) override { return max_overtaken_; }

  /// Is called once, when somebody has begun to listen or does so again, who has not been told anything.
  void at_next_listening(std::function<void()> call) {
    std::lock_guard const hold(mutex_);
    at_next_listening_ = std::move(call);
  }
  void end_silently(std::uint64_t number) {
    std::lock_guard const hold(mutex_);
    ended_.insert(number);
  }
  void end(std::uint64_t number) {
    end_silently(number);
    tell();
  }
  void end_below(std::uint64_t number) {
    {
      std::lock_guard const hold(mutex_);
      ended_below_ = number;
    }
    tell();
  }
  void tell() {
    std::shared_ptr<end_listener> told;
    {
      std::lock_guard const hold(mutex_);
      told = listener_;
    }
    if (told != nullptr) told->note_end();
  }

  /// From which work on looks are far ones.
  static constexpr std::uint64_t far = 2000;
  std::atomic<std::uint64_t> looks = 0, far_looks = 0;

 private:
  std::uint64_t const max_overtaken_;
  bool const tells_;
  std::mutex mutex_;
  std::set<std::uint64_t> ended_;
  std::uint64_t ended_below_ = 0;
  std::shared_ptr<end_listener> listener_;
  std::function<void()> at_next_listening_;
};

completion work_of(std::shared_ptr<counted_source> const& source, std::uint64_t number) {
  return {source, {0, number, 1, 0}};
}

/// What was handed to the thread before has been looked at.
void await_thread() {
  completion().then([] {}).wait();
}

/// Whether so many come within a minute. Works that end at once are met wherever the thread is in its turn,
/// so that the last one's continuation need not be called last.
bool await_calls(std::atomic<std::uint64_t> const& calls, std::uint64_t many) {
  auto const until = deadline::in(std::chrono::minutes(1));
  while (calls < many && !until.passed()) std::this_thread::yield();
  return calls == many;
}

constexpr std::uint64_t other_ends = 1000;

/// The looks of that many ends in turn, each of a piece of work with one continuation.
std::uint64_t looks_of_other_ends(std::shared_ptr<counted_source> const& source, std::uint64_t first) {
  auto const before = source->looks.load();
  for (auto number = first; number < first + other_ends; ++number) {
    auto const after = work_of(source, number).then([] {});
    source->end(number);
    after.wait();
  }
  return source->looks - before;
}

TEST(a_continuation, costs_no_look_more_beside_a_million_that_wait_for_one_piece_of_work) {
  constexpr std::uint64_t many = test::sanitized ? 20'000 : 1'000'000;
  auto const source = std::make_shared<counted_source>();
  std::uint64_t calls = 0;
  completion last;
  for (std::uint64_t i = 0; i < many; ++i) last = work_of(source, 0).then([&] { ++calls; });
  await_thread();
  EXPECT_LT(source->looks, many) << "those that wait for the same work are asked for once";
  EXPECT_LT(looks_of_other_ends(source, 1), many);
  source->end(0);
  last.wait();
  EXPECT_EQ(calls, many);
}

TEST(a_continuation, costs_no_look_more_beside_many_that_wait_for_later_work) {
  constexpr std::uint64_t many = test::sanitized ? 20'000 : 200'000;
  auto const source = std::make_shared<counted_source>(2);
  std::atomic<std::uint64_t> calls = 0;
  for (std::uint64_t i = 0; i < many; ++i) work_of(source, 2 * other_ends + i).then([&] { ++calls; });
  await_thread();
  EXPECT_LT(looks_of_other_ends(source, 0), many);
  source->end_below(2 * other_ends + many);
  EXPECT_TRUE(await_calls(calls, many));
}

// How often the thread asks for ends that nobody tells depends on time, but not how far it looks.
TEST(a_continuation, costs_few_looks_at_later_work_of_a_source_that_tells_nothing) {
  constexpr std::uint64_t many = test::sanitized ? 10'000 : 100'000;
  auto const source = std::make_shared<counted_source>(2, false);
  std::atomic<std::uint64_t> calls = 0;
  for (std::uint64_t i = 0; i < many; ++i) work_of(source, counted_source::far + i).then([&] { ++calls; });
  await_thread();
  auto const before = source->far_looks.load();
  looks_of_other_ends(source, 0);
  EXPECT_LT(source->far_looks - before, other_ends * many / 100);
  source->end_below(counted_source::far + many);
  EXPECT_TRUE(await_calls(calls, many));
}

TEST(a_continuation, costs_no_look_more_beside_many_that_wait_for_other_sources) {
  constexpr std::uint64_t many = test::sanitized ? 5'000 : 50'000;
  std::vector<std::shared_ptr<counted_source>> others;
  std::vector<completion> after;
  for (std::uint64_t i = 0; i < many; ++i) {
    others.push_back(std::make_shared<counted_source>());
    after.push_back(work_of(others.back(), 0).then([] {}));
  }
  await_thread();
  auto const looks_at_others = [&] {
    std::uint64_t sum = 0;
    for (auto const& one : others) sum += one->looks;
    return sum;
  };
  auto const before = looks_at_others();
  looks_of_other_ends(std::make_shared<counted_source>(), 0);
  EXPECT_LT(looks_at_others() - before, other_ends * many / 100);
  for (auto const& one : others) one->end(0);
  when_all(after).wait();
}

TEST(a_continuation, of_a_chain_costs_a_few_looks) {
  constexpr std::uint64_t links = 20'000;
  auto const source = std::make_shared<counted_source>();
  auto last = work_of(source, 0);
  source->end_below(links);
  for (std::uint64_t i = 1; i < links; ++i) last = last.then([&source, i] { return work_of(source, i); });
  last.wait();
  EXPECT_LT(source->looks, 10 * links);
}

TEST(a_continuation, of_when_all_asks_for_one_part_after_the_other) {
  constexpr std::uint64_t parts = 2000;
  auto const source = std::make_shared<counted_source>(0);
  std::vector<completion> all;
  for (std::uint64_t i = 0; i < parts; ++i) all.push_back(work_of(source, i));
  auto const after = when_all(all).then([] {});
  await_thread();
  for (std::uint64_t i = 0; i < parts; ++i) {
    EXPECT_FALSE(after.ready());
    source->end(i);
    await_thread();
  }
  after.wait();
  EXPECT_LT(source->looks, 20 * parts);
}

/// Looks when it hears of an end.
class look_at_end final : public end_listener {
 public:
  explicit look_at_end(std::function<void()> look) : look_(std::move(look)) {}
  void note_end() noexcept override { look_(); }

 private:
  std::function<void()> look_;
};

/// Of a continuation that calls this.
template <class Call>
bool is_gone_when_its_end_is_told(Call call) {
  auto held = std::make_shared<int>(0);
  bool was_gone = false;
  auto const look = [&was_gone, seen = std::weak_ptr<int>(held)] { was_gone = seen.expired(); };
  auto const source = std::make_shared<counted_source>();
  auto const after = work_of(source, 0).then([call, held = std::move(held)] { call(); });
  after.source()->notify_at_end(after.work(), std::make_shared<look_at_end>(look));
  source->end(0);
  (void)failure_of(after);
  await_thread();  // which tells of ends
  return was_gone;
}

TEST(a_continuation, is_gone_before_anybody_hears_that_it_is_over) {
  EXPECT_TRUE(is_gone_when_its_end_is_told([] {}));
  EXPECT_TRUE(is_gone_when_its_end_is_told([] { throw error("planted"); }));
}

/// Both are handed over before the thread looks at one of them.
template <class First, class Second>
void add_together(First first, Second second) {
  completion()
      .then([&] {
        first();
        second();
      })
      .wait();
}

// Without a look once the source was asked to tell, the end would be seen when the thread looks for what
// nobody tells of: after what was handed over later.
TEST(continuations, see_an_end_that_comes_before_the_source_is_asked_to_tell) {
  auto const source = std::make_shared<counted_source>();
  source->at_next_listening([&] { source->end_silently(0); });
  std::vector<int> order;
  completion last, first;
  add_together([&] { first = work_of(source, 0).then([&] { order.push_back(1); }); },
               [&] { last = completion().then([&] { order.push_back(2); }); });
  last.wait();
  first.wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(continuations, see_an_end_that_comes_before_the_source_is_asked_to_tell_again) {
  auto const source = std::make_shared<counted_source>();
  std::vector<int> order;
  completion last;
  auto const first = work_of(source, 0).then([&] {
    order.push_back(1);
    last = completion().then([&] { order.push_back(3); });
  });
  auto const second = work_of(source, 1).then([&] { order.push_back(2); });
  await_thread();
  source->at_next_listening([&] { source->end_silently(1); });
  source->end(0);
  first.wait();
  second.wait();
  last.wait();
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

// A note that is not heard is made up for when the thread looks for what nobody tells of: after the other.
TEST(continuations, are_told_by_a_source_again_that_told_before) {
  auto const source = std::make_shared<counted_source>(), other = std::make_shared<counted_source>();
  std::vector<int> order;
  auto const before = work_of(source, 0).then([] {});
  auto const first = work_of(source, 1).then([&] { order.push_back(1); });
  auto const second = work_of(other, 0).then([&] { order.push_back(2); });
  await_thread();
  source->end(0);
  before.wait();
  add_together([&] { source->end(1); }, [&] { other->end(0); });
  first.wait();
  second.wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(continuations, see_what_ended_without_a_word) {
  auto const source = std::make_shared<counted_source>();
  auto const after = work_of(source, 3).then([] {});
  await_thread();
  source->end_silently(3);
  after.wait();
}

void expect_an_end_is_seen_that_overtakes_more_than_was_said(bool source_tells) {
  auto const source = std::make_shared<counted_source>(0, source_tells);
  auto const first = work_of(source, 0).then([] {}), second = work_of(source, 1).then([] {});
  await_thread();
  source->end(1);
  second.wait();
  EXPECT_FALSE(first.ready());
  source->end(0);
  first.wait();
}

TEST(continuations, see_what_overtook_more_than_its_source_said) {
  expect_an_end_is_seen_that_overtakes_more_than_was_said(true);
}

TEST(continuations, see_what_overtook_more_than_a_source_said_that_tells_nothing) {
  expect_an_end_is_seen_that_overtakes_more_than_was_said(false);
}

TEST(continuations, of_the_same_work_are_called_in_order_though_some_come_after_its_end) {
  auto const source = std::make_shared<counted_source>();
  std::vector<int> order;
  work_of(source, 0).then([&] { order.push_back(1); });
  await_thread();
  source->end_silently(0);
  auto const last = work_of(source, 0).then([&] { order.push_back(2); });
  await_thread();
  source->tell();
  last.wait();
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(continuations, of_several_places_of_a_source_do_not_wait_for_each_other) {
  auto const source = std::make_shared<counted_source>(0);
  completion const elsewhere(source, {0, 7, 1, 3});
  auto const here = work_of(source, 0).then([] {}), there = elsewhere.then([] {});
  await_thread();
  source->end(7);
  there.wait();
  EXPECT_FALSE(here.ready());
  source->end(0);
  here.wait();
}

/// A coroutine whose owner destroys it.
struct owned {
  struct promise_type {
    owned get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> frame;
};

owned await_one(completion of, std::atomic<int>& resumed) {
  co_await of;
  ++resumed;
}

TEST(a_coroutine, that_is_destroyed_while_it_waits_is_never_resumed) {
  auto const source = std::make_shared<counted_source>();
  std::atomic<int> resumed = 0;
  auto const gone = await_one(work_of(source, 0), resumed), stays = await_one(work_of(source, 0), resumed);
  await_thread();
  gone.frame.destroy();
  auto const afterwards = work_of(source, 0).then([] {});
  source->end(0);
  afterwards.wait();  // those before it were looked at
  EXPECT_EQ(resumed, 1);
  EXPECT_TRUE(stays.frame.done());
  stays.frame.destroy();
}

TEST(a_coroutine, may_be_destroyed_in_a_continuation_when_the_work_has_ended) {
  auto const source = std::make_shared<counted_source>();
  std::atomic<int> resumed = 0;
  owned waits{};
  auto const destroys = work_of(source, 0).then([&] { waits.frame.destroy(); });
  waits = await_one(work_of(source, 0), resumed);
  source->end(0);
  destroys.wait();
  await_thread();
  EXPECT_EQ(resumed, 0);
}

}  // namespace
}  // namespace ballast
