// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/detail/pool/chunk_pool.hpp"
#include "ballast/detail/queue/hybrid_view.cuh"
#include "ballast/device.hpp"
#include "queue_memory.hpp"

namespace ballast::detail {

/// What a queue allocates beside its queue_memory if its tasks create tasks.
class hybrid_memory {
 public:
  hybrid_memory(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
                spawned_options const& options, queue_memory const& queue, std::uint32_t blocks);

  /// Before each launch; see chunk_pool::clear().
  void clear(bool was_stopped);
  hybrid_work work(ring_source_ref const& source) const;
  std::size_t bytes() const;

  // Once the kernel has ended; any thread.
  std::string why_halted();
  pool_statistics statistics();
  std::vector<stored_task> collect();

 private:
  bool has_server_;
  std::mutex mutex_;
  std::unique_ptr<stream> stream_;
  chunk_pool pool_;
  device_buffer<std::uint64_t> counters_;
  device_buffer<batch_id> origins_;
};

}  // namespace ballast::detail
