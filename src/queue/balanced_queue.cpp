// SPDX-License-Identifier: Apache-2.0
#include "ballast/balanced_queue.hpp"

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>

#include "backlog.hpp"
#include "ballast/log.hpp"
#include "feeder.hpp"

namespace ballast {

using namespace detail;

struct balanced_queue::state {
  state(device_list devices, compiled_kernels const& kernels, balanced_options given);
  ~state();

  void start();
  void abort_start() noexcept;
  void wake_feeders();
  void await(std::uint64_t number, deadline until);
  void await_all(deadline until);
  std::string describe();

  balanced_options options;
  compiled_kernels const* kernels;
  backlog tasks;
  std::deque<task_queue> queues;
  std::deque<feeder> feeders;
  bool sleeps = true;  ///< host devices alone
  bool running = false;
  std::vector<task> handed_back;
  std::atomic<std::uint64_t> all_finished_below = 0;
};

namespace {

std::size_t parts_of(balanced_options const& options, std::size_t devices) {
  if (devices == 0) throw_bad_argument("devices", "an empty list", "at least one device");
  return make_feed_policy(options.policy, options.fixed_batch)->partitions_batches() ? devices : 1;
}

}  // namespace

balanced_queue::state::state(device_list devices, compiled_kernels const& list, balanced_options given)
    : options(std::move(given)), kernels(&list), tasks(devices.size(), parts_of(options, devices.size())) {
  options.queue.start_at_once = false;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    queues.emplace_back(devices[i], list, options.queue);
    feeders.emplace_back(tasks, queues.back(), i, devices.size(), options);
    sleeps = sleeps && !devices[i]->is_cuda();
  }
  start();
}

balanced_queue::state::~state() {
  for (auto& feeder : feeders) feeder.abandon();
  for (auto& queue : queues) queue.request_stop();
  for (auto& feeder : feeders) feeder.join();
}

void balanced_queue::state::start() {
  if (running) throw error("this queue is running already");
  tasks.open();
  all_finished_below = tasks.end();
  try {
    for (auto& queue : queues) queue.start();
    for (auto& feeder : feeders) feeder.start();
  } catch (...) {
    abort_start();
    throw;
  }
  running = true;
}

void balanced_queue::state::abort_start() noexcept {
  tasks.close();
  for (auto& feeder : feeders) feeder.abandon();
  for (auto& queue : queues) queue.request_stop();
  for (auto& feeder : feeders) feeder.join();
  for (auto& queue : queues) try {
      queue.stop();  // also if its workers have left by now
    } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
}

void balanced_queue::state::wake_feeders() {
  for (auto& queue : queues) queue.wake_event().notify();
}

void balanced_queue::state::await(std::uint64_t number, deadline until) {
  for (std::uint64_t looks = 1; !tasks.finished(number); ++looks) {
    if (looks % 64 == 0 || sleeps) tasks.rethrow_failure();
    if (until.passed()) throw timed_out("a batch of the balanced queue", describe());
    if (sleeps)
      tasks.sleep_until_finished(number, std::min(until.at(), clock::now() + std::chrono::seconds(1)));
    if (!sleeps && looks > 60) std::this_thread::yield();
  }
}

void balanced_queue::state::await_all(deadline until) {
  auto const end = tasks.end();
  for (auto number = all_finished_below.load(); number < end; ++number) await(number, until);
  all_finished_below = end;
}

std::string balanced_queue::state::describe() {
  std::string text =
      std::to_string(tasks.waiting()) + " tasks in the backlog, policy " + options.policy + "\n";
  for (auto& queue : queues) text += queue.describe();
  return text;
}

balanced_queue::balanced_queue(device_list devices, compiled_kernels const& kernels, balanced_options options)
    : state_(std::make_unique<state>(std::move(devices), kernels, std::move(options))) {}

balanced_queue::~balanced_queue() = default;

backlog_ticket balanced_queue::submit(std::span<task const> batch) {
  return submit(std::make_shared<prepared_tasks const>(*state_->kernels, batch));
}
backlog_ticket balanced_queue::submit(task const& one) { return submit(std::span(&one, 1)); }

backlog_ticket balanced_queue::submit(std::shared_ptr<prepared_tasks const> batch) {
  if (batch->kernels() != state_->kernels) throw error("the tasks were prepared for another kernel list");
  auto const given = state_->tasks.add(std::move(batch));
  state_->wake_feeders();
  return given;
}

bool balanced_queue::finished(backlog_ticket which) const {
  state_->tasks.check_ticket(which);
  return state_->tasks.finished(which.number);
}

void balanced_queue::wait(backlog_ticket which) { wait(which, deadline::in(state_->options.queue.timeout)); }
void balanced_queue::wait(backlog_ticket which, deadline until) {
  state_->tasks.check_ticket(which);
  state_->await(which.number, until);
}
void balanced_queue::wait_all() { wait_all(deadline::in(state_->options.queue.timeout)); }
void balanced_queue::wait_all(deadline until) { state_->await_all(until); }

std::vector<device_share> balanced_queue::shares(backlog_ticket which) const {
  if (!finished(which)) throw error("shares() needs a finished batch");
  return state_->tasks.shares(which.number);
}

void balanced_queue::forget(backlog_ticket which) {
  state_->tasks.check_ticket(which);
  state_->tasks.forget(which.number);
}

void balanced_queue::close() { close(deadline::in(state_->options.queue.timeout)); }
void balanced_queue::close(deadline until) {
  if (!state_->running) return;
  state_->tasks.close();
  state_->await_all(until);
  for (auto& feeder : state_->feeders) feeder.finish();
  for (auto& feeder : state_->feeders) feeder.join();
  for (auto& queue : state_->queues) queue.close(until);
  state_->running = false;
}

// What was collected is kept until it can be returned, should one of the queues not stop.
std::vector<task> balanced_queue::stop() {
  auto& all = state_->handed_back;
  state_->tasks.close();
  state_->tasks.fail(
      std::make_exception_ptr(queue_stopped("its devices", state_->tasks.unfinished(), "stop() was called")));
  for (auto& feeder : state_->feeders) feeder.abandon();
  request_stop();
  for (auto& feeder : state_->feeders) feeder.join();
  auto const waiting = state_->tasks.take_all(*state_->kernels);
  all.insert(all.end(), waiting.begin(), waiting.end());
  for (auto& queue : state_->queues) {
    auto const rest = queue.stop();
    all.insert(all.end(), rest.begin(), rest.end());
  }
  state_->running = false;
  return std::exchange(all, {});
}

void balanced_queue::request_stop() noexcept {
  for (auto& queue : state_->queues) queue.request_stop();
}

void balanced_queue::start() { state_->start(); }

std::size_t balanced_queue::size() const { return state_->queues.size(); }
task_queue& balanced_queue::on(std::size_t device) { return state_->queues.at(device); }
std::string balanced_queue::describe() { return state_->describe(); }

}  // namespace ballast
