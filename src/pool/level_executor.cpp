// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "ballast/deadline.hpp"
#include "ballast/detail/pool/level_arrays.cuh"
#include "pool_executor.hpp"
#include "worker_memory.hpp"

namespace ballast::detail {
namespace {

/// The most tasks of a level.
constexpr std::uint32_t max_tasks = std::numeric_limits<std::uint32_t>::max();

/// Runs a pool level by level.
class level_executor final : public pool_executor {
 public:
  level_executor(pool_plan const& plan, bool block_per_task)
      : plan_(plan),
        block_per_task_(block_per_task),
        code_(plan.kernels->entry_for(entry_key_of<level_work>).code),
        blocks_(block_per_task ? 1 : choose_blocks(plan, code_)),
        in_(plan.device, std::size_t(blocks_) * plan.capacity),
        out_(plan.device, in_.size()),
        words_(plan.device, 1),
        joins_(plan, blocks_),
        stream_(plan.device->make_stream()) {}

  std::uint32_t workers() const override {
    return block_per_task_ ? max_tasks : blocks_ * tasks_at_once(plan_);
  }
  std::size_t memory_bytes() const override {
    return in_.bytes() + out_.bytes() + words_.bytes() + joins_.bytes();
  }
  bool is_claimed() override { return false; }  // a stream waits for its work when it is destroyed
  void request_stop() noexcept override { stop_requested_.store(true); }
  work_progress progress() override {
    work_progress now{.done = done_.load(), .waiting = waiting_.load()};
    now.busy = now.waiting != 0 ? 1 : 0;
    now.submitted = now.done + now.waiting;
    return now;
  }

  /// If the last level of a run did not end in time, the run has thrown, and the level uses the memory until
  /// it ends.
  void check_ended() override {
    if (!is_running_) return;
    try {
      stream_->synchronize(deadline::in(clock::duration(0)));
    } catch (timed_out const&) { throw error("a level of an earlier run of this pool has not ended"); }
    is_running_ = false;
  }

  void execute(pool_run& run) override {
    stop_requested_.store(false);
    if (!joins_matter_) forget_joins();
    joins_matter_ = false;
    run.statistics.workers.resize(blocks_);
    done_ = 0;
    struct none_waiting_at_end {
      std::atomic<std::uint64_t>& waiting;
      ~none_waiting_at_end() { waiting = 0; }
    } const at_end{waiting_};
    wait_limit between_levels(run.until);
    write_roots(run);
    while (tasks_ != 0 && run.why_stopped.empty()) {
      run.why_stopped = reason_to_stop(between_levels);
      if (run.why_stopped.empty()) run_level(run, between_levels);
    }
    joins_matter_ = !run.why_stopped.empty();
    if (tasks_ != 0) read_rest(run);
  }

 private:
  static std::uint32_t choose_blocks(pool_plan const& plan, kernel_code const& code) {
    auto& device = *plan.device;
    auto const facts = device.properties();
    auto const fit = device.resources(code).blocks_per_multiprocessor * facts.multiprocessors;
    auto const asked = plan.options.resident.blocks;
    if (asked < 0) throw_bad_argument("blocks", asked, "1 or more; 0: as many as fit");
    return std::uint32_t(asked != 0 ? asked : std::max(fit, 1));
  }

  void forget_joins() {
    joins_.clear(*stream_);
    joins_used_ = 0;
  }

  void write_roots(pool_run& run) {
    further_blocks_ = 0;
    for (auto const& root : run.waiting) further_blocks_ += root.record.range().count - 1;
    tasks_ = std::uint32_t(run.waiting.size());
    if (in_.size() < tasks_) in_ = device_buffer<stored_task>(plan_.device, tasks_);
    stream_->copy(in_.data(), run.waiting.data(), tasks_ * sizeof(stored_task));
    stream_->synchronize();
    run.waiting.clear();
  }

  /// Makes space for all children that the level's tasks may create. Returns why the run must stop, or an
  /// empty text. Checks the deadline before and after making space, since the process may sleep meanwhile.
  std::string reason_to_stop(wait_limit& until) {
    if (stop_requested_.load()) return "a stop was requested";
    if (until.passed()) return "the deadline passed";
    auto const declared = tasks_ + further_blocks_;  // the declared blocks in all
    auto const room = declared * plan_.kernels->max_spawns();
    if (room > max_tasks)
      return "the next level may have " + std::to_string(room) + " tasks; static stores at most 4294967295";
    try {
      make_room(room, joins_used_ + declared * plan_.kernels->max_joins());
    } catch (device_lost const&) { throw; } catch (std::exception const& refused) {  // bad_alloc on cores
      return "static must store a whole level, of up to " + counted(room, "task") + ": " + refused.what();
    }
    return until.passed() ? "the deadline passed" : "";
  }

