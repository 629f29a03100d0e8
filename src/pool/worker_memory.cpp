// SPDX-License-Identifier: Apache-2.0
#include "worker_memory.hpp"

#include <algorithm>
#include <bit>

namespace ballast::inline pool {

worker_memory::worker_memory(pool_plan const& plan, std::uint32_t workers)
    : device_(plan.device),
      hand_capacity_(plan.hand_capacity),
      tasks_at_once_(std::min(tasks_at_once(plan), plan.hand_capacity / 2)),
      most_spawns_(plan.kernels->most_spawns()),
      joins_(plan, workers),
      launch_(plan.device, workers),
      bounds_(plan.device, workers),
      hands_(plan.device, std::size_t(workers) * plan.hand_capacity) {}

std::size_t worker_memory::bytes() const {
  return joins_.bytes() + launch_.bytes() + bounds_.bytes() + hands_.bytes() + many_.bytes();
}

// Bounds say how many free records each worker has in stock: none, where the arena is cleared.
void worker_memory::begin_run(stream& on) {
  if (joins_are_stale_) {
    joins_.clear(on);
    pool::clear(on, bounds_);
  }
  joins_are_stale_ = false;
}

// Completed runs give every record back, but what followed a stopped one may not have been the rest of it.
// Where joins did not suffice they would not for the rest either.
void worker_memory::end_run(bool was_stopped) {
  bool const goes_on = was_stopped && halt() != pool_halt::joinless && halt() != pool_halt::overjoined;
  joins_are_stale_ = !goes_on && (was_stopped || was_stopped_);
  was_stopped_ = goes_on;
}

void worker_memory::give(stream& on, std::span<stored_task const> waiting) {
  waiting_ = std::uint32_t(waiting.size());
  launch_.begin(on);
  if (waiting_ <= few_tasks) return void(std::ranges::copy(waiting, few_.begin()));
  if (many_.size() < waiting.size())
    many_ = device_buffer<stored_task>(device_, std::bit_ceil(waiting.size()));
  on.copy(many_.data(), waiting.data(), waiting.size_bytes());
  on.synchronize();
}

pool_view worker_memory::view() const {
  pool_view all;
  all.words = launch_.words();
  std::ranges::copy(few_, all.few);
  all.waiting = waiting_ <= few_tasks ? nullptr : many_.data();
  all.waiting_tasks = waiting_;
  all.bounds = bounds_.data();
  all.reports = launch_.reports();
  all.hands = hands_.data();
  all.hand_capacity = hand_capacity_;
  all.workers = workers();
  all.tasks_at_once = tasks_at_once_;
  all.joins = joins_.arena();
  all.most_at_once = std::min(hand_capacity_ / 2, hand_capacity_ - most_spawns_);
  return all;
}

void worker_memory::add_counts(pool_statistics& statistics) const {
  auto const& totals = words().totals;
  statistics.created += totals.created;
  statistics.joins += totals.joins;
  statistics.shared += totals.shared;
  statistics.most_stored = std::max(statistics.most_stored, totals.most_stored + totals.most_in_common);
  auto const reports = launch_.reports_here();
  statistics.workers.resize(reports.size());
  for (std::size_t worker = 0; worker < reports.size(); ++worker) {
    auto const& one = reports[worker];
    auto& mine = statistics.workers[worker];
    statistics.run += one.run;
    statistics.steals_tried += one.steals_tried;
    statistics.steals_won += one.steals_won;
    mine.run += one.run;
    mine.steals_tried += one.steals_tried;
    mine.steals_won += one.steals_won;
    mine.idle += std::chrono::nanoseconds(one.idle_ns);
  }
}

// Many hands in one copy: a copy for each would take longer than the kernel, where hands are small.
void worker_memory::collect(stream& on, std::vector<stored_task>& into) const {
  constexpr std::size_t most_tasks = 1u << 16;
  auto const bounds = copy_of(on, bounds_);
  std::size_t const capacity = hand_capacity_, together = std::max<std::size_t>(1, most_tasks / capacity);
  std::vector<stored_task> hands(std::min(bounds.size(), together) * capacity);
  for (std::size_t first = 0; first < bounds.size(); first += together) {
    auto const workers = std::span(bounds).subspan(first, std::min(together, bounds.size() - first));
    on.copy(hands.data(), hands_.data() + first * capacity, workers.size() * capacity * sizeof(stored_task));
    on.synchronize();
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
      for (auto place = workers[worker].begin; place != workers[worker].end; ++place)
        into.push_back(hands[worker * capacity + place % capacity]);
  }
}

}  // namespace ballast::inline pool
