// SPDX-License-Identifier: Apache-2.0
#include "ballast/methods/chen_queue.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <thread>
#include <utility>

#include "backlog.hpp"
#include "ballast/error.hpp"
#include "chen_device.hpp"
#include "stopped_queue.hpp"

namespace ballast {

using namespace detail;

static chen_options checked(chen_options options, std::size_t devices) {
  options.trace_to.check(devices);
  options.times = options.times || options.trace_to;
  return options;
}

struct chen_queue::state {
  state(device_list list, kernel_set const& compiled, chen_options const& given)
      : options(checked(given, list.size())),
        kernels(&compiled),
        pool(list.size()),
        steps(pool, list.size()) {
    check_devices(list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      devices.emplace_back(list[i], compiled, options, i, pool, steps);
      sleeps = sleeps && !list[i]->capabilities().needs_polling;
    }
    start();
  }

  void start() {
    if (running || claimed()) throw error("this queue is running already");
    pool.open();
    steps.open();
    all_finished_below = pool.end();
    try {
      for (auto& device : devices) device.start();
    } catch (...) {
      pool.close();
      steps.fail();
      for (auto& device : devices) device.join();
      throw;
    }
    running = true;
  }
  /// True if the batches before `end` have finished, and the step that was current at the call has ended.
  bool all_done(std::uint64_t end, std::uint64_t step) {
    for (auto number = all_finished_below.load(); number < end; ++number) {
      if (!pool.finished(number)) return false;
      pool.forget(number);
      all_finished_below = number + 1;
    }
    return !steps.running() || steps.current() != step;
  }
  // Asks one step after another to end, since tasks submitted too late for one step run in the next.
  void await_all(deadline until) {
    auto const end = pool.end(), step = steps.current();
    wait_limit limit(until);
    for (std::uint64_t looks = 1;; ++looks) {
      auto const epoch = steps.to_waiters.epoch();
      if (all_done(end, step)) return;
      pool.rethrow_failure();
      if (limit.passed()) throw timed_out("the time step of a chen queue to end", describe());
      steps.request_end();
      if (sleeps)
        steps.to_waiters.wait_past(epoch,
                                   std::min(limit.next_look(), clock::now() + std::chrono::milliseconds(20)));
      if (!sleeps && looks > 60) std::this_thread::yield();
    }
  }
  std::vector<task> stop() {
    pool.close();
    pool.fail(why_stopped());  // before a controlling thread says that it was asked to stop
    steps.request_stop();
    steps.fail();
    for (auto& device : devices) device.request_stop();
    for (auto& device : devices) device.join();
    for (auto& device : devices) device.collect();
    running = false;
    return pool.take_all(*kernels);
  }
  /// The error that stop() passes to waiting threads: a device's loss, if there is one that no control thread
  /// has seen yet.
  std::exception_ptr why_stopped() const {
    try {
      for (auto const& device : devices) device.check();
    } catch (device_lost const&) { return std::current_exception(); }
    return std::make_exception_ptr(stopped_queue("its devices", pool.unfinished(), "stop() was called"));
  }
  bool claimed() const { return std::ranges::any_of(devices, &chen_device::claimed); }
  std::string describe() {
    auto text = "chen queue of " + kernels->name() + ": step " + std::to_string(steps.current()) +
                (steps.running() ? " runs" : " has ended") + ", " + counted(pool.waiting(), "task") +
                " in the pool\n";
    for (auto& device : devices) text += device.describe();
    return text;
  }

  chen_options options;
  kernel_set const* kernels;
  backlog pool;
  chen_steps steps;
  std::deque<chen_device> devices;
  bool sleeps = true;  ///< true if all devices are host devices
  bool running = false;
  std::atomic<std::uint64_t> all_finished_below = 0;
  process_of_origin const process;
};

chen_queue::chen_queue(device_list devices, kernel_set const& kernels, chen_options options)
    : state_(std::make_unique<state>(std::move(devices), kernels, options)) {}

// Blocks that may still run use the memory, and freeing it would wait for them: this state is then
// deliberately leaked.
chen_queue::~chen_queue() {
  if (state_->process.is_parent()) {
    (void)state_.release();  // its threads exist only in the parent
    return;
  }
  if (auto const left = state_->pool.unfinished(); state_->running && left > 0)
    log_wait("a chen queue is destroyed (tasks that have not run: " + std::to_string(left) +
                 "), and on each device tasks that run now end first",
             state_->options.resident.stop_timeout);
  try {
    if (state_->running) state_->stop();
  } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
  if (!state_->claimed()) return;
  write_log(log_level::warning, "a chen queue whose resident kernel does not end is left behind");
  (void)state_.release();
}

void chen_queue::submit(task const& one) { submit(std::span(&one, 1)); }
void chen_queue::submit(std::span<task const> batch) {
  submit(std::make_shared<prepared_tasks const>(*state_->kernels, batch));
}
void chen_queue::submit(std::shared_ptr<prepared_tasks const> batch) {
  state_->process.check("submit()");
  if (batch->kernels() != state_->kernels) throw error("the tasks were prepared for another kernel set");
  bool const empty = batch->records().empty();
  state_->pool.add(std::move(batch));
  if (!empty) state_->steps.begin();
}

void chen_queue::wait_all(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->options.timeout));
  state_->process.check("wait_all()");
  state_->await_all(until);
}

std::vector<device_share> chen_queue::last_step() const {
  std::vector<device_share> all;
  for (auto const& device : state_->devices) all.push_back(device.last_step());
  return all;
}

void chen_queue::close(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->options.timeout));
  state_->process.check("close()");
  if (!state_->running) {
    if (state_->pool.unfinished() > 0) state_->pool.rethrow_failure();
    return;
  }
  state_->pool.close();
  state_->await_all(until);
  state_->steps.leave();
  for (auto& device : state_->devices) device.join();
  state_->running = false;
}

std::vector<task> chen_queue::stop() {
  state_->process.check("stop()");
  return state_->stop();
}
void chen_queue::request_stop() noexcept {
  state_->steps.request_stop();
  for (auto& device : state_->devices) device.request_stop();
}
void chen_queue::start() {
  state_->process.check("start()");
  state_->start();
}
bool chen_queue::running() const { return state_->steps.running(); }

std::size_t chen_queue::size() const { return state_->devices.size(); }
std::string chen_queue::describe() { return state_->describe(); }

}  // namespace ballast
