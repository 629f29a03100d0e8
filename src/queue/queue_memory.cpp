// SPDX-License-Identifier: Apache-2.0
#include "queue_memory.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "submission_ring.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint64_t never = ~std::uint64_t(0);

std::uint32_t checked_shift(std::uint32_t capacity) {
  if (capacity < 2 || capacity > 1 << 24) throw_bad_argument("capacity", capacity, "2 to 16777216 tasks");
  return std::uint32_t(std::bit_width(capacity - 1));
}

/// The binary logarithm, rounded up, of the number of batches that may be unfinished at once on a submission
/// ring: as many as a submission ring, the ring and the workers can hold together, even if each is a single
/// task; at most max_batch_slots.
std::uint32_t enough_batches(std::uint32_t shift, std::uint32_t blocks) {
  return std::uint32_t(std::bit_width(std::min(max_batch_slots, (2u << shift) + blocks) - 1));
}

std::uint32_t checked_ring_count(std::uint32_t submission_rings) {
  if (submission_rings < 1 || submission_rings >= max_submission_rings)
    throw_bad_argument("submission_rings", submission_rings, "1 to 31");
  return submission_rings;
}

/// Returns `home` if kernels on the queue's device can address it; else throws bad_argument.
ring_home const& reachable(ring_home const& home, compute_device& own) {
  auto const& peer = home.peer_device();
  if (peer == nullptr || own.enable_peer_access(*peer)) return home;
  throw_bad_argument("ring", "the memory of " + peer->name(),
                     "own_device(), host(), or the memory of a device that " + own.name() + " can address");
}

template <class... T>
void zero(pinned_buffer<T>&... buffers) {
  (std::memset(static_cast<void*>(buffers.data()), 0, buffers.bytes()), ...);
}

template <class... T>
void zero_on_device(stream& with, device_buffer<T>&... buffers) {
  (with.fill(buffers.data(), 0, buffers.bytes()), ...);
}

constexpr std::size_t default_argument_bytes = std::size_t(1) << 20, max_argument_bytes = std::size_t(1)
                                                                                          << 32;

std::size_t checked_bytes(std::size_t bytes, std::size_t largest) {
  if (bytes == 0) return default_argument_bytes;
  if (bytes < largest || bytes > max_argument_bytes)
    throw_bad_argument("large_argument_bytes", bytes,
                       std::to_string(largest) +
                           " to 4294967296, since that is what a task of this set's "
                           "largest kernel takes; or 0 for 1048576");
  return bytes;
}

/// True if a created task can be executed elsewhere: its result_ref may refer to its creator's memory.
bool may_leave(listed_kernel const& kernel) {
  return kernel.travel && kernel.travel->result_bytes == 0 && !kernel.by_reference;
}

}  // namespace

queue_memory::queue_memory(std::shared_ptr<compute_device> device, queue_options const& options,
                           std::uint32_t blocks)
    : shift(checked_shift(options.capacity)),
      batch_shift(enough_batches(shift, blocks)),
      urgent_ring(checked_ring_count(options.submission_rings)),
      submission_rings(urgent_ring + 1),
      trace_depth(options.trace_depth),
      on_host(device->capabilities().shares_host_memory),
      submission_slots(device, std::size_t(submission_rings) << shift),
      from_host(device, 1),
      to_host(device, 1),
      completions(device, std::size_t(submission_rings) << batch_shift),
      times_out(device, options.times ? std::size_t(submission_rings) << batch_shift : 0),
      awaited(device, std::size_t(submission_rings) * awaited_lists(shift)),
      ring(device, reachable(options.ring, *device), std::size_t(2) << shift),
      released(device, options.ring, std::size_t(2) << shift),
      words(device, 1),
      counters(device, std::size_t(submission_rings) << batch_shift),
      ends(device, std::size_t(submission_rings) << batch_shift),
      times(device, options.times ? std::size_t(submission_rings) << batch_shift : 0),
      trace(device, std::size_t(trace_depth) * blocks),
      traced(device, trace_depth > 0 ? blocks : 0),
      host_serving(device, on_host ? 1 : 0) {}

