// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include <algorithm>
#include <thread>

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

}  // namespace ballast
