// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ballast/task_queue.hpp"
#include "queue/benchmarks.hpp"
#include "queue/counted_blocks.hpp"
#include "queue/gate.hpp"

namespace ballast::bench {
namespace {

/// A chain of `steps` batches of `tasks` tasks each, and its time for each way to order them.
class batch_chain {
 public:
  batch_chain(session& now, std::uint32_t tasks, std::uint32_t steps)
      : now_(now), steps_(steps), counts_(now.first(), tasks), door_(now.first(), 2) {}

  /// Each step is submitted once the host knows that the previous one has run.
  void measure_by_host() {
    measure("by the host", [](task_queue& queue, prepared_tasks const& step, completion const& before) {
      before.wait();
      return queue.submit(step, 0, step.records().size(), deadline::never());
    });
  }
  /// Each step waits on the device, while the host submits the next ones.
  void measure_on_device() { measure("on the device", &submit_after); }
  /// Each step also waits for the one two before the last, so that its workers read a list.
  void measure_on_device_after_two() {
    completion earlier, earliest;
    measure("on the device, after two",
            [&](task_queue& queue, prepared_tasks const& step, completion const& before) {
              auto const done = queue.submit(step, {.after = {before, earliest}});
              earliest = std::exchange(earlier, before);
              return done;
            });
  }
  /// Steps of one grid task.
  void measure_grids() {
    auto const blocks = std::uint32_t(counts_.size());
    task const grid[] = {grid_task(task(count_block<128>{counts_.words()}, {0, blocks}))};
    measure("on the device, a grid task a step", prepared_tasks(small_block_kernels(), grid), &submit_after);
  }
  /// The same tasks without order: the cost of submitting, fetching and running them.
  void measure_unordered() {
    measure("without order", [](task_queue& queue, prepared_tasks const& step, completion const&) {
      return queue.submit(step, 0, step.records().size(), deadline::never());
    });
  }
  /// All steps are submitted while a gate is shut, so that only the chain is timed, without submission and
  /// fetching.
  void measure_preloaded() {
    if (std::uint64_t(counts_.size()) * steps_ > capacity / 2) return;
    if (!now_.first()->is_cuda()) return;  // on cores a worker fetches, and all may be held at the gate
    prepared_tasks const step(small_block_kernels(), counts_.all());
    run("on the device, fetched before", [&](task_queue& queue) {
      system_word(door_[0]).store_relaxed(0);
      auto const held = queue.submit(task(wait_at_pinned_gate()));
      completion last = held;
      for (std::uint32_t i = 0; i < steps_; ++i) last = queue.submit(step, {.after = last});
      await_fetched(queue, deadline::in(std::chrono::minutes(1)));
      return seconds_of([&] {
        system_word(door_[0]).store_release(1);
        last.wait();
      });
    });
  }

 private:
  static constexpr std::uint32_t capacity = 1 << 16;

  static completion submit_after(task_queue& queue, prepared_tasks const& step, completion const& before) {
    return queue.submit(step, {.after = before});
  }

  /// A task that waits for a gate in host memory, where it may lie since only one worker polls it.
  wait_for_gate wait_at_pinned_gate() const {
    return {array_ref<std::uint32_t>(door_.data() + 1), array_ref<std::uint32_t>(door_.data()), 1ull << 30};
  }

  template <class Submit>
  void measure(std::string const& name, Submit const& submit) {
    measure(name, prepared_tasks(small_block_kernels(), counts_.all()), submit);
  }
  template <class Submit>
  void measure(std::string const& name, prepared_tasks const& step, Submit const& submit) {
    run(name, [&](task_queue& queue) {
      return seconds_of([&] {
        completion last;
        for (std::uint32_t i = 0; i < steps_; ++i) last = submit(queue, step, last);
        last.wait();
      });
    });
  }

  /// Measures a chain: for each sample seconds(queue) runs it and returns the time.
  template <class Seconds>
  void run(std::string const& name, Seconds const& seconds) {
    counts_.clear();
    queue_options options;
    options.capacity = capacity;
    options.submission_rings = 1;
    options.resident.spared_multiprocessors = 0;
    task_queue queue(now_.first(), small_block_kernels(), options);
    std::uint32_t rounds = 0;
    now_.measure(name, double(counts_.size()), "us/step", [&] {
      ++rounds;
      return seconds(queue) * 1e6 / steps_;
    });
    queue.close();
    now_.verify(counts_.each_ran(rounds * steps_), "every task of every step ran exactly once");
  }

  session& now_;
  std::uint32_t steps_;
  counted_blocks counts_;
  pinned_buffer<std::uint32_t> door_;
};

}  // namespace

/// A sample is a chain's time divided by the number of its steps.
void measure_dependent_batches(session& now) {
  now.axes("A chain of batches, each after the one before", "tasks of a batch", "us/step", true, true);
  now.repeat(2, now.quick() ? 3 : 15);
  auto const steps = std::uint32_t(now.size(200, 50));
  now.parameter("steps", steps);
  for (std::uint32_t const tasks :
       now.quick() ? std::vector<std::uint32_t>{1, 8} : std::vector<std::uint32_t>{1, 8, 132, 1056}) {
    batch_chain chain(now, tasks, steps);
    chain.measure_by_host();
    chain.measure_on_device();
    chain.measure_on_device_after_two();
    chain.measure_preloaded();
    chain.measure_grids();
    chain.measure_unordered();
  }
  now.derived("by the host over on the device, one task a step",
              now.median_of("by the host", 1) / now.median_of("on the device", 1));
}

}  // namespace ballast::bench