// The ring is cleared with the zeros of two submission rings, which are as large.
void queue_memory::clear(stream& with, deadline until) {
  zero(submission_slots, from_host, to_host, completions);
  if (times_out.size() > 0) std::ranges::fill(times_out.span(), batch_times{never, 0, 0});
  ring.clear(submission_slots.data(), with);
  released.clear(submission_slots.data(), with);
  zero_on_device(with, words, counters, ends, traced, host_serving);
  if (times.size() > 0) with.copy(times.data(), times_out.data(), times.bytes());
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
  ref.awaited = awaited.data();
  ref.ring = ring.data();
  ref.released = released.data();
  ref.words = words.data();
  ref.counters = counters.data();
  ref.ends = ends.data();
  ref.times = times.data();
  ref.trace = trace.data();
  ref.traced = traced.data();
  ref.host_serving = host_serving.data();
  ref.shift = shift;
  ref.batch_shift = batch_shift;
  ref.trace_depth = trace_depth;
  ref.urgent_ring = urgent_ring;
  ref.urgent_workers = urgent_workers;
  ref.urgent_multiprocessors = urgent_multiprocessors;
  ref.worker_wake_event = on_host ? &worker_wake_event : nullptr;
  ref.host_wake_event = on_host ? &host_wake_event : nullptr;
  return ref;
}

std::size_t queue_memory::bytes() const {
  return submission_slots.bytes() + from_host.bytes() + to_host.bytes() + completions.bytes() +
         times_out.bytes() + awaited.bytes() + ring.bytes() + released.bytes() + words.bytes() +
         counters.bytes() + ends.bytes() + times.bytes() + trace.bytes() + traced.bytes() +
         host_serving.bytes();
}

argument_memory::argument_memory(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                                 std::size_t bytes)
    : kernels_(&kernels),
      largest_(max_bytes_outside(kernels)),
      memory_(std::move(device), checked_bytes(bytes, largest_)),
      free_(memory_.size()) {}

std::size_t argument_memory::records_of_a_batch(std::span<task_record const> records) const {
  std::size_t count = 0, sum = 0;
  for (; count < records.size(); ++count) {
    sum += bytes_outside(*kernels_, records[count]);
    if (count > 0 && sum > memory_.size() / 4) break;
  }
  return count;
}

std::size_t argument_memory::max_tasks() const {
  return std::max<std::size_t>(1, memory_.size() / 4 / largest_);
}

std::optional<std::span<task_record const>> argument_memory::take(std::span<task_record const> records,
                                                                  submission_ring const& ring) {
  std::size_t bytes = 0;
  for (auto const& record : records) bytes += bytes_outside(*kernels_, record);
  if (bytes == 0) return records;
  byte_range taken;
  {
    std::lock_guard const hold(mutex_);
    if (!turns_.empty() && turns_.front() != &ring) return std::nullopt;
    auto const found = take_range(bytes);
    if (!found) return std::nullopt;
    taken = *found;
    used_.push_back({taken, &ring, ring.next_batch()});
  }
  thread_local std::vector<task_record> moved;
  moved.assign(records.begin(), records.end());
  auto* to = memory_.data() + taken.begin;
  for (auto& record : moved) to = move_members(*kernels_, record, to);
  return moved;
}

std::optional<byte_range> argument_memory::take_range(std::size_t bytes) {
  auto found = free_.take(bytes);
  while (!found && free_completed(bytes)) found = free_.take(bytes);
  return found;
}

/// Frees at least `bytes` bytes, or everything that has completed; false if nothing has. Batches complete
/// roughly in the order of submission.
bool argument_memory::free_completed(std::size_t bytes) {
  std::size_t freed = 0;
  for (auto range = used_.begin(); range != used_.end() && freed < bytes;) {
    if (!range->ring->complete(range->batch)) {
      ++range;
      continue;
    }
    free_.give_back(range->bytes);
    freed += range->bytes.size();
    range = used_.erase(range);
  }
  return freed > 0;
}

argument_memory::turn::turn(argument_memory& memory, submission_ring const& ring) : memory_(&memory) {
  std::lock_guard const hold(memory.mutex_);
  place_ = memory.turns_.insert(memory.turns_.end(), &ring);
}

