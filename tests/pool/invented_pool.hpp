// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ballast/detail/pool/bands.cuh"
#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/deque_stealing.cuh"
#include "ballast/detail/pool/pool_loop.cuh"
#include "ballast/detail/pool/shared_queues.cuh"

/// The real worker loops of a pool on an invented clock.
namespace ballast::test::invented {
using namespace detail;

/// A task by its depth and by a number that differs from task to task.
struct node {
  std::uint32_t depth, number;

  std::uint32_t draw() const { return (number * 0x9e3779b9u ^ number >> 15) * 0x85ebca6bu >> 8; }
};

struct invented_tree {
  std::string name;
  std::function<std::uint32_t(node)> children;  ///< at most list::max_spawns
  std::function<std::int64_t(node)> ticks;
  std::function<std::uint32_t(node)> key = [](node) { return 0u; };
};

/// Of which the test itself runs the tasks.
struct list {
  static constexpr std::uint32_t max_spawns = 4, max_joins = 0, max_taken = 1;
  static constexpr bool by_threads = false;
  static std::uint32_t room_for(task_record const&) { return max_spawns; }
  static std::uint32_t order_key_of(task_record const& task) { return task.data[2]; }
};

inline stored_task task_of(node const& one, std::uint32_t key) {
  stored_task task{};
  task.record.data[0] = one.depth;
  task.record.data[1] = one.number;
  task.record.data[2] = key;
  task.record.describe({0, 1}, 0);
  return task;
}

/// What each method keeps its tasks in.
template <class Method>
class memory_of;

template <>
class memory_of<chunks_ref> {
 public:
  explicit memory_of(std::uint32_t workers)
      : deques_(workers), slots_(std::size_t(workers) * capacity), spare_(workers) {}
  chunks_ref ref() {
    return {deques_.data(),
            slots_.data(),
            {tasks_.data(), &used_, spare_.data(), {&words_, free_.data(), chunks}, chunk_tasks, chunks},
            capacity};
  }

 private:
  static constexpr std::uint32_t capacity = 256, chunk_tasks = 16, chunks = 4096;
  std::vector<tagged_deque_words> deques_;
  std::vector<chunks_ref::public_deque::slot> slots_;
  std::vector<stored_task> tasks_{std::size_t(chunks) * chunk_tasks};
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> spare_;
  ring_queue_words words_{};
  std::vector<chunk_stock::free_list::slot> free_{chunks};
};

template <>
class memory_of<bands_ref> {
 public:
  explicit memory_of(std::uint32_t workers) : spare_(workers) {}
  bands_ref ref() {
    return {
        &words_,
        ring_words_.data(),
        slots_.data(),
        chunks,
        {tasks_.data(), &used_, spare_.data(), {&free_words_, free_.data(), chunks}, chunk_tasks, chunks}};
  }

 private:
  static constexpr std::uint32_t chunk_tasks = 4, chunks = 1u << 14;
  band_words words_{};
  std::vector<ring_queue_words> ring_words_ = std::vector<ring_queue_words>(bands_ref::rings);
  std::vector<bands_ref::ring::slot> slots_{std::size_t(chunks) * bands_ref::rings};
  std::vector<stored_task> tasks_{std::size_t(chunks) * chunk_tasks};
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> spare_;
  ring_queue_words free_words_{};
  std::vector<chunk_stock::free_list::slot> free_{chunks};
};

template <class Method>
requires requires(Method const method) { method.capacity, method.slots; }
class memory_of<Method> {
 public:
  explicit memory_of(std::uint32_t workers) : words_(workers), slots_(std::size_t(workers) * capacity) {}
  Method ref() {
    Method method;
    method.words = words_.data();
    method.slots = slots_.data();
    method.capacity = capacity;
    return method;
  }

 private:
  static constexpr std::uint32_t capacity = 4096;
  std::vector<std::remove_pointer_t<decltype(Method::words)>> words_;
  std::vector<std::remove_pointer_t<decltype(Method::slots)>> slots_;
};

template <>
class memory_of<shared_ring_ref> {
 public:
  explicit memory_of(std::uint32_t) {}
  shared_ring_ref ref() { return {{&words_, slots_.data(), std::uint32_t(slots_.size())}}; }

