// SPDX-License-Identifier: Apache-2.0
#include "ballast/balanced_queue.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "backlog.hpp"
#include "ballast/detail/base/source_run.hpp"
#include "ballast/error.hpp"
#include "feeder.hpp"
#include "graph_state.hpp"
#include "queue_memory.hpp"
#include "stopped_queue.hpp"

namespace ballast {

using namespace detail;

static std::size_t parts_of(balanced_options const& options, device_list const& devices) {
  check_devices(devices);
  return make_feed_policy(options.policy, options.fixed_batch)->partitions_batches() ? devices.size() : 1;
}

struct balanced_queue::state final : completion_source {
  state(device_list devices, kernel_set const& list, balanced_options given)
      : options(std::move(given)),
        kernels(&list),
        tasks(devices.size(), parts_of(options, devices)),
        placed_us(devices.size()) {
    options.queue.start_at_once = false;
    bool const cuts_by_times = parts_of(options, devices) > 1 && !may_spawn(list);
    options.queue.times = options.queue.times || cuts_by_times;
    options.queue.trace_to.check(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      auto own = options.queue;
      own.trace_to = own.trace_to.from_device(i);
      queues.emplace_back(devices[i], list, own);
      feeders.emplace_back(tasks, queues.back(), i, devices.size(), options);
      sleeps = sleeps && !devices[i]->capabilities().needs_polling;
    }
    start();
  }
  ~state() override {
    if (auto const left = tasks.unfinished(); running && left > 0)
      log_wait("a balanced queue is destroyed (tasks that have not run: " + std::to_string(left) +
                   "), and on each device tasks that run now end first",
               options.queue.resident.stop_timeout);
    for (auto& feeder : feeders) feeder.abandon();
    for (auto& queue : queues) queue.request_stop();
    for (auto& feeder : feeders) feeder.join();
    if (running) stop_queues();
    for (auto& feeder : feeders) feeder.collect_finished();
    tasks.fail(
        std::make_exception_ptr(stopped_queue("its devices", tasks.unfinished(), "the queue is gone")));
    end_run();
  }

  void start() {
    if (running) throw error("this queue is running already");
    end_run();
    has_graphs = false;
    auto& begun = source_run::begin(*this);
    run_number = begun.run();
    run = &begun;
    tasks.open(&begun);
    all_finished_below = tasks.end();
    try {
      for (auto& queue : queues) queue.start();
      for (auto& feeder : feeders) feeder.start(run_number);
    } catch (...) {
      abort_start();
      throw;
    }
    running = true;
  }
  void abort_start() noexcept {
    tasks.close();
    tasks.fail(std::current_exception());
    for (auto& feeder : feeders) feeder.abandon();
    for (auto& queue : queues) queue.request_stop();
    for (auto& feeder : feeders) feeder.join();
    stop_queues();
    end_run();
  }
  /// Stops the queues even if their workers have left by now.
  void stop_queues() noexcept {
    for (auto& queue : queues) try {
        queue.stop();
      } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
  }
  void wake_feeders() {
    for (auto& queue : queues) queue.wake_event().notify();
  }
  // For completions, which name batches by number.
  bool has_ended(completion_key const& work) override {
    return !process_.is_parent() && tasks.has_ended(work.first);  // else a lock may have been held at fork()
  }
  bool needs_no_launch(completion_key const&) override {
    try {
      return std::ranges::all_of(queues, [](task_queue& queue) { return queue.running(); });
    } catch (error const&) { return false; }
  }
  void wait(completion_key const& work, deadline until) override { await(work.first, until); }
  clock::duration timeout(completion_key const&) const override { return options.queue.timeout; }
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) override {
    tasks.changed().forward_to(listener);
    return true;
  }
  std::uint64_t max_overtaken(completion_key const&) override { return tasks.max_overtaken(); }

