// SPDX-License-Identifier: Apache-2.0
// Models of what the threads of a queue do to the words they share, every interleaving of them; and each with
// an error that must show.

#include <gtest/gtest.h>

#include <algorithm>

#include "explorer.hpp"

namespace ballast::test::queue_interleavings {
namespace {

using word = explored_atomic<std::uint64_t>;
using taken = std::vector<std::uint64_t>;

void wait_until_zero(word const& of) {
  while (of.load_acquire() != 0) running_thread->wait();
}

/// The ring between server and workers: tickets, stamps and releases as in ring_source_ref, and what a stop
/// hands back as in detail::fed_queue::state::collect_from_ring().
namespace ring {

constexpr std::uint64_t capacity = 2, tasks = 3;

enum class fault { none, hears_of_a_stop_late, overwrites };

struct shared {
  std::uint64_t stop, head, filled;
  std::uint64_t stamp[capacity], released[capacity], data[capacity];
};

explorer<shared>::program server(fault planted) {
  return [=](shared& memory) {
    for (std::uint64_t ticket = 0; ticket < tasks; ++ticket) {
      auto const slot = ticket % capacity, lap = ticket / capacity;
      while (planted != fault::overwrites && word(memory.released[slot]).load_acquire() != lap) {
        if (word(memory.stop).load_relaxed() != 0) return taken{};
        running_thread->wait(2);
      }
      word(memory.data[slot]).store_relaxed(ticket + 1);
      word(memory.stamp[slot]).store_release(lap + 1);
      word(memory.filled).store_relaxed(ticket + 1);
    }
    return taken{};
  };
}

/// Waits with a ticket for its task, or for a stop.
explorer<shared>::program worker(fault planted) {
  return [=](shared& memory) {
    taken ran;
    for (;;) {
      auto const ticket = word(memory.head).add_relaxed(1);
      auto const slot = ticket % capacity, lap = ticket / capacity;
      for (;;) {
        if (word(memory.stop).load_relaxed() != 0) return ran;
        if (word(memory.stamp[slot]).load_acquire() == lap + 1) break;
        running_thread->wait(2);
      }
      auto const task = word(memory.data[slot]).load_relaxed();
      word(memory.released[slot]).store_release(lap + 1);
      if (planted == fault::hears_of_a_stop_late && word(memory.stop).load_relaxed() != 0) return ran;
      ran.push_back(task);
    }
  };
}

taken stopper(shared& memory) {
  word(memory.stop).store_release(1);
  return {};
}

/// Each task ran once, or a stop hands it back, from the ring or from the submission ring.
bool has_each_task_once(shared& memory, taken const& ran) {
  auto all = ran;
  for (std::uint64_t slot = 0; slot < capacity; ++slot)
    if (memory.stamp[slot] == memory.released[slot] + 1) all.push_back(memory.data[slot]);
  for (auto ticket = memory.filled; ticket < tasks; ++ticket) all.push_back(ticket + 1);
  std::ranges::sort(all);
  return all == taken{1, 2, 3};
}

explorer<shared>::report explored(fault planted, int workers) {
  std::vector<explorer<shared>::program> threads = {server(planted), stopper};
  threads.insert(threads.end(), std::size_t(workers), worker(planted));
  return explorer<shared>({}, threads, has_each_task_once).explore();
}

}  // namespace ring

TEST(queue_interleavings, run_each_task_once_or_hand_it_back_whenever_a_stop_comes) {
  for (int const workers : {1, 2})
    EXPECT_TRUE(always_right(ring::explored(ring::fault::none, workers), 6)) << workers;
}

TEST(queue_interleavings, lose_a_task_whose_slot_is_released_before_the_worker_looks_for_a_stop) {
  EXPECT_GT(ring::explored(ring::fault::hears_of_a_stop_late, 1).failures, 0u);
}

TEST(queue_interleavings, lose_a_task_where_the_server_awaits_no_release) {
  EXPECT_GT(ring::explored(ring::fault::overwrites, 1).failures, 0u);
}

/// Urgent tasks beside another one: the server's word, and workers that hold tickets, as in ring_consumer.
namespace urgent {

constexpr std::uint64_t waits = 1, ended = 2, tasks = 1;

enum class fault { none, ends_before_a_look, says_too_soon_that_none_are_left };

struct shared {
  std::uint64_t status, head, other, urgent_head, urgent_tail, written[tasks];
};

explorer<shared>::program server(fault planted) {
  return [=](shared& memory) {
    word const status(memory.status);
    for (std::uint64_t task = 0; task < tasks; ++task) {
      word(memory.urgent_tail).store_relaxed(task + 1);
      word(memory.written[task]).store_release(1);
      status.store_relaxed(waits);
    }
    word(memory.other).store_release(1);
    bool const knows = planted == fault::says_too_soon_that_none_are_left;
    status.store_relaxed((knows ? 0 : waits) | ended);
    while (word(memory.urgent_head).load_relaxed() != tasks) running_thread->wait();
    status.store_relaxed(ended);
    return taken{};
  };
}

/// Takes an urgent task, if one is left: its number from 1 on.
std::uint64_t take(shared& memory) {
  for (;;) {
    auto const first = word(memory.urgent_head).load_relaxed();
    if (first >= word(memory.urgent_tail).load_relaxed()) return 0;
    if (!word(memory.urgent_head).compare_exchange_acq_rel(first, first + 1)) continue;
    while (word(memory.written[first]).load_acquire() == 0) running_thread->wait();
    return first + 1;
  }
}

explorer<shared>::program worker(fault planted) {
  return [=](shared& memory) {
    taken ran;
    auto ticket = word(memory.head).add_relaxed(1);
    for (;;) {
      auto const status = word(memory.status).load_relaxed();
      bool const may_be_there = (status & waits) != 0, is_over = (status & ended) != 0 && ticket != 0;
      if (planted == fault::ends_before_a_look && is_over) return ran;
      auto const urgent = may_be_there ? take(memory) : 0;
      if (urgent != 0) {
        ran.push_back(urgent);
      } else if (is_over && !may_be_there) {
        return ran;
      } else if (ticket == 0 && word(memory.other).load_acquire() == 1) {
        ran.push_back(tasks + ++ticket);
      } else {
        running_thread->wait(1 + (may_be_there ? 2 : 0) + (ticket == 0 ? 1 : 0));
      }
    }
  };
}

explorer<shared>::report explored(fault planted) {
  return explorer<shared>({}, {server(planted), worker(planted), worker(planted)},
                          [](shared&, taken ran) {
                            std::ranges::sort(ran);
                            return ran == taken{1, 2};
                          })
      .explore();
}

}  // namespace urgent

TEST(queue_interleavings, run_each_urgent_task_once_beside_another_that_a_worker_has_a_ticket_for) {
  EXPECT_TRUE(always_right(urgent::explored(urgent::fault::none), 1));
}

TEST(queue_interleavings, leave_urgent_tasks_behind_where_the_server_or_all_workers_end_too_soon) {
  EXPECT_GT(urgent::explored(urgent::fault::says_too_soon_that_none_are_left).deadlocks, 0u);
  EXPECT_GT(urgent::explored(urgent::fault::ends_before_a_look).deadlocks, 0u);
}

/// The count by which a batch is known to be complete: batch_mark.
namespace batch {

struct shared {
  std::uint64_t counter, ran, told;
};

/// Runs a task of the batch and adds its credit; who makes the counter zero tells how many have run.
explorer<shared>::program task(std::uint64_t credit) {
  return [=](shared& memory) {
    word(memory.ran).add_relaxed(1);
    if (word(memory.counter).add_release(credit) + credit != 0) return taken{};
    word(memory.told).add_relaxed(1);
    return taken{word(memory.ran).load_relaxed()};
  };
}

explorer<shared>::report explored(std::uint64_t credit_of_last) {
  constexpr std::uint64_t one_less = ~std::uint64_t(0);
  return explorer<shared>({}, {task(one_less), task(one_less), task(credit_of_last)},
                          [](shared& memory, taken const& ran) {
                            return memory.told == 1 && ran == taken{3} && memory.counter == 0;
                          })
      .explore();
}

}  // namespace batch

TEST(queue_interleavings, tell_once_that_a_batch_is_complete_and_only_then) {
  EXPECT_TRUE(always_right(batch::explored(2), 1));
}

TEST(queue_interleavings, tell_wrongly_with_a_credit_that_is_one_off) {
  EXPECT_GT(batch::explored(1).failures, 0u);
  EXPECT_GT(batch::explored(3).failures, 0u);
}

/// Batches that wait for others, whose workers claim tickets in order and wait with what they claimed:
/// ring_source_ref::may_begin(). Tasks 0 and 1 are of a batch, tasks 2 and 3 of one that waits for it.
namespace dependency {

constexpr std::uint64_t tasks = 4;

enum class fault {
  none,
  submits_in_another_order,
  looks_at_the_counter,
  begins_before_it_waits,
  reports_after_all_it_claimed,
};

struct shared {
  std::uint64_t stop, head, counter, ended, ran;
  std::uint64_t begun[tasks];
};

void report(shared& memory, std::uint64_t task) {
  auto const credit = task == 1 ? 1 : ~std::uint64_t(0);
  if (word(memory.counter).add_release(credit) + credit == 0) word(memory.ended).store_release(1);
}

/// False: a stop came. Where none comes it is not looked for, so that a wait without an end shows.
bool await_first_batch(shared& memory, fault planted, bool stops) {
  for (;;) {
    if (stops && word(memory.stop).load_relaxed() != 0) return false;
    bool const at_counter = planted == fault::looks_at_the_counter;
    if (at_counter ? word(memory.counter).load_acquire() == 0 : word(memory.ended).load_acquire() != 0)
      return true;
    running_thread->wait(stops ? 2 : 1);
  }
}

/// Returns of each task of the second batch how many of the first had run, and of the others 0, in the last
/// digit; in the first which it was.
explorer<shared>::program worker(fault planted, bool stops, std::uint64_t claimed_at_once) {
  return [=](shared& memory) {
    taken ran;
    for (;;) {
      auto const first = word(memory.head).add_relaxed(claimed_at_once);
      if (first >= tasks) return ran;
      std::vector<std::uint64_t> unreported;
      for (auto ticket = first; ticket < first + claimed_at_once; ++ticket) {
        auto const task = planted == fault::submits_in_another_order ? (ticket + 2) % tasks : ticket;
        bool const waits = task >= 2;
        if (planted == fault::begins_before_it_waits) word(memory.begun[task]).store_release(1);
        if (waits && !await_first_batch(memory, planted, stops)) return ran;
        word(memory.begun[task]).store_release(1);
        ran.push_back(10 * task + (waits ? word(memory.ran).load_relaxed() : 0));
        if (waits) continue;
        word(memory.ran).add_relaxed(1);
        unreported.push_back(task);
        if (planted == fault::reports_after_all_it_claimed) continue;
        report(memory, task);
        unreported.clear();
      }
      for (auto const task : unreported) report(memory, task);
    }
  };
}

taken stopper(shared& memory) {
  word(memory.stop).store_release(1);
  return {};
}

/// Those that nobody began are handed back.
bool has_each_task_once_and_in_order(shared& memory, taken ran) {
  for (std::uint64_t task = 0; task < tasks; ++task)
    if (memory.begun[task] == 0) ran.push_back(10 * task + (task >= 2 ? 2 : 0));
  std::ranges::sort(ran);
  return ran == taken{0, 10, 22, 32};
}

explorer<shared>::report explored(fault planted, std::size_t workers, bool stops, std::uint64_t at_once = 1) {
  std::vector<explorer<shared>::program> threads(workers, worker(planted, stops, at_once));
  if (stops) threads.push_back(stopper);
  return explorer<shared>({}, threads, has_each_task_once_and_in_order).explore();
}

}  // namespace dependency

TEST(queue_interleavings, run_batches_that_wait_after_those_they_wait_for_and_hand_them_back_at_a_stop) {
  for (std::size_t const workers : {1, 2, 3})
    for (bool const stops : {false, true})
      for (std::uint64_t const at_once : {1, 2, 4})
        EXPECT_TRUE(always_right(dependency::explored(dependency::fault::none, workers, stops, at_once), 1))
            << workers;
}

TEST(queue_interleavings, wait_for_ever_for_a_batch_that_reaches_the_workers_later) {
  EXPECT_GT(dependency::explored(dependency::fault::submits_in_another_order, 1, false).deadlocks, 0u);
  EXPECT_GT(dependency::explored(dependency::fault::submits_in_another_order, 2, false).deadlocks, 0u);
}

TEST(queue_interleavings, begin_early_after_a_batch_whose_counter_is_zero_before_it_begins) {
  EXPECT_GT(dependency::explored(dependency::fault::looks_at_the_counter, 3, false).failures, 0u);
}

TEST(queue_interleavings, lose_a_task_that_waits_after_its_slot_was_released) {
  EXPECT_GT(dependency::explored(dependency::fault::begins_before_it_waits, 2, true).failures, 0u);
}

TEST(queue_interleavings, wait_for_ever_for_what_the_worker_itself_has_run_and_not_reported) {
  EXPECT_GT(dependency::explored(dependency::fault::reports_after_all_it_claimed, 1, false, 4).deadlocks, 0u);
}

/// A task that waits for two others, one of them of another submission ring: fed_queue::state::precedes().
/// Tasks 0 and 2 go through ring 0, task 1 through ring 1; task 2 waits for both others.
namespace two_rings {

constexpr std::uint64_t tasks = 3;

enum class fault { none, awaits_no_fetch, says_fetched_before_it_has_a_ticket, awaits_one_end };

struct shared {
  std::uint64_t stop, head, tail, fetched;
  std::uint64_t submitted[2], ring[tasks], begun[tasks], ended[2];
};

explorer<shared>::program submitter(fault planted) {
  return [=](shared& memory) {
    word(memory.submitted[0]).store_release(1);
    word(memory.submitted[1]).store_release(1);
    while (planted != fault::awaits_no_fetch && word(memory.fetched).load_acquire() == 0)
      running_thread->wait();
    word(memory.submitted[0]).store_release(2);
    return taken{};
  };
}

explorer<shared>::program server(fault planted, std::uint64_t ring) {
  return [=](shared& memory) {
    for (std::uint64_t got = 0; got < 2 - ring; ++got) {
      while (word(memory.submitted[ring]).load_acquire() <= got) running_thread->wait();
      bool const early = planted == fault::says_fetched_before_it_has_a_ticket;
      if (ring == 1 && early) word(memory.fetched).store_release(1);
      auto const ticket = word(memory.tail).add_relaxed(1);
      if (ring == 1 && !early) word(memory.fetched).store_release(1);
      word(memory.ring[ticket]).store_release(1 + ring + 2 * got);
    }
    return taken{};
  };
}

/// False: a stop came.
bool await(word const& of, shared& memory, bool stops) {
  for (;;) {
    if (stops && word(memory.stop).load_relaxed() != 0) return false;
    if (of.load_acquire() != 0) return true;
    running_thread->wait(stops ? 2 : 1);
  }
}

/// Returns of task 2 how many of the others it saw end, in the last digit; in the first which task it was.
explorer<shared>::program worker(fault planted, bool stops) {
  return [=](shared& memory) {
    taken ran;
    for (;;) {
      auto const ticket = word(memory.head).add_relaxed(1);
      if (ticket >= tasks || !await(word(memory.ring[ticket]), memory, stops)) return ran;
      auto const task = word(memory.ring[ticket]).load_relaxed() - 1;
      for (auto& end : memory.ended)
        if (task == 2 && !(planted == fault::awaits_one_end && &end == &memory.ended[1]) &&
            !await(word(end), memory, stops))
          return ran;
      word(memory.begun[task]).store_release(1);
      std::uint64_t seen = 0;
      if (task == 2)
        for (auto& end : memory.ended) seen += word(end).load_relaxed();
      ran.push_back(10 * task + seen);
      if (task < 2) word(memory.ended[task]).store_release(1);
    }
  };
}

taken stopper(shared& memory) {
  word(memory.stop).store_release(1);
  return {};
}

bool has_each_task_once_and_in_order(shared& memory, taken ran) {
  for (std::uint64_t task = 0; task < tasks; ++task)
    if (memory.begun[task] == 0) ran.push_back(10 * task + (task == 2 ? 2 : 0));
  std::ranges::sort(ran);
  return ran == taken{0, 10, 22};
}

explorer<shared>::report explored(fault planted, std::size_t workers, bool stops) {
  std::vector<explorer<shared>::program> threads = {submitter(planted), server(planted, 0),
                                                    server(planted, 1)};
  threads.insert(threads.end(), workers, worker(planted, stops));
  if (stops) threads.push_back(stopper);
  return explorer<shared>({}, threads, has_each_task_once_and_in_order).explore();
}

}  // namespace two_rings

TEST(queue_interleavings, run_a_task_after_two_that_came_through_different_submission_rings) {
  for (std::size_t const workers : {1, 2, 3})
    for (bool const stops : {false, true})
      EXPECT_TRUE(always_right(two_rings::explored(two_rings::fault::none, workers, stops), 1)) << workers;
}

TEST(queue_interleavings, wait_for_ever_for_a_task_of_another_submission_ring_that_has_no_ticket_yet) {
  EXPECT_GT(two_rings::explored(two_rings::fault::awaits_no_fetch, 1, false).deadlocks, 0u);
  EXPECT_GT(two_rings::explored(two_rings::fault::says_fetched_before_it_has_a_ticket, 1, false).deadlocks,
            0u);
}

TEST(queue_interleavings, begin_early_where_one_of_two_ends_is_not_looked_at) {
  EXPECT_GT(two_rings::explored(two_rings::fault::awaits_one_end, 2, false).failures, 0u);
}

/// Two grid tasks that use one of the shared grids one after the other, as ring_server
/// and ring_consumer do it.
namespace grid {

constexpr std::uint64_t blocks = 2, grid_tickets = 2;

struct shared {
  std::uint64_t task, next, grid_tickets;
  std::uint64_t published, claimed;
};

explorer<shared>::program server(bool waits_for_grid_tickets) {
  return [=](shared& memory) {
    for (std::uint64_t task = 1; task <= 2; ++task) {
      if (waits_for_grid_tickets)
        wait_until_zero(word(memory.grid_tickets));
      else
        while (task == 2 && word(memory.next).load_acquire() < blocks) running_thread->wait();
      word(memory.task).store_relaxed(task);
      word(memory.next).store_relaxed(0);
      word(memory.grid_tickets).store_relaxed(grid_tickets);
      word(memory.published).add_release(grid_tickets);
    }
    return taken{};
  };
}

/// Takes two grid_tickets, and of each task all blocks that it can get.
taken worker(shared& memory) {
  taken ran;
  for (int i = 0; i < 2; ++i) {
    auto const entry = word(memory.claimed).add_relaxed(1);
    while (word(memory.published).load_acquire() <= entry) running_thread->wait();
    auto const task = word(memory.task).load_relaxed();
    for (;;) {
      auto const block = word(memory.next).add_relaxed(1);
      if (block >= blocks) break;
      ran.push_back(task * 10 + block);
    }
    word(memory.grid_tickets).add_release(~std::uint64_t(0));
  }
  return ran;
}

explorer<shared>::report explored(bool waits_for_grid_tickets) {
  return explorer<shared>({}, {server(waits_for_grid_tickets), worker, worker},
                          [](shared&, taken ran) {
                            std::ranges::sort(ran);
                            return ran == taken{10, 11, 20, 21};
                          })
      .explore();
}

}  // namespace grid

TEST(queue_interleavings, run_each_block_once_of_grid_tasks_that_use_a_shared_grid_one_after_the_other) {
  EXPECT_TRUE(always_right(grid::explored(true)));
}

TEST(queue_interleavings, run_a_block_wrongly_if_a_shared_grid_is_opened_before_its_last_user_is_done) {
  EXPECT_GT(grid::explored(false).failures, 0u);
}

/// biased_lock: its owner, and one that takes the bias away.
namespace bias {

struct shared {
  std::uint64_t biased = 1, inside = 0, in_section = 0;
};

/// What it found in the critical section: 0 if nobody.
std::uint64_t visit_section(shared& memory) {
  auto const others = word(memory.in_section).add_relaxed(1);
  word(memory.in_section).add_relaxed(~std::uint64_t(0));
  return others;
}

explorer<shared>::program owner(bool says_so_first) {
  return [=](shared& memory) {
    word const biased(memory.biased), inside(memory.inside);
    if (says_so_first) inside.store_relaxed(1);
    bool const is_mine = biased.load_relaxed() != 0;
    if (!says_so_first) inside.store_relaxed(1);
    auto const others = is_mine ? visit_section(memory) : 0;
    inside.store_release(0);
    return taken{others};
  };
}

taken revoker(shared& memory) {
  word(memory.biased).store_relaxed(0);
  if (word(memory.inside).load_acquire() != 0) return {0};
  return {visit_section(memory)};
}

explorer<shared>::report explored(bool says_so_first) {
  return explorer<shared>({}, {owner(says_so_first), revoker},
                          [](shared&, taken const& others) {
                            return others == taken{0, 0};
                          })
      .explore();
}

}  // namespace bias

TEST(queue_interleavings, let_one_thread_at_a_time_into_a_biased_lock) {
  EXPECT_TRUE(always_right(bias::explored(true)));
}

TEST(queue_interleavings, let_two_threads_into_a_lock_whose_owner_looks_before_it_says_that_it_is_inside) {
  EXPECT_GT(bias::explored(false).failures, 0u);
}

}  // namespace
}  // namespace ballast::test::queue_interleavings
