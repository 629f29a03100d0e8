// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/ring_queue.cuh"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <thread>
#include <type_traits>

#include "records.hpp"

namespace ballast::test::ring_queue_test {
using namespace detail;
namespace {

using ring = ring_queue_ref<numbered>;
constexpr auto never_waits = [] { return false; };

class owned_ring {
 public:
  explicit owned_ring(std::uint32_t capacity) : capacity_(capacity), slots_(capacity) {}

  ring ref() { return {&words_, slots_.data(), capacity_}; }

  /// As after `tickets` records went through, for tests of the tickets' wrap: a multiple of the capacity.
  void begin_at(std::uint32_t tickets) {
    words_.tail = words_.head = tickets;
    words_.used = words_.stored = 0;
    for (auto& slot : slots_) slot.turn = tickets;
  }
  /// Who pops next finds that a record is stored, and then no record.
  void claim_for_a_pusher_that_goes_no_further() { words_.used = words_.stored = words_.tail = 1; }
  /// Who pushes next finds room, and then a slot that is not free.
  void claim_for_a_popper_that_goes_no_further() { slots_[0].turn = words_.tail + 1; }

 private:
  ring_queue_words words_{};
  std::uint32_t capacity_;
  std::vector<ring::slot> slots_;
};

push_outcome push(owned_ring& to, std::uint64_t number) {
  return to.ref().push(numbered::of(number), never_waits);
}

void expect_next(owned_ring& from, std::uint64_t number) {
  numbered record;
  ASSERT_EQ(from.ref().pop(record, never_waits), pop_outcome::taken);
  EXPECT_TRUE(record.is_whole());
  EXPECT_EQ(record.number, number);
}

TEST(ring_queue, is_trivially_copyable_so_that_a_kernel_can_be_given_one) {
  EXPECT_TRUE(std::is_trivially_copyable_v<ring>);
}

TEST(ring_queue, gives_records_in_the_order_in_which_they_came) {
  owned_ring owned(4);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(push(owned, i), push_outcome::stored);
  for (std::uint64_t i = 0; i < 4; ++i) expect_next(owned, i);
}

TEST(ring_queue, says_that_it_is_empty_and_leaves_the_record_alone) {
  owned_ring owned(2);
  numbered record = numbered::of(7);
  EXPECT_EQ(owned.ref().pop(record, never_waits), pop_outcome::empty);
  EXPECT_EQ(push(owned, 0), push_outcome::stored);
  expect_next(owned, 0);
  EXPECT_EQ(owned.ref().pop(record, never_waits), pop_outcome::empty);
  EXPECT_EQ(record.number, 7u);
}

TEST(ring_queue, says_that_it_is_full_and_keeps_the_others) {
  owned_ring owned(2);
  for (std::uint64_t i = 0; i < 2; ++i) EXPECT_EQ(push(owned, i), push_outcome::stored);
  for (std::uint64_t i = 0; i < 2; ++i) EXPECT_EQ(push(owned, 9), push_outcome::full);
  expect_next(owned, 0);
  EXPECT_EQ(push(owned, 2), push_outcome::stored);
  EXPECT_EQ(push(owned, 9), push_outcome::full);
  for (std::uint64_t i = 1; i < 3; ++i) expect_next(owned, i);
}

TEST(ring_queue, goes_on_when_its_tickets_begin_again_at_zero) {
  owned_ring owned(4);
  owned.begin_at(0u - 8u);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(push(owned, i), push_outcome::stored);
    EXPECT_EQ(push(owned, i + 1000), push_outcome::stored);
    expect_next(owned, i);
    expect_next(owned, i + 1000);
  }
}

TEST(ring_queue, gives_up_a_wait_for_another_call_where_that_is_asked_for_and_leaves_both_records_alone) {
  owned_ring owned(2);
  owned.claim_for_a_pusher_that_goes_no_further();
  numbered record = numbered::of(7);
  EXPECT_EQ(owned.ref().pop(record, never_waits), pop_outcome::stalled);
  EXPECT_EQ(record.number, 7u);
  owned.begin_at(2);
  owned.claim_for_a_popper_that_goes_no_further();
  EXPECT_EQ(push(owned, 0), push_outcome::stalled);
  owned.begin_at(2);
  EXPECT_EQ(push(owned, 1), push_outcome::stored) << "the stalled push wrote nothing";
  expect_next(owned, 1);
}

/// Several threads push and several pop.
class ring_stress {
 public:
  static constexpr std::uint64_t per_pusher = 40'000;
  static constexpr std::uint32_t pushers = 3, poppers = 3, capacity = 8;
  static constexpr std::uint64_t records = pushers * per_pusher;

  void run() {
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < pushers; ++i)
      threads.emplace_back([this, i] { push_from(i * per_pusher); });
    for (std::uint32_t i = 0; i < poppers; ++i) threads.emplace_back([this] { pop_until_all_are_out(); });
    for (auto& thread : threads) thread.join();
  }

  std::uint64_t faults() const { return ledger_.faults(); }
  bool has_stalled() const { return stalled_.load(); }

 private:
  using clock = std::chrono::steady_clock;

  bool is_in_time() {
    std::this_thread::yield();
    return !stalled_.load() && clock::now() < deadline_;
  }

  void push_from(std::uint64_t first) {
    start_.arrive_and_wait();
    for (std::uint64_t number = first; number < first + per_pusher && !stalled_.load(); ++number) {
      numbered const record = ledger_.make(number);
      push_outcome outcome = push_outcome::full;
      while (outcome == push_outcome::full && is_in_time())
        outcome = ring_.ref().push(record, [this] { return is_in_time(); });
      if (outcome != push_outcome::stored) stalled_.store(true);
    }
  }

  void pop_until_all_are_out() {
    start_.arrive_and_wait();
    while (out_.load() < records && is_in_time()) {
      numbered record;
      auto const outcome = ring_.ref().pop(record, [this] { return is_in_time(); });
      if (outcome == pop_outcome::stalled) stalled_.store(true);
      if (outcome != pop_outcome::taken) continue;
      ledger_.note(record);
      ++out_;
    }
  }

  owned_ring ring_{capacity};
  record_ledger ledger_{records};
  std::latch start_{pushers + poppers};
  std::atomic<std::uint64_t> out_ = 0;
  std::atomic<bool> stalled_ = false;
  clock::time_point const deadline_ = clock::now() + std::chrono::minutes(2);
};

TEST(ring_queue, gives_every_record_of_many_pushers_to_exactly_one_of_many_poppers) {
  ring_stress crowd;
  crowd.run();
  EXPECT_FALSE(crowd.has_stalled());
  EXPECT_EQ(crowd.faults(), 0u);
}

}  // namespace
}  // namespace ballast::test::ring_queue_test
