// SPDX-License-Identifier: Apache-2.0
#include "ranks/place.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "ballast/atomic_ref.cuh"

namespace ballast::bench {
namespace {

/// Keeps the workers of rank 0 waiting as long as this lives, or for a minute.
class held_workers {
 public:
  held_workers(place const& at, cluster_queue& queue)
      : queue_(&queue), states_(at.devices->front(), at.workers + 1) {
    try {
      hold_all(at.workers);
    } catch (...) {
      release();
      throw;
    }
  }
  ~held_workers() { release(); }
  held_workers(held_workers const&) = delete;
  held_workers& operator=(held_workers const&) = delete;

  bool are_held() const {
    return std::ranges::none_of(ends_, [](completion const& one) { return one.ready(); });
  }

 private:
  void hold_all(std::size_t workers) {
    auto const until = deadline::in(std::chrono::minutes(1));
    auto const retry = [&](auto const& is_done) {
      while (!is_done())
        if (until.passed()) throw timed_out("other ranks to take what rank 0 cannot", queue_->describe());
    };
    for (std::size_t i = 0; i < workers; ++i) retry([&] { return holds(i); });
    // Tasks that the rank keeps ready for its workers stay queued after these.
    retry([&] { return is_executed_elsewhere(); });
  }
  void release() {
    for (std::size_t i = 0; i < states_.size(); ++i) state(i).store_relaxed(hold::may_end);
    queue_->wait_all();
  }
  atomic_ref<std::uint64_t, scope::system> state(std::size_t i) {
    return atomic_ref<std::uint64_t, scope::system>(states_[i]);
  }
  completion submit(std::size_t i, std::uint64_t first_state) {
    states_[i] = first_state;
    return queue_->submit(task(hold{result_ref(&states_[i])}));
  }
  /// False if another rank took the task.
  bool holds(std::size_t i) {
    auto end = submit(i, hold::is_there);
    auto const until = deadline::in(std::chrono::seconds(1));
    while (state(i).load_relaxed() == hold::is_there && !end.ready() && !until.passed())
      std::this_thread::yield();
    if (end.ready()) return false;
    ends_.push_back(std::move(end));
    return true;
  }
  bool is_executed_elsewhere() {
    auto const end = submit(states_.size() - 1, hold::may_end);
    auto const until = deadline::in(std::chrono::milliseconds(100));
    while (!end.ready() && !until.passed()) std::this_thread::yield();
    return end.ready();
  }

  cluster_queue* queue_;
  pinned_buffer<std::uint64_t> states_;
  std::vector<completion> ends_;
};

}  // namespace

place::place(session* of, cluster& over, device_list const& own, bool is_quick, kernel_set const& kernels)
    : now(of), ranks(&over), devices(&own), quick(is_quick) {
  balanced_queue local(own, kernels);
  for (std::size_t i = 0; i < local.size(); ++i) workers += local.on(i).workers_of_run();
}

bool are_cores(device_list const& devices) {
  return std::ranges::none_of(devices, [](auto const& device) { return device->is_cuda(); });
}

std::vector<double> samples_of_others(place const& at, cluster_queue& queue, std::size_t count,
                                      std::function<double()> const& sample) {
  held_workers const held(at, queue);
  std::vector<double> samples;
  while (samples.size() < count && held.are_held()) {
    auto const own = queue.tasks_by_rank()[0];
    auto const value = sample();
    if (queue.tasks_by_rank()[0] == own) samples.push_back(value);
  }
  return samples;
}

}  // namespace ballast::bench
