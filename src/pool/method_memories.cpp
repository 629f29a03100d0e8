// SPDX-License-Identifier: Apache-2.0
#include "method_memories.hpp"

#include <array>

#include "ballast/arguments.hpp"
#include "ballast/detail/pool/level_arrays.cuh"

namespace ballast::detail {
namespace {

constexpr std::uint32_t usual_chunk = 16, chunk_of_band = 4, max_chunks = 1u << 24,
                        default_public_deque = 4096;
static_assert(usual_chunk <= max_gift);

std::uint32_t chunks_for(pool_plan const& plan, std::uint32_t workers, std::uint32_t chunk_tasks) {
  auto const wished = std::uint64_t(workers) * plan.capacity / chunk_tasks;
  return std::uint32_t(std::clamp<std::uint64_t>(wished, 2, max_chunks));
}

/// The capacity of a public_deque: a single worker may hold as many tasks as `capacity`.
std::uint32_t public_deque_for(pool_plan const& plan, std::uint32_t chunks, std::uint32_t chunk_tasks) {
  auto const own = std::bit_ceil(plan.capacity / chunk_tasks);
  return std::min(std::bit_ceil(chunks), std::max(own, default_public_deque));
}

/// True if a slot of a ring holds a record. Only the slots show which tickets were taken but not used: a slot
/// that waits for its popper holds one.
template <class Record>
bool holds_record(ring_slot<Record> const& slot, std::uint32_t capacity) {
  return (slot.turn & (capacity - 1)) == 1;
}

template <class Memory>
std::unique_ptr<method_memory> make(pool_plan const& plan, std::uint32_t workers) {
  return std::make_unique<Memory>(plan, workers);
}

constexpr std::array methods{
    pool_method_code{
        {"chunks", "private stacks with published chunks"}, entry_key_of<chunks_ref>, &make<chunk_memory>},
    pool_method_code{{"bands", "the smallest order_key() first, in rings that all workers share"},
                     entry_key_of<bands_ref>,
                     &make<band_memory>},
    pool_method_code{{"abp", "work stealing with the deque of Arora, Blumofe and Plaxton"},
                     entry_key_of<abp_ref>,
                     &make<abp_memory>},
    pool_method_code{{"chase-lev", "work stealing with the deque of Chase and Lev"},
                     entry_key_of<chase_lev_ref>,
                     &make<chase_lev_memory>},
    pool_method_code{
        {"ring", "one bounded lock-free queue"}, entry_key_of<shared_ring_ref>, &make<ring_memory>},
    pool_method_code{
        {"blocking", "one queue behind a lock"}, entry_key_of<locked_queue_ref>, &make<locked_memory>},
    pool_method_code{{"static", "two arrays, a launch for each level"}, entry_key_of<level_work>},
    pool_method_code{{"static-per-task", "the same with a block of the grid for each task"},
                     entry_key_of<level_work>,
                     nullptr,
                     true}};

}  // namespace

stock_memory::stock_memory(pool_plan const& plan, std::uint32_t workers, std::uint32_t chunk_tasks,
                           std::uint32_t times)
    : chunk_tasks_(std::min(chunk_tasks, std::min(plan.capacity, plan.stack_capacity) / 4)),
      chunks_(chunks_for(plan, times * workers, chunk_tasks_)),
      tasks_(plan.device, std::size_t(chunks_) * chunk_tasks_),
      used_(plan.device, 1),
      spare_chunks_(plan.device, workers),
      free_words_(plan.device, 1),
      free_slots_(plan.device, std::bit_ceil(chunks_)) {}

chunk_stock stock_memory::ref() const {
  return {tasks_.data(),        used_.data(),
          spare_chunks_.data(), {free_words_.data(), free_slots_.data(), std::uint32_t(free_slots_.size())},
          chunk_tasks_,         chunks_};
}

void stock_memory::clear(stream& on) { detail::clear(on, used_, spare_chunks_, free_words_, free_slots_); }

std::size_t stock_memory::bytes() const {
  return tasks_.bytes() + used_.bytes() + spare_chunks_.bytes() + free_words_.bytes() + free_slots_.bytes();
}

void stock_memory::add_tasks(std::vector<stored_task> const& of_all, chunk_entry chunk,
                             std::vector<stored_task>& into) const {
  auto const first = of_all.begin() + std::ptrdiff_t(chunk & 0xffffff) * chunk_tasks_;
  into.insert(into.end(), first, first + std::ptrdiff_t(chunk >> 24));
}

chunk_memory::chunk_memory(pool_plan const& plan, std::uint32_t workers)
    : stock_(plan, workers, usual_chunk, 1),
      public_deque_capacity_(public_deque_for(plan, stock_.chunks(), stock_.chunk_tasks())),
      public_deques_(plan.device, workers),
      slots_(plan.device, std::size_t(workers) * public_deque_capacity_) {}

chunks_ref chunk_memory::ref() const {
  return {public_deques_.data(), slots_.data(), stock_.ref(), public_deque_capacity_};
}

void chunk_memory::clear(stream& on) {
  stock_.clear(on);
  detail::clear(on, public_deques_);
}

void chunk_memory::collect(stream& on, std::vector<stored_task>& into) {
  auto public_deques = copy_of(on, public_deques_);
  auto slots = copy_of(on, slots_);
  auto const tasks = stock_.tasks(on);
  for (std::size_t worker = 0; worker < public_deques.size(); ++worker) {
    chunks_ref::public_deque const published(
        &public_deques[worker], slots.data() + worker * public_deque_capacity_, public_deque_capacity_);
    for (chunk_entry chunk; published.steal(chunk) == steal_outcome::taken;)
      stock_.add_tasks(tasks, chunk, into);
  }
}

// A chunk has tasks of one band, so that it is often not full.
band_memory::band_memory(pool_plan const& plan, std::uint32_t workers)
    : stock_(plan, workers, chunk_of_band, 2),
      ring_capacity_(std::bit_ceil(stock_.chunks())),
      words_(plan.device, 1),
      ring_words_(plan.device, bands_ref::rings),
      slots_(plan.device, std::size_t(ring_capacity_) * bands_ref::rings) {}

void band_memory::clear(stream& on) {
  stock_.clear(on);
  detail::clear(on, ring_words_, slots_);
}

void band_memory::start(kernel_start const& how, pool_view const& view) {
  start_with(how, view,
             bands_ref{words_.data(), ring_words_.data(), slots_.data(), ring_capacity_, stock_.ref()});
}

void band_memory::collect(stream& on, std::vector<stored_task>& into) {
  auto const tasks = stock_.tasks(on);
  auto const words = copy_of(on, ring_words_);
  std::vector<bands_ref::ring::slot> slots(ring_capacity_);
  for (std::size_t ring = 0; ring < words.size(); ++ring) {
    if (words[ring].used == 0) continue;  // exact, since no worker runs
    on.copy(slots.data(), slots_.data() + ring * ring_capacity_, slots.size() * sizeof slots[0]);
    on.synchronize();
    for (auto& slot : slots)
      if (holds_record(slot, ring_capacity_))
        stock_.add_tasks(tasks, slot.record.read<device_atomic>(), into);
  }
}

void peer_memory::meet(std::span<peer_device const> all, std::uint32_t own) {
  among_.own = own;
  among_.devices = std::uint32_t(all.size());
  std::ranges::copy(all, among_.peers);
}

void peer_memory::prepare(stream& on) { detail::clear(on, words_, mail_, gifts_, to_run_); }

void peer_memory::start(kernel_start const& how, pool_view const& view) {
  auto all = among_;
  static_cast<pool_view&>(all) = view;
  all.method = chunks_.ref();
  start_with(how, all, all.method);
}

void peer_memory::collect(stream& on, std::vector<stored_task>& into) {
  chunks_.collect(on, into);
  for (auto const& gift : copy_of(on, gifts_))
    if (gift.filled > 1) into.insert(into.end(), gift.tasks, gift.tasks + (gift.filled - 1));
  auto const* const joins = among_.peers[among_.own].joins;
  for (auto const& list : copy_of(on, to_run_))
    for (auto next = list.newest; next != 0;) {
      join_record join;
      on.copy(&join, joins + (next - 1), sizeof join);
      on.synchronize();
      into.push_back(join.continuation);
      next = join.next & 0xfffffff;
    }
}

template <class Method, class Words>
void deque_memory<Method, Words>::collect(stream& on, std::vector<stored_task>& into) {
  auto words = copy_of(on, words_);
  auto slots = copy_of(on, slots_);
  for (std::size_t worker = 0; worker < words.size(); ++worker) {
    typename Method::deque const deque(&words[worker], slots.data() + worker * capacity_, capacity_);
    for (stored_task task; deque.steal(task) == steal_outcome::taken;) into.push_back(task);
  }
}
template class deque_memory<abp_ref, abp_deque_words>;
template class deque_memory<chase_lev_ref, chase_lev_deque_words>;

void ring_memory::collect(stream& on, std::vector<stored_task>& into) {
  auto slots = copy_of(on, slots_);
  for (auto& slot : slots)
    if (holds_record(slot, capacity_)) into.push_back(task_in(slot.record));
}

void locked_memory::collect(stream& on, std::vector<stored_task>& into) {
  auto const words = copy_of(on, words_)[0];
  auto const tasks = copy_of(on, tasks_);
  for (auto place = words.begin; place != words.end; ++place) into.push_back(tasks[place & (capacity_ - 1)]);
}

pool_method_code const& pool_method_named(std::string_view name) {
  std::array<std::string_view, methods.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = methods[i].about.name;
  return methods[index_among(names, "method", name)];
}

}  // namespace ballast::detail

std::vector<ballast::named_policy> ballast::pool_methods() {
  std::vector<named_policy> all;
  for (auto const& method : detail::methods) all.push_back(method.about);
  return all;
}
