// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/executor/device_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "captured_log.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Work that does nothing but to note when it is asked.
class invented_work final : public device_work {
 public:
  std::function<bool(look, std::size_t)> on_look;  // with the number of looks before
  awaited_work what;
  std::atomic<bool> done = true;

  bool poll(look why) override {
    std::size_t before = 0;
    {
      std::lock_guard const hold(mutex_);
      before = looks_.size();
      looks_.push_back(why);
      if (before == 0) first_ = clock::now();
      if (why == look::last && !first_last_) first_last_ = clock::now();
    }
    looked_.notify();
    return on_look && on_look(why, before);
  }
  awaited_work awaited() const override { return what; }
  bool is_done() override { return done.load(); }

  std::vector<look> looks() const {
    std::lock_guard const hold(mutex_);
    return looks_;
  }
  /// The looks before the thread first meant to sleep; `wanted` if they are fewer because 5 ms were over.
  std::size_t looks_before_sleep(std::size_t wanted) const {
    std::lock_guard const hold(mutex_);
    auto const count = std::size_t(std::ranges::find(looks_, look::last) - looks_.begin());
    bool const is_overdue = *first_last_ - first_ >= std::chrono::milliseconds(5);
    return count < wanted && is_overdue ? wanted : count;
  }
  /// Sleeps until there were so many looks for that reason.
  void await(look why, std::size_t count) {
    auto const until = deadline::in(std::chrono::minutes(1));
    for (;;) {
      auto const seen = looked_.epoch();
      if (std::size_t(std::ranges::count(looks(), why)) >= count) return;
      ASSERT_TRUE(looked_.wait_past(seen, until.at())) << "the thread does not look";
    }
  }

 private:
  mutable std::mutex mutex_;
  std::vector<look> looks_;
  clock::time_point first_;
  std::optional<clock::time_point> first_last_;
  event_count looked_;
};

class device_thread_test : public testing::Test {
 protected:
  invented_work work_;

  static deadline soon() { return deadline::in(std::chrono::minutes(1)); }
};

TEST_F(device_thread_test, looks_twice_and_sleeps_until_it_is_woken) {
  device_thread thread(work_, false);
  thread.start("a test", "test");
  constexpr std::size_t wake_ups = 10;
  for (std::size_t i = 1; i <= wake_ups; ++i) {
    work_.await(look::last, i);
    thread.wake();
  }
  work_.await(look::last, wake_ups + 1);
  auto const looks = work_.looks();
  thread.close(soon());
  ASSERT_EQ(looks.size(), 2 * (wake_ups + 1));
  for (std::size_t i = 0; i < looks.size(); ++i) EXPECT_EQ(looks[i], i % 2 == 0 ? look::usual : look::last);
}

TEST_F(device_thread_test, looks_again_if_it_is_woken_between_its_last_look_and_its_sleep) {
  device_thread thread(work_, false);
  work_.on_look = [&](look why, std::size_t) {
    if (why == look::last && std::ranges::count(work_.looks(), look::last) < 100) thread.wake();
    return false;
  };
  thread.start("a test", "test");
  work_.await(look::last, 100);
  thread.close(soon());
}

TEST_F(device_thread_test, is_woken_by_a_notification_that_came_while_it_was_awake) {
  device_thread thread(work_, false);
  work_.on_look = [&](look why, std::size_t before) {
    if (why == look::usual && before < 100) thread.wake_event().notify();
    return false;
  };
  thread.start("a test", "test");
  work_.await(look::usual, 51);
  thread.close(soon());
}

TEST_F(device_thread_test, is_notified_only_while_it_may_sleep) {
  for (auto const wake : {&device_thread::wake, &device_thread::wake_if_idle}) {
    invented_work work;
    device_thread thread(work, false);
    std::vector<bool> notified;
    work.on_look = [&](look, std::size_t before) {
      auto const epoch = thread.wake_event().epoch();
      if (before < 2) (thread.*wake)();
      if (before < 2) notified.push_back(thread.wake_event().epoch() != epoch);
      return false;
    };
    thread.start("a test", "test");
    work.await(look::last, 2);
    thread.close(soon());
    EXPECT_THAT(notified, testing::ElementsAre(false, true));
  }
}

TEST_F(device_thread_test, that_sleeps_without_limit_is_woken_as_an_idle_one) {
  device_thread thread(work_, false);
  thread.start("a test", "test");
  for (std::size_t i = 1; i <= 10; ++i) {
    work_.await(look::last, i);
    thread.wake_if_idle();
  }
  work_.await(look::last, 11);
  thread.close(soon());
}

