// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "join_memory.hpp"
#include "pool_executor.hpp"

namespace ballast::inline pool {
namespace {

/// Runs a pool as a resident kernel. Where tasks do not fit, the kernel ends, the host takes all that
/// have not run, and the kernel starts again with empty hands and these as waiting tasks.
class resident_executor final : public pool_executor {
 public:
  resident_executor(pool_plan const& plan, pool_method_code const& method)
      : plan_(plan),
        kernel_(plan.device, *plan.kernels, plan.kernels->entry_for(method.entry), plan.options.resident),
        memory_(method.make_memory(plan, kernel_.blocks())),
        joins_(plan, workers()),
        words_(plan.device, 1),
        bounds_(plan.device, workers()),
        counts_(plan.device, workers()),
        words_copy_(plan.device, 1),
        counts_copy_(plan.device, workers()),
        hands_(plan.device, std::size_t(workers()) * plan.hand_capacity),
        stream_(plan.device->make_stream()) {}

  std::uint32_t workers() const override { return kernel_.blocks(); }
  std::size_t memory_bytes() const override {
    return memory_->bytes() + joins_.bytes() + words_.bytes() + bounds_.bytes() + counts_.bytes() +
           hands_.bytes() + waiting_.bytes();
  }
  bool is_claimed() const override { return kernel_.claimed(); }

  void request_stop() noexcept override {
    stop_asked_.store(true);
    kernel_.request_stop();
  }

  void carry_out(pool_run& run) override {
    stop_asked_.store(false);
    if (joins_are_stale_) clear_joins();
    joins_are_stale_ = false;
    run.statistics.workers.resize(workers());
    while (!run.waiting.empty() && run.why_stopped.empty()) {
      if (!begin_launch(run)) break;
      auto const halt = end_launch(run);
      add_counts(run.statistics);
      take_back(run, halt);
    }
    // Completed runs give every record back, but what followed a stopped one may not have been the rest of
    // it.
    joins_are_stale_ = run.why_stopped.empty() && was_stopped_;
    was_stopped_ = !run.why_stopped.empty();
  }

 private:
  static std::string why(pool_halt halt) {
    switch (halt) {
      case pool_halt::asked:
        return "a stop was requested";
      case pool_halt::overrun:
        return "a kernel created more tasks than its `spawns`; those beyond are lost";
      case pool_halt::joinless:
        return "no record is left for a join: pool_options::joins";
      case pool_halt::stalled:
        return "a worker waited too long for another inside a shared structure";
      default:
        return "";  // crowded: goes on with fewer tasks
    }
  }

  /// Shows the waiting tasks to the workers, of which each takes some, the newest first, when it has no
  /// other.
  void give(pool_run& run) {
    auto const count = run.waiting.size();
    if (waiting_.size() < count) waiting_ = device_buffer<stored_task>(plan_.device, std::bit_ceil(count));
    words_copy_[0] = {};
    words_copy_[0].pending = std::uint32_t(count);
    stream_->copy(waiting_.data(), run.waiting.data(), count * sizeof(stored_task));
    stream_->copy(words_.data(), words_copy_.data(), words_.bytes());
    if (!is_empty_) memory_->clear(*stream_);
    is_empty_ = true;
    stream_->synchronize();
  }

  /// Bounds say how many free records each worker has in stock: none.
  void clear_joins() {
    joins_.clear(*stream_);
    clear(*stream_, bounds_);
  }

  pool_view view(std::size_t waiting) const {
    pool_view all;
    all.words = words_.data();
    all.bounds = bounds_.data();
    all.counts = counts_.data();
    all.hands = hands_.data();
    all.hand_capacity = plan_.hand_capacity;
    all.workers = workers();
    all.waiting = waiting_.data();
    all.waiting_tasks = std::uint32_t(waiting);
    all.tasks_at_once = tasks_at_once(plan_);
    all.joins = joins_.arena();
    all.most_at_once = std::min(plan_.hand_capacity / 2, plan_.hand_capacity - plan_.kernels->most_spawns());
    return all;
  }

  /// False, and why_stopped is told, if tasks that are with the host cannot go back.
  bool begin_launch(pool_run& run) {
    try {
      give(run);
      memory_->start(kernel_, view(run.waiting.size()));
    } catch (device_lost const&) { throw; } catch (error const& failure) {
      if (run.statistics.launches == 0 || kernel_.claimed()) throw;
      run.why_stopped = failure.what();
      return false;
    }
    ++run.statistics.launches;
    return true;
  }

