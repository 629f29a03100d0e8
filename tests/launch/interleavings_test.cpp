// SPDX-License-Identifier: Apache-2.0
// Models of how launch streams and the dispatcher's thread tell each other of launches and of their ends,
// every interleaving of them; and each with an error that must show.

#include <gtest/gtest.h>

#include <algorithm>

#include "explorer.hpp"

namespace ballast::test::launch_interleavings {
namespace {

using word = explored_atomic<std::uint64_t>;
using taken = std::vector<std::uint64_t>;

/// launch_stream_state::announce(), dispatcher::update() and device_thread::sleep().
namespace handshake {

constexpr std::uint64_t launches = 2, announced = 1;

enum class fault { none, lets_go_without_a_second_look, sleeps_without_a_last_look };

struct shared {
  std::uint64_t submitted, marks, inbox, rings, asleep, issued;
};

taken launch_stream(shared& memory) {
  for (std::uint64_t number = 1; number <= launches; ++number) {
    word(memory.submitted).store_release(number);
    if ((word(memory.marks).or_acq_rel(announced) & announced) != 0) continue;
    word(memory.inbox).store_sequential(1);
    if (word(memory.asleep).load_sequential() != 0) word(memory.rings).add_release(1);
  }
  return {};
}

/// Issues what the line has and lets go of it.
void update_line(shared& memory, fault planted, std::uint64_t& issued) {
  for (;;) {
    while (word(memory.submitted).load_acquire() > issued) ++issued;
    word(memory.marks).and_acq_rel(~announced);
    if (planted == fault::lets_go_without_a_second_look) return;
    if (word(memory.submitted).load_acquire() == issued) return;
    if ((word(memory.marks).or_acq_rel(announced) & announced) != 0) return;
  }
}

bool poll(shared& memory, fault planted, std::uint64_t& issued) {
  if (word(memory.inbox).load_sequential() == 0) return false;
  word(memory.inbox).exchange_acq_rel(0);
  update_line(memory, planted, issued);
  return true;
}

explorer<shared>::program dispatcher(fault planted) {
  return [=](shared& memory) {
    std::uint64_t issued = 0;
    while (issued < launches) {
      auto const seen = word(memory.rings).load_acquire();
      if (poll(memory, planted, issued)) continue;
      word(memory.asleep).store_sequential(1);
      if (planted == fault::sleeps_without_a_last_look || !poll(memory, planted, issued))
        while (word(memory.rings).load_acquire() == seen) running_thread->wait();
      word(memory.asleep).store_sequential(0);
    }
    word(memory.issued).store_relaxed(issued);
    return taken{};
  };
}

explorer<shared>::report explored(fault planted) {
  return explorer<shared>({}, {launch_stream, dispatcher(planted)},
                          [](shared& memory, taken const&) { return memory.issued == launches; })
      .explore();
}

}  // namespace handshake

TEST(launch_interleavings, leave_no_launch_behind_while_the_dispatcher_lets_go_of_a_line_or_falls_asleep) {
  EXPECT_TRUE(always_right(handshake::explored(handshake::fault::none)));
}

TEST(launch_interleavings, leave_a_launch_behind_without_a_second_look_at_a_line_that_is_let_go) {
  EXPECT_GT(handshake::explored(handshake::fault::lets_go_without_a_second_look).deadlocks, 0u);
}

TEST(launch_interleavings, leave_a_launch_behind_without_a_last_look_before_sleep) {
  EXPECT_GT(handshake::explored(handshake::fault::sleeps_without_a_last_look).deadlocks, 0u);
}

/// launch_stream_state::watch() and notify_watchers(), which a watch_fence keeps in order.
namespace watching {

struct shared {
  std::uint64_t finished, watched, rings;
};

explorer<shared>::program watcher(bool marks_first) {
  return [=](shared& memory) {
    for (;;) {
      auto const seen = word(memory.rings).load_acquire();
      if (marks_first) word(memory.watched).store_relaxed(1);
      bool const has_finished = word(memory.finished).load_acquire() != 0;
      if (!marks_first) word(memory.watched).store_relaxed(1);
      if (has_finished) return taken{};
      while (word(memory.rings).load_acquire() == seen) running_thread->wait();
    }
  };
}

taken notifier(shared& memory) {
  word(memory.finished).store_release(1);
  if (word(memory.watched).exchange_acq_rel(0) != 0) word(memory.rings).add_release(1);
  return {};
}

explorer<shared>::report explored(bool marks_first) {
  auto const accept = [](shared&, taken const&) { return true; };
  return explorer<shared>({}, {watcher(marks_first), watcher(marks_first), notifier}, accept).explore();
}

}  // namespace watching

TEST(launch_interleavings, wake_everybody_who_sleeps_until_a_launch_has_finished) {
  EXPECT_TRUE(always_right(watching::explored(true)));
}

TEST(launch_interleavings, leave_a_watcher_asleep_that_looks_before_it_says_so) {
  EXPECT_GT(watching::explored(false).deadlocks, 0u);
}

/// ordered_rings::put(), by the thread of a launch stream and by the dispatcher's; a worker; poll().
namespace ring {

constexpr std::uint64_t launches = 3;

enum class fault { none, issues_before_the_position, publishes_by_a_store, believes_the_worker };

struct shared {
  std::uint64_t submitted, issued, position, slots[launches + 1], published, executed, wrong;
};

/// The number of the launch is its content.
void put(shared& memory, fault planted, std::uint64_t number) {
  auto const position = word(memory.position).load_relaxed();
  if (planted != fault::issues_before_the_position) word(memory.position).store_relaxed(position + 1);
  word(memory.slots[position]).store_release(number);
  word(memory.issued).store_release(number);
  if (planted == fault::issues_before_the_position) word(memory.position).store_relaxed(position + 1);
  if (planted == fault::publishes_by_a_store)
    word(memory.published).store_release(position + 1);
  else
    word(memory.published).add_release(1);
}

/// The first launch is handed over, as that of a paused queue.
explorer<shared>::program launch_stream(fault planted) {
  return [=](shared& memory) {
    for (std::uint64_t number = 1; number <= launches; ++number) {
      bool const may_put = number != 1 && word(memory.issued).load_acquire() == number - 1;
      if (may_put) put(memory, planted, number);
      word(memory.submitted).store_release(number);
    }
    return taken{};
  };
}

explorer<shared>::program dispatcher(fault planted) {
  return [=](shared& memory) {
    for (;;) {
      auto const submitted = word(memory.submitted).load_acquire();
      auto const issued = word(memory.issued).load_acquire();
      if (issued == launches) return taken{};
      if (submitted <= issued) running_thread->wait(2);
      put(memory, planted, issued + 1);
    }
  };
}

taken worker(shared& memory) {
  for (std::uint64_t position = 0; position < launches; ++position) {
    while (word(memory.slots[position]).load_acquire() == 0) running_thread->wait();
    word(memory.executed).store_release(position + 1);
  }
  return {};
}

/// Looks once, whenever that may be: no launch has ended that is not issued.
explorer<shared>::program poller(fault planted) {
  return [=](shared& memory) {
    auto const published = word(memory.published).load_sequential();
    auto const executed = word(memory.executed).load_acquire();
    auto const ended = planted == fault::believes_the_worker ? executed : std::min(executed, published);
    if (ended > word(memory.issued).load_acquire()) word(memory.wrong).store_relaxed(1);
    return taken{};
  };
}

explorer<shared>::report explored(fault planted) {
  auto const accept = [](shared& memory, taken const&) {
    bool all = memory.published == launches && memory.wrong == 0;
    for (std::uint64_t i = 0; i < launches; ++i) all = all && memory.slots[i] == i + 1;
    return all;
  };
  auto const waits_for_nobody = planted == fault::issues_before_the_position;  // the worker would for ever
  auto const none = [](shared&) { return taken{}; };
  return explorer<shared>({},
                          {launch_stream(planted), dispatcher(planted),
                           waits_for_nobody ? explorer<shared>::program(none) : worker, poller(planted)},
                          accept)
      .explore();
}

}  // namespace ring

TEST(launch_interleavings, put_each_launch_into_a_ring_once_in_order_and_none_ends_before_it_is_issued) {
  EXPECT_TRUE(always_right(ring::explored(ring::fault::none)));
}

TEST(launch_interleavings, lose_launches_of_a_ring_whose_position_comes_after_the_issue) {
  EXPECT_GT(ring::explored(ring::fault::issues_before_the_position).failures, 0u);
}

TEST(launch_interleavings, lose_the_end_of_a_launch_that_is_published_by_a_store) {
  EXPECT_GT(ring::explored(ring::fault::publishes_by_a_store).failures, 0u);
}

TEST(launch_interleavings, end_launches_before_their_issue_if_the_worker_alone_is_believed) {
  EXPECT_GT(ring::explored(ring::fault::believes_the_worker).failures, 0u);
}

}  // namespace
}  // namespace ballast::test::launch_interleavings
