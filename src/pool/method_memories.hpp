// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "ballast/detail/pool/bands.cuh"
#include "ballast/detail/pool/chunks.cuh"
#include "ballast/detail/pool/deque_stealing.cuh"
#include "ballast/detail/pool/peer_view.cuh"
#include "ballast/detail/pool/pool_loop.cuh"
#include "ballast/detail/pool/shared_queues.cuh"
#include "pool_executor.hpp"
#include "worker_memory.hpp"

namespace ballast::detail {

template <class View, class Method>
void start_with(kernel_start const& how, View const& view, Method const& method) {
  pool_work<Method, View> const work{how.kernel.next_control(), view, method};
  how.kernel.start_on(how.on, &work, sizeof work, how.follow);
}

/// The task in a slot, once no worker runs.
template <class Slot>
stored_task task_in(Slot& slot) {
  return slot.template read<device_atomic>();
}

/// The memory of chunks.
class stock_memory {
 public:
  /// Chunks of at most `chunk_tasks`, for `times` the capacity of the plan.
  stock_memory(pool_plan const& plan, std::uint32_t workers, std::uint32_t chunk_tasks, std::uint32_t times);
  /// All chunks are free.
  void clear(stream& on);
  std::size_t bytes() const;
  chunk_stock ref() const;

  std::uint32_t chunk_tasks() const { return chunk_tasks_; }
  std::uint32_t chunks() const { return chunks_; }
  /// What all chunks hold, for add_tasks().
  std::vector<stored_task> tasks(stream& on) const { return copy_of(on, tasks_); }
  /// Adds the tasks of one chunk.
  void add_tasks(std::vector<stored_task> const& of_all, chunk_entry chunk,
                 std::vector<stored_task>& into) const;

 private:
  std::uint32_t chunk_tasks_, chunks_;
  device_buffer<stored_task> tasks_;
  device_buffer<std::uint32_t> used_, spare_chunks_;
  device_buffer<ring_queue_words> free_words_;
  device_buffer<chunk_stock::free_list::slot> free_slots_;
};

class chunk_memory final : public method_memory {
 public:
  chunk_memory(pool_plan const& plan, std::uint32_t workers);
  void clear(stream& on) override;
  void start(kernel_start const& how, pool_view const& view) override { start_with(how, view, ref()); }
  void collect(stream& on, std::vector<stored_task>& into) override;
  std::size_t bytes() const override { return stock_.bytes() + public_deques_.bytes() + slots_.bytes(); }
  chunks_ref ref() const;

 private:
  stock_memory stock_;
  std::uint32_t public_deque_capacity_;
  device_buffer<tagged_deque_words> public_deques_;
  device_buffer<chunks_ref::public_deque::slot> slots_;
};

class band_memory final : public method_memory {
 public:
  band_memory(pool_plan const& plan, std::uint32_t workers);
  void clear(stream& on) override;
  /// The bands begin at 0 in each launch.
  void prepare(stream& on) override { detail::clear(on, words_); }
  void start(kernel_start const& how, pool_view const& view) override;
  void collect(stream& on, std::vector<stored_task>& into) override;
  std::size_t bytes() const override {
    return stock_.bytes() + words_.bytes() + ring_words_.bytes() + slots_.bytes();
  }

 private:
  stock_memory stock_;
  std::uint32_t ring_capacity_;
  device_buffer<band_words> words_;
  device_buffer<ring_queue_words> ring_words_;
  device_buffer<bands_ref::ring::slot> slots_;
};

/// The memory of one device of a pool over several.
class peer_memory final : public method_memory {
 public:
  peer_memory(pool_plan const& plan, std::uint32_t workers)
      : chunks_(plan, workers),
        words_(plan.device, 1),
        mail_(plan.device, workers),
        gifts_(plan.device, workers),
        to_run_(plan.device, workers) {}

