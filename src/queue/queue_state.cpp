// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include <algorithm>
#include <thread>

#include "ballast/log.hpp"

namespace ballast {

using namespace detail;
namespace {

std::uint64_t next_uid() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// A list whose tasks may create tasks has an entry of its own.
bool may_spawn(compiled_kernels const& list) { return list.has_entry_for(source_key_of<hybrid_view>); }

source_key source_of(compiled_kernels const& list) {
  return may_spawn(list) ? source_key_of<hybrid_view> : source_key_of<ring_source_ref>;
}

/// Numbers the runs of all queues of the process, so that a ticket of another queue is recognized.
std::uint32_t next_run() {
  static std::atomic<std::uint32_t> last = 0;
  return ++last;
}

}  // namespace

task_queue::state::state(std::shared_ptr<compute_device> on, compiled_kernels const& list,
                         queue_options const& given)
    : device(std::move(on)),
      kernels(&list),
      options(given),
      kernel(device, list, list.entry_for(source_of(list)), options.resident),
      memory(device, options, kernel.blocks()),
      hybrid(may_spawn(list) ? make_hybrid() : nullptr),
      copies(device->make_stream()),
      uid(next_uid()) {
  for (std::uint32_t ring = 0; ring < options.submission_rings; ++ring)
    submission_rings.emplace_back(memory, ring);
}

std::unique_ptr<hybrid_memory> task_queue::state::make_hybrid() const {
  if (options.times) throw_bad_argument("times", "true", "false for tasks that create tasks");
  if (options.trace_depth != 0)
    throw_bad_argument("trace_depth", options.trace_depth, "0 for tasks that create tasks");
  return std::make_unique<hybrid_memory>(device, *kernels, options.spawned, memory, kernel.blocks());
}

bool task_queue::state::finished(ticket const& which) const {
  if (which.run != run)
    throw_bad_argument("ticket", "of run " + std::to_string(which.run),
                       "one that this queue gave in its present run");
  auto const& ring = submission_rings.at(which.ring_index);
  for (auto batch = which.first_batch; batch != which.last_batch + 1; ++batch)
    if (!ring.complete(batch)) return false;
  return true;
}

void task_queue::state::await(std::function<bool()> const& done, wait_reason what, deadline until) {
  if (done()) return;
  waiter_registration const listening(memory, what);
  for (std::uint64_t looks = 1;; ++looks) {
    auto const epoch = memory.host_wake_event.epoch();
    if (done()) return;
    if (memory.on_host || looks % 64 == 0) {
      bool const ended = !alive();
      if (ended && done()) return;
      if (ended) throw_stopped();
      if (until.passed())
        throw timed_out(
            (what == wait_reason::room ? "room in the queue on " : "a batch on ") + device->name(),
            describe());
    }
    if (memory.on_host)
      memory.host_wake_event.wait_past(epoch,
                                       std::min(until.at(), clock::now() + std::chrono::milliseconds(20)));
    else if (looks > 60)
      std::this_thread::yield();
  }
}

bool task_queue::state::alive() {
  try {
    return kernel.running();
  } catch (device_lost const& loss) {
    lost = true;
    throw device_lost(device->name(),
                      loss.cause() + "; " + std::to_string(unfinished()) +
                          " accepted tasks are not known to have run, stop() hands back those not "
                          "known to have left the host");
  }
}

void task_queue::state::throw_stopped() {
  std::string why = kernel.idle_timed_out()      ? "no task came for idle_timeout"
                    : kernel.stop_requested()    ? "it was asked to stop"
                    : hybrid != nullptr && !lost ? hybrid->why_halted()
                                                 : "";
  throw queue_stopped(device->name(), unfinished(), why.empty() ? "its blocks left" : why);
}

std::vector<ticket> task_queue::state::everything() const {
  std::vector<ticket> all;
  for (auto const& ring : submission_rings) {
    auto const end = ring.next_batch(), slots = ring.batch_slots();
    if (end > 0) all.push_back({ring.index(), run, end > slots ? end - slots : 0, end - 1});
  }
  return all;
}

std::uint64_t task_queue::state::submitted() const {
  std::uint64_t sum = 0;
  for (auto const& ring : submission_rings) sum += ring.tasks();
  return sum;
}

// Idle workers hold tickets of tasks that are not there yet: at most what was submitted can be taken.
std::uint64_t task_queue::state::taken() const {
  auto& words = *memory.words.data();
  auto& told = memory.to_host[0].taken;
  auto const claimed = memory.on_host ? std::atomic_ref(words.head).load()
                                      : atomic_ref<std::uint64_t, scope::system>(told).load_acquire();
  return std::min(claimed, submitted());
}

std::uint64_t task_queue::state::unfinished() const {
  std::uint64_t sum = 0;
  for (auto const& ring : submission_rings) sum += ring.unfinished_tasks();
  return sum;
}

std::string task_queue::state::describe() {
  std::string text = "queue of " + std::string(kernels->name()) + " on " + device->name() + ": " +
                     std::to_string(submitted()) + " tasks submitted, " + std::to_string(taken()) +
                     " taken, at most " + std::to_string(unfinished()) + " unfinished\n";
  for (auto const& ring : submission_rings)
    if (ring.submitted() > 0)
      text += "ring " + std::to_string(ring.index()) + ": " + std::to_string(ring.submitted()) +
              " slots submitted, " + std::to_string(ring.fetched()) + " fetched, " +
              std::to_string(ring.next_batch()) + " batches\n";
  return text + kernel.describe_blocks();
}

// Submitters of the last run that are still inside see its end and unlock their submission rings.
void task_queue::state::start() {
  if (now.load() != phase::ended || kernel.claimed()) throw error("this queue is running already");
  all_rings_lock const held(*this, deadline::in(options.timeout));
  launch();
}

void task_queue::state::launch() {
  memory.clear(*copies);
  if (hybrid != nullptr) hybrid->clear(!completed);
  for (auto& ring : submission_rings) ring.reset();
  rings_published = 0;
  run = next_run();
  try {
    start_kernel();
  } catch (...) {
    abort_start();
    throw;
  }
  collected = close_published = completed = false;
  lost = false;
  now = phase::open;
}

void task_queue::state::start_kernel() {
  auto const source = memory.source(kernel.next_control());
  if (hybrid == nullptr) return kernel.start(&source, sizeof source);
  auto const work = hybrid->work(source);
  kernel.start(&work, sizeof work);
}

// If even stopping fails the kernel stays claimed, and whoever owns this state leaves it behind alive.
void task_queue::state::abort_start() {
  try {
    kernel.request_stop();
    kernel.join(deadline::in(options.resident.stop_timeout));
  } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
}

void task_queue::state::lock_all_rings(deadline until) {
  for (auto ring = submission_rings.begin(); ring != submission_rings.end(); ++ring) {
    if (ring->lock(until)) continue;
    while (ring != submission_rings.begin()) (--ring)->unlock();
    throw timed_out("a submitting thread to leave the queue on " + device->name(), describe());
  }
}

void task_queue::state::unlock_all_rings() {
  for (auto& ring : submission_rings) ring.unlock();
}

void task_queue::state::write_control(bool closed) {
  atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].control)
      .store_release(rings_published.load() | (closed ? closed_bit : 0));
}

