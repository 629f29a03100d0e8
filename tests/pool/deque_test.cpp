// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <type_traits>

#include "deques.hpp"

namespace ballast::test {
namespace {

template <class Kind>
class deque : public testing::Test {};

using kinds = testing::Types<abp, chase_lev, tagged>;
TYPED_TEST_SUITE(deque, kinds);

constexpr std::uint64_t nothing = ~std::uint64_t{0};

template <class Deque>
std::uint64_t popped(Deque const& from) {
  numbered record;
  return from.pop(record) && record.is_whole() ? record.number : nothing;
}

template <class Deque>
std::uint64_t stolen(Deque const& from) {
  numbered record;
  return from.steal(record) == steal_outcome::taken && record.is_whole() ? record.number : nothing;
}

TYPED_TEST(deque, is_trivially_copyable_so_that_a_kernel_can_be_given_one) {
  EXPECT_TRUE(std::is_trivially_copyable_v<typename TypeParam::template ref<numbered>>);
}

TYPED_TEST(deque, pops_the_newest_first) {
  owned_deque<TypeParam> owned(8);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(owned.ref().push(numbered::of(i)));
  for (std::uint64_t i = 8; i-- > 0;) EXPECT_EQ(popped(owned.ref()), i);
}

TYPED_TEST(deque, loses_the_oldest_first_to_thieves) {
  owned_deque<TypeParam> owned(8);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(owned.ref().push(numbered::of(i)));
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(stolen(owned.ref()), i);
  EXPECT_EQ(popped(owned.ref()), 7u);
}

TYPED_TEST(deque, gives_nothing_when_empty_and_leaves_the_record_alone) {
  owned_deque<TypeParam> owned(4);
  numbered record = numbered::of(7);
  EXPECT_FALSE(owned.ref().pop(record));
  EXPECT_EQ(owned.ref().steal(record), steal_outcome::empty);
  EXPECT_TRUE(owned.ref().push(numbered::of(1)));
  EXPECT_EQ(stolen(owned.ref()), 1u);
  EXPECT_FALSE(owned.ref().pop(record));
  EXPECT_EQ(owned.ref().steal(record), steal_outcome::empty);
  EXPECT_EQ(record.number, 7u);
}

TYPED_TEST(deque, refuses_a_record_when_full_and_keeps_the_others) {
  owned_deque<TypeParam> owned(2);
  EXPECT_TRUE(owned.ref().push(numbered::of(0)));
  EXPECT_TRUE(owned.ref().push(numbered::of(1)));
  EXPECT_FALSE(owned.ref().push(numbered::of(2)));
  EXPECT_EQ(stolen(owned.ref()), 0u);
  EXPECT_EQ(popped(owned.ref()), 1u);
  EXPECT_EQ(popped(owned.ref()), nothing);
}

TYPED_TEST(deque, of_one_slot_works_again_and_again) {
  owned_deque<TypeParam> owned(1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(owned.ref().push(numbered::of(i)));
    EXPECT_FALSE(owned.ref().push(numbered::of(i)));
    EXPECT_EQ(i % 2 == 0 ? popped(owned.ref()) : stolen(owned.ref()), i);
    EXPECT_EQ(popped(owned.ref()), nothing);
  }
}

TEST(abp_deque, has_room_again_for_what_was_stolen_only_once_it_was_found_empty) {
  owned_deque<abp> owned(2);
  for (std::uint64_t i = 0; i < 2; ++i) EXPECT_TRUE(owned.ref().push(numbered::of(i)));
  for (std::uint64_t i = 0; i < 2; ++i) EXPECT_EQ(stolen(owned.ref()), i);
  EXPECT_FALSE(owned.ref().push(numbered::of(2)));
  EXPECT_EQ(popped(owned.ref()), nothing);
  EXPECT_TRUE(owned.ref().push(numbered::of(2)));
  EXPECT_EQ(stolen(owned.ref()), 2u);
}

TEST(chase_lev_deque, has_room_at_once_for_what_was_stolen_however_often_its_array_is_gone_round) {
  owned_deque<chase_lev> owned(4);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(owned.ref().push(numbered::of(i)));
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(stolen(owned.ref()), i);
    EXPECT_TRUE(owned.ref().push(numbered::of(i + 4)));
    EXPECT_FALSE(owned.ref().push(numbered::of(0)));
  }
  EXPECT_EQ(popped(owned.ref()), 103u);
}

/// One owner and several thieves.
template <class Kind>
class stress {
 public:
  static constexpr std::uint64_t records = 200'000;
  static constexpr std::uint32_t thieves = 3, capacity = 16;

  void run() {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < thieves; ++i) threads.emplace_back([this] { steal_until_done(); });
    start_.arrive_and_wait();
    for (std::uint64_t i = 0; i < records; ++i) push_or_make_room(i);
    while (pop()) {}
    done_.store(true);
    for (auto& thread : threads) thread.join();
  }

  std::uint64_t faults() const { return ledger_.faults(); }

 private:
  void push_or_make_room(std::uint64_t number) {
    numbered const record = ledger_.make(number);
    while (!deque_.ref().push(record)) {
      std::this_thread::yield();  // to the thieves, if they wait for a core
      pop();
    }
    if (number % 3 == 0) pop();
  }

  bool pop() {
    numbered record;
    if (!deque_.ref().pop(record)) return false;
    ledger_.note(record);
    return true;
  }

  void steal_until_done() {
    start_.arrive_and_wait();
    for (;;) {
      bool const was_done = done_.load();
      numbered record;
      auto const outcome = deque_.ref().steal(record);
      if (outcome == steal_outcome::taken) ledger_.note(record);
      if (outcome != steal_outcome::empty) continue;
      if (was_done) return;
      std::this_thread::yield();
    }
  }

  owned_deque<Kind> deque_{capacity};
  record_ledger ledger_{records};
  std::latch start_{thieves + 1};
  std::atomic<bool> done_ = false;
};

TYPED_TEST(deque, gives_every_record_to_exactly_one_of_its_owner_and_many_thieves) {
  stress<TypeParam> crowd;
  crowd.run();
  EXPECT_EQ(crowd.faults(), 0u);
}

}  // namespace
}  // namespace ballast::test
