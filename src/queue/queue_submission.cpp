// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include <algorithm>

namespace ballast {

using namespace detail;
namespace {

/// The submission rings that this thread was given, by queue. The oldest makes room: a thread that feeds more
/// than eight queues is given a submission ring anew now and then, which is harmless.
struct cached_ring {
  std::uint64_t uid = 0;
  submission_ring* ring = nullptr;
};
thread_local cached_ring cached_rings[8];
thread_local unsigned next_cached_ring = 0;

struct ring_lock_guard {
  submission_ring& ring;
  ~ring_lock_guard() { ring.unlock(); }
};

}  // namespace

inline submission_ring& task_queue::state::ring_of_this_thread() {
  for (auto const& memo : cached_rings)
    if (memo.uid == uid) return *memo.ring;
  return assign_ring_to_this_thread();
}

submission_ring& task_queue::state::assign_ring_to_this_thread() {
  auto& ring = submission_rings[rings_assigned.fetch_add(1) % options.submission_rings];
  cached_rings[next_cached_ring++ % std::size(cached_rings)] = {uid, &ring};
  return ring;
}

inline void task_queue::state::publish_ring_count(std::uint32_t ring) {
  if (rings_published.load() > ring) return;
  std::lock_guard const hold(control_mutex);
  rings_published = std::max(rings_published.load(), ring + 1);
  write_control(false);
}

inline void task_queue::state::prepare_submission(submission_ring& ring) {
  if (now.load() != phase::open) throw error("the queue is closed; start() opens it again");
  // A query costs too much for every submission; a loss that a wait has seen is known to all.
  bool const due = ring.next_batch() % 1024 == 1023;
  if ((lost || due) && !alive()) throw_stopped();
  publish_ring_count(ring.index());
}

// Every task that is submitted by itself goes this way, most of them no further.
inline std::optional<std::uint64_t> task_queue::state::try_write(submission_ring& ring, task const& one) {
  prepare_submission(ring);
  if (!ring.has_room_for(1)) return std::nullopt;
  auto const record = kernels->record_of(one);
  auto const batch = ring.write(std::span<task_record const, 1>(&record, 1));
  if (memory.on_host) memory.worker_wake_event.notify();
  return batch;
}

ticket task_queue::state::submit(task const& one, deadline const* until) {
  auto& ring = ring_of_this_thread();
  if (!ring.try_lock()) return submit_or_wait(one, until);
  {
    ring_lock_guard const release{ring};
    if (auto const batch = try_write(ring, one)) return {ring.index(), run, *batch, *batch};
  }
  return submit_or_wait(one, until);
}

ticket task_queue::state::submit_or_wait(task const& one, deadline const* until) {
  auto const record = kernels->record_of(one);
  return submit(std::span(&record, 1), until);
}

std::optional<ticket> task_queue::state::try_submit(task const& one) {
  auto& ring = ring_of_this_thread();
  if (!ring.try_lock()) return std::nullopt;
  ring_lock_guard const release{ring};
  if (auto const batch = try_write(ring, one)) return ticket{ring.index(), run, *batch, *batch};
  if (!alive()) throw_stopped();
  return std::nullopt;
}

// The clock is read only by who must wait: reading it costs more than writing a task.
ticket task_queue::state::submit(std::span<task_record const> batch, deadline const* given_until) {
  std::optional<deadline> own;
  auto const until = [&] {
    if (given_until != nullptr) return *given_until;
    if (!own) own = deadline::in(options.timeout);
    return *own;
  };
  auto& ring = ring_of_this_thread();
  if (!ring.try_lock() && !ring.lock(until()))
    throw queue_full({ring.index(), run, 1, 0}, 0, batch.size(), describe());
  ring_lock_guard const release{ring};
  prepare_submission(ring);
  ticket given{ring.index(), run, ring.next_batch(), ring.next_batch() - 1};
  auto const piece = std::max<std::size_t>(1, (std::size_t(1) << memory.shift) / 4);
  for (std::size_t done = 0; done < batch.size();) {
    auto const tasks = batch.subspan(done, records_of_a_batch(batch.subspan(done), piece));
    try {
      if (!ring.has_room_for(tasks.size()))
        await([&] { return ring.has_room_for(tasks.size()); }, wait_reason::room, until());
    } catch (timed_out const& passed) { throw queue_full(given, done, batch.size(), passed.state()); }
    given.last_batch = ring.write(tasks);
    done += tasks.size();
    if (memory.on_host) memory.worker_wake_event.notify();
  }
  return given;
}

}  // namespace ballast
