// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pool_executor.hpp"
#include "worker_memory.hpp"

namespace ballast::detail {
namespace {

/// Runs a pool as a resident kernel. Where tasks do not fit, the kernel ends, the host takes all that
/// have not run, and the kernel starts again with empty stacks and these as waiting tasks.
class resident_executor final : public pool_executor {
 public:
  resident_executor(pool_plan const& plan, pool_method_code const& method)
      : plan_(plan),
        kernel_(plan.device, *plan.kernels, plan.kernels->entry_for(method.entry), plan.options.resident),
        memory_(method.make_memory(plan, kernel_.max_blocks())),
        workers_(plan, kernel_.max_blocks()),
        epilogue_code_(plan.kernels->entry_for(entry_key_of<launch_epilogue>).code),
        stream_(plan.device->make_stream()) {
    if (plan.device->is_cuda()) (void)plan.device->resources(epilogue_code_);  // loads it before it is needed
  }

  std::uint32_t workers() const override { return kernel_.max_blocks() * tasks_at_once(plan_); }
  std::size_t memory_bytes() const override { return memory_->bytes() + workers_.bytes(); }
  bool is_claimed() override {
    if (!kernel_.claimed()) return false;
    try {
      kernel_.join(deadline::in(clock::duration(0)));
    } catch (timed_out const&) { return true; }
    is_empty_ = false;  // what that run has left, its caller has given up
    workers_.forget_joins();
    return false;
  }

  void request_stop() noexcept override {
    stop_requested_.store(true);
    kernel_.request_stop();
  }

  void check_ended() override {
    if (is_claimed()) throw error("the kernel of an earlier run of this pool has not ended");
  }

  void execute(pool_run& run) override {
    stop_requested_.store(false);
    room_of_run const held{kernel_};
    kernel_.take_room();  // first: what clears memory runs there
    workers_.begin_run(*stream_);
    while (!run.waiting.empty() && run.why_stopped.empty()) {
      if (!begin_launch(run)) break;
      auto const halt = end_launch(run);
      workers_.add_counts(run.statistics);
      collect_unrun(run, halt);
    }
    workers_.end_run(!run.why_stopped.empty());
    make_statistics_for_all(run);  // also if there was nothing to launch
  }

 private:
  /// Gives back what no launch has used.
  struct room_of_run {
    resident_kernel& kernel;
    ~room_of_run() { kernel.give_back_room(); }
  };

  /// Enqueues everything of a launch, and waits for nothing where few tasks wait.
  void enqueue(pool_run const& run) {
    kernel_.take_room();
    workers_.set_workers(kernel_.blocks());
    workers_.set_waiting(*stream_, run.waiting);
    if (!is_empty_) memory_->clear(*stream_);
    is_empty_ = true;
    memory_->start({kernel_, *stream_, [this] { enqueue_epilogue(); }}, workers_.view());
  }

  /// Behind the workers' kernel: what they have left comes to the host.
  void enqueue_epilogue() {
    if (plan_.device->is_cuda())
      workers_.end_launch(*stream_, epilogue_code_);
    else
      workers_.read_back(*stream_);
  }

  /// False, and why_stopped is told, if tasks that are with the host cannot go back.
  bool begin_launch(pool_run& run) {
    try {
      enqueue(run);
    } catch (device_lost const&) { throw; } catch (error const& failure) {
      stream_->synchronize();  // what it copies will change
      if (run.statistics.launches == 0) throw;
      run.why_stopped = failure.what();
      return false;
    }
    ++run.statistics.launches;
    make_statistics_for_all(run);  // takes some microseconds, now while the kernel runs
    return true;
  }

  void make_statistics_for_all(pool_run& run) const {
    auto& workers = run.statistics.workers;
    workers.resize(std::max<std::size_t>(workers.size(), kernel_.blocks()));
  }

  pool_halt end_launch(pool_run& run) {
    if (stop_requested_.load())
      kernel_.request_stop();  // a stop asked for before enqueue() was forgotten by it
    try {
      kernel_.join(run.until);
    } catch (timed_out const& passed) {
      run.why_stopped = passed.what();
      kernel_.request_stop();
      kernel_.join(deadline::in(plan_.options.resident.stop_timeout));
    }
    auto const& words = workers_.words();
    run.waiting.resize(run.waiting.size() - std::min<std::size_t>(words.taken, run.waiting.size()));
    return workers_.halt();
  }

  void collect_unrun(pool_run& run, pool_halt halt) {
    if (halt == pool_halt::none) {
      require_none_lost();
      run.why_stopped.clear();  // it may have ended after its deadline, but it ended
      return;
    }
    if (run.why_stopped.empty()) run.why_stopped = reason_of(halt);
    is_empty_ = false;
    memory_->collect(*stream_, run.waiting);
    workers_.collect(*stream_, run.waiting);
    run.statistics.spilled += run.waiting.size();
    run.statistics.max_stored = std::max<std::uint64_t>(run.statistics.max_stored, run.waiting.size());
  }

  void require_none_lost() const {
    auto const pending = workers_.pending();
    if (pending != 0)
      throw error("the pool on " + plan_.device->name() + " ended with a count of " +
                  std::to_string(pending) + " pending tasks, which cannot be");
  }

  pool_plan plan_;
  resident_kernel kernel_;
  std::unique_ptr<method_memory> memory_;
  worker_memory workers_;
  kernel_code const& epilogue_code_;
  std::unique_ptr<stream> stream_;  ///< ends first: it may still copy where the others are
  std::atomic<bool> stop_requested_ = false;
  bool is_empty_ = false;  ///< what the method keeps
};

}  // namespace

std::unique_ptr<pool_executor> make_resident_executor(pool_plan const& plan, pool_method_code const& method) {
  return std::make_unique<resident_executor>(plan, method);
}

}  // namespace ballast::detail
