// SPDX-License-Identifier: Apache-2.0
#include "worker_memory.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "ballast/detail/pool/peer_view.cuh"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint32_t usual_joins = 2048, max_batch = 64;

std::uint32_t wished_for(pool_plan const& plan, std::uint32_t workers) {
  if (plan.kernels->max_joins() == 0) return 0;
  return plan.options.joins != 0 ? plan.options.joins : usual_joins * workers;
}

std::uint32_t batch_for(pool_plan const& plan, std::uint32_t workers) {
  return std::clamp<std::uint32_t>(wished_for(plan, workers) / (8 * workers), 1, max_batch);
}

std::uint32_t cache_for(pool_plan const& plan, std::uint32_t workers) {
  return 4 * batch_for(plan, workers) + 32 * (plan.kernels->max_joins() + 2);
}

/// The number of records: besides the waiting joins, each worker may fill a cache.
std::size_t records_for(pool_plan const& plan, std::uint32_t workers) {
  std::size_t const wished = wished_for(plan, workers);
  return wished == 0 ? 0 : wished + std::size_t(workers) * cache_for(plan, workers);
}

constexpr std::size_t piece_bytes = sizeof(launch_epilogue::piece);
static_assert(sizeof(pool_words) % piece_bytes == 0 && sizeof(worker_report) % piece_bytes == 0);

constexpr std::size_t pieces_for(std::size_t workers) {
  return (sizeof(pool_words) + workers * sizeof(worker_report)) / piece_bytes;
}

/// The most blocks of an epilogue: enough to fill the bus.
constexpr std::uint32_t max_blocks = 64;

}  // namespace

join_memory::join_memory(pool_plan const& plan, std::uint32_t workers)
    : device_(plan.device),
      batch_(batch_for(plan, workers)),
      cache_capacity_(cache_for(plan, workers)),
      records_(device_, records_for(plan, workers)),
      used_(device_, 1),
      caches_(device_, records_.size() == 0 ? 0 : std::size_t(workers) * (cache_capacity_ + max_joins_taken)),
      ring_(device_, 1),
      slots_(device_, std::bit_ceil(std::max<std::size_t>(records_.size(), 2))),
      homing_(device_, records_.size() == 0 ? 0 : workers) {}

join_arena join_memory::arena() const {
  return {records_.data(),
          used_.data(),
          {ring_.data(), slots_.data(), std::uint32_t(slots_.size())},
          caches_.data(),
          std::uint32_t(records_.size()),
          cache_capacity_,
          batch_};
}

void join_memory::clear(stream& on) { detail::clear(on, used_, ring_, slots_, homing_); }

void join_memory::grow(stream& on, std::uint64_t records) {
  if (!must_grow_for(records)) return;
  device_buffer<join_record> larger(device_, records);
  on.copy(larger.data(), records_.data(), records_.bytes());
  on.synchronize();
  records_ = std::move(larger);
}

std::size_t join_memory::bytes() const {
  return records_.bytes() + used_.bytes() + caches_.bytes() + ring_.bytes() + slots_.bytes() +
         homing_.bytes();
}

void require_names_for_joins(pool_plan const& plan, std::uint32_t workers) {
  auto const records = records_for(plan, workers);
  if (records <= max_joins_of_device) return;
  auto const beside = records - wished_for(plan, workers);
  throw_bad_argument("joins", wished_for(plan, workers),
                     "at most " + std::to_string(max_joins_of_device - beside) + " for " +
                         counted(workers, "worker") + " on one of several devices");
}

launch_memory::launch_memory(std::shared_ptr<compute_device> device, std::uint32_t workers)
    : workers_(workers), there_(device, pieces_for(workers)), here_(device, pieces_for(workers)) {
  std::ranges::fill(here_.span(), piece{});
}

void launch_memory::begin(stream& on) {
  if (!is_clear_) on.fill(there_.data(), 0, sizeof(pool_words));
  is_clear_ = false;
}

void launch_memory::end(stream& on, kernel_code const& code) {
  launch_epilogue const work{there_.data(), here_.data(), std::uint32_t(there_.size()),
                             std::uint32_t(sizeof(pool_words) / piece_bytes)};
  auto const blocks = (work.pieces + epilogue_threads - 1) / epilogue_threads;
  on.launch(code, std::min(blocks, max_blocks), &work, sizeof work);
  is_clear_ = true;
}

void launch_memory::read_back(stream& on) { on.copy(here_.data(), there_.data(), there_.bytes()); }