  peer_device reached(std::uint32_t workers, join_memory const& joins) const {
    return {words_.data(),         mail_.data(),   gifts_.data(),  workers,
            joins.arena().records, to_run_.data(), joins.homing(), joins.homing_lists()};
  }
  /// Call it before each launch, once the number of each device's workers is known.
  void meet(std::span<peer_device const> all, std::uint32_t own);
  void clear(stream& on) override { chunks_.clear(on); }
  void prepare(stream& on) override;
  void start(kernel_start const& how, pool_view const& view) override;
  /// Also collects the arrived tasks, and the continuations sent home, that no worker has taken.
  void collect(stream& on, std::vector<stored_task>& into) override;
  std::size_t bytes() const override {
    return chunks_.bytes() + words_.bytes() + mail_.bytes() + gifts_.bytes() + to_run_.bytes();
  }

 private:
  chunk_memory chunks_;
  device_buffer<peer_words> words_;
  device_buffer<std::uint32_t> mail_;
  device_buffer<worker_gift> gifts_;
  device_buffer<homing_words> to_run_;
  peer_view among_;
};

template <class Method, class Words>
class deque_memory final : public method_memory {
 public:
  deque_memory(pool_plan const& plan, std::uint32_t workers)
      : capacity_(plan.capacity),
        words_(plan.device, workers),
        slots_(plan.device, std::size_t(workers) * plan.capacity) {}
  void clear(stream& on) override { detail::clear(on, words_); }
  void start(kernel_start const& how, pool_view const& view) override {
    start_with(how, view, Method{words_.data(), slots_.data(), capacity_});
  }
  void collect(stream& on, std::vector<stored_task>& into) override;
  std::size_t bytes() const override { return words_.bytes() + slots_.bytes(); }

 private:
  using slot = std::remove_pointer_t<decltype(Method::slots)>;

  std::uint32_t capacity_;
  device_buffer<Words> words_;
  device_buffer<slot> slots_;
};
using abp_memory = deque_memory<abp_ref, abp_deque_words>;
using chase_lev_memory = deque_memory<chase_lev_ref, chase_lev_deque_words>;

class ring_memory final : public method_memory {
 public:
  ring_memory(pool_plan const& plan, std::uint32_t workers)
      : capacity_(std::bit_ceil(plan.capacity * std::min(workers, max_queue / plan.capacity))),
        words_(plan.device, 1),
        slots_(plan.device, capacity_) {}
  void clear(stream& on) override { detail::clear(on, words_, slots_); }
  void start(kernel_start const& how, pool_view const& view) override {
    start_with(how, view, shared_ring_ref{{words_.data(), slots_.data(), capacity_}});
  }
  void collect(stream& on, std::vector<stored_task>& into) override;
  std::size_t bytes() const override { return words_.bytes() + slots_.bytes(); }

  static constexpr std::uint32_t max_queue = 1u << 24;

 private:
  std::uint32_t capacity_;
  device_buffer<ring_queue_words> words_;
  device_buffer<ring_slot<stored_task>> slots_;
};

class locked_memory final : public method_memory {
 public:
  locked_memory(pool_plan const& plan, std::uint32_t workers)
      : capacity_(std::bit_ceil(plan.capacity * std::min(workers, ring_memory::max_queue / plan.capacity))),
        words_(plan.device, 1),
        tasks_(plan.device, capacity_) {}
  void clear(stream& on) override { detail::clear(on, words_); }
  void start(kernel_start const& how, pool_view const& view) override {
    start_with(how, view, locked_queue_ref{words_.data(), tasks_.data(), capacity_});
  }
  void collect(stream& on, std::vector<stored_task>& into) override;
  std::size_t bytes() const override { return words_.bytes() + tasks_.bytes(); }

 private:
  std::uint32_t capacity_;
  device_buffer<locked_queue_words> words_;
  device_buffer<stored_task> tasks_;
};

}  // namespace ballast::detail