  /// Releases the completions of the last run.
  void end_run() {
    auto what_is_left = outcome();
    if (auto* const last = run.exchange(nullptr)) last->end(std::move(what_is_left));
    tasks.changed().notify();
    tasks.changed().forward_to(nullptr);
  }
  std::unique_ptr<run_outcome const> outcome() const {
    auto const left = tasks.unfinished_batches();
    auto const cancelled = tasks.cancelled();
    if (left.empty() && cancelled.empty()) return nullptr;
    auto const has_run = [left, cancelled](completion_key const& work) {
      if (std::ranges::binary_search(left, work.first)) return false;
      throw_if_cancelled(cancelled, work.first);
      return true;
    };
    return std::make_unique<run_outcome const>(has_run, tasks.failure());
  }
  void check_is_of_this_run(completion const& which) const {
    auto const* const present = run.load();
    if (present == nullptr || !present->gave(which))
      throw_bad_argument("completion", "one of another queue or run",
                         "one that this queue gave in its present run");
  }
  /// The error that stop() passes to waiting threads: a device's loss, if there is one that no feeding thread
  /// has seen yet.
  std::exception_ptr why_stopped() {
    try {
      for (auto& queue : queues) queue.running();
    } catch (device_lost const&) { return std::current_exception(); } catch (error const&) {
      // The queue's own stop() reports it.
    }
    return std::make_exception_ptr(stopped_queue("its devices", tasks.unfinished(), "stop() was called"));
  }
  /// After stop(): throws the reason why accepted tasks did not run, if there are any.
  void throw_if_unfinished() const {
    if (tasks.unfinished() > 0) tasks.rethrow_failure();
  }
  void await(std::uint64_t number, deadline until) {
    wait_limit limit(until);
    for (std::uint64_t looks = 1; !tasks.finished(number); ++looks) {
      if (looks % 64 == 0 || sleeps) tasks.rethrow_failure();
      if (limit.passed()) throw timed_out("a batch of the balanced queue", describe());
      if (sleeps) tasks.sleep_until_finished(number, until);
      if (!sleeps && looks > 60) std::this_thread::yield();
    }
    tasks.check_not_cancelled(number);
  }
  // Waits by completions, which say what became of the tasks if the queue is stopped and started again
  // meanwhile.
  void wait_all(deadline until) {
    auto const number = run_number.load();
    auto* const of_run = run.load();
    if (of_run == nullptr) return;
    auto const end = tasks.end();
    bool const is_end_of_run = run_number == number;  // else it counts batches of the next run too
    for (auto batch = all_finished_below.load(); batch < end; ++batch) try {
        of_run->completion_of_run(number, batch).wait_until(until);
      } catch (cancelled_batch const&) {
        // No failure of the queue.
      }
    if (is_end_of_run) all_finished_below = std::max(all_finished_below.load(), end);
    wait_for_graphs(until);
  }
  void wait_for_graphs(deadline until) {
    if (has_graphs)
      for (auto& queue : queues) queue.wait_all(until);
  }

  // For the holder of the graph's mutex.
  std::optional<std::size_t> device_with(graph_state const& graph) const {
    for (std::size_t i = 0; i < queues.size(); ++i)
      if (graph.placed != nullptr && graph.placed->is_on(queues[i].device())) return i;
    return std::nullopt;
  }
  std::size_t choose_device(graph_state const& graph, std::optional<std::size_t> home) {
    std::vector<given_work> loads;
    for (std::size_t i = 0; i < feeders.size(); ++i) {
      loads.push_back(feeders[i].load());
      loads.back().placed_us = placed_us[i];
    }
    return device_for_graph(loads, home, graph.length_us);
  }
  /// Plans the graph for its device, and returns that. A graph that runs stays where it is. With GPUs every
  /// graph does, since a move allocates, which may wait for resident kernels. One graph at a time comes to a
  /// device, so that each sees where the others went.
  std::size_t place(graph_state& graph) {
    auto const home = device_with(graph);
    if (!home) graph.await_last();
    std::unique_lock hold(placing);
    auto const device = home && (!sleeps || !graph.last.ready()) ? *home : choose_device(graph, home);
    if (device == home) hold.unlock();
    graph.place(queues[device].runner_of_graphs());
    if (device != home) placed_us[device] += graph.length_us;
    return device;
  }
  completion submit(graph_state& graph) {
    auto const number = run_number.load();
    auto const device = place(graph);
    auto const given = queues[device].run_graph(graph, {});
    feeders[device].graphs().add(number, given, graph.walks, graph.length_us);
    has_graphs = true;
    return given;
  }
  std::string describe() {
    std::string text = "balanced queue of " + kernels->name();
    for (auto& queue : queues) text += (&queue == &queues.front() ? " on " : ", ") + queue.device().name();
    text += ": " + counted(tasks.waiting(), "task") + " in the backlog, policy " + options.policy + "\n";
    for (auto& queue : queues) text += queue.describe();
    return text;
  }

  balanced_options options;
  kernel_set const* kernels;
  backlog tasks;
  std::deque<task_queue> queues;
  std::deque<feeder> feeders;
  std::atomic<source_run*> run = nullptr;
  std::atomic<std::uint64_t> run_number = 0;
  bool sleeps = true;  ///< while waiting; false with GPUs, whose batches may end faster than a thread wakes
  bool running = false;
  std::vector<task> handed_back;
  std::mutex placing;             ///< held while a graph comes to a device
  std::vector<double> placed_us;  ///< of each device; guarded by `placing`
  std::atomic<bool> has_graphs = false;
  std::atomic<std::uint64_t> all_finished_below = 0;
};

balanced_queue::balanced_queue(device_list devices, kernel_set const& kernels, balanced_options options)
    : state_(std::make_unique<state>(std::move(devices), kernels, std::move(options))) {}

balanced_queue::~balanced_queue() {
  if (state_->process().is_parent()) (void)state_.release();  // its threads exist only in the parent
}

