// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/chunk_pool.hpp"

#include "method_memories.hpp"
#include "worker_memory.hpp"

namespace ballast::detail {

static pool_options options_of(std::uint32_t capacity, std::uint32_t joins) {
  pool_options options;
  options.capacity = capacity;
  options.joins = joins;
  return options;
}

struct chunk_pool::state {
  state(pool_plan const& plan, std::uint32_t blocks) : workers(plan, blocks), chunks(plan, blocks) {}

  worker_memory workers;
  chunk_memory chunks;
  bool has_run = false;
};

chunk_pool::chunk_pool(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                       std::uint32_t capacity, std::uint32_t joins, std::uint32_t max_workers)
    : state_(std::make_unique<state>(make_plan(std::move(device), kernels, options_of(capacity, joins)),
                                     max_workers)) {}
chunk_pool::~chunk_pool() = default;

void chunk_pool::clear(stream& on, bool was_stopped, std::uint32_t workers, deadline until) {
  if (state_->has_run) state_->workers.end_run(was_stopped, state_->workers.halt());
  state_->has_run = true;
  state_->workers.begin_run(on);
  state_->workers.set_workers(workers);
  state_->workers.set_waiting(on, {});
  state_->workers.clear_reports(on);  // a serving block has none
  state_->chunks.clear(on);
  on.synchronize(until);
}

pool_view chunk_pool::view() const { return state_->workers.view(); }
chunks_ref chunk_pool::method() const { return state_->chunks.ref(); }

void chunk_pool::read_back(stream& on) {
  state_->workers.read_back(on);
  on.synchronize();
}
/// Why the pool stopped. Names options as the modules that feed a pool do, in which its options are
/// `spawned.*`.
std::string_view chunk_pool::why_halted() const {
  auto const halt = state_->workers.halt();
  if (halt == pool_halt::out_of_room)
    return "no room is left for the tasks that tasks create: the option `spawned.capacity`";
  if (halt == pool_halt::out_of_joins) return "no record is left for a join: the option `spawned.joins`";
  return reason_of(halt);
}

pool_statistics chunk_pool::statistics() const {
  pool_statistics all;
  state_->workers.add_counts(all);
  return all;
}

std::vector<stored_task> chunk_pool::collect(stream& on) const {
  std::vector<stored_task> tasks;
  state_->chunks.collect(on, tasks);
  state_->workers.collect(on, tasks);
  return tasks;
}

std::size_t chunk_pool::bytes() const { return state_->workers.bytes() + state_->chunks.bytes(); }

}  // namespace ballast::detail