void launch_memory::clear_reports(stream& on) { on.fill(reports(), 0, workers_ * sizeof(worker_report)); }

worker_memory::worker_memory(pool_plan const& plan, std::uint32_t max_workers)
    : device_(plan.device),
      workers_(max_workers),
      stack_capacity_(plan.stack_capacity),
      tasks_at_once_(std::min(tasks_at_once(plan), plan.stack_capacity / 2)),
      max_spawns_(plan.kernels->max_spawns()),
      joins_(plan, max_workers),
      launch_(plan.device, max_workers),
      bounds_(plan.device, max_workers),
      stacks_(plan.device, std::size_t(max_workers) * plan.stack_capacity) {}

std::size_t worker_memory::bytes() const {
  return joins_.bytes() + launch_.bytes() + bounds_.bytes() + stacks_.bytes() + task_buffer_.bytes();
}

// The bounds contain the number of free records in each worker's cache: none, if the arena is cleared.
void worker_memory::begin_run(stream& on) {
  if (joins_are_stale_) {
    joins_.clear(on);
    detail::clear(on, bounds_);
  }
  joins_are_stale_ = false;
}

// A completed run returns every record, but a run after a stopped one may not have continued the stopped one.
// If joins did not suffice, they would not suffice for the remaining tasks either.
void worker_memory::end_run(bool was_stopped, pool_halt halt) {
  bool const goes_on = was_stopped && halt != pool_halt::out_of_joins && halt != pool_halt::too_many_joins;
  joins_are_stale_ = !goes_on && (was_stopped || was_stopped_);
  was_stopped_ = goes_on;
}

void worker_memory::set_waiting(stream& on, std::span<stored_task const> waiting) {
  waiting_ = std::uint32_t(waiting.size());
  launch_.begin(on);
  if (waiting_ <= max_inline_tasks) return void(std::ranges::copy(waiting, inline_tasks_.begin()));
  if (task_buffer_.size() < waiting.size())
    task_buffer_ = device_buffer<stored_task>(device_, std::bit_ceil(waiting.size()));
  on.copy(task_buffer_.data(), waiting.data(), waiting.size_bytes());
  on.synchronize();
}

pool_view worker_memory::view() const {
  pool_view all;
  all.words = launch_.words();
  std::ranges::copy(inline_tasks_, all.inline_tasks);
  all.waiting = waiting_ <= max_inline_tasks ? nullptr : task_buffer_.data();
  all.waiting_tasks = waiting_;
  all.bounds = bounds_.data();
  all.reports = launch_.reports();
  all.stacks = stacks_.data();
  all.stack_capacity = stack_capacity_;
  all.workers = workers_;
  all.tasks_at_once = tasks_at_once_;
  all.joins = joins_.arena();
  all.max_at_once = std::min(stack_capacity_ / 2, stack_capacity_ - max_spawns_);
  return all;
}

void worker_memory::add_counts(pool_statistics& statistics) const {
  auto const& totals = words().totals;
  statistics.created += totals.created;
  statistics.joins += totals.joins;
  statistics.shared += totals.shared;
  statistics.max_stored = std::max(statistics.max_stored, totals.max_stored + totals.max_in_common);
  statistics.sum += totals.reduced.sum;
  statistics.max = std::max(statistics.max, totals.reduced.max);
  auto const reports = launch_.reports_here().first(workers_);
  statistics.workers.resize(std::max(statistics.workers.size(), reports.size()));
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

// Copies many stacks at once: if stacks are small, a copy for each would take longer than the kernel.
void worker_memory::collect(stream& on, std::vector<stored_task>& into) const {
  constexpr std::size_t max_tasks = 1u << 16;
  auto bounds = copy_of(on, bounds_);
  bounds.resize(workers_);
  std::size_t const capacity = stack_capacity_, together = std::max<std::size_t>(1, max_tasks / capacity);
  std::vector<stored_task> stacks(std::min(bounds.size(), together) * capacity);
  for (std::size_t first = 0; first < bounds.size(); first += together) {
    auto const workers = std::span(bounds).subspan(first, std::min(together, bounds.size() - first));
    on.copy(stacks.data(), stacks_.data() + first * capacity,
            workers.size() * capacity * sizeof(stored_task));
    on.synchronize();
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
      for (auto place = workers[worker].begin; place != workers[worker].end; ++place)
        into.push_back(stacks[worker * capacity + place % capacity]);
  }
}

}  // namespace ballast::detail
