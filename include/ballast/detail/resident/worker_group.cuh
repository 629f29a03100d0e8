// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/device/stamped_chunk.cuh"
#include "ballast/detail/resident/task_record.cuh"
#include "ballast/kernel.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

inline constexpr std::uint32_t worker_state_words = 36;

/// A worker group is the threads of one resident block while they run no task's kernel: a GPU block's
/// threads, or one host thread. Members of the same name correspond in all group types. Every thread of the
/// group calls them together, except rank(), leader() and now_ns().
class host_worker {
 public:
  static constexpr std::uint32_t threads = 1;

  explicit host_worker(host_block_context& context) : context_(&context) {}

  BALLAST_HD std::uint32_t block() const { return context_->block; }
  BALLAST_HD std::uint32_t blocks() const { return context_->grid; }
  BALLAST_HD std::uint32_t rank() const { return 0; }
  BALLAST_HD bool leader() const { return true; }
  BALLAST_HD void sync() const {}
  BALLAST_HD task_record& record() { return record_; }
  /// Four words that travel with the record; the source defines their meaning.
  BALLAST_HD std::uint32_t (&meta())[4] { return meta_; }
  /// True if other tasks that were taken together follow record().
  BALLAST_HD bool has_next() const { return false; }
  /// The meta() of the next of the tasks that were taken together.
  BALLAST_HD std::uint32_t (&next_meta())[4] { return meta_; }
  /// Words that persist between tasks, zero at first. The source defines their meaning; the leader uses them.
  BALLAST_HD std::uint32_t (&worker_state())[worker_state_words] { return worker_state_; }
  /// The argument from which the blocks of the worker's tasks are made.
  BALLAST_HD worker_place place() const { return context_->place(); }
  // Never called in device code, but compiled there where both kinds of worker share a template.
  BALLAST_HD std::uint64_t now_ns() const {
#if BALLAST_ON_GPU
    return 0;
#else
    return steady_now_ns();
#endif
  }
  /// True if this many of a GPU's clock cycles (at most 2^31) have passed since it last returned true for
  /// this `last`; always true on the host, where polls cost little.
  BALLAST_HD bool cycles_passed(std::uint32_t, std::uint32_t&) const { return true; }
  /// Yields the core after about 60 polls; called between two polls.
  BALLAST_HD void back_off([[maybe_unused]] std::uint32_t polls) const {
#if !BALLAST_ON_GPU
    if (polls >= 60) yield_core();
#endif
  }
  BALLAST_HD pacer& pace() const { return *context_->pace; }

 private:
  host_block_context* context_;
  task_record record_;
  std::uint32_t meta_[4];
  std::uint32_t worker_state_[worker_state_words] = {};
};

#if defined(__CUDACC__)
/// A reference to a T in the block's shared memory. It takes one register, and the compiler recognises shared
/// memory even in functions that are not inlined.
template <class T>
class shared_ref {
 public:
  __device__ explicit shared_ref(T& of) : address_(std::uint32_t(__cvta_generic_to_shared(&of))) {}

  __device__ T& operator*() const { return *static_cast<T*>(__cvta_shared_to_generic(address_)); }
  __device__ T* operator->() const { return &**this; }

 private:
  std::uint32_t address_;
};

/// The worker group of a GPU: the threads of a resident block. The grid's first block is number `First` of
/// the run: 1 if the server, which is number 0, has a kernel of its own.
template <std::uint32_t Threads, std::uint32_t First = 0>
class cuda_worker {
 public:
  static constexpr std::uint32_t threads = Threads;
  static constexpr std::uint32_t first = First;
  static constexpr std::uint32_t warps = Threads / 32;

  /// The most tasks that are taken at once: the number that one warp instruction reads.
  static constexpr std::uint32_t max_held = 8;

  /// A worker's part of shared memory. Kept small, because an SM's L1 shrinks in steps of 16 or 32 KB with
  /// the sum over its blocks (each block costs 1 KB more).
  struct storage {
    task_record records[max_held];
    std::uint32_t metas[max_held][4];
    std::uint64_t first;          ///< the source's number for records[0]
    std::uint32_t present, held;  ///< the running record, and the number of records taken together
    std::uint32_t worker_state[worker_state_words];
    alignas(16) std::uint32_t fetched[32];  ///< the source's, for what a warp fetches while the task runs
  };
  /// The words of any block in shared memory, for reductions.
  struct words {
    std::uint32_t of_warp[32];
  };

  __device__ cuda_worker(storage& shared, words& reduced) : shared_(shared), words_(reduced) {}