static void check_suits_backlog(submit_options const& options, kernel_set const& kernels) {
  if (options.urgent && may_spawn(kernels))
    throw_bad_argument("urgent", "true", "false, since tasks of this set may create tasks");
  if (!options.after.all().empty())
    throw_bad_argument("after", counted(options.after.all().size(), "completion"),
                       "none in a balanced queue; then() submits after other work");
  if (options.until)
    throw_bad_argument("until", "a deadline",
                       "none in a balanced queue, where submit() of tasks never waits");
  if (options.max_workers != 0)
    throw_bad_argument("max_workers", options.max_workers, "0 for tasks: it limits graphs");
}

completion balanced_queue::submit(std::span<task const> batch, submit_options const& options) {
  return submit(std::make_shared<prepared_tasks const>(*state_->kernels, batch), options);
}
completion balanced_queue::submit(task const& one, submit_options const& options) {
  return submit(std::span(&one, 1), options);
}

completion balanced_queue::submit(std::shared_ptr<prepared_tasks const> batch,
                                  submit_options const& options) {
  state_->process().check("submit()");
  check_suits_backlog(options, *state_->kernels);
  if (batch->kernels() != state_->kernels) throw error("the tasks were prepared for another kernel set");
  auto const given = state_->tasks.add(std::move(batch), options.priority, options.urgent);
  state_->wake_feeders();
  return given;
}

completion balanced_queue::submit(task_graph& graph) {
  state_->process().check("submit()");
  state_->tasks.check_open();
  std::lock_guard const hold(graph.state_->mutex);
  return state_->submit(*graph.state_);
}

void balanced_queue::plan(task_graph& graph) {
  state_->process().check("plan()");
  std::lock_guard const hold(graph.state_->mutex);
  state_->place(*graph.state_);
}

void task_graph::plan(balanced_queue& queue) { queue.plan(*this); }

void balanced_queue::wait_all(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->options.queue.timeout));
  state_->process().check("wait_all()");
  throw_if_in_continuation("wait_all()");
  state_->wait_all(until);
}

std::vector<device_share> balanced_queue::shares(completion const& which) const {
  state_->process().check("shares()");
  state_->check_is_of_this_run(which);
  return state_->tasks.shares(which.work().first);
}

void balanced_queue::forget(completion const& which) {
  state_->process().check("forget()");
  state_->check_is_of_this_run(which);
  state_->tasks.forget(which.work().first);
}

std::vector<task> balanced_queue::cancel(completion const& which) {
  state_->process().check("cancel()");
  state_->check_is_of_this_run(which);
  return state_->tasks.cancel(which.work().first, *state_->kernels);
}

queue_progress balanced_queue::progress() const {
  state_->process().check("progress()");
  auto now = state_->tasks.progress();
  for (auto const& queue : state_->queues) now.devices.push_back(queue.progress());
  for (auto const& one : now.devices) now.busy += one.busy / double(now.devices.size());
  return now;
}

std::vector<created_task> balanced_queue::take_created() {
  state_->process().check("take_created()");
  return state_->tasks.take_created();
}

void balanced_queue::close(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->options.queue.timeout));
  state_->process().check("close()");
  throw_if_in_continuation("close()");
  if (!state_->running) {
    state_->throw_if_unfinished();
    return state_->wait_for_graphs(until);
  }
  state_->tasks.close();
  state_->wait_all(until);
  for (auto& feeder : state_->feeders) feeder.finish();
  for (auto& feeder : state_->feeders) feeder.join();
  for (auto& queue : state_->queues) queue.close(until);
  state_->running = false;
}

// Collected tasks are kept until they can be returned, in case one of the queues does not stop.
std::vector<task> balanced_queue::stop() {
  state_->process().check("stop()");
  auto& all = state_->handed_back;
  state_->tasks.close();
  state_->tasks.fail(state_->why_stopped());
  for (auto& feeder : state_->feeders) feeder.abandon();
  request_stop();
  for (auto& feeder : state_->feeders) feeder.join();
  auto const waiting = state_->tasks.take_all(*state_->kernels);
  all.insert(all.end(), waiting.begin(), waiting.end());
  for (auto& queue : state_->queues) {
    auto const rest = queue.stop();
    all.insert(all.end(), rest.begin(), rest.end());
  }
  for (auto& feeder : state_->feeders) feeder.collect_finished();
  state_->tasks.settle();
  state_->running = false;
  return std::exchange(all, {});
}

void balanced_queue::request_stop() noexcept {
  for (auto& queue : state_->queues) queue.request_stop();
}

void balanced_queue::start() {
  state_->process().check("start()");
  state_->start();
}

std::size_t balanced_queue::size() const { return state_->queues.size(); }
task_queue& balanced_queue::on(std::size_t device) { return state_->queues.at(device); }
std::string balanced_queue::describe() { return state_->describe(); }

}  // namespace ballast
