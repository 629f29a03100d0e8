// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/worker_group.cuh"
#include "ballast/kernel.cuh"
#include "ballast/task.hpp"

namespace ballast::test {
using namespace detail;

struct add {
  static constexpr int threads = 32;
  array_ref<std::uint32_t> words;
  std::uint32_t by;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) words[block.index()] += by;
  }
};

struct add_count_of_blocks {
  static constexpr int threads = 32;
  struct scratch {
    std::uint32_t count;
  };
  array_ref<std::uint32_t> words;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    if (block.rank() == 0) block.scratch().count = block.count();
    block.sync();
    if (block.rank() == 0) words[block.index()] += block.scratch().count;
  }
};

/// The smallest source of tasks: every worker gets `each` tasks, task i of worker b adds 1 to word b; then it
/// ends, or stays until it is asked to stop.
struct counting_source {
  resident_control control;
  std::uint32_t* words = nullptr;
  std::uint32_t each = 0;
  bool stays = false;
  std::uint32_t done = 0;  ///< of this worker: the source is copied into every block

  struct serving_state {};
  BALLAST_HD bool times_tasks() const { return false; }
  template <class WorkerGroup>
  BALLAST_HD void finish(WorkerGroup&, std::uint64_t, std::uint64_t) {
    ++done;
  }
  bool next(host_worker& worker_group) { return next_of(worker_group); }
#if defined(__CUDACC__)
  template <std::uint32_t Threads, std::uint32_t First>
  __device__ bool next(cuda_worker<Threads, First>& worker_group) {
    return next_of(worker_group);
  }
  template <std::uint32_t Threads>
  __device__ void serve(cuda_worker<Threads>, serving_state&) const {}
#endif

 private:
  template <class WorkerGroup>
  BALLAST_HD bool next_of(WorkerGroup& worker_group) {
    while (done == each && stays && !control.stop_requested()) {}
    if (done == each) return false;
    if (worker_group.leader()) fill(worker_group.record(), worker_group.block());
    worker_group.sync();
    return true;
  }
  BALLAST_HD void fill(task_record& record, std::uint32_t block) const {
    add const kernel{array_ref<std::uint32_t>(words), 1};
    __builtin_memcpy(record.data, &kernel, sizeof kernel);
    record.describe({block, 1}, 0);
  }
};

kernel_set const& resident_test_kernels();

}  // namespace ballast::test
