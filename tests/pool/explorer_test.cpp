// SPDX-License-Identifier: Apache-2.0
#include "explorer.hpp"

#include <gtest/gtest.h>

namespace ballast::test {
namespace {

struct two_words {
  std::uint32_t first, second;
};
using exploration = explorer<two_words>;
using word = explored_atomic<std::uint32_t>;

exploration::taken load_then_store(two_words& memory) {
  word const first(memory.first);
  first.store_relaxed(first.load_relaxed() + 1);
  return {};
}

exploration::taken add(two_words& memory) { return {word(memory.first).add_relaxed(1)}; }

bool first_is_two(two_words& memory, exploration::taken const&) { return memory.first == 2; }

TEST(explorer, finds_the_lost_update_of_a_load_and_a_store) {
  auto const report = exploration({}, {load_then_store, load_then_store}, first_is_two).explore();
  EXPECT_GT(report.failures, 0u);
  EXPECT_GT(report.ends, report.failures);
}

TEST(explorer, finds_nothing_wrong_with_an_atomic_add_and_sees_both_orders) {
  auto const report = exploration({}, {add, add}, first_is_two).explore();
  EXPECT_EQ(report.failures, 0u);
  EXPECT_EQ(report.ends, 2u);
  EXPECT_EQ(report.states, 5u);  // the start, one of two after the first step, and the two ends
}

exploration::program wait_then_set(std::uint32_t two_words::*awaited, std::uint32_t two_words::*set) {
  return [=](two_words& memory) {
    while (word(memory.*awaited).load_relaxed() == 0) running_thread->wait();
    word(memory.*set).store_relaxed(1);
    return exploration::taken{};
  };
}

TEST(explorer, reports_threads_that_wait_for_each_other) {
  auto const first = wait_then_set(&two_words::first, &two_words::second);
  auto const second = wait_then_set(&two_words::second, &two_words::first);
  auto const always = [](two_words&, exploration::taken const&) { return true; };
  EXPECT_EQ(exploration({}, {first, second}, always).explore().deadlocks, 1u);
  EXPECT_EQ(exploration({1, 0}, {first, second}, always).explore().deadlocks, 0u);
}

}  // namespace
}  // namespace ballast::test
