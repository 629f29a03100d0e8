// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ballast/detail/base/free_ranges.hpp"
#include "ballast/detail/pool/chunk_pool.hpp"
#include "ballast/detail/queue/hybrid_view.cuh"
#include "ballast/detail/queue/ring_source.cuh"
#include "ballast/device.hpp"
#include "ballast/stream.hpp"
#include "ballast/task_queue.hpp"

namespace ballast::detail {

/// An array in the memory that a ring_home names; not cleared.
template <class T>
class ring_buffer {
 public:
  /// `own`: the queue's device, which must be able to address the home.
  ring_buffer(std::shared_ptr<compute_device> const& own, ring_home const& home, std::size_t size)
      : host_addresses_(home.is_host() || own->capabilities().shares_host_memory) {
    auto const& peer = home.peer_device();
    if (home.is_host())
      pinned_ = pinned_buffer<T>(own, size);
    else
      on_device_ = device_buffer<T>(peer != nullptr ? peer : own, size);
  }

  T* data() const { return pinned_.data() != nullptr ? pinned_.data() : on_device_.data(); }
  std::size_t size() const { return pinned_.size() + on_device_.size(); }
  std::size_t bytes() const { return size() * sizeof(T); }

  bool is_addressed_by_host() const { return host_addresses_; }

  // Only while the queue's kernel does not run. The host itself reads and writes memory that it addresses:
  // beside another resident kernel, CUDA may let a copy from host memory to host memory wait.

  /// Sets the array to zero. `zeros`: bytes() of pinned zeros to copy. A fill of a peer's memory would be a
  /// kernel there, and a resident kernel may leave no SM for it. `with` is a stream of the queue's device;
  /// does not wait for it.
  void clear(void const* zeros, stream& with) {
    if (host_addresses_)
      std::memset(static_cast<void*>(data()), 0, bytes());
    else
      with.copy(data(), zeros, bytes());
  }
  /// Copies the array to the host. Waits for the stream.
  std::vector<T> read(stream& with) const {
    if (host_addresses_) return {data(), data() + size()};
    std::vector<T> copy(size());
    with.copy(copy.data(), data(), bytes());
    with.synchronize();
    return copy;
  }

 private:
  bool host_addresses_;
  pinned_buffer<T> pinned_;
  device_buffer<T> on_device_;
};

class submission_ring;

/// All memory that a task queue allocates, once.
struct queue_memory {
  queue_memory(std::shared_ptr<compute_device> device, queue_options const& options, std::uint32_t blocks);

  /// Resets everything to its state before the first run. Only while no kernel of the device runs. Waits
  /// until the deadline for the stream, which a kernel on another part of the GPU may hold up; then throws
  /// timed_out.
  void clear(stream& with, deadline until);
  ring_source_ref source(resident_control const& control);
  std::size_t bytes() const;

  std::uint32_t shift, batch_shift;
  std::uint32_t urgent_ring;       ///< the submission ring of urgent tasks, after those of threads
  std::uint32_t submission_rings;  ///< all
  std::uint32_t trace_depth;
  std::uint32_t urgent_workers = 0;          ///< the workers of the next run that take urgent tasks
  std::uint32_t urgent_multiprocessors = 0;  ///< those of the next run that run no others
  bool on_host;
  pinned_buffer<task_slot> submission_slots;
  pinned_buffer<host_words> from_host;
  pinned_buffer<device_words> to_host;
  pinned_buffer<stamped_chunk> completions;
  pinned_buffer<batch_times> times_out;
  pinned_buffer<awaited_list> awaited;
  ring_buffer<task_slot> ring;
  ring_buffer<std::uint32_t> released;
  device_buffer<ring_words> words;
  device_buffer<std::uint32_t> counters, ends;
  device_buffer<batch_times> times;
  device_buffer<task_times> trace;
  device_buffer<std::uint32_t> traced;
  device_buffer<host_server_state> host_serving;
  event_count worker_wake_event, host_wake_event;
};

/// Pinned memory in which a queue keeps the members to which its tasks refer, from submission until their
/// batch has completed. A batch has one range of this memory, so that no two batches wait for each other's
/// parts. Any thread may call any member.
class argument_memory {
 public:
  /// `bytes`: 0 for a default. Throws bad_argument ("large_argument_bytes") if the largest kernel's members
  /// do not fit.
  argument_memory(std::shared_ptr<compute_device> device, kernel_set const& kernels, std::size_t bytes);

