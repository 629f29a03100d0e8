// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "ballast/methods/chen_queue.hpp"
#include "ballast/task_queue.hpp"
#include "kernels.cuh"
#include "scenario.hpp"

namespace ballast::soak {

/// What the queues have in common.
class any_queue {
 public:
  virtual ~any_queue() = default;
  /// Returns how many of the first tasks were accepted, fewer than all only at a deadline.
  virtual std::size_t submit(std::span<task const> batch, deadline until) = 0;
  virtual void wait_all(deadline until) = 0;
  virtual void close() = 0;
  virtual std::vector<task> stop() = 0;
  virtual void request_stop() = 0;
  virtual void start() = 0;
};

template <class Queue>
class queue_adapter final : public any_queue {
 public:
  template <class... Argument>
  explicit queue_adapter(Argument&&... arguments) : queue_(std::forward<Argument>(arguments)...) {}

  std::size_t submit(std::span<task const> batch, deadline until) override {
    if constexpr (std::is_same_v<Queue, task_queue>) {
      try {
        queue_.submit(batch, until);
      } catch (queue_full const& full) { return full.accepted(); }
    } else {
      (void)until;
      queue_.submit(batch);
    }
    return batch.size();
  }
  void wait_all(deadline until) override { queue_.wait_all(until); }
  void close() override { queue_.close(late()); }
  std::vector<task> stop() override { return queue_.stop(); }
  void request_stop() override { queue_.request_stop(); }
  void start() override { queue_.start(); }

 private:
  Queue queue_;
};

inline queue_options queue_options_of(scenario& of) {
  queue_options options;
  options.capacity = std::uint32_t(1) << of.drawn(1, 12);
  options.submission_rings = std::uint32_t(of.drawn(1, 8));
  options.times = of.one_in(3);
  return options;
}

/// On these devices, or on the first of them. On GPUs blocks are as many as fit.
inline std::unique_ptr<any_queue> make_queue(scenario& of, device_list const& devices) {
  switch (of.drawn(0, 3)) {
    case 0:
      return std::make_unique<queue_adapter<task_queue>>(devices.front(), queue_kernels(),
                                                         queue_options_of(of));
    case 1: {
      chen_options options;
      options.queues = std::uint32_t(of.drawn(1, 4));
      options.tasks_per_queue = std::uint32_t(of.drawn(1, 64));
      return std::make_unique<queue_adapter<chen_queue>>(devices, queue_kernels(), options);
    }
    default: {
      balanced_options options;
      options.policy = of.name_of(feed_policies());
      options.fixed_batch = std::uint32_t(of.drawn(1, 40));
      options.queue = queue_options_of(of);
      return std::make_unique<queue_adapter<balanced_queue>>(devices, queue_kernels(), options);
    }
  }
}

}  // namespace ballast::soak