 private:
  ring_queue_words words_{};
  std::vector<ring_queue_ref<stored_task>::slot> slots_{1u << 16};
};

template <>
class memory_of<locked_queue_ref> {
 public:
  explicit memory_of(std::uint32_t) {}
  locked_queue_ref ref() { return {&words_, tasks_.data(), std::uint32_t(tasks_.size())}; }

 private:
  locked_queue_words words_{};
  std::vector<stored_task> tasks_{1u << 16};
};

/// Never rests, since the others take no step meanwhile.
struct restless_worker : host_worker {
  using host_worker::host_worker;
  BALLAST_HD void back_off(std::uint32_t) const {}
};

/// Workers whose steps one thread takes in the order of an invented clock. A task takes its ticks, another
/// step `ticks_of_step`, whoever else does the same: so queues for all are better off than they really are.
template <class Method>
class invented_pool {
 public:
  static constexpr std::int64_t ticks_of_step = 2;

  invented_pool(std::uint32_t workers, invented_tree const& tree) : tree_(tree), memory_(workers) {
    work_.view.words = &words_;
    work_.view.bounds = bounds_.data();
    work_.view.stacks = stacks_.data();
    work_.view.stack_capacity = stack_capacity;
    work_.view.workers = workers;
    work_.view.inline_tasks[0] = task_of({0, 1}, tree.key({0, 1}));
    work_.view.waiting_tasks = 1;
    work_.control.stop = &stop_;
    work_.control.activity = activity_.data();
    work_.control.idle_timeout_ns = std::numeric_limits<std::uint64_t>::max();
    work_.method = memory_.ref();
    for (std::uint32_t i = 0; i < workers; ++i) workers_.push_back(std::make_unique<worker>(work_, i));
  }

  /// Until every worker has left: when the last task had run.
  std::int64_t ticks() {
    std::vector<std::int64_t> turns(workers_.size(), 0);
    std::int64_t end = 0;
    for (;;) {
      auto const i = first_of(turns);
      auto const now = turns[i];
      if (now == never) break;
      auto& one = *workers_[i];
      auto const step = one.loop.next(one.group);
      if (step == worker_step::leave) {
        turns[i] = never;
        continue;
      }
      auto const taken = step == worker_step::run ? run(one) : (one.loop.act(one.group, step), ticks_of_step);
      if (step == worker_step::run) end = std::max(end, now + taken);
      turns[i] = now + taken;
    }
    return end;
  }
  std::uint64_t tasks() const { return tasks_; }

  /// Called before each task, with its key.
  std::function<void(node, std::uint32_t)> sees;

 private:
  static constexpr std::uint32_t stack_capacity = 256, max_workers = 64;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// Whose turn it is, of several the first. Looked for in a loop: a queue of pairs takes longer without
  /// optimisation.
  static std::size_t first_of(std::vector<std::int64_t> const& turns) {
    std::int64_t const* const all = turns.data();
    std::size_t first = 0;
    for (std::size_t i = 1, count = turns.size(); i < count; ++i)
      if (all[i] < all[first]) first = i;
    return first;
  }

  struct worker {
    worker(pool_work<Method> const& work, std::uint32_t number) : loop(work, me, number) {
      loop.begin(group, number);
    }
    pool_worker me{};
    host_block_context context;
    restless_worker group{context};
    pool_loop<list, Method, pool_view> loop;
  };

  std::int64_t run(worker& one) {
    ++tasks_;
    auto const& data = one.group.record().data;
    node const parent{data[0], data[1]};
    if (sees) sees(parent, data[2]);
    for (std::uint32_t i = 0; i < tree_.children(parent); ++i) {
      node const child{parent.depth + 1, parent.number * list::max_spawns + i + 1};
      one.loop.sink().add(task_of(child, tree_.key(child)));
    }
    one.loop.count_completed(one.group);
    return tree_.ticks(parent);
  }

  invented_tree const& tree_;
  memory_of<Method> memory_;
  pool_words words_{};
  std::vector<stack_bounds> bounds_{max_workers};
  std::vector<stored_task> stacks_{std::size_t(max_workers) * stack_capacity};
  std::vector<std::uint64_t> activity_ =
      std::vector<std::uint64_t>(std::size_t(max_workers) * activity_stride_on_cores);
  std::uint32_t stop_ = 0;
  pool_work<Method> work_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::uint64_t tasks_ = 0;
};

}  // namespace ballast::test::invented