  /// The number of records, from the first on, that form one batch: up to a quarter of the memory, at least
  /// one.
  std::size_t records_of_a_batch(std::span<task_record const> records) const;
  /// The most tasks, of any kernels, in one batch.
  std::size_t max_tasks() const;

  /// Copies the members for the next batch of a ring that the caller holds. Returns the records that refer to
  /// the copies, valid until this thread's next call. Returns nothing if there is no space and completed
  /// batches free none, or if it is another ring's turn.
  std::optional<std::span<task_record const>> take(std::span<task_record const> records,
                                                   submission_ring const& ring);
  /// While it lives, rings with a later turn take no memory: otherwise rings that need little would leave no
  /// piece large enough for one that needs much.
  class turn {
   public:
    turn(argument_memory& memory, submission_ring const& ring);
    ~turn();
    turn& operator=(turn&&) = delete;

   private:
    argument_memory* memory_;
    std::list<submission_ring const*>::iterator place_;
  };
  /// Frees all memory before a new run.
  void clear();

  std::size_t bytes() const { return memory_.bytes(); }
  std::size_t free_bytes() const;

 private:
  struct used_range {
    byte_range bytes;
    submission_ring const* ring;
    std::uint64_t batch;
  };

  std::optional<byte_range> take_range(std::size_t bytes);
  bool free_completed(std::size_t bytes);

  kernel_set const* kernels_;
  std::size_t largest_;  ///< the most bytes of a task
  pinned_buffer<std::byte> memory_;
  mutable std::mutex mutex_;
  free_ranges free_;
  std::list<used_range> used_;  ///< in the order of allocation
  std::list<submission_ring const*> turns_;
};

/// True if tasks of the set may create tasks: the set then has an entry for that.
bool may_spawn(kernel_set const& list);

/// The additional memory of a queue whose tasks create tasks.
class hybrid_memory {
 public:
  hybrid_memory(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                spawned_options const& options, queue_memory const& queue, std::uint32_t blocks);

  /// Clears the memory for a launch of `blocks` blocks; call it before each launch. See chunk_pool::clear().
  void clear(bool was_stopped, std::uint32_t blocks, deadline until);
  hybrid_work work(ring_source_ref const& source) const;
  std::size_t bytes() const;

  /// A created task that a worker handed out, and its batch.
  struct handed_out_task {
    task_record record;
    batch_mark batch;
  };
  /// The total number of tasks that may be handed out since the start of the run.
  std::uint32_t hand_out_until() const { return hand_out_until_; }
  /// Raises hand_out_until() by `tasks`, as far as there is space.
  void ask_for(std::uint32_t tasks);
  /// The number of tasks that were requested and not taken yet.
  std::uint32_t asked_for() const { return hand_out_until_ - taken_; }
  std::vector<handed_out_task> take_handed_out();

  // Call it once the kernel has ended; any thread.
  std::string why_halted();
  pool_statistics statistics();
  std::vector<stored_task> collect();

 private:
  std::optional<handed_out_task> handed_out_at(std::uint32_t place) const;

  bool has_server_;
  std::mutex mutex_;
  std::unique_ptr<stream> stream_;
  chunk_pool pool_;
  device_buffer<std::uint64_t> counters_;
  device_buffer<batch_id> origins_;
  pinned_buffer<task_slot> handed_out_;
  std::uint64_t may_leave_[2] = {};
  std::atomic<std::uint32_t> hand_out_until_ = 0, taken_ = 0;
  std::vector<bool> is_taken_;  ///< for the places from taken_ on
};

}  // namespace ballast::detail
