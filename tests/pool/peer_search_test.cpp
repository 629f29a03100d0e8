// SPDX-License-Identifier: Apache-2.0
// How devices of a pool find that no task is left, as peer_view does: models of a device that has tasks and
// of another one that asks for some.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "explorer.hpp"

namespace ballast::test::peer_search_test {
namespace {

struct shared {
  std::uint32_t mail = 0, gift = 0;  // of who is asked, and of who asks
  std::uint32_t asking = 0;          // workers of the one that asks, + is_closed
  std::uint32_t pending = 0;         // tasks there
  std::uint32_t out = 0;             // devices without tasks
  std::uint32_t left = 2;            // tasks that have not run, the truth
};
using exploration = explorer<shared>;
using word = explored_atomic<std::uint32_t>;

constexpr std::uint32_t one_less = ~0u, is_closed = 1u << 31;

/// Answers, with a task if it has two.
bool answer(shared& memory, std::uint32_t& held) {
  if (word(memory.mail).load_relaxed() == 0) return false;
  std::uint32_t const given = held > 1 ? 1 : 0;
  held -= given;
  word(memory.mail).store_relaxed(0);
  word(memory.gift).store_release(given + 1);
  return true;
}

/// Has both tasks. Says how many are left when it leaves.
exploration::taken asked_device(shared& memory) {
  std::uint32_t held = 2;
  for (; held != 0; --held) {
    answer(memory, held);
    word(memory.left).add_relaxed(one_less);
  }
  word(memory.out).add_relaxed(1);
  while (word(memory.out).load_relaxed() != 2)
    if (!answer(memory, held)) running_thread->wait(2);
  return {word(memory.left).load_relaxed()};
}

void run_gift(shared& memory) {
  word const gift(memory.gift), pending(memory.pending);
  std::uint32_t filled = 0;
  while ((filled = gift.load_acquire()) == 0) running_thread->wait();
  gift.store_relaxed(0);
  if (filled == 1) return;
  pending.add_relaxed(1);
  word(memory.left).add_relaxed(one_less);
  pending.add_relaxed(one_less);
}

exploration::taken leave(shared& memory) {
  while (word(memory.out).load_relaxed() != 2) running_thread->wait();
  return {word(memory.left).load_relaxed()};
}

exploration::report explored(std::vector<exploration::program> programs) {
  auto const nobody_left_early = [](shared& memory, exploration::taken const& tasks_left) {
    return memory.left == 0 && tasks_left == exploration::taken(tasks_left.size(), 0);
  };
  return exploration({}, std::move(programs), nobody_left_early).explore();
}

/// Somebody leaves while tasks are left, or waits for ever for one who has left.
bool goes_wrong(std::vector<exploration::program> programs) {
  auto const report = explored(std::move(programs));
  return report.failures + report.deadlocks != 0;
}

/// Asks once while it is counted in, or after it has counted itself out.
exploration::program asking_device(bool counts_out_first) {
  return [=](shared& memory) {
    if (counts_out_first) word(memory.out).add_relaxed(1);
    word(memory.mail).store_relaxed(1);
    run_gift(memory);
    if (!counts_out_first) word(memory.out).add_relaxed(1);
    return leave(memory);
  };
}

TEST(peer_search, ends_when_no_task_is_left_if_who_asks_is_counted_in) {
  auto const report = explored({asked_device, asking_device(false)});
  EXPECT_EQ(report.failures, 0u);
  EXPECT_EQ(report.deadlocks, 0u);
  EXPECT_GT(report.ends, 1u);
}

TEST(peer_search, goes_wrong_if_who_asks_is_counted_out) {
  EXPECT_TRUE(goes_wrong({asked_device, asking_device(true)}));
}

/// Is out, and comes in again to ask; not when all are out.
exploration::program returning_device(bool looks_first) {
  return [=](shared& memory) -> exploration::taken {
    word const out(memory.out);
    out.add_relaxed(1);
    if (looks_first) {
      std::uint32_t const seen = out.load_relaxed();
      if (seen == 2 || !out.compare_exchange_acq_rel(seen, seen - 1)) return leave(memory);
    } else {
      out.add_relaxed(one_less);
    }
    word(memory.mail).store_relaxed(1);
    run_gift(memory);
    out.add_relaxed(1);
    return leave(memory);
  };
}

TEST(peer_search, lets_a_device_come_back_unless_all_are_out) {
  auto const report = explored({asked_device, returning_device(true)});
  EXPECT_EQ(report.failures, 0u);
  EXPECT_EQ(report.deadlocks, 0u);
}

TEST(peer_search, goes_wrong_if_a_device_comes_back_when_all_are_out) {
  EXPECT_TRUE(goes_wrong({asked_device, returning_device(false)}));
}

/// A worker of the device that asks.
exploration::taken asking_worker(shared& memory) {
  word const asking(memory.asking);
  bool const may_ask = (asking.add_relaxed(1) & is_closed) == 0;
  if (may_ask) {
    word(memory.mail).store_relaxed(1);
    word const gift(memory.gift), pending(memory.pending);
    std::uint32_t filled = 0;
    while ((filled = gift.load_acquire()) == 0) running_thread->wait();
    gift.store_relaxed(0);
    if (filled == 2) pending.add_relaxed(1);
    asking.add_release(one_less);
    if (filled == 2) {
      word(memory.left).add_relaxed(one_less);
      pending.add_relaxed(one_less);
    }
  } else {
    asking.add_release(one_less);
  }
  return leave(memory);
}

/// Another one, which counts the device out.
exploration::program counting_worker(bool closes_first) {
  return [=](shared& memory) {
    word const asking(memory.asking), pending(memory.pending);
    if (closes_first) asking.add_release(is_closed);
    while (asking.load_acquire() != (closes_first ? is_closed : 0)) running_thread->wait();
    while (pending.load_acquire() != 0) running_thread->wait();
    word(memory.out).add_relaxed(1);
    return leave(memory);
  };
}

TEST(peer_search, counts_a_device_out_when_its_workers_ask_no_more) {
  auto const report = explored({asked_device, asking_worker, counting_worker(true)});
  EXPECT_EQ(report.failures, 0u);
  EXPECT_EQ(report.deadlocks, 0u);
  EXPECT_GT(report.ends, 1u);
}

TEST(peer_search, goes_wrong_if_a_worker_may_still_ask) {
  EXPECT_TRUE(goes_wrong({asked_device, asking_worker, counting_worker(false)}));
}

}  // namespace
}  // namespace ballast::test::peer_search_test