  void make_room(std::uint64_t room, std::uint64_t joins) {
    bool const must_grow = room > out_.size();
    if (!must_grow && !joins_.must_grow_for(joins)) return;
    if (must_grow) out_ = {};
    if (plan_.device->capabilities().shares_host_memory) require_memory(room, joins);
    joins_.grow(*stream_, joins);
    if (must_grow) out_ = device_buffer<stored_task>(plan_.device, room);
  }

  /// Requests at once, and releases, the most memory that the next level and a stop after it may take. Throws
  /// ballast::error if there is less. The system assigns memory pages on cores only at the first write, and a
  /// run that stops copies its tasks in the same memory to return them.
  void require_memory(std::uint64_t room, std::uint64_t joins) const {
    auto const written = (in_.size() - tasks_ + room) * sizeof(stored_task) + joins_.bytes_for(joins);
    auto const max_left = std::max<std::uint64_t>(in_.size(), room);
    auto const handed_back = max_left * (sizeof(stored_task) + sizeof(task));
    device_buffer<std::byte> const all(plan_.device, written + handed_back);
  }

  /// Runs one level. The level's own wait notices a sleep of the process during the level; afterwards
  /// `between_levels` does.
  void run_level(pool_run& run, wait_limit& between_levels) {
    auto const declared = tasks_ + further_blocks_;
    auto const room = std::uint32_t(declared * plan_.kernels->max_spawns());
    auto joins = joins_.arena();
    joins.capacity = std::uint32_t(joins_used_ + declared * plan_.kernels->max_joins());
    level_work const level{in_.data(), out_.data(), words_.data(), std::uint32_t(tasks_), room, joins};
    clear(*stream_, words_);
    waiting_ = tasks_;
    stream_->launch(code_, grid(level.tasks), &level, sizeof level);
    await_level(run.until);
    between_levels = wait_limit(run.until);
    auto const words = copy_of(*stream_, words_)[0];
    count(run.statistics, level, words);
    run.why_stopped = reason_of(words.tail > room ? pool_halt::too_many_spawns : pool_halt(words.halt));
    if (plan_.kernels->max_joins() != 0) {
      auto const used = joins_.used(*stream_);
      run.statistics.joins += used - joins_used_;
      joins_used_ = used;
    }
    std::swap(in_, out_);
    tasks_ = std::min(words.tail, room);
    done_ = run.statistics.run;
    waiting_ = tasks_;
    further_blocks_ = words.further_blocks;
  }

  /// Waits for the level's end. Does not interrupt tasks: at the deadline the current level is the last.
  /// Throws timed_out if it lasts longer than stop_timeout beyond the deadline.
  void await_level(deadline until) {
    is_running_ = true;
    try {
      stream_->synchronize(until);
    } catch (timed_out const&) { stream_->synchronize(deadline::in(plan_.options.resident.stop_timeout)); }
    is_running_ = false;
  }

  std::uint32_t grid(std::uint32_t tasks) const {
    auto const together = tasks_at_once(plan_);
    return block_per_task_ ? (tasks - 1) / together + 1 : blocks_;
  }

  void count(pool_statistics& statistics, level_work const& level, level_words const& words) const {
    ++statistics.launches;
    statistics.run += level.tasks;
    statistics.created += std::min(words.tail, level.room);
    statistics.max_stored = std::max<std::uint64_t>(statistics.max_stored, level.tasks + words.tail);
    statistics.sum += words.reduced.sum;
    statistics.max = std::max(statistics.max, words.reduced.max);
    for (std::uint32_t block = 0; block < blocks_; ++block)
      statistics.workers[block].run += level.first_of(block + 1, blocks_) - level.first_of(block, blocks_);
  }

  void read_rest(pool_run& run) {
    run.waiting.resize(tasks_);
    stream_->copy(run.waiting.data(), in_.data(), tasks_ * sizeof(stored_task));
    stream_->synchronize();
    tasks_ = 0;
  }

  pool_plan plan_;
  bool block_per_task_;
  kernel_code code_;
  std::uint32_t blocks_;
  device_buffer<stored_task> in_, out_;
  device_buffer<level_words> words_;
  join_memory joins_;
  std::unique_ptr<stream> stream_;
  std::uint64_t tasks_ = 0, further_blocks_ = 0, joins_used_ = 0;
  std::atomic<std::uint64_t> done_ = 0, waiting_ = 0;  ///< for progress()
  bool joins_matter_ = false;                          ///< returned tasks may name joins
  bool is_running_ = false;                            ///< a level may still run
  std::atomic<bool> stop_requested_ = false;
};

}  // namespace

std::unique_ptr<pool_executor> make_level_executor(pool_plan const& plan, bool block_per_task) {
  return std::make_unique<level_executor>(plan, block_per_task);
}

}  // namespace ballast::detail
