// SPDX-License-Identifier: Apache-2.0
#include "ballast/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ballast/detail/base/source_run.hpp"
#include "ballast/error.hpp"
#include "continuations.hpp"
#include "forked_child.hpp"
#include "sanitized.hpp"

namespace ballast {
namespace {

using namespace detail;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::exception_ptr planted(char const* text = "planted") {
  return std::make_exception_ptr(std::runtime_error(text));
}

/// Work that a test ends.
struct promise {
  std::shared_ptr<promised_end> source = std::make_shared<promised_end>(default_timeout);
  completion done{source, {}};

  /// Whoever waits may be done with the promise before this returns.
  void end(std::exception_ptr failure = nullptr) const {
    auto const held = source;
    held->end(failure);
  }
};

std::string failure_of(completion const& done) {
  try {
    done.wait();
    return "none";
  } catch (std::exception const& failure) { return failure.what(); }
}

deadline at_once() { return deadline::in({}); }

TEST(completion, of_no_work_is_ready) {
  completion const none;
  EXPECT_TRUE(none.ready());
  none.wait();
  none.wait_until(at_once());
}

TEST(completion, says_that_its_deadline_passed_or_why_it_failed) {
  promise work;
  EXPECT_FALSE(work.done.ready());
  EXPECT_THROW(work.done.wait_until(at_once()), timed_out);
  work.end(planted());
  EXPECT_TRUE(work.done.ready());
  for (int copies = 0; copies < 3; ++copies) EXPECT_EQ(failure_of(completion(work.done)), "planted");
}

TEST(completion, wakes_every_thread_that_waits) {
  promise work;
  std::atomic<int> woken = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      work.done.wait();
      ++woken;
    });
  work.end();
  threads.clear();
  EXPECT_EQ(woken, 8);
}

TEST(continuation, is_called_once_the_work_has_ended_and_not_before) {
  promise work;
  std::atomic<int> calls = 0;
  auto const after = work.done.then([&] { ++calls; });
  auto const at_once_called = completion().then([] {});
  at_once_called.wait();  // the thread has looked at both
  EXPECT_EQ(calls, 0);
  EXPECT_FALSE(after.ready());
  work.end();
  after.wait();
  EXPECT_EQ(calls, 1);
}

TEST(continuation, is_not_called_after_a_failure_which_goes_on) {
  promise work;
  std::atomic<int> calls = 0;
  auto const after = work.done.then([&] { ++calls; }).then([&] { ++calls; });
  work.end(planted());
  EXPECT_EQ(failure_of(after), "planted");
  EXPECT_EQ(calls, 0);
}

TEST(continuation, that_takes_the_completion_is_called_after_a_failure_too) {
  promise work;
  std::string told;
  auto const after = work.done.then([&](completion const& ended) { told = failure_of(ended); });
  work.end(planted());
  EXPECT_EQ(failure_of(after), "none") << "it dealt with the failure";
  EXPECT_EQ(told, "planted");
}

TEST(continuation, fails_its_completion_by_what_it_throws) {
  auto const after = completion().then([] { throw std::runtime_error("thrown in it"); });
  EXPECT_EQ(failure_of(after), "thrown in it");
  completion().then([] {}).wait();  // the thread lives
}

TEST(continuation, may_not_wait_but_for_what_is_ready) {
  promise work;
  auto const waits = completion().then([&] { work.done.wait(); });
  EXPECT_THAT(failure_of(waits), HasSubstr("in a continuation"));
  work.end();
  EXPECT_EQ(failure_of(completion().then([&] { work.done.wait(); })), "none");
}

