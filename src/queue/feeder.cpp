// SPDX-License-Identifier: Apache-2.0
#include "feeder.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "ballast/detail/queue/ring_words.cuh"
#include "ballast/start_threads.hpp"
#include "stopped_queue.hpp"

namespace ballast::detail {
namespace {

// The time from a decision until a worker sees the task: some PCIe round trips on a GPU, a thread's wake-up
// on the host.
constexpr std::int64_t gpu_feed_latency_ns = 20'000, host_feed_latency_ns = 1'000'000;

bool have_run(completion const& tasks) {
  if (!tasks.ready()) return false;
  try {
    tasks.wait();
    return true;
  } catch (error const&) { return false; }
}

std::int64_t now_ns() { return std::chrono::nanoseconds(clock::now().time_since_epoch()).count(); }

}  // namespace

void given_graphs::begin(std::uint64_t run) {
  std::lock_guard const hold(mutex_);
  unfinished_.clear();
  sums_ = {};
  run_ = run;
}

void given_graphs::add(std::uint64_t run, completion const& round, std::uint32_t workers, double length_us) {
  std::lock_guard const hold(mutex_);
  if (run != run_) return;
  unfinished_.push_back({round, workers, length_us});
  sums_.given += workers;
  sums_.us += length_us;
}

given_graphs::sums given_graphs::look() {
  std::lock_guard const hold(mutex_);
  for (; !unfinished_.empty() && unfinished_.front().end.ready(); unfinished_.pop_front()) {
    sums_.finished += unfinished_.front().workers;
    sums_.us -= unfinished_.front().length_us;
  }
  if (unfinished_.empty()) sums_.us = 0;  // no rest of rounding
  return sums_;
}

feeder::feeder(backlog& from, task_queue& to, std::size_t device, std::size_t devices,
               balanced_options const& options)
    : from_(&from), to_(&to), device_(device), devices_(devices), options_(&options) {}

void feeder::start(std::uint64_t run_number) {
  policy_ = make_feed_policy(options_->policy, options_->fixed_batch);
  outstanding_.clear();
  given_ = finished_ = urgent_here_ = 0;
  last_batch_ = {};
  graphs_.begin(run_number);
  finishing_ = abandoned_ = false;
  from_->enter();
  auto work = [this] {
    try {
      run();
    } catch (...) {
      from_->fail(failure_of_all());
      await_outstanding();
    }
    from_->leave();
  };
  thread_ = start_thread("feeding " + to_->device().name(), std::move(work), "ballast-feeder");
}

/// Returns the present exception, reworded for the tasks of all devices: the device's queue knows only the
/// tasks that it was given, but stop() also returns the backlog.
std::exception_ptr feeder::failure_of_all() {
  try {
    throw;
  } catch (stopped_run const& of_device) {
    try {
      collect_finished();  // finished tasks are not returned
    } catch (...) { return std::current_exception(); }
    return std::make_exception_ptr(
        stopped_queue(to_->device().name(), from_->unfinished(), of_device.reason()));
  } catch (device_lost const& of_device) {
    return std::make_exception_ptr(
        device_lost(of_device.device(), of_device.cause() + "; of all devices together " +
                                            counted(from_->unfinished(), "task") + " not executed"));
  } catch (...) { return std::current_exception(); }
}

void feeder::finish() {
  finishing_ = true;
  to_->wake_event().notify();
}

void feeder::abandon() {
  abandoned_ = true;
  to_->wake_event().notify();
}

void feeder::join() {
  if (thread_.joinable()) thread_.join();
}

void feeder::run() {
  while (!abandoned_) {
    auto const epoch = to_->wake_event().epoch();
    collect_finished();
    if (finishing_ && from_->waiting() == 0 && outstanding_.empty()) return;
    if (!feed(epoch) && !to_->running() && !abandoned_) to_->wait_all();  // throws why it does not run
  }
}

/// Waits for the tasks on the device: they may still run there, although the device accepts no more.
void feeder::await_outstanding() {
  while (!outstanding_.empty() && !abandoned_) {
    auto const epoch = to_->wake_event().epoch();
    collect_finished();
    std::erase_if(outstanding_, [this](outstanding const& one) {
      if (!one.given.ready() || have_run(one.given)) return false;
      from_->lose(one.piece);
      return true;
    });
    if (!outstanding_.empty())
      to_->wake_event().wait_past(epoch, clock::now() + std::chrono::milliseconds(5));
  }
}

/// Gives the device the tasks that the policy decides on; sleeps if there are none. True if tasks were given.
bool feeder::feed(std::uint64_t epoch) {
  auto const view = observe();
  from_->set_idle_workers(device_, view.idle());
  auto const decision = policy_->decide(view);
  from_->set_idle_workers(device_, view.idle() - std::min<std::uint64_t>(view.idle(), decision.tasks));
  std::uint64_t const piece = to_->max_whole_batch();
  bool const gave_urgent = give_urgent(piece);
  std::uint64_t left = decision.tasks;
  while (left > 0) {
    auto const taken = from_->take(device_, std::min(left, piece));
    if (!taken) break;
    submit(*taken);
    left -= taken->count;
  }
  bool const gave = left < decision.tasks;
  if (!gave && !gave_urgent) sleep_until_change(epoch, decision.wake_at_taken);
  return gave || gave_urgent;
}

// Urgent tasks await no decision, but are left to other devices while this one has two for each worker.
bool feeder::give_urgent(std::uint64_t piece) {
  auto const enough = std::min<std::uint64_t>(2 * std::max(workers(), 1u), to_->capacity());
  bool gave = false;
  while (urgent_here_ < enough) {
    auto const taken = from_->take_urgent(device_, std::min(enough - urgent_here_, piece));
    if (!taken) break;
    submit(*taken);
    gave = true;
  }
  return gave;
}

given_work feeder::load() {
  auto const finished = finished_.load();
  return {.graphs_us = graphs_.look().us,
          .tasks = given_ - finished,
          .workers = std::max(workers(), 1u),
          .placed_us = 0};
}

feed_view feeder::observe() {
  auto const graphs = graphs_.look();
  feed_view view;
  view.now_ns = now_ns();
  view.backlog = from_->waiting();
  view.given = given_ + graphs.given;
  view.taken = std::min(to_->claimed(), view.given);
  view.finished = finished_ + graphs.finished;
  view.workers = workers();
  view.devices = std::uint32_t(devices_);
  view.idle_elsewhere = from_->idle_elsewhere(device_);
  view.feed_latency_ns =
      to_->device().capabilities().shares_host_memory ? host_feed_latency_ns : gpu_feed_latency_ns;
  view.kernel = from_->next_kernel();
  return view;
}

std::uint32_t feeder::workers() const {
  return to_->workers_of_run() / to_->kernels().workers_of_block(to_->device());
}

void feeder::submit(backlog_piece const& piece) {
  try {
    collect_times_before_reuse(piece.batch->is_urgent);
    auto const until = deadline::in(options_->queue.timeout);
    auto const& tasks = *piece.batch->tasks;
    auto given = piece.batch->is_urgent ? to_->submit_urgent(tasks, piece.first, piece.count, until)
                                        : to_->submit(tasks, piece.first, piece.count, until);
    outstanding_.push_back({piece, std::move(given)});
    auto const& batches = outstanding_.back().given.work();
    last_batch_[piece.batch->is_urgent] = batches.first + batches.count - 1;
    given_ += piece.count;
    urgent_here_ += piece.batch->is_urgent ? piece.count : 0;
  } catch (error const&) {
    from_->give_back(piece);
    throw;
  }
}

// Collects created tasks that leave a device before their batch is seen to be complete.
void feeder::collect_finished() {
  auto const finished = std::ranges::stable_partition(
      outstanding_, [](outstanding const& one) { return !have_run(one.given); });
  collect_created();
  auto const of_device = std::max(workers(), 1u);
  for (auto const& one : finished) {
    finished_ += one.piece.count;
    urgent_here_ -= one.piece.batch->is_urgent ? one.piece.count : 0;
    auto const when = options_->queue.times ? to_->execution_of(one.given) : execution{};
    from_->finish(one.piece, device_, when, of_device);
  }
  outstanding_.erase(finished.begin(), finished.end());
}

void feeder::collect_created() {
  for (auto const& created : to_->take_created()) {
    auto const creator = std::ranges::find_if(outstanding_, [&](outstanding const& one) {
      auto const& batches = one.given.work();
      return batches.place == created.ring && created.batch - batches.first < batches.count;
    });
    if (creator == outstanding_.end()) throw error("a created task came of no batch that the device has");
    from_->add_created(creator->piece, created.record);
  }
}

/// Collects the times of the oldest batches of a ring before its next batch may reuse their records.
void feeder::collect_times_before_reuse(bool is_urgent) {
  if (!options_->queue.times) return;
  auto const records = std::min(to_->capacity(), max_batch_slots);
  auto const is_in_ring = [&](outstanding const& one) { return one.piece.batch->is_urgent == is_urgent; };
  for (;;) {
    auto const oldest = std::ranges::find_if(outstanding_, is_in_ring);
    if (oldest == outstanding_.end() || oldest->given.work().first + records > last_batch_[is_urgent] + 1)
      return;
    oldest->given.wait();
    collect_finished();
  }
}

void feeder::sleep_until_change(std::uint64_t epoch, std::uint64_t wake_at_taken) {
  auto const timeout = std::chrono::milliseconds(50);
  if (urgent_here_ > 0 && from_->has_urgent()) {
    auto const oldest =
        std::ranges::find_if(outstanding_, [](auto& one) { return one.piece.batch->is_urgent; });
    return to_->sleep_until_complete(epoch, oldest->given, std::chrono::milliseconds(2));
  }
  // Tasks may have been left to other devices' idle workers, whose state does not notify this thread: observe
  // again soon.
  if (from_->waiting() > 0) return to_->sleep_until_taken(epoch, wake_at_taken, std::chrono::milliseconds(2));
  if (!outstanding_.empty()) return to_->sleep_until_complete(epoch, outstanding_.back().given, timeout);
  to_->wake_event().wait_past(epoch, clock::now() + timeout);
}

}  // namespace ballast::detail
