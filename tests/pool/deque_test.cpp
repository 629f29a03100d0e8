// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <type_traits>

#include "deques.hpp"

namespace ballast::test {
using namespace detail;
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

/// The deques through which several threads of an owner, or of a thief, copy records together.
template <class Kind>
class deque_of_worker_groups : public testing::Test {};

using kinds_of_worker_groups = testing::Types<abp, chase_lev>;
TYPED_TEST_SUITE(deque_of_worker_groups, kinds_of_worker_groups);

/// Adds as many of the records first, first + 1, ... as there is room for; says how many.
template <class Deque>
std::uint32_t push_together(Deque const& deque, std::uint64_t first, std::uint32_t count) {
  auto const places = deque.free_places(count);
  for (std::uint32_t word = 0; word < Deque::slot::words; ++word)  // as by as many threads
    for (std::uint32_t i = 0; i < places.count; ++i)
      deque.at(places.first + i).template write_word<device_atomic>(word, numbered::of(first + i));
  deque.publish(places);
  return places.count;
}

TYPED_TEST(deque_of_worker_groups, takes_as_many_records_at_once_as_it_has_room_for) {
  owned_deque<TypeParam> owned(4);
  EXPECT_EQ(push_together(owned.ref(), 0, 3), 3u);
  EXPECT_EQ(push_together(owned.ref(), 3, 3), 1u);
  EXPECT_EQ(push_together(owned.ref(), 4, 3), 0u);
  EXPECT_EQ(stolen(owned.ref()), 0u);
  for (std::uint64_t i = 4; i-- > 1;) EXPECT_EQ(popped(owned.ref()), i);
}

TYPED_TEST(deque_of_worker_groups, shows_nothing_before_it_is_published) {
  owned_deque<TypeParam> owned(4);
  auto const places = owned.ref().free_places(2);
  EXPECT_EQ(owned.ref().size(), 0u);
  EXPECT_EQ(stolen(owned.ref()), nothing);
  owned.ref().publish(places);
  EXPECT_EQ(owned.ref().size(), 2u);
}

TYPED_TEST(deque_of_worker_groups,
           leaves_records_taken_one_after_another_side_by_side_to_be_read_afterwards) {
  owned_deque<TypeParam> owned(4);
  for (std::uint64_t lap = 0; lap < 4; ++lap) {  // in the circular deque each begins one slot further on
    push_together(owned.ref(), 10 * lap, 4);
    EXPECT_EQ(stolen(owned.ref()), 10 * lap);
    typename owned_deque<TypeParam>::ref_type::index newest = 0, place = 0;
    EXPECT_TRUE(owned.ref().take_newest(newest));
    EXPECT_TRUE(owned.ref().take_newest(place));
    EXPECT_TRUE(owned.ref().take_newest(place));
    EXPECT_FALSE(owned.ref().take_newest(place));
    for (std::uint32_t i = 0; i < 3; ++i)
      EXPECT_EQ(owned.ref().at(newest - i).template read<device_atomic>().number, 10 * lap + 3 - i);
  }
}

TYPED_TEST(deque_of_worker_groups, gives_a_record_to_one_of_two_thieves_that_have_both_read_it) {
  owned_deque<TypeParam> owned(4);
  push_together(owned.ref(), 0, 2);
  std::uint64_t one = 0, other = 0;
  EXPECT_TRUE(owned.ref().find_oldest(one));
  EXPECT_TRUE(owned.ref().find_oldest(other));
  EXPECT_TRUE(owned.ref().claim(one));
  EXPECT_FALSE(owned.ref().claim(other));
  EXPECT_EQ(stolen(owned.ref()), 1u);
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
