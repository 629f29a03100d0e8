// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include <algorithm>

namespace ballast::inline queue {
namespace {

/// The lanes that this thread was given, by queue. The oldest makes room: a thread that feeds more than eight
/// queues is given a lane anew now and then, which is harmless.
struct lane_memo {
  std::uint64_t uid = 0;
  producer_lane* lane = nullptr;
};
thread_local lane_memo lane_memos[8];
thread_local unsigned next_memo = 0;

struct lane_release {
  producer_lane& lane;
  ~lane_release() { lane.let_go(); }
};

}  // namespace

inline producer_lane& task_queue::state::lane_of_this_thread() {
  for (auto const& memo : lane_memos)
    if (memo.uid == uid) return *memo.lane;
  return give_lane_to_this_thread();
}

producer_lane& task_queue::state::give_lane_to_this_thread() {
  auto& lane = lanes[lanes_given.fetch_add(1) % options.lanes];
  lane_memos[next_memo++ % std::size(lane_memos)] = {uid, &lane};
  return lane;
}

inline void task_queue::state::tell_lane(std::uint32_t lane) {
  if (lanes_told.load() > lane) return;
  std::lock_guard const hold(control_mutex);
  lanes_told = std::max(lanes_told.load(), lane + 1);
  tell_control(false);
}

inline void task_queue::state::open_lane(producer_lane& lane) {
  if (now.load() != phase::open) throw error("the queue is closed; start() opens it again");
  // A query costs too much for every submission; a loss that a wait has seen is known to all.
  bool const due = lane.next_batch() % 1024 == 1023;
  if ((lost || due) && !alive()) throw_stopped();
  tell_lane(lane.index());
}

// Every task that is submitted by itself goes this way, most of them no further.
inline std::optional<std::uint64_t> task_queue::state::write_if_room(producer_lane& lane, task const& one) {
  open_lane(lane);
  if (!lane.has_room_for(1)) return std::nullopt;
  auto const record = kernels->record_of(one);
  auto const batch = lane.write(std::span<task_record const, 1>(&record, 1));
  if (memory.on_host) memory.workers_bell.ring();
  return batch;
}

ticket task_queue::state::submit(task const& one, deadline const* until) {
  auto& lane = lane_of_this_thread();
  if (!lane.try_hold()) return submit_patiently(one, until);
  {
    lane_release const release{lane};
    if (auto const batch = write_if_room(lane, one)) return {lane.index(), run, *batch, *batch};
  }
  return submit_patiently(one, until);
}

ticket task_queue::state::submit_patiently(task const& one, deadline const* until) {
  auto const record = kernels->record_of(one);
  return submit(std::span(&record, 1), until);
}

std::optional<ticket> task_queue::state::try_submit(task const& one) {
  auto& lane = lane_of_this_thread();
  if (!lane.try_hold()) return std::nullopt;
  lane_release const release{lane};
  if (auto const batch = write_if_room(lane, one)) return ticket{lane.index(), run, *batch, *batch};
  if (!alive()) throw_stopped();
  return std::nullopt;
}

// The clock is read only by who must wait: reading it costs more than writing a task.
ticket task_queue::state::submit(std::span<task_record const> batch, deadline const* given_until) {
  std::optional<deadline> own;
  auto const until = [&] {
    if (given_until != nullptr) return *given_until;
    if (!own) own = deadline::in(options.patience);
    return *own;
  };
  auto& lane = lane_of_this_thread();
  if (!lane.try_hold() && !lane.hold(until()))
    throw queue_full({lane.index(), run, 1, 0}, 0, batch.size(), describe());
  lane_release const release{lane};
  open_lane(lane);
  ticket given{lane.index(), run, lane.next_batch(), lane.next_batch() - 1};
  auto const piece = std::max<std::size_t>(1, (std::size_t(1) << memory.shift) / 4);
  for (std::size_t done = 0; done < batch.size();) {
    auto const tasks = batch.subspan(done, records_of_a_batch(batch.subspan(done), piece));
    try {
      if (!lane.has_room_for(tasks.size()))
        await([&] { return lane.has_room_for(tasks.size()); }, awaited::room, until());
    } catch (deadline_passed const& passed) { throw queue_full(given, done, batch.size(), passed.state()); }
    given.last_batch = lane.write(tasks);
    done += tasks.size();
    if (memory.on_host) memory.workers_bell.ring();
  }
  return given;
}

}  // namespace ballast::inline queue