  pool_halt end_launch(pool_run& run) {
    if (stop_asked_.load()) kernel_.request_stop();  // a stop asked for before start() was forgotten by it
    try {
      kernel_.join(run.until);
    } catch (deadline_passed const& passed) {
      run.why_stopped = passed.what();
      kernel_.request_stop();
      kernel_.join(deadline::in(plan_.options.resident.stop_patience));
    }
    stream_->copy(words_copy_.data(), words_.data(), words_.bytes());
    stream_->copy(counts_copy_.data(), counts_.data(), counts_.bytes());
    stream_->synchronize();
    auto const& words = words_copy_[0];
    run.waiting.resize(run.waiting.size() - std::min<std::size_t>(words.taken, run.waiting.size()));
    return pool_halt(words.halt);
  }

  void add_counts(pool_statistics& statistics) {
    auto const counts = counts_copy_.span();
    std::uint64_t stored = 0, in_common = 0;
    for (std::size_t worker = 0; worker < counts.size(); ++worker) {
      auto const& one = counts[worker];
      auto& mine = statistics.workers[worker];
      statistics.created += one.created;
      statistics.run += one.run;
      statistics.steals_tried += one.steals_tried;
      statistics.steals_won += one.steals_won;
      statistics.joins += one.joins;
      statistics.shared += one.shared;
      mine.run += one.run;
      mine.steals_tried += one.steals_tried;
      mine.steals_won += one.steals_won;
      mine.idle += std::chrono::nanoseconds(one.idle_ns);
      stored += one.most_stored;
      in_common = std::max<std::uint64_t>(in_common, one.most_in_common);
    }
    statistics.most_stored = std::max(statistics.most_stored, stored + in_common);
  }

  void take_back(pool_run& run, pool_halt halt) {
    if (halt == pool_halt::none) {
      require_none_lost();
      run.why_stopped.clear();  // it may have ended after its deadline, but it ended
      return;
    }
    collect(run);
    run.statistics.spilled += run.waiting.size();
    if (run.why_stopped.empty()) run.why_stopped = why(halt);
  }

  void require_none_lost() const {
    auto const pending = words_copy_[0].pending;
    if (pending != 0)
      throw error("the pool on " + plan_.device->name() + " ended with a count of " +
                  std::to_string(pending) + " pending tasks, which cannot be");
  }

  void collect(pool_run& run) {
    is_empty_ = false;
    memory_->collect(*stream_, run.waiting);
    collect_hands(run, copy_of(*stream_, bounds_));
  }

  /// Many hands in one copy: a copy for each would take longer than the kernel, where hands are small.
  void collect_hands(pool_run& run, std::vector<hand_bounds> const& bounds) {
    constexpr std::size_t most_tasks = 1u << 16;
    std::size_t const capacity = plan_.hand_capacity,
                      together = std::max<std::size_t>(1, most_tasks / capacity);
    std::vector<stored_task> hands(std::min(bounds.size(), together) * capacity);
    for (std::size_t first = 0; first < bounds.size(); first += together) {
      auto const workers = std::span(bounds).subspan(first, std::min(together, bounds.size() - first));
      auto const bytes = workers.size() * capacity * sizeof(stored_task);
      stream_->copy(hands.data(), hands_.data() + first * capacity, bytes);
      stream_->synchronize();
      for (std::size_t worker = 0; worker < workers.size(); ++worker)
        for (auto place = workers[worker].begin; place != workers[worker].end; ++place)
          run.waiting.push_back(hands[worker * capacity + place % capacity]);
    }
  }

  pool_plan plan_;
  resident_kernel kernel_;
  std::unique_ptr<method_memory> memory_;
  join_memory joins_;
  device_buffer<pool_words> words_;
  device_buffer<hand_bounds> bounds_;
  device_buffer<worker_counts> counts_;
  pinned_buffer<pool_words> words_copy_;
  pinned_buffer<worker_counts> counts_copy_;
  device_buffer<stored_task> hands_, waiting_;
  std::unique_ptr<stream> stream_;
  std::atomic<bool> stop_asked_ = false;
  bool joins_are_stale_ = true;  ///< no task that is left names one
  bool is_empty_ = false;        ///< what the method keeps
  bool was_stopped_ = false;     ///< the last run
};

}  // namespace

std::unique_ptr<pool_executor> make_resident_executor(pool_plan const& plan, pool_method_code const& method) {
  return std::make_unique<resident_executor>(plan, method);
}

}  // namespace ballast::inline pool
