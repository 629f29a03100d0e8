// SPDX-License-Identifier: Apache-2.0
#include "biased_lock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "ballast/deadline.hpp"

namespace ballast::test {
using namespace detail;
namespace {

void lock_and_unlock(biased_lock& lock, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) {
    ASSERT_TRUE(lock.try_lock());
    lock.unlock();
  }
}

void in_another_thread(std::function<void()> const& act) { std::thread(act).join(); }

class biased_lock_test : public testing::Test {
 protected:
  void SetUp() override {
    if (!biased_lock::can_be_biased())
      GTEST_SKIP() << "this system has no fence for all threads of a process";
  }

  void give_bias() {
    lock_and_unlock(lock_, biased_lock::acquisitions_before_bias);
    ASSERT_TRUE(lock_.is_biased_to_this_thread());
  }

  biased_lock lock_;
};

TEST(lock_without_bias, is_held_by_one_thread_at_a_time) {
  biased_lock lock;
  ASSERT_TRUE(lock.try_lock());
  in_another_thread([&] { EXPECT_FALSE(lock.try_lock()); });
  lock.unlock();
  in_another_thread([&] { lock_and_unlock(lock, 1); });
  lock_and_unlock(lock, 1);
}

TEST_F(biased_lock_test, is_biased_to_a_thread_that_takes_it_often_enough_in_a_row) {
  lock_and_unlock(lock_, biased_lock::acquisitions_before_bias - 1);
  EXPECT_FALSE(lock_.is_biased_to_this_thread());
  lock_and_unlock(lock_, 1);
  EXPECT_TRUE(lock_.is_biased_to_this_thread());
  lock_and_unlock(lock_, 1);
  EXPECT_TRUE(lock_.is_biased_to_this_thread());
}

TEST_F(biased_lock_test, is_biased_to_nobody_while_threads_take_turns) {
  for (int turn = 0; turn < 4; ++turn) {
    lock_and_unlock(lock_, biased_lock::acquisitions_before_bias - 1);
    EXPECT_FALSE(lock_.is_biased_to_this_thread());
    in_another_thread([&] { lock_and_unlock(lock_, 1); });
  }
}

TEST_F(biased_lock_test, is_held_against_others_by_the_thread_that_has_the_bias) {
  give_bias();
  ASSERT_TRUE(lock_.try_lock());
  in_another_thread([&] {
    EXPECT_FALSE(lock_.try_lock());
    EXPECT_FALSE(lock_.try_lock()) << "the bias is gone, but its owner is inside still";
  });
  lock_.unlock();
  in_another_thread([&] { lock_and_unlock(lock_, 1); });
}

TEST_F(biased_lock_test, takes_the_bias_from_a_thread_when_another_takes_the_lock) {
  give_bias();
  in_another_thread([&] {
    ASSERT_TRUE(lock_.try_lock());
    in_another_thread([&] { EXPECT_FALSE(lock_.try_lock()); });
    lock_.unlock();
  });
  EXPECT_FALSE(lock_.is_biased_to_this_thread());
  give_bias();  // again, by the same way as at first
}

TEST_F(biased_lock_test, is_biased_to_no_more_than_so_many_threads_in_its_life_and_held_by_any_number) {
  for (std::uint32_t thread = 0; thread < biased_lock::max_owners + 2; ++thread)
    in_another_thread([&, thread] {
      lock_and_unlock(lock_, biased_lock::acquisitions_before_bias + 1);
      EXPECT_EQ(lock_.is_biased_to_this_thread(), thread < biased_lock::max_owners);
    });
}

TEST_F(biased_lock_test, counts_the_thread_that_was_there_first_among_those_that_may_have_the_bias) {
  give_bias();
  std::uint32_t others = 0;
  for (std::uint32_t thread = 0; thread < biased_lock::max_owners + 2; ++thread)
    in_another_thread([&] {
      lock_and_unlock(lock_, biased_lock::acquisitions_before_bias + 1);
      others += lock_.is_biased_to_this_thread();
    });
  EXPECT_EQ(others, biased_lock::max_owners - 1);
}

/// What only who holds the lock may touch. The relaxed word shows that two are inside at once, the plain one
/// shows ThreadSanitizer whether each sees what the one before did.
class guarded {
 public:
  void visit() {
    if (present_.exchange(1, std::memory_order_relaxed) != 0) ++together_;
    ++visits_;
    present_.store(0, std::memory_order_relaxed);
  }
  std::uint64_t visits() const { return visits_; }
  std::uint32_t together() const { return together_; }

 private:
  std::atomic<std::uint32_t> present_ = 0, together_ = 0;
  std::uint64_t visits_ = 0;
};

/// Lines that one thread reads and another writes: what this one stores next leaves its core late.
class shared_lines {
 public:
  void write() {
    for (auto& one : lines_) one.word.store(1, std::memory_order_relaxed);
  }
  void read() const {
    for (auto const& one : lines_) (void)one.word.load(std::memory_order_relaxed);
  }

 private:
  struct alignas(64) line {
    std::atomic<std::uint32_t> word = 0;
  };
  line lines_[16];
};

/// Waits for the lock; false if it could not be had in time.
bool take(biased_lock& lock, deadline until) {
  for (int tries = 1; !lock.try_lock(); ++tries) {
    if (tries % 64 != 0) continue;
    if (until.passed()) return false;
    std::this_thread::yield();
  }
  return true;
}

// The owner adds to nothing atomically before it takes the lock: that would have its stores leave at once.
TEST_F(biased_lock_test, never_lets_the_owner_of_the_bias_and_another_thread_in_together) {
  constexpr std::uint32_t revocations = 1000;
  guarded place;
  shared_lines lines;
  std::atomic<std::uint64_t> owners = 0;
  std::atomic<bool> done = false;
  auto const until = deadline::in(std::chrono::minutes(4));
  std::jthread owner([&] {
    while (!done.load(std::memory_order_relaxed) && take(lock_, until)) {
      place.visit();
      lock_.unlock();
      owners.store(owners.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      lines.write();
    }
  });
  std::uint32_t others = 0;
  for (; others < revocations && !until.passed(); ++others) {
    auto const biased_again = owners.load() + biased_lock::acquisitions_before_bias + 10;
    for (int reads = 1; owners.load(std::memory_order_relaxed) < biased_again && !until.passed(); ++reads) {
      lines.read();
      if (reads % 256 == 0) std::this_thread::yield();
    }
    if (!take(lock_, until)) break;
    place.visit();
    lock_.unlock();
  }
  done = true;
  owner.join();
  EXPECT_EQ(others, revocations);
  EXPECT_EQ(place.together(), 0u);
  EXPECT_EQ(place.visits(), owners + others);
}

TEST_F(biased_lock_test, keeps_threads_apart_while_the_bias_wanders_among_them) {
  constexpr std::uint32_t bursts = 1000, burst = 2 * biased_lock::acquisitions_before_bias;
  guarded place;
  auto const until = deadline::in(std::chrono::minutes(4));
  auto const visit_in_bursts = [&] {
    for (std::uint32_t i = 0; i < bursts * burst; ++i) {
      if (i % burst == 0) std::this_thread::yield();
      if (!take(lock_, until)) return;
      place.visit();
      lock_.unlock();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(visit_in_bursts);
  }
  EXPECT_EQ(place.together(), 0u);
  EXPECT_EQ(place.visits(), 3u * bursts * burst);
}

}  // namespace
}  // namespace ballast::test