// From `closing` on no submission passes its check; those that passed before hold their submission ring, so
// that holding every submission ring once makes the counts final. The control word is written after, and by
// nobody else any more.
void task_queue::state::count_submitted(deadline until) {
  now = phase::closing;
  all_rings_lock const held(*this, until);
  for (auto& ring : submission_rings)
    atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].submitted[ring.index()])
        .store_relaxed(ring.submitted());
}

// Workers whose tasks create tasks leave as soon as they hear of it.
void task_queue::state::mark_closed(deadline until) {
  count_submitted(until);
  if (hybrid != nullptr)
    for (auto const& batches : everything())
      await([&] { return finished(batches); }, wait_reason::completion, until);
  {
    std::lock_guard const hold(control_mutex);
    write_control(true);
  }
  close_published = true;
  if (memory.on_host) memory.worker_wake_event.notify();
}

void task_queue::state::join(deadline until) {
  kernel.join(until);
  now = phase::ended;
}

// A kernel that has ended early is joined all the same.
void task_queue::state::announce_close(deadline until) {
  if (now.load() == phase::ended || close_published) return;
  try {
    mark_closed(until);
  } catch (timed_out const&) { throw; } catch (...) {
    join(until);
    throw;
  }
}

void task_queue::state::close(deadline until) {
  announce_close(until);
  try {
    join(until);
  } catch (timed_out const& passed) {
    throw timed_out("the queue's tasks to finish on " + device->name(), describe());
  }
  if (unfinished() > 0) throw_stopped();
  completed = true;
}

// The submission rings are taken before counting: a submitter that was inside has then written its batch, and
// none can follow.
std::vector<task> task_queue::state::stop() {
  if (now.load() == phase::open) now = phase::closing;
  kernel.request_stop();
  if (memory.on_host) memory.worker_wake_event.notify();
  bool device_is_gone = false;
  try {
    join(deadline::in(options.resident.stop_timeout));
  } catch (device_lost const&) {
    device_is_gone = lost = true;
    now = phase::ended;
  }
  if (collected) return {};
  all_rings_lock const held(*this, deadline::in(options.timeout));
  std::vector<task> tasks;
  if (!device_is_gone) collect_from_ring(tasks);
  if (!device_is_gone && hybrid != nullptr)
    for (auto const& left : hybrid->collect()) tasks.push_back(kernels->task_of(left.record));
  collect_from_submission_rings(tasks);
  collected = true;
  return tasks;
}

// A slot that was released r times and bears the stamp of lap r + 1 holds a task that nobody began.
void task_queue::state::collect_from_ring(std::vector<task>& into) {
  auto const ring = memory.ring.read(*copies);
  auto const released = memory.released.read(*copies);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    auto const record = record_in_ring(ring[i], released[i]);
    bool const is_grid_ticket = record && record->is_grid();  // its blocks are in a grid
    if (record && !is_grid_ticket && record->kernel() != task_record::halt)
      into.push_back(kernels->task_of(*record));
  }
  std::vector<ring_words> words(1);
  copies->copy(words.data(), memory.words.data(), memory.words.bytes());
  copies->synchronize();
  for (auto const& grid : words[0].shared_grids)
    if (auto const rest = remainder_of_grid(grid)) into.push_back(kernels->task_of(*rest));
}

void task_queue::state::collect_from_submission_rings(std::vector<task>& into) {
  for (auto const& ring : submission_rings)
    for (auto position = ring.fetched(); position < ring.submitted(); ++position)
      if (auto const record = ring.remainder_of(position)) into.push_back(kernels->task_of(*record));
}

}  // namespace ballast
