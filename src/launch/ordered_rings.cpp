// SPDX-License-Identifier: Apache-2.0
#include "ordered_rings.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

#include "ballast/error.hpp"
#include "kernel_table.hpp"

namespace ballast::detail {
namespace {

/// A foreign call that waits for the device waits this long, plus the longest kernel.
constexpr std::uint64_t quantum_ns = 2'000'000;
/// Starting the kernel again takes some 10 us.
constexpr std::uint64_t idle_ns = 200'000;
/// If other kernels hold the SMs, one short-lived block runs the launches that are already in rings.
constexpr std::uint64_t passing_idle_ns = 20'000, until_room_is_asked_again_ns = 10'000'000;
/// A longer kernel gains little, and may hold up a quantum's end.
constexpr std::int64_t max_short_ns = 100'000;
/// The longest time from the exit of the kernel's last worker to the end of the kernel.
constexpr auto end_timeout = std::chrono::minutes(1);

/// The number of resident workers. Each runs one launch at a time, and most launches are short: half the
/// multiprocessors keep up with many launch streams, and leave the others free. On cores one is left for
/// other launches.
int workers_on(compute_device const& device) {
  auto const multiprocessors = device.properties().multiprocessors;
  auto const wanted = device.capabilities().runs_on_cores ? std::max(1, multiprocessors - 1)
                                                          : std::max(2, multiprocessors / 2);
  return std::min(wanted, int(max_rings));
}

resident_options options_on(compute_device const& device) {
  return {.blocks = workers_on(device), .spared_multiprocessors = 0};
}

task_record record_of(submission const& work) {
  auto const& kernel = *work.kernel();
  task_record record{};
  std::memcpy(record.data, work.bytes(), kernel.bytes);
  record.describe({0, work.blocks()}, kernel.number);
  return record;
}

void write(launch_slot& slot, task_record const& record, std::uint32_t stamp) {
  for (int part = 0; part < 4; ++part) {
    auto const* const data = record.data + 3 * part;
    store_chunk<scope::system>(slot.chunks[part], {{data[0], data[1], data[2]}, stamp});
  }
}

ended_launch content_of(submission const& work) {
  ended_launch content;
  content.what.add_kernel(work.kernel()->alone.name);
  content.issued_ns = std::int64_t(steady_now_ns());
  return content;
}

}  // namespace

std::unique_ptr<ordered_rings> ordered_rings::make(std::shared_ptr<compute_device> const& device,
                                                   mergeable_kernels const& kernels, ring_use use,
                                                   event_count& wake_event, bool is_traced) {
  auto const key = entry_key_of<ordered_rings_ref>;
  auto const* const set = kernels.set();
  if (set == nullptr || !set->has_entry_for(key)) return nullptr;
  if (device->resources(set->entry_for(key).code).blocks_per_multiprocessor < 1) return nullptr;
  return std::make_unique<ordered_rings>(device, kernels, use, wake_event, is_traced);
}

/// Launches of short kernels get a block of their own, or go another way.
ordered_rings::ordered_rings(std::shared_ptr<compute_device> const& device, mergeable_kernels const& kernels,
                             ring_use use, event_count& wake_event, bool is_traced)
    : use_(use),
      code_(kernels.set()->entry_for(entry_key_of<ordered_rings_ref>).code),
      wake_event_(wake_event),
      stream_(device->make_stream()),
      slots_(device, std::size_t{max_rings} * ring_slots),
      ends_(device, max_rings),
      over_(device, 1),
      positions_(device, max_rings),
      workers_(device, 1),
      kernel_(device, *kernels.set(), kernels.set()->entry_for(entry_key_of<ordered_rings_ref>),
              options_on(*device), true),
      rings_(max_rings),
      max_used_(use == ring_use::all ? max_rings : kernel_.max_blocks()),
      available_(max_used_),
      spans_ns_(kernels.families() * std::size_t{max_family_kernels}) {
  for (std::uint32_t i = 0; i < max_rings; ++i) rings_[i].number = i;
  free_.reserve(max_rings);  // so that releasing a ring throws nothing
  if (is_traced)
    for (auto& ring : rings_) ring.content.resize(ring_slots);
  if (use == ring_use::short_ones)
    for (auto& ring : rings_) ring.put.resize(ring_slots);
  clear_memory();
}

void ordered_rings::clear_memory() {
  std::memset(slots_.data(), 0, slots_.bytes());
  std::memset(ends_.data(), 0, ends_.bytes());
  over_[0] = 0;
  stream_->fill(positions_.data(), 0, positions_.bytes());
  stream_->fill(workers_.data(), 0, workers_.bytes());
  stream_->synchronize();
}

bool ordered_rings::takes(launch_stream_state& line, submission const& work) {
  auto const* const kernel = work.kernel();
  if (kernel == nullptr || !kernel->fits_ring || work.blocks() > max_ring_blocks || lacks_room())
    return false;
  if (use_ == ring_use::short_ones && !is_short(work)) return false;
  return line.ring != nullptr || claim(line) != nullptr;
}

/// True if the launch is known to be short for one worker, which runs all its blocks.
bool ordered_rings::is_short(submission const& work) const {
  auto const known_ns = span_ns(work.kernel()->family, work.kernel()->index);
  return known_ns != 0 && known_ns * std::int64_t(work.blocks()) <= max_short_ns;
}

/// Notes the mean time of the launches that ended since the previous call as the host saw it, if they were
/// clearly not short. It may include the wait for the kernel's start; launches outside of rings correct it.
void ordered_rings::note_spans(ordered_ring& ring, std::uint64_t until) {
  auto const first = ring.noted.load(std::memory_order_relaxed);
  auto const begun_ns = std::max(ring.put[first % ring_slots].at_ns, ring.noted_ns);
  ring.noted_ns = steady_now_ns();
  auto const span_ns = std::int64_t(ring.noted_ns - begun_ns) / std::int64_t(until - first);
  if (span_ns <= 2 * max_short_ns) return;
  for (auto position = first; position != until; ++position) {
    auto const& kernel = *ring.put[position % ring_slots].kernel;
    note_span(kernel.family, kernel.index, span_ns);
  }
}

/// Launching threads read this value, so it is written only when it becomes short or long.
void ordered_rings::note_block(std::uint32_t family, std::uint32_t index, std::int64_t block_ns) {
  auto const known_ns = span_ns(family, index);
  bool const was_short = known_ns != 0 && known_ns <= max_short_ns;
  if (block_ns != 0 && was_short != (block_ns <= max_short_ns)) note_span(family, index, block_ns);
}

bool ordered_rings::lacks_room() const {
  auto const refused_at_ns = refused_at_ns_.load(std::memory_order_relaxed);
  return refused_at_ns != 0 && steady_now_ns() - refused_at_ns < until_room_is_asked_again_ns;
}

ordered_ring* ordered_rings::claim(launch_stream_state& line) {
  if (available_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard const hold(free_mutex_);
  ordered_ring* ring = nullptr;
  auto const used = used_.load(std::memory_order_relaxed);
  if (!free_.empty()) {
    ring = free_.back();
    free_.pop_back();
  } else if (used < max_used_) {
    ring = &rings_[used];
    used_.store(used + 1, std::memory_order_release);
  }
  if (ring == nullptr) return nullptr;
  available_.fetch_sub(1, std::memory_order_relaxed);
  ring->line = &line;
  return line.ring = ring;
}

void ordered_rings::release(launch_stream_state& line) noexcept {
  if (line.ring == nullptr) return;
  std::lock_guard const hold(free_mutex_);
  free_.push_back(line.ring);
  available_.fetch_add(1, std::memory_order_relaxed);
  line.ring = nullptr;
}

std::uint64_t ordered_rings::executed(ordered_ring const& ring) const {
  return atomic_ref<std::uint64_t, scope::system>(ends_[ring.number].executed).load_acquire();
}

/// The launch stream records the launch before the poller may see its end, and the next issuing thread finds
/// the position.
bool ordered_rings::put(launch_stream_state& line, submission const& work, bool is_awaited) {
  auto& ring = *line.ring;
  auto const position = ring.position;
  if (position - ring.noted_seen >= ring_slots) ring.noted_seen = ring.noted.load(std::memory_order_acquire);
  if (position - ring.noted_seen >= ring_slots) return false;
  auto const place = position % ring_slots;
  if (!ring.content.empty()) ring.content[place] = content_of(work);
  if (!ring.put.empty()) ring.put[place] = {work.kernel(), steady_now_ns()};
  ring.is_awaited.store(is_awaited, std::memory_order_relaxed);
  ring.position = position + 1;
  write(slots_[ring.number * std::size_t{ring_slots} + place], record_of(work), ring_stamp(position));
  line.mark_issued(launch_stream_state::in_ring, 1);
  ring.published.fetch_add(1, std::memory_order_seq_cst);
  return true;
}

void ordered_rings::count_direct(launch_stream_state const& line) {
  auto& count = line.ring->by_producers;
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Each ring has its own counts, so that launching threads do not contend.
void ordered_rings::add_to(launch_statistics& sum) const {
  std::uint64_t launches = 0;
  for (auto const& ring : rings_) {
    launches += ring.published.load(std::memory_order_relaxed);
    sum.direct_launches += ring.by_producers.load(std::memory_order_relaxed);
  }
  sum.launches += launches;
  sum.kernels += launches;
  sum.resident_kernels += launches;
  sum.resident_starts += starts_.load(std::memory_order_relaxed);
}

bool ordered_rings::is_anything_in_flight() const {
  return std::any_of(rings_.begin(), rings_.begin() + used(),
                     [](ordered_ring const& ring) { return ring.in_flight() != 0; });
}

std::uint64_t ordered_rings::tried() const {
  std::uint64_t sum = 0;
  for (auto const& ring : std::span(rings_).first(used())) sum += ring.tried();
  return sum;
}

bool ordered_rings::is_anything_tried() const {
  return std::any_of(rings_.begin(), rings_.begin() + used(),
                     [](ordered_ring const& ring) { return ring.tried() != 0; });
}

/// One start at a time: other work that waits for the device waits for only one quantum.
bool ordered_rings::keep_running() {
  std::lock_guard const hold(kernel_mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (is_running()) {
    if (atomic_ref<std::uint32_t, scope::system>(over_[0]).load_acquire() != run_) return false;
    kernel_.join(deadline::in(end_timeout));
    is_passing_ = false;
  }
  if (!is_anything_in_flight()) return false;
  start();
  return true;
}

void ordered_rings::start_if_idle() noexcept {
  std::unique_lock const hold(kernel_mutex_, std::try_to_lock);
  if (!hold || is_running() || failure_) return;
  try {
    start();
  } catch (...) { failure_ = std::current_exception(); }
}

void ordered_rings::start() {
  try {
    kernel_.take_room();
  } catch (no_room const&) { return start_passing(); }
  refused_at_ns_ = 0;
  auto const rings = next_run();
  kernel_.start_on(*stream_, &rings, sizeof rings, [] {});
  (void)kernel_.running();  // throws the launch's error
}

/// Starts one block that serves the rings for a while. It is issued like any other launch: a block that waits
/// for no other needs no claim of its own.
void ordered_rings::start_passing() {
  refused_at_ns_ = steady_now_ns();
  auto rings = next_run();
  rings.control.blocks = 1;
  rings.rings = std::max(used(), 1u);
  rings.max_idle = ring_ticks(passing_idle_ns);
  stream_->launch_cooperative(code_, 1, &rings, sizeof rings);
  is_passing_ = true;
}

ordered_rings_ref ordered_rings::next_run() {
  starts_.fetch_add(1, std::memory_order_relaxed);
  ordered_rings_ref rings;
  rings.control = kernel_.next_control();
  rings.control.run = ++run_;
  rings.slots = slots_.data();
  rings.ends = ends_.data();
  rings.over = over_.data();
  rings.positions = positions_.data();
  rings.workers = workers_.data();
  rings.rings = std::max(used(), rings.control.blocks);
  rings.quantum = ring_ticks(quantum_ns);
  rings.max_idle = ring_ticks(idle_ns);
  rings.host_wake_event = &wake_event_;
  return rings;
}

}  // namespace ballast::detail