TEST_F(device_thread_test, looks_for_as_long_as_it_finds_something) {
  device_thread thread(work_, false);
  work_.on_look = [](look, std::size_t before) { return before < 50; };
  thread.start("a test", "test");
  work_.await(look::last, 1);
  thread.close(soon());
  auto const looks = work_.looks();
  EXPECT_EQ(std::ranges::find(looks, look::last) - looks.begin(), 51);
}

TEST_F(device_thread_test, looks_2000_times_on_a_gpu_for_what_is_near_before_it_sleeps) {
  for (bool const is_of_gpu : {true, false}) {
    invented_work work;
    work.what.is_near = true;
    device_thread thread(work, is_of_gpu);
    thread.start("a test", "test");
    work.await(look::last, 1);
    thread.close(soon());
    EXPECT_EQ(work.looks_before_sleep(is_of_gpu ? 2000 : 1), is_of_gpu ? 2000u : 1u);
  }
}

TEST_F(device_thread_test, looks_2000_times_again_after_it_has_found_something) {
  device_thread thread(work_, true);
  work_.what.is_near = true;
  work_.on_look = [](look, std::size_t before) { return before == 1500; };
  thread.start("a test", "test");
  work_.await(look::last, 1);
  thread.close(soon());
  EXPECT_EQ(work_.looks_before_sleep(3501), 3501u);
}

TEST_F(device_thread_test, looks_from_time_to_time_for_what_wakes_nobody) {
  for (auto const& what : {awaited_work{.is_on_device = true}, awaited_work{.is_elsewhere = true}})
    for (bool const is_of_gpu : {true, false}) {
      invented_work work;
      work.what = what;
      device_thread thread(work, is_of_gpu);
      thread.start("a test", "test");
      work.await(look::overdue, 3);
      thread.close(soon());
    }
}

TEST_F(device_thread_test, looks_once_more_after_it_was_told_to_end) {
  device_thread thread(work_, false);
  bool handed_over = false, seen = false;
  std::mutex mutex;
  work_.on_look = [&](look, std::size_t) {
    std::lock_guard const hold(mutex);
    seen = handed_over;
    return false;
  };
  thread.start("a test", "test");
  work_.await(look::last, 1);
  {
    std::lock_guard const hold(mutex);
    handed_over = true;
  }
  thread.close(soon());
  EXPECT_TRUE(seen);
}

TEST_F(device_thread_test, ends_once_the_work_is_done_though_nobody_says_when_that_is) {
  device_thread thread(work_, false);
  work_.done = false;
  work_.on_look = [&](look, std::size_t before) {
    if (before > 20) work_.done = true;
    return false;
  };
  thread.start("a test", "test");
  thread.close(soon());
  EXPECT_GT(work_.looks().size(), 20u);
}

TEST_F(device_thread_test, ends_at_the_deadline_if_the_work_is_not_done) {
  device_thread thread(work_, false);
  work_.done = false;
  thread.start("a test", "test");
  thread.close(deadline::in(std::chrono::milliseconds(1)));
}

TEST_F(device_thread_test, ends_at_the_deadline_if_there_is_always_something_to_do) {
  device_thread thread(work_, false);
  work_.on_look = [](look, std::size_t) { return true; };
  thread.start("a test", "test");
  thread.close(deadline::in(std::chrono::milliseconds(1)));
}

TEST_F(device_thread_test, does_not_sleep_beyond_the_deadline_for_what_is_awaited) {
  device_thread thread(work_, false);
  work_.done = false;
  work_.what.is_on_device = true;
  thread.start("a test", "test");
  work_.await(look::last, 1);
  thread.close(deadline::in(std::chrono::nanoseconds(0)));
}

TEST_F(device_thread_test, that_was_not_started_or_was_closed_is_closed_at_once) {
  device_thread thread(work_, false);
  thread.close(soon());
  thread.start("a test", "test");
  thread.close(soon());
  thread.close(soon());
}

TEST(left_behind, is_kept_for_good_and_written_to_the_log) {
  captured_log const log;
  auto used = std::make_shared<int>(1);
  std::weak_ptr<int> const watched = used;
  leave_behind(std::move(used), "a queue is left behind", open_devices("host:1"));
  EXPECT_FALSE(watched.expired());
  EXPECT_THAT(log.lines(), testing::HasSubstr("a queue is left behind"));
}

}  // namespace
}  // namespace ballast::test
