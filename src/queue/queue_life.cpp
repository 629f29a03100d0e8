// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include "ballast/base/log.hpp"

namespace ballast::inline queue {
namespace {

/// Of all queues of the process, so that a ticket of another queue is known for one.
std::uint32_t next_run() {
  static std::atomic<std::uint32_t> last = 0;
  return ++last;
}

}  // namespace

// Submitters of the last run that are still inside see its end and let go of their lanes.
void task_queue::state::start() {
  if (now.load() != phase::ended || kernel.claimed()) throw error("this queue is running already");
  every_lane_held const held(*this, deadline::in(options.patience));
  launch();
}

void task_queue::state::launch() {
  memory.clear(*copies);
  if (fed != nullptr) fed->clear(!completed);
  for (auto& lane : lanes) lane.forget_all();
  lanes_told = 0;
  run = next_run();
  try {
    start_kernel();
  } catch (...) {
    give_up_start();
    throw;
  }
  collected = told_closed = completed = false;
  lost = false;
  now = phase::open;
}

void task_queue::state::start_kernel() {
  auto const source = memory.source(kernel.next_control());
  if (fed == nullptr) return kernel.start(&source, sizeof source);
  auto const work = fed->work(source);
  kernel.start(&work, sizeof work);
}

// If even stopping fails the kernel stays claimed, and whoever owns this state leaves it behind alive.
void task_queue::state::give_up_start() {
  try {
    kernel.request_stop();
    kernel.join(deadline::in(options.resident.stop_patience));
  } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
}

void task_queue::state::hold_lanes(deadline until) {
  for (auto lane = lanes.begin(); lane != lanes.end(); ++lane) {
    if (lane->hold(until)) continue;
    while (lane != lanes.begin()) (--lane)->let_go();
    throw deadline_passed("a submitting thread to leave the queue on " + device->name(), describe());
  }
}

void task_queue::state::release_lanes() {
  for (auto& lane : lanes) lane.let_go();
}

void task_queue::state::tell_control(bool closed) {
  atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].control)
      .store_release(lanes_told.load() | (closed ? closed_bit : 0));
}

// From `closing` on no submission passes its check; those that passed before hold their lane, so that holding
// every lane once makes the counts final. The control word is written after, and by nobody else any more.
void task_queue::state::count_submitted(deadline until) {
  now = phase::closing;
  every_lane_held const held(*this, until);
  for (auto& lane : lanes)
    atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].submitted[lane.index()])
        .store_relaxed(lane.submitted());
}

// Workers whose tasks create tasks leave as soon as they hear of it.
void task_queue::state::mark_closed(deadline until) {
  count_submitted(until);
  if (fed != nullptr)
    for (auto const& batches : everything())
      await([&] { return finished(batches); }, awaited::completion, until);
  {
    std::lock_guard const hold(control_mutex);
    tell_control(true);
  }
  told_closed = true;
  if (memory.on_host) memory.workers_bell.ring();
}

void task_queue::state::join(deadline until) {
  kernel.join(until);
  now = phase::ended;
}

// A kernel that has ended early is joined all the same.
void task_queue::state::announce_end(deadline until) {
  if (now.load() == phase::ended || told_closed) return;
  try {
    mark_closed(until);
  } catch (deadline_passed const&) { throw; } catch (...) {
    join(until);
    throw;
  }
}

void task_queue::state::close(deadline until) {
  announce_end(until);
  try {
    join(until);
  } catch (deadline_passed const& passed) {
    throw deadline_passed("the queue's tasks to finish on " + device->name(), describe());
  }
  if (unfinished() > 0) throw_stopped();
  completed = true;
}

// The lanes are taken before counting: a submitter that was inside has then written its batch, and none can
// follow.
std::vector<task> task_queue::state::stop() {
  if (now.load() == phase::open) now = phase::closing;
  kernel.request_stop();
  if (memory.on_host) memory.workers_bell.ring();
  bool device_is_gone = false;
  try {
    join(deadline::in(options.resident.stop_patience));
  } catch (device_lost const&) {
    device_is_gone = lost = true;
    now = phase::ended;
  }
  if (collected) return {};
  every_lane_held const held(*this, deadline::in(options.patience));
  std::vector<task> tasks;
  if (!device_is_gone) collect_from_ring(tasks);
  if (!device_is_gone && fed != nullptr)
    for (auto const& left : fed->collect()) tasks.push_back(kernels->task_of(left.record));
  collect_from_lanes(tasks);
  collected = true;
  return tasks;
}

// A slot that was released r times and bears the stamp of lap r + 1 holds a task that nobody began.
void task_queue::state::collect_from_ring(std::vector<task>& into) {
  auto const ring = memory.ring.read(*copies);
  auto const released = memory.released.read(*copies);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    auto const record = record_in_ring(ring[i], released[i]);
    bool const is_entry = record && record->is_spread();  // its blocks are in a share
    if (record && !is_entry && record->kernel() != task_record::halt)
      into.push_back(kernels->task_of(*record));
  }
  std::vector<ring_words> words(1);
  copies->copy(words.data(), memory.words.data(), memory.words.bytes());
  copies->synchronize();
  for (auto const& share : words[0].shares)
    if (auto const rest = rest_of_share(share)) into.push_back(kernels->task_of(*rest));
}

void task_queue::state::collect_from_lanes(std::vector<task>& into) {
  for (auto const& lane : lanes)
    for (auto position = lane.fetched(); position < lane.submitted(); ++position)
      if (auto const record = lane.rest_of(position)) into.push_back(kernels->task_of(*record));
}

}  // namespace ballast::inline queue