TEST(continuation, releases_what_it_holds_before_its_completion_is_ready) {
  auto held = std::make_shared<int>(1);
  auto const after = completion().then([held] {});
  after.wait();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(continuation, takes_what_can_only_be_moved) {
  int seen = 0;
  completion().then([value = std::make_unique<int>(5), &seen] { seen = *value; }).wait();
  EXPECT_EQ(seen, 5);
}

TEST(continuation, that_returns_a_completion_ends_as_that_work_does) {
  promise first, second, failing;
  auto const after = first.done.then([&] { return second.done; });
  auto const fails = first.done.then([&](completion const&) { return failing.done; });
  auto const at_once = first.done.then([] { return completion(); });
  first.end();
  at_once.wait();
  EXPECT_FALSE(after.ready());
  second.end();
  after.wait();
  failing.end(planted());
  EXPECT_EQ(failure_of(fails), "planted");
}

TEST(continuations, are_called_in_order_of_the_ends_on_one_thread) {
  promise first, second;
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  auto const note = [&](int which) {
    return [&, which] {
      order.push_back(which);
      threads.push_back(std::this_thread::get_id());
    };
  };
  auto const of_second = second.done.then(note(2)), of_first = first.done.then(note(1));
  second.end();
  of_second.wait();
  first.end();
  of_first.wait();
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
  EXPECT_EQ(threads[0], threads[1]);
  EXPECT_NE(threads[0], std::this_thread::get_id());
}

TEST(continuations, may_add_others_from_any_thread_and_from_a_continuation) {
  std::atomic<int> calls = 0;
  std::vector<completion> all(8);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : all)
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) mine = mine.then([&] { ++calls; });
      });
  }
  when_all(all).wait();
  EXPECT_EQ(calls, 800);
  promise inner_ended;
  completion().then([&] { completion().then([&] { inner_ended.end(); }); });
  inner_ended.done.wait();
}

