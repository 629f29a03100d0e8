// SPDX-License-Identifier: Apache-2.0
#include "queue_memory.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace ballast::detail {
namespace {

constexpr std::uint64_t never = ~std::uint64_t(0);

std::uint32_t checked_shift(std::uint32_t capacity) {
  if (capacity < 2 || capacity > 1 << 24) throw_bad_argument("capacity", capacity, "2 to 16777216 tasks");
  return std::uint32_t(std::bit_width(capacity - 1));
}

/// Batches that may be unfinished at once on a submission ring: even if each is a single task, as many as a
/// submission ring, the ring and the workers can hold together; at most max_batch_slots.
std::uint32_t enough_batches(std::uint32_t shift, std::uint32_t blocks) {
  return std::uint32_t(std::bit_width(std::min(max_batch_slots, (2u << shift) + blocks) - 1));
}

std::uint32_t checked_ring_count(std::uint32_t submission_rings) {
  if (submission_rings < 1 || submission_rings > max_submission_rings)
    throw_bad_argument("submission_rings", submission_rings, "1 to 32");
  return submission_rings;
}

/// `home`, if kernels on the queue's device can address it.
ring_home const& reachable(ring_home const& home, compute_device& own) {
  auto const& peer = home.peer_device();
  if (peer == nullptr || own.enable_peer_access(*peer)) return home;
  throw_bad_argument("ring", "the memory of " + peer->name(),
                     "own_device(), host(), or the memory of a device that " + own.name() + " can address");
}

template <class T>
void zero(pinned_buffer<T>& buffer) {
  std::memset(static_cast<void*>(buffer.data()), 0, buffer.bytes());
}

template <class T>
void zero(device_buffer<T>& buffer, stream& with) {
  if (buffer.bytes() > 0) with.fill(buffer.data(), 0, buffer.bytes());
}

}  // namespace

queue_memory::queue_memory(std::shared_ptr<compute_device> device, queue_options const& options,
                           std::uint32_t blocks)
    : shift(checked_shift(options.capacity)),
      batch_shift(enough_batches(shift, blocks)),
      submission_rings(checked_ring_count(options.submission_rings)),
      trace_depth(options.trace_depth),
      on_host(!device->is_cuda()),
      submission_slots(device, std::size_t(submission_rings) << shift),
      from_host(device, 1),
      to_host(device, 1),
      completions(device, std::size_t(submission_rings) << batch_shift),
      times_out(device, options.times ? std::size_t(submission_rings) << batch_shift : 0),
      ring(device, reachable(options.ring, *device), std::size_t(1) << shift),
      released(device, options.ring, std::size_t(1) << shift),
      words(device, 1),
      counters(device, std::size_t(submission_rings) << batch_shift),
      times(device, options.times ? std::size_t(submission_rings) << batch_shift : 0),
      trace(device, std::size_t(trace_depth) * blocks),
      traced(device, trace_depth > 0 ? blocks : 0),
      host_serving(device, on_host ? 1 : 0) {}

// The submission rings lend the ring their zeros: one of them is as large.
void queue_memory::clear(stream& with, deadline until) {
  zero(submission_slots);
  zero(from_host);
  zero(to_host);
  zero(completions);
  if (times_out.size() > 0) std::ranges::fill(times_out.span(), batch_times{never, 0, 0});
  ring.clear(submission_slots.data(), with);
  released.clear(submission_slots.data(), with);
  zero(words, with);
  zero(counters, with);
  if (times.size() > 0) with.copy(times.data(), times_out.data(), times.bytes());
  zero(traced, with);
  zero(host_serving, with);
  with.synchronize(until);
  if (on_host) words.data()->taken_threshold = never;
}

ring_source_ref queue_memory::source(resident_control const& control) {
  ring_source_ref ref;
  ref.control = control;
  ref.submission_slots = submission_slots.data();
  ref.from_host = from_host.data();
  ref.to_host = to_host.data();
  ref.completions = completions.data();
  ref.times_out = times_out.data();
  ref.ring = ring.data();
  ref.released = released.data();
  ref.words = words.data();
  ref.counters = counters.data();
  ref.times = times.data();
  ref.trace = trace.data();
  ref.traced = traced.data();
  ref.host_serving = host_serving.data();
  ref.shift = shift;
  ref.batch_shift = batch_shift;
  ref.trace_depth = trace_depth;
  ref.worker_wake_event = on_host ? &worker_wake_event : nullptr;
  ref.host_wake_event = on_host ? &host_wake_event : nullptr;
  return ref;
}

std::size_t queue_memory::bytes() const {
  return submission_slots.bytes() + from_host.bytes() + to_host.bytes() + completions.bytes() +
         times_out.bytes() + ring.bytes() + released.bytes() + words.bytes() + counters.bytes() +
         times.bytes() + trace.bytes() + traced.bytes() + host_serving.bytes();
}

hybrid_memory::hybrid_memory(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                             spawned_options const& options, queue_memory const& queue, std::uint32_t blocks)
    : has_server_(device->is_cuda()),
      stream_(device->make_stream()),
      pool_(device, kernels, options.capacity, options.joins, blocks),
      counters_(device, queue.counters.size()),
      origins_(device, pool_.method().chunks) {}

void hybrid_memory::clear(bool was_stopped, std::uint32_t blocks, deadline until) {
  std::lock_guard const hold(mutex_);
  stream_->fill(counters_.data(), 0, counters_.bytes());
  pool_.clear(*stream_, was_stopped, blocks, until);
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
