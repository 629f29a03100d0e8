// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ballast/stream.hpp"
#include "device_state.hpp"

namespace ballast::detail {

/// Binds the calling thread to a core; if the core has gone offline, the thread stays unbound.
void bind_thread_to(int core) noexcept;

/// One launch on its way through a pool; lives in run() or run_cooperative().
struct host_launch {
  kernel_code code;
  std::uint32_t grid;
  void const* argument;
  launch_gate* gate = nullptr;          ///< asked before each block, if set
  std::atomic<std::uint64_t> next = 0;  ///< the next block to claim; grid or more: all are claimed
  std::uint32_t active_workers = 0;     ///< workers that run its blocks; guarded by the pool

  bool claimed() const { return next.load(std::memory_order_relaxed) >= grid; }
};

/// The cores of a host device: workers that run blocks. Free workers claim the blocks of a plain launch one
/// by one. A cooperative launch is admitted when enough workers for all of its blocks are not reserved by
/// others. Then a worker is reserved for each block, and workers start these blocks as soon as they finish
/// another block. Since reservations never exceed workers, two cooperative launches cannot wait for each
/// other. After a fault a plain launch's unclaimed blocks are dropped; a cooperative launch's are still run,
/// since those already running may wait for them.
class worker_pool {
 public:
  /// `cores`: the core for each worker; empty: unbound. Throws error if not all workers can be started.
  worker_pool(std::string const& name, std::size_t workers, std::vector<int> const& cores, double slowdown,
              std::shared_ptr<fault_record> fault);
  worker_pool& operator=(worker_pool&&) = delete;
  ~worker_pool();  ///< Waits at most ten seconds for blocks that do not end.

  std::uint32_t size() const { return std::uint32_t(workers_.size()); }
  /// Runs the blocks and returns when all have ended. A block that throws records a fault, after which no
  /// further block begins. Drops blocks that the gate refuses.
  void run(kernel_code const& code, std::uint32_t grid, void const* argument, launch_gate* gate = nullptr);
  /// run() with a worker for every block at the same time; grid must not exceed size().
  void run_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument);

 private:
  struct shared_state;
  class worker;

  std::shared_ptr<shared_state> state_;
  std::vector<std::jthread> workers_;
};

}  // namespace ballast::detail