argument_memory::turn::~turn() {
  std::lock_guard const hold(memory_->mutex_);
  memory_->turns_.erase(place_);
}

void argument_memory::clear() {
  std::lock_guard const hold(mutex_);
  free_ = free_ranges(memory_.size());
  used_.clear();
}

std::size_t argument_memory::free_bytes() const {
  std::lock_guard const hold(mutex_);
  auto sum = free_.bytes();
  for (auto const& range : used_)
    if (range.ring->complete(range.batch)) sum += range.bytes.size();
  return sum;
}

bool may_spawn(kernel_set const& list) { return list.has_entry_for(entry_key_of<hybrid_view>); }

hybrid_memory::hybrid_memory(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                             spawned_options const& options, queue_memory const& queue, std::uint32_t blocks)
    : has_server_(device->capabilities().has_servers),
      stream_(device->make_stream()),
      pool_(device, kernels, options.capacity, options.joins, blocks),
      counters_(device, queue.counters.size()),
      origins_(device, pool_.method().stock.chunks),
      handed_out_(device, std::size_t(1) << handed_out_shift) {
  auto const& all = kernels.kernels();
  if (std::ranges::any_of(all, [](auto const& kernel) { return kernel.joins != 0; })) return;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (may_leave(all[i])) may_leave_[i / 64] |= std::uint64_t(1) << i % 64;
}

void hybrid_memory::clear(bool was_stopped, std::uint32_t blocks, deadline until) {
  std::lock_guard const hold(mutex_);
  stream_->fill(counters_.data(), 0, counters_.bytes());
  pool_.clear(*stream_, was_stopped, blocks, until);
  zero(handed_out_);
  hand_out_until_ = taken_ = 0;
  is_taken_.assign(handed_out_.size(), false);
}

void hybrid_memory::ask_for(std::uint32_t tasks) {
  auto const room = (1u << handed_out_shift) - asked_for();
  hand_out_until_ += std::min(tasks, room);
}

// Workers claim places in order, but may write their tasks in another order. So this takes all tasks that are
// there: otherwise one late worker would hide tasks of complete batches. At most one place per worker is
// claimed and not written.
std::vector<hybrid_memory::handed_out_task> hybrid_memory::take_handed_out() {
  std::vector<handed_out_task> all;
  auto const until = hand_out_until_.load();
  auto const late = pool_.view().workers;
  for (std::uint32_t place = taken_, missing = 0; place != until && missing <= late; ++place) {
    auto const is_taken = is_taken_[place % is_taken_.size()];
    auto const one = is_taken ? std::nullopt : handed_out_at(place);
    if (one) all.push_back(*one);
    if (one) is_taken_[place % is_taken_.size()] = true;
    if (!one && !is_taken) ++missing;
  }
  for (; taken_ != until && is_taken_[taken_ % is_taken_.size()]; ++taken_)
    is_taken_[taken_ % is_taken_.size()] = false;
  return all;
}

std::optional<hybrid_memory::handed_out_task> hybrid_memory::handed_out_at(std::uint32_t place) const {
  auto const& slot = handed_out_.data()[place % handed_out_.size()];
  auto const lap = lap_of(place, handed_out_shift);
  handed_out_task one;
  std::uint32_t marks[4];
  for (int i = 0; i < 4; ++i) {
    auto const chunk = load_chunk<scope::system>(slot.chunks[i], lap);
    if (!is_here(chunk, lap)) return std::nullopt;
    std::ranges::copy(chunk.data, one.record.data + 3 * i);
    marks[i] = chunk.stamp >> 16;
  }
  one.batch = mark_of(marks);
  return one;
}

hybrid_work hybrid_memory::work(ring_source_ref const& source) const {
  hybrid_work work{
      {source.control, {pool_.view(), source, counters_.data(), origins_.data()}, pool_.method()}};
  work.view.source.pool_halt_word = &work.view.words->halt;
  work.view.handed_out = handed_out_.data();
  std::ranges::copy(may_leave_, work.view.may_leave);
  return work;
}

std::size_t hybrid_memory::bytes() const {
  return pool_.bytes() + counters_.bytes() + origins_.bytes() + handed_out_.bytes();
}

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
