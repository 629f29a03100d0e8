// SPDX-License-Identifier: Apache-2.0
#include "fed_memory.hpp"

namespace ballast::inline queue {

fed_memory::fed_memory(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
                       spawned_options const& options, queue_memory const& queue, std::uint32_t blocks)
    : stream_(device->make_stream()),
      pool_(device, kernels, options.capacity, options.joins, blocks),
      counters_(device, queue.counters.size()),
      origins_(device, pool_.method().chunks) {}

void fed_memory::clear(bool tasks_were_left) {
  read_back();
  stream_->fill(counters_.data(), 0, counters_.bytes());
  pool_.clear(*stream_, tasks_were_left);
  is_read_ = false;
}

fed_work fed_memory::work(lane_source_ref const& source) const {
  fed_work work{source.control, {pool_.view(), source, counters_.data(), origins_.data()}, pool_.method()};
  work.view.source.pool_halt_word = &work.view.words->halt;
  return work;
}

std::size_t fed_memory::bytes() const { return pool_.bytes() + counters_.bytes() + origins_.bytes(); }

void fed_memory::read_back() {
  std::lock_guard const hold(mutex_);
  if (!is_read_) pool_.read_back(*stream_);
  is_read_ = true;
}

std::string fed_memory::why_halted() {
  read_back();
  return std::string(pool_.why_halted());
}

pool_statistics fed_memory::statistics() {
  read_back();
  return pool_.statistics();
}

std::vector<stored_task> fed_memory::collect() { return pool_.collect(*stream_); }

}  // namespace ballast::inline queue
