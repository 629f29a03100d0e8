// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/task_queue.hpp"
#include "harness/session.hpp"
#include "queue/kernels.cuh"

namespace ballast::bench {

/// Keeps every worker of a queue of small blocks inside a task until open(). It opens by itself after some
/// seconds, so that a program that crashed leaves no kernel running. The word that all workers poll is on the
/// device: thousands of workers that poll host memory would leave the server no bandwidth on the bus.
class gate {
 public:
  /// Allocates, so make it before a resident kernel starts.
  gate(std::shared_ptr<compute_device> on, std::uint32_t max_workers)
      : stream_(on->make_stream()), entered_(on, max_workers), said_(on, 1), open_(on, 1) {}

  /// Returns when every worker is inside. Throws timed_out.
  void hold_workers(task_queue& queue) {
    for (auto& word : entered_.span()) system_word(word).store_relaxed(0);
    say(0);
    for (std::uint32_t i = 0; i < queue.workers_of_run(); ++i) queue.submit(holder(i));
    auto const until = deadline::in(std::chrono::seconds(10));
    for (std::uint32_t i = 0; i < queue.workers_of_run(); ++i) {
      while (system_word(entered_[i]).load_acquire() == 0) {
        if (until.passed()) throw timed_out("every worker at the gate", queue.describe());
        std::this_thread::yield();
      }
    }
  }
  void open() { say(1); }

 private:
  void say(std::uint32_t word) {
    said_[0] = word;
    stream_->copy(open_.data(), said_.data(), said_.bytes());
    stream_->synchronize();
  }
  task holder(std::uint32_t i) const {
    constexpr std::uint64_t some_seconds_of_polls = 1 << 24;
    return task(wait_for_gate{array_ref<std::uint32_t>(entered_.data()),
                              array_ref<std::uint32_t>(open_.data()), some_seconds_of_polls},
                {i, 1});
  }

  std::unique_ptr<stream> stream_;
  pinned_buffer<std::uint32_t> entered_, said_;
  device_buffer<std::uint32_t> open_;
};

/// Waits until the device has fetched everything that was submitted. Throws timed_out.
inline void await_fetched(task_queue& queue, deadline until) {
  while (queue.statistics().fetched < queue.statistics().submitted) {
    if (until.passed()) throw timed_out("every task in the ring", queue.describe());
    std::this_thread::yield();
  }
}

/// Fills the ring while the gate is shut, then opens it. Returns the seconds from then until all tasks have
/// run. Throws timed_out.
inline double seconds_to_wait_all(task_queue& queue, gate& door, prepared_tasks const& tasks,
                                  deadline until) {
  door.hold_workers(queue);
  queue.submit(tasks, 0, tasks.records().size(), until);
  await_fetched(queue, until);
  return seconds_of([&] {
    door.open();
    queue.wait_all(until);
  });
}

}  // namespace ballast::bench
