// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "pool_executor.hpp"
#include "worker_memory.hpp"

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
        workers_(plan, kernel_.blocks()),
        stream_(plan.device->make_stream()) {}

  std::uint32_t workers() const override { return kernel_.blocks(); }
  std::size_t memory_bytes() const override { return memory_->bytes() + workers_.bytes() + waiting_.bytes(); }
  bool is_claimed() const override { return kernel_.claimed(); }

  void request_stop() noexcept override {
    stop_asked_.store(true);
    kernel_.request_stop();
  }

  void carry_out(pool_run& run) override {
    stop_asked_.store(false);
    workers_.begin_run(*stream_);
    run.statistics.workers.resize(workers());
    while (!run.waiting.empty() && run.why_stopped.empty()) {
      if (!begin_launch(run)) break;
      auto const halt = end_launch(run);
      workers_.add_counts(run.statistics);
      take_back(run, halt);
    }
    workers_.end_run(!run.why_stopped.empty());
  }

 private:
  /// Shows the waiting tasks to the workers, of which each takes some, the newest first, when it has no
  /// other.
  void give(pool_run& run) {
    auto const count = run.waiting.size();
    if (waiting_.size() < count) waiting_ = device_buffer<stored_task>(plan_.device, std::bit_ceil(count));
    stream_->copy(waiting_.data(), run.waiting.data(), count * sizeof(stored_task));
    workers_.clear(*stream_, std::uint32_t(count));
    if (!is_empty_) memory_->clear(*stream_);
    is_empty_ = true;
    stream_->synchronize();
  }

  pool_view view(std::size_t waiting) const {
    auto all = workers_.view();
    all.waiting = waiting_.data();
    all.waiting_tasks = std::uint32_t(waiting);
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
    workers_.read_back(*stream_);
    auto const& words = workers_.words();
    run.waiting.resize(run.waiting.size() - std::min<std::size_t>(words.taken, run.waiting.size()));
    return workers_.halt();
  }

  void take_back(pool_run& run, pool_halt halt) {
    if (halt == pool_halt::none) {
      require_none_lost();
      run.why_stopped.clear();  // it may have ended after its deadline, but it ended
      return;
    }
    is_empty_ = false;
    memory_->collect(*stream_, run.waiting);
    workers_.collect(*stream_, run.waiting);
    run.statistics.spilled += run.waiting.size();
    if (run.why_stopped.empty()) run.why_stopped = reason_of(halt);
  }

  void require_none_lost() const {
    auto const pending = workers_.words().pending;
    if (pending != 0)
      throw error("the pool on " + plan_.device->name() + " ended with a count of " +
                  std::to_string(pending) + " pending tasks, which cannot be");
  }

  pool_plan plan_;
  resident_kernel kernel_;
  std::unique_ptr<method_memory> memory_;
  worker_memory workers_;
  device_buffer<stored_task> waiting_;
  std::unique_ptr<stream> stream_;
  std::atomic<bool> stop_asked_ = false;
  bool is_empty_ = false;  ///< what the method keeps
};

}  // namespace

std::unique_ptr<pool_executor> make_resident_executor(pool_plan const& plan, pool_method_code const& method) {
  return std::make_unique<resident_executor>(plan, method);
}

}  // namespace ballast::inline pool