  /// Clears the worker's tasks and state; called before its first task.
  __device__ void reset_tasks() const {
    if (!leader()) return;
    shared_->first = shared_->present = shared_->held = 0;
    for (auto& word : shared_->worker_state) word = 0;
  }

  __device__ std::uint32_t block() const { return blockIdx.x + First; }
  __device__ std::uint32_t blocks() const { return gridDim.x + First; }
  __device__ std::uint32_t rank() const { return threadIdx.x; }
  __device__ std::uint32_t warp() const { return threadIdx.x / 32; }
  __device__ std::uint32_t lane() const { return threadIdx.x % 32; }
  __device__ bool leader() const { return threadIdx.x == 0; }
  __device__ void sync() const { __syncthreads(); }
  __device__ storage& shared() const { return *shared_; }
  __device__ task_record& record() const { return shared_->records[shared_->present]; }
  __device__ std::uint32_t (&meta() const)[4] { return shared_->metas[shared_->present]; }
  __device__ std::uint32_t (&next_meta() const)[4] { return shared_->metas[shared_->present + 1]; }
  __device__ bool has_next() const { return shared_->present + 1 < shared_->held; }
  __device__ std::uint32_t (&worker_state() const)[worker_state_words] { return shared_->worker_state; }
  __device__ void* place() const { return nullptr; }  // cuda_block finds its scratch and its worker itself
  __device__ std::uint64_t now_ns() const {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
  }
  __device__ bool cycles_passed(std::uint32_t cycles, std::uint32_t& last) const {
    std::uint32_t now;
    asm volatile("mov.u32 %0, %clock;" : "=r"(now));
    if (now - last < cycles) return false;
    last = now;
    return true;
  }
  /// Yields the SM to the other blocks after about 60 polls; called between two polls, as on the host.
  __device__ void back_off(std::uint32_t polls) const {
    if (polls >= 60) __nanosleep(200);
  }
  /// The smallest of the threads' values, returned to all.
  __device__ std::uint32_t reduce_min(std::uint32_t value) const {
    value = reduce_min_of_warp(value);
    if (lane() == 0) words_->of_warp[warp()] = value;
    sync();
    for (std::uint32_t other = 0; other < warps; ++other) value = (min)(value, words_->of_warp[other]);
    sync();
    return value;
  }
  /// Returns to all threads whether any thread's value is true.
  __device__ bool any(bool value) const { return __syncthreads_or(value) != 0; }

 private:
  static __device__ std::uint32_t reduce_min_of_warp(std::uint32_t value) {
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800  // one instruction since 8.0, five shuffles before
    for (int apart = 16; apart > 0; apart /= 2)
      value = (min)(value, __shfl_xor_sync(0xffffffff, value, apart));
    return value;
#  else
    return __reduce_min_sync(0xffffffff, value);
#  endif
  }

  shared_ref<storage> shared_;
  shared_ref<words> words_;
};

/// The worker group of a server that is a kernel of its own, with its own registers.
inline constexpr std::uint32_t lone_server_threads = 512;
struct lone_server : cuda_worker<lone_server_threads> {
  using cuda_worker<lone_server_threads>::cuda_worker;
};
/// True if a server has more threads in a kernel of its own than as a block of the workers' kernel.
template <std::uint32_t Threads>
constexpr bool gains_by_lone_server = Threads < lone_server_threads;
template <class WorkerGroup>
constexpr bool is_lone_server = std::is_same_v<WorkerGroup, lone_server>;

/// The blocks of kernels on the GPU's workers: all of the grid but the first `Servers`, which run no tasks.
template <std::uint32_t Servers>
struct behind_servers {
  /// A block of threads is a worker.
  template <class K>
  class block : public cuda_block<K> {
   public:
    using cuda_block<K>::cuda_block;
    __device__ std::uint32_t worker() const { return blockIdx.x - Servers; }
    __device__ std::uint32_t workers() const { return gridDim.x - Servers; }
  };

  /// Each lane of a warp is a worker.
  template <class K>
  class lane : public one_thread_block<K> {
   public:
    using one_thread_block<K>::one_thread_block;
    __device__ std::uint32_t worker() const { return (blockIdx.x - Servers) * 32 + threadIdx.x; }
    __device__ std::uint32_t workers() const { return (gridDim.x - Servers) * 32; }
  };
};

/// The block of a kernel of one thread that one thread of a block runs alone.
template <class K>
class lone_lane : public one_thread_block<K> {
 public:
  using one_thread_block<K>::one_thread_block;
  __device__ std::uint32_t worker() const { return blockIdx.x; }
  __device__ std::uint32_t workers() const { return gridDim.x; }
};
#endif

}  // namespace ballast::detail
