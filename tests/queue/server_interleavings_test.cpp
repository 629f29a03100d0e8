// SPDX-License-Identifier: Apache-2.0
// A model of several servers that fill one ring, every interleaving of it: each server reserves a ticket
// whose slot it has seen free, and then fills it, as ring_server does; the first says that no more will come
// when the others have left. And with errors that must show.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "explorer.hpp"

namespace ballast::test::server_interleavings {
namespace {

using word = explored_atomic<std::uint64_t>;
using taken = std::vector<std::uint64_t>;

constexpr std::uint64_t capacity = 2, servers = 2;
constexpr std::uint64_t tasks_of[servers] = {2, 1};  ///< tasks 1 and 2, and task 11

enum class fault { none, reserves_what_is_not_free, reserves_in_two_steps, ends_before_others_have_left };

struct shared {
  std::uint64_t stop, head, tail, left, ended_at, moved[servers];
  std::uint64_t stamp[capacity], released[capacity], data[capacity];
};

bool try_reserve(shared& memory, fault planted, std::uint64_t ticket) {
  word const tail(memory.tail);
  if (planted != fault::reserves_in_two_steps) return tail.compare_exchange_acq_rel(ticket, ticket + 1);
  tail.store_relaxed(ticket + 1);
  return true;
}

/// The next ticket, reserved; nothing: a stop came.
std::optional<std::uint64_t> reserve(shared& memory, fault planted, bool stops) {
  for (;;) {
    auto const ticket = word(memory.tail).load_relaxed();
    bool const was_free = planted == fault::reserves_what_is_not_free ||
                          word(memory.released[ticket % capacity]).load_acquire() >= ticket / capacity;
    if (was_free && try_reserve(memory, planted, ticket)) return ticket;
    if (was_free) continue;
    if (stops && word(memory.stop).load_relaxed() != 0) return std::nullopt;
    running_thread->wait(stops ? 3 : 2);
  }
}

explorer<shared>::program server(std::uint64_t number, fault planted, bool stops) {
  return [=](shared& memory) {
    for (std::uint64_t i = 0; i < tasks_of[number]; ++i) {
      auto const ticket = reserve(memory, planted, stops);
      if (!ticket) return taken{};
      word(memory.data[*ticket % capacity]).store_relaxed(10 * number + i + 1);
      word(memory.stamp[*ticket % capacity]).store_release(*ticket / capacity + 1);
      word(memory.moved[number]).store_relaxed(i + 1);
    }
    if (number != 0) {
      word(memory.left).add_release(1);
      return taken{};
    }
    while (planted != fault::ends_before_others_have_left &&
           word(memory.left).load_acquire() != servers - 1) {
      if (stops && word(memory.stop).load_relaxed() != 0) return taken{};
      running_thread->wait(stops ? 2 : 1);
    }
    word(memory.ended_at).store_relaxed(word(memory.tail).load_relaxed());
    return taken{};
  };
}

/// Waits with a ticket for its task, or for a stop, or for the end where no task comes for it.
taken worker(shared& memory) {
  taken ran;
  for (;;) {
    auto const ticket = word(memory.head).add_relaxed(1);
    auto const slot = ticket % capacity, lap = ticket / capacity;
    while (word(memory.stamp[slot]).load_acquire() != lap + 1) {
      if (word(memory.stop).load_relaxed() != 0) return ran;
      if (auto const end = word(memory.ended_at).load_relaxed(); end != 0 && ticket >= end) return ran;
      running_thread->wait(3);
    }
    auto const task = word(memory.data[slot]).load_relaxed();
    word(memory.released[slot]).store_release(lap + 1);
    ran.push_back(task);
  }
}

taken stopper(shared& memory) {
  word(memory.stop).store_release(1);
  return {};
}

/// Each task ran once; or a stop hands it back, from the ring or from its submission ring.
bool has_each_task_once(shared& memory, taken ran) {
  for (std::uint64_t slot = 0; memory.stop != 0 && slot < capacity; ++slot)
    if (memory.stamp[slot] == memory.released[slot] + 1) ran.push_back(memory.data[slot]);
  for (std::uint64_t number = 0; memory.stop != 0 && number < servers; ++number)
    for (auto i = memory.moved[number]; i < tasks_of[number]; ++i) ran.push_back(10 * number + i + 1);
  std::ranges::sort(ran);
  return ran == taken{1, 2, 11};
}

explorer<shared>::report explored(fault planted, bool stops) {
  std::vector<explorer<shared>::program> threads = {server(0, planted, stops), server(1, planted, stops),
                                                    worker};
  if (stops) threads.push_back(stopper);
  return explorer<shared>({}, threads, has_each_task_once).explore();
}

TEST(server_interleavings, run_each_task_once_or_hand_it_back_where_several_servers_fill_one_ring) {
  for (bool const stops : {false, true}) EXPECT_TRUE(always_right(explored(fault::none, stops))) << stops;
}

TEST(server_interleavings, lose_a_task_where_a_server_reserves_a_ticket_whose_slot_is_not_free) {
  EXPECT_GT(explored(fault::reserves_what_is_not_free, true).failures, 0u);
}

TEST(server_interleavings, lose_a_task_where_two_servers_reserve_one_ticket) {
  EXPECT_GT(explored(fault::reserves_in_two_steps, true).failures, 0u);
}

TEST(server_interleavings, lose_a_task_where_the_first_server_ends_before_the_others_have_left) {
  EXPECT_GT(explored(fault::ends_before_others_have_left, false).failures, 0u);
}

/// A shared grid that a server opens for two tasks one after the other, and a stop of which it hears later
/// than the worker, as servers other than the first do.
namespace stopped_grid {

constexpr std::uint64_t blocks = 2;

struct shared {
  std::uint64_t stop, said, opened, next, in_use;
};

taken first_server(shared& memory) {
  word(memory.stop).store_release(1);
  word(memory.said).store_release(1);
  return {};
}

taken other_server(shared& memory) {
  for (std::uint64_t task = 1; task <= 2; ++task) {
    while (word(memory.in_use).load_acquire() != 0) {
      if (word(memory.said).load_relaxed() != 0) return {};
      running_thread->wait(2);
    }
    word(memory.next).store_relaxed(0);
    word(memory.in_use).store_relaxed(1);
    word(memory.opened).store_release(task);
  }
  return {};
}

/// What it has claimed it runs. `gives_back`: also at a stop.
explorer<shared>::program worker(bool gives_back) {
  return [=](shared& memory) {
    taken ran;
    for (std::uint64_t task = 1; task <= 2; ++task) {
      while (word(memory.opened).load_acquire() < task) {
        if (word(memory.stop).load_relaxed() != 0) return ran;
        running_thread->wait(2);
      }
      bool stops = false;
      while (!stops) {
        stops = word(memory.stop).load_relaxed() != 0;
        auto const block = word(memory.next).add_relaxed(1);
        if (block >= blocks) break;
        ran.push_back(10 * task + block);
      }
      if (!stops || gives_back) word(memory.in_use).store_release(0);
      if (stops) return ran;
    }
    return ran;
  };
}

/// The blocks that nobody took are handed back, of the grid and of the task that was not opened.
bool has_each_block_once(shared& memory, taken ran) {
  for (auto block = memory.next; memory.opened != 0 && block < blocks; ++block)
    ran.push_back(10 * memory.opened + block);
  for (auto task = memory.opened + 1; task <= 2; ++task)
    for (std::uint64_t block = 0; block < blocks; ++block) ran.push_back(10 * task + block);
  std::ranges::sort(ran);
  return ran == taken{10, 11, 20, 21};
}

explorer<shared>::report explored(bool gives_back) {
  return explorer<shared>({}, {first_server, other_server, worker(gives_back)}, has_each_block_once)
      .explore();
}

}  // namespace stopped_grid

TEST(server_interleavings, run_each_block_once_or_hand_it_back_where_a_server_hears_of_a_stop_late) {
  EXPECT_TRUE(always_right(stopped_grid::explored(false)));
}

TEST(server_interleavings, lose_blocks_of_a_grid_that_its_worker_gives_back_at_a_stop) {
  EXPECT_GT(stopped_grid::explored(true).failures, 0u);
}

/// A server that rests as soon as it finds nothing, and the first, which then looks at its submission ring.
/// Two tasks come there and one to the first server, whose tail wakes the other too. A server that nobody
/// will wake gives up.
namespace resting_server {

constexpr std::uint64_t tasks = 2;

enum class first { looks_until_it_has_left, looks_once, ends_before_it_has_left };

struct shared {
  std::uint64_t slots[tasks + 1], own_slot, tail, resting, next, left, first_ended;
};

taken host(shared& memory) {
  word(memory.slots[0]).store_release(1);
  word(memory.own_slot).store_release(1);
  word(memory.slots[1]).store_release(1);
  return {};
}

taken resting_server(shared& memory) {
  taken moved;
  while (moved.size() < tasks) {
    auto const tail = word(memory.tail).load_relaxed();
    if (word(memory.slots[moved.size()]).load_acquire() != 0) {
      moved.push_back(moved.size());
      continue;
    }
    word(memory.next).store_relaxed(moved.size());
    word(memory.resting).or_acq_rel(1);
    while (word(memory.resting).load_relaxed() != 0) {
      if (word(memory.tail).load_relaxed() != tail)
        word(memory.resting).and_acq_rel(0);
      else if (word(memory.first_ended).load_relaxed() != 0)
        return moved;
      else
        running_thread->wait(3);
    }
  }
  word(memory.left).store_release(1);
  return moved;
}

/// Wakes the other server if its next task has come; then true.
bool wake_for_next(shared& memory) {
  auto const next = word(memory.next).load_relaxed();
  if (word(memory.slots[next]).load_relaxed() == 0) return false;
  word(memory.resting).and_acq_rel(0);
  return true;
}

explorer<shared>::program first_server(first how) {
  return [=](shared& memory) {
    while (word(memory.own_slot).load_acquire() == 0) {
      if (word(memory.resting).load_relaxed() == 0) running_thread->wait(2);
      if (!wake_for_next(memory)) running_thread->wait(4);
    }
    word(memory.tail).store_relaxed(1);
    while (how != first::ends_before_it_has_left && word(memory.left).load_acquire() == 0) {
      if (word(memory.resting).load_relaxed() == 0) running_thread->wait(2);
      if (wake_for_next(memory)) continue;
      if (how == first::looks_once) break;
      running_thread->wait(4);
    }
    word(memory.first_ended).store_release(1);
    return taken{};
  };
}

explorer<shared>::report explored(first how) {
  auto const moved_each = [](shared&, taken const& moved) { return moved == taken{0, 1}; };
  return explorer<shared>({}, {host, resting_server, first_server(how)}, moved_each).explore();
}

}  // namespace resting_server

TEST(server_interleavings, move_what_comes_to_a_server_that_rests) {
  EXPECT_TRUE(always_right(resting_server::explored(resting_server::first::looks_until_it_has_left)));
}

TEST(server_interleavings, leave_a_task_where_the_first_server_stops_looking_for_one_that_rests) {
  for (auto const how : {resting_server::first::looks_once, resting_server::first::ends_before_it_has_left})
    EXPECT_GT(resting_server::explored(how).failures, 0u) << int(how);
}

}  // namespace
}  // namespace ballast::test::server_interleavings
