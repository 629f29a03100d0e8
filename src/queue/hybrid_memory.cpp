// SPDX-License-Identifier: Apache-2.0
#include "hybrid_memory.hpp"

namespace ballast::detail {

hybrid_memory::hybrid_memory(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
                             spawned_options const& options, queue_memory const& queue, std::uint32_t blocks)
    : has_server_(device->is_cuda()),
      stream_(device->make_stream()),
      pool_(device, kernels, options.capacity, options.joins, blocks),
      counters_(device, queue.counters.size()),
      origins_(device, pool_.method().chunks) {}

void hybrid_memory::clear(bool was_stopped) {
  std::lock_guard const hold(mutex_);
  stream_->fill(counters_.data(), 0, counters_.bytes());
  pool_.clear(*stream_, was_stopped);
}

hybrid_work hybrid_memory::work(ring_source_ref const& source) const {
  hybrid_work work{source.control, {pool_.view(), source, counters_.data(), origins_.data()}, pool_.method()};
  work.view.source.pool_halt_word = &work.view.words->halt;
  return work;
}

std::size_t hybrid_memory::bytes() const { return pool_.bytes() + counters_.bytes() + origins_.bytes(); }

std::string hybrid_memory::why_halted() {
  std::lock_guard const hold(mutex_);
  pool_.read_back(*stream_);
  return std::string(pool_.why_halted());
}

// On a GPU block 0 is the server.
pool_statistics hybrid_memory::statistics() {
  std::lock_guard const hold(mutex_);
  pool_.read_back(*stream_);
  auto all = pool_.statistics();
  if (has_server_) all.workers.erase(all.workers.begin());
  return all;
}

std::vector<stored_task> hybrid_memory::collect() {
  std::lock_guard const hold(mutex_);
  return pool_.collect(*stream_);
}

}  // namespace ballast::detail
