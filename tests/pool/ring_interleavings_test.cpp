// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "ballast/detail/pool/ring_queue.cuh"
#include "explorer.hpp"

namespace ballast::test::ring_interleavings_test {
using namespace detail;
namespace {

constexpr std::uint32_t capacity = 2;

using ring = ring_queue_ref<std::uint64_t, explored_atomic>;
struct shared {
  ring_queue_words words;
  ring::slot slots[capacity];
};
using exploration = explorer<shared>;

/// A thread waits by letting the others go first; at an end all slots are at rest and nobody waits.
bool let_others_go_first() {
  if (running_thread) running_thread->wait();
  return false;
}

ring view(shared& memory) { return {&memory.words, memory.slots, capacity}; }

void pop(shared& memory, exploration::taken& mine) {
  std::uint64_t record = 0;
  if (view(memory).pop(record, let_others_go_first) == pop_outcome::taken) mine.push_back(record);
}

void push(shared& memory, std::uint64_t record, exploration::taken& mine) {
  if (view(memory).push(record, let_others_go_first) != push_outcome::stored) mine.push_back(record);
}

/// A letter an operation: + pushes the next number from `first` on (its own again if the ring is full), -
/// pops.
exploration::program thread(std::string operations, std::uint64_t first = 0) {
  return [operations, first](shared& memory) {
    exploration::taken mine;
    std::uint64_t next = first;
    for (char const operation : operations) operation == '+' ? push(memory, next++, mine) : pop(memory, mine);
    return mine;
  };
}

bool each_once(shared& memory, exploration::taken all, std::uint64_t pushed) {
  for (std::uint32_t i = 0; i < capacity; ++i) pop(memory, all);
  std::sort(all.begin(), all.end());
  for (std::uint64_t i = 0; i < all.size(); ++i)
    if (all[i] != i) return false;
  return all.size() == pushed && memory.words.used == 0 && memory.words.stored == 0;
}

void expect_exactly_once(std::vector<exploration::program> const& threads, std::uint64_t pushed) {
  auto const accepts = [pushed](shared& memory, exploration::taken const& all) {
    return each_once(memory, all, pushed);
  };
  EXPECT_TRUE(always_right(exploration(shared{}, threads, accepts).explore()));
}

TEST(ring_interleavings, of_a_pusher_and_a_popper_lose_and_double_nothing) {
  expect_exactly_once({thread("+++"), thread("---")}, 3);
}

TEST(ring_interleavings, of_two_pushers_into_the_last_slot_lose_and_double_nothing) {
  expect_exactly_once({thread("++", 0), thread("+", 2)}, 3);
  expect_exactly_once({thread("++-", 0), thread("+-", 2)}, 3);
}

TEST(ring_interleavings, of_two_poppers_of_the_last_record_lose_and_double_nothing) {
  expect_exactly_once({thread("+"), thread("-"), thread("-")}, 1);
  expect_exactly_once({thread("++"), thread("-"), thread("-")}, 2);
}

TEST(ring_interleavings, of_poppers_of_an_empty_ring_let_no_pusher_wait_for_a_pop_that_never_comes) {
  expect_exactly_once({thread("+-+++"), thread("-")}, 4);
}

}  // namespace
}  // namespace ballast::test::ring_interleavings_test