TEST(continuations, make_a_chain_of_any_length) {
  promise work;
  std::uint32_t calls = 0;
  completion last = work.done;
  for (int i = 0; i < 20'000; ++i) last = last.then([&] { ++calls; });
  work.end();
  last.wait();
  EXPECT_EQ(calls, 20'000u);
}

TEST(continuations, of_a_million_are_all_called) {
  promise work;
  std::uint32_t calls = 0;
  completion last;
  constexpr std::uint32_t many = test::sanitized ? 20'000 : 1'000'000;
  for (std::uint32_t i = 0; i < many; ++i) last = work.done.then([&] { ++calls; });
  work.end();
  last.wait();
  EXPECT_EQ(calls, many);
}

TEST(when_all, is_ready_once_all_are) {
  promise a, b;
  auto const both = when_all(a.done, b.done);
  b.end();
  EXPECT_FALSE(both.ready());
  EXPECT_THROW(both.wait_until(at_once()), timed_out);
  a.end();
  EXPECT_TRUE(both.ready());
  both.wait();
  EXPECT_TRUE(when_all({}).ready());
  when_all({}).then([] {}).wait();
  when_all(completion(), completion()).then([] {}).wait();
}

TEST(when_all, fails_as_the_first_in_order_once_all_have_ended) {
  promise a, b, c;
  auto const all = when_all(a.done, b.done, c.done);
  c.end(planted("of c"));
  b.end(planted("of b"));
  EXPECT_THROW(all.wait_until(at_once()), timed_out) << "a has not ended";
  a.end();
  EXPECT_EQ(failure_of(all), "of b");
}

TEST(when_all, has_continuations) {
  promise a, b;
  auto const after = when_all(a.done, when_all(b.done, completion())).then([] {});
  a.end();
  completion().then([] {}).wait();
  EXPECT_FALSE(after.ready());
  b.end();
  after.wait();
}

TEST(when_any, is_ready_once_one_is) {
  promise a, b;
  auto const any = when_any(a.done, b.done);
  EXPECT_FALSE(any.ready());
  b.end();
  any.wait();
  a.end(planted());
  EXPECT_EQ(failure_of(any), "none") << "b was first";
}

TEST(when_any, fails_if_the_first_that_ended_failed) {
  promise a, b;
  auto const any = when_any(a.done, b.done);
  b.end(planted("of b"));
  EXPECT_EQ(failure_of(any), "of b");
  EXPECT_EQ(failure_of(when_any(b.done, completion())), "of b") << "both are ready";
  EXPECT_THAT([] { when_any({}); }, ThrowsMessage<bad_argument>(HasSubstr("at least one")));
  a.end();
}

/// A coroutine that runs until its first wait when it is called.
struct detached {
  struct promise_type {
    detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

detached await_both(completion first, completion second, std::string& told, promise const& over) {
  co_await first;
  try {
    co_await second;
  } catch (std::exception const& failure) { told = failure.what(); }
  over.end();
}

TEST(completion, is_awaited_by_a_coroutine) {
  promise first, second, over;
  std::string told;
  await_both(first.done, second.done, told, over);
  first.end();
  EXPECT_FALSE(over.done.ready());
  second.end(planted());
  over.done.wait();
  EXPECT_EQ(told, "planted");
}

/// An owner whose work ends when a test says so.
struct counting_owner : completion_source {
  std::atomic<std::uint64_t> ended_below = 0;

  bool has_ended(completion_key const& work) override { return work.first < ended_below; }
  void wait(completion_key const& work, deadline until) override {
    while (!has_ended(work)) {
      if (until.passed()) throw timed_out("an owner", "its state");
      std::this_thread::yield();
    }
  }
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const&) override { return false; }
};

TEST(run_of_a_source, answers_while_its_owner_lives_and_afterwards) {
  counting_owner owner;
  auto& run = source_run::begin(owner);
  auto const first = run.completion_of(0), second = run.completion_of(1);
  owner.ended_below = 1;
  EXPECT_TRUE(first.ready());
  EXPECT_FALSE(second.ready());
  EXPECT_TRUE(run.gave(second));
  auto left = std::make_unique<run_outcome>();
  left->has_ended_well = [](completion_key const& work) { return work.first < 1; };
  left->why_not = planted("its owner went");
  run.end(std::move(left));
  EXPECT_TRUE(second.ready());
  EXPECT_EQ(failure_of(first), "none");
  EXPECT_EQ(failure_of(second), "its owner went");
}

TEST(run_of_a_source, does_not_answer_for_the_next_one) {
  counting_owner first_owner, second_owner;
  auto& first = source_run::begin(first_owner);
  auto const of_first = first.completion_of(5);
  first.end(nullptr);
  auto& second = source_run::begin(second_owner);
  auto const of_second = second.completion_of(5);
  EXPECT_EQ(of_first.source(), of_second.source()) << "the object is used again";
  EXPECT_TRUE(of_first.ready());
  EXPECT_FALSE(of_second.ready());
  EXPECT_FALSE(second.gave(of_first));
  second.end(nullptr);
}

TEST(run_of_a_source, that_a_child_made_by_fork_begins_is_its_own_though_the_object_served_the_parent) {
  counting_owner owner;
  source_run::begin(owner).end(nullptr);
  owner.ended_below = 1;
  EXPECT_EQ(test::end_of_child([&] {
              auto& run = source_run::begin(owner);
              run.completion_of(0).wait();
              run.end(nullptr);
              return true;
            }),
            test::well);
}

TEST(run_of_a_source, is_over_only_when_nobody_asks_its_owner) {
  for (int round = 0; round < 200; ++round) {
    auto owner = std::make_unique<counting_owner>();
    auto& run = source_run::begin(*owner);
    auto const done = run.completion_of(0);
    std::jthread const asks([&] {
      while (!done.ready()) {}
    });
    std::jthread const waits([&] { done.wait(); });
    owner->ended_below = 1;
    run.end(nullptr);
    owner.reset();  // what asks now would touch freed memory
  }
}

TEST(run_of_a_source, calls_continuations_though_nobody_tells_of_ends) {
  counting_owner owner;
  auto& run = source_run::begin(owner);
  auto const after = run.completion_of(0).then([] {});
  owner.ended_below = 1;
  after.wait();
  run.end(nullptr);
}

}  // namespace
}  // namespace ballast
