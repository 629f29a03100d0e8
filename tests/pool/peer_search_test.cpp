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
  EXPECT_TRUE(always_right(explored({asked_device, asking_device(false)})));
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
  EXPECT_TRUE(always_right(explored({asked_device, returning_device(true)})));
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
  EXPECT_TRUE(always_right(explored({asked_device, asking_worker, counting_worker(true)})));
}

TEST(peer_search, goes_wrong_if_a_worker_may_still_ask) {
  EXPECT_TRUE(goes_wrong({asked_device, asking_worker, counting_worker(false)}));
}

/// A join of the home device, whose last child runs on another one, the sender.
struct joined {
  std::uint32_t out = 0;
  std::uint32_t to_run = 0, taken_home = 0;  // the list, and what the sender is told
  std::uint32_t asking = 0, is_wanted = 0;   // at home: who asks or takes, + is_closed
  std::uint32_t at_home = 0, at_sender = 1;  // pending there: the child at first
  std::uint32_t left = 2;                    // the truth: the child, and what waits for it
};
using join_exploration = explorer<joined>;
enum class flaw { none, taken_uncounted, no_unit, unit_counted_late };

join_exploration::taken leave_joined(joined& memory) {
  while (word(memory.out).load_relaxed() != 2) running_thread->wait();
  return {word(memory.left).load_relaxed()};
}

/// Sends what waits home before it ends.
join_exploration::program last_child(flaw planted) {
  return [=](joined& memory) {
    word const pending(memory.at_sender);
    bool const is_late = planted == flaw::unit_counted_late;
    if (!is_late && planted != flaw::no_unit) pending.add_relaxed(1);
    word(memory.to_run).store_release(1);
    word(memory.left).add_relaxed(one_less);
    pending.add_relaxed(is_late ? 0 : one_less);
    return leave_joined(memory);
  };
}

/// Another worker there: subtracts what home has taken, and counts the device out.
join_exploration::taken counting_sender(joined& memory) {
  word const pending(memory.at_sender), taken_home(memory.taken_home);
  for (std::uint32_t seen = 0;;) {
    std::uint32_t const now = taken_home.load_acquire();
    if (now != seen) pending.add_relaxed(seen - now);
    bool const is_told = now != seen;
    seen = now;
    if (pending.load_acquire() == 0) break;
    if (!is_told) running_thread->wait(2);
  }
  word(memory.out).add_relaxed(1);
  return leave_joined(memory);
}

/// A worker at home: takes what came, or says that it may not yet.
join_exploration::program taking_worker(flaw planted) {
  return [=](joined& memory) {
    word const asking(memory.asking), pending(memory.at_home);
    std::uint32_t const one = planted == flaw::taken_uncounted ? 0 : 1;
    while (word(memory.to_run).load_acquire() == 0) running_thread->wait();
    while ((asking.add_relaxed(one) & is_closed) != 0) {
      word(memory.is_wanted).store_relaxed(1);
      asking.add_release(0 - one);
      while ((asking.load_relaxed() & is_closed) != 0) running_thread->wait();
    }
    pending.add_relaxed(1);
    word(memory.taken_home).add_release(1);
    asking.add_release(0 - one);
    word(memory.left).add_relaxed(one_less);
    pending.add_relaxed(one_less);
    return leave_joined(memory);
  };
}

/// Another one there: counts the device out, and in again where it is wanted.
class counting_home {
 public:
  explicit counting_home(joined& memory) : memory_(memory) {}

  join_exploration::taken run() {
    while (!is_over()) {
      close();
      if (word(memory_.is_wanted).load_relaxed() != 0) {
        open();
      } else if (word(memory_.asking).load_acquire() != is_closed) {
        running_thread->wait(2);
      } else if (word(memory_.at_home).load_acquire() != 0) {
        open();
      } else {
        word(memory_.out).add_relaxed(1);
        come_in();
      }
    }
    return {word(memory_.left).load_relaxed()};
  }

 private:
  static constexpr int max_closes = 2;  ///< while something is left: it stays open for long enough at last

  bool is_over() const { return is_over_; }
  void close() {
    if (is_closed_) return;
    if (++closes_ == max_closes)
      while (word(memory_.left).load_relaxed() != 0) running_thread->wait();
    while (word(memory_.at_home).load_acquire() != 0) running_thread->wait();
    word(memory_.asking).add_release(is_closed);
    is_closed_ = true;
  }
  void open() {
    word(memory_.is_wanted).store_relaxed(0);
    word(memory_.asking).add_release(is_closed);
    is_closed_ = false;
  }
  void come_in() {
    word const out(memory_.out);
    for (;;) {
      std::uint32_t const seen = out.load_relaxed();
      if (seen == 2) {
        is_over_ = true;
        return;
      }
      if (word(memory_.is_wanted).load_relaxed() == 0) running_thread->wait(2);
      if (out.compare_exchange_acq_rel(seen, seen - 1)) return open();
    }
  }

  joined& memory_;
  bool is_closed_ = false, is_over_ = false;
  int closes_ = 0;
};

join_exploration::report explored_join(flaw planted) {
  auto const nobody_left_early = [](joined& memory, join_exploration::taken const& tasks_left) {
    return memory.left == 0 && tasks_left == join_exploration::taken(tasks_left.size(), 0);
  };
  auto const home = [](joined& memory) { return counting_home(memory).run(); };
  return join_exploration({}, {last_child(planted), counting_sender, taking_worker(planted), home},
                          nobody_left_early)
      .explore();
}

TEST(peer_search, ends_when_what_waited_for_a_child_on_another_device_has_run_at_home) {
  EXPECT_TRUE(always_right(explored_join(flaw::none)));
}

TEST(peer_search, goes_wrong_if_what_comes_home_is_not_counted) {
  for (auto const planted : {flaw::taken_uncounted, flaw::no_unit, flaw::unit_counted_late}) {
    auto const report = explored_join(planted);
    EXPECT_NE(report.failures + report.deadlocks, 0u) << int(planted);
  }
}

}  // namespace
}  // namespace ballast::test::peer_search_test
