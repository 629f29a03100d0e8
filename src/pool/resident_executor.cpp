// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "ballast/detail/resident/shown_task.cuh"
#include "ballast/error.hpp"
#include "method_memories.hpp"
#include "pool_executor.hpp"
#include "worker_memory.hpp"

namespace ballast::detail {
namespace {

constexpr int looks_before_naps = 1000;
constexpr auto nap = std::chrono::microseconds(50);

using memory_maker = std::unique_ptr<method_memory> (*)(pool_plan const& plan, std::uint32_t workers);

std::unique_ptr<method_memory> make_peer_memory(pool_plan const& plan, std::uint32_t workers) {
  require_names_for_joins(plan, workers);
  return std::make_unique<peer_memory>(plan, workers);
}

/// A pool's state on one device.
class device_part {
 public:
  device_part(pool_plan const& plan, entry_key entry, memory_maker make_memory)
      : plan_(plan),
        kernel_(plan.device, *plan.kernels, plan.kernels->entry_for(entry), plan.options.resident),
        memory_(make_memory(plan, kernel_.max_blocks())),
        workers_(plan, kernel_.max_blocks()),
        epilogue_code_(plan.kernels->entry_for(entry_key_of<launch_epilogue>).code),
        stream_(plan.device->make_stream()) {
    if (has_epilogue()) (void)plan.device->resources(epilogue_code_);  // loads it before it is needed
    if (plan.device->capabilities().runs_on_cores)
      kernel_.activities().name_tasks_by(
          {[set = plan.kernels](std::uint64_t number) { return shown_task::of(number).text(*set); }, false});
  }

  resident_kernel& kernel() { return kernel_; }
  peer_device reached() const {
    return dynamic_cast<peer_memory const&>(*memory_).reached(kernel_.blocks(), workers_.joins());
  }
  void meet(std::span<peer_device const> all, std::uint32_t own) {
    dynamic_cast<peer_memory&>(*memory_).meet(all, own);
  }
  stream& on() { return *stream_; }
  std::uint32_t workers() const { return kernel_.max_blocks() * tasks_at_once(plan_); }
  std::size_t memory_bytes() const { return memory_->bytes() + workers_.bytes(); }

  bool is_claimed() {
    if (!kernel_.claimed()) return false;
    try {
      kernel_.join(deadline::in(clock::duration(0)));
    } catch (timed_out const&) { return true; }
    return false;
  }

  void begin_run() {
    workers_.begin_run(*stream_);
    statistics_ = {};
    note_counts(false);
  }
  /// Takes the waiting tasks, and keeps them even if something fails. Called before each launch.
  void deal(std::vector<stored_task> waiting) {
    waiting_ = std::move(waiting);
    is_started_ = has_run_ = false;
  }
  /// Enqueues the work that precedes the kernel. Does not wait if few tasks wait.
  void prepare() {
    kernel_.take_room();
    workers_.set_workers(kernel_.blocks());
    workers_.set_waiting(*stream_, waiting_);
    if (!is_empty_) memory_->clear(*stream_);
    memory_->prepare(*stream_);
  }
  /// Starts the kernel, and does host work of some microseconds while it runs.
  void start() {
    is_empty_ = false;  // until it has ended normally
    note_counts(true);
    memory_->start({kernel_, *stream_, [this] { enqueue_epilogue(); }}, workers_.view());
    is_started_ = has_run_ = true;
    make_statistics_for_all();
  }
  /// True if the kernel was started and not joined yet.
  bool is_started() const { return is_started_; }
  void join(deadline until) {
    kernel_.join(until);
    is_started_ = false;
    auto const& words = workers_.words();
    waiting_.resize(waiting_.size() - std::min<std::size_t>(words.taken, waiting_.size()));
    workers_.add_counts(statistics_);
    note_counts(false);
  }
  /// The counts of the run so far, roots not created. Any thread may call.
  activity_sums counts() {
    std::unique_lock hold(counted_mutex_);
    auto const counted = counted_;
    if (!runs_on_cores()) hold.unlock();  // a look may wait for a GPU, and a launch for the mutex
    auto all = kernel_.look_at_blocks();
    if (!counted.is_running) all.run = all.created = 0;
    all.run += counted.run;
    all.created += counted.created;
    return all;
  }
  std::uint32_t blocks() const { return kernel_.blocks(); }
  bool runs_on_cores() const { return plan_.device->capabilities().runs_on_cores; }
  std::chrono::nanoseconds stop_timeout() const { return plan_.options.resident.stop_timeout; }
  pool_halt halt() const { return has_run_ ? workers_.halt() : pool_halt::elsewhere; }

  /// The tasks from the launch's beginning that no worker has taken.
  std::vector<stored_task>& waiting() { return waiting_; }
  /// Adds all other tasks that have not run.
  void collect(std::vector<stored_task>& into) {
    memory_->collect(*stream_, into);  // includes tasks that others sent to a kernel that was not started
    if (has_run_) workers_.collect(*stream_, into);
  }
  /// Called when all devices have ended normally.
  void note_end() {
    is_empty_ = true;
    auto const pending = workers_.pending();
    if (pending != 0)
      throw error("the pool on " + plan_.device->name() + " ended with a count of " +
                  std::to_string(pending) + " pending tasks, which cannot be");
  }
  void end_run(bool was_stopped) { workers_.end_run(was_stopped, halt()); }
  void forget_joins() { workers_.forget_joins(); }
  bool has_forgotten_joins() const { return workers_.has_forgotten_joins(); }

  /// Adds the run's counts of this device, once.
  void add_to(pool_statistics& sum) {
    make_statistics_for_all();  // also if there was nothing to launch
    sum.created += statistics_.created;
    sum.run += statistics_.run;
    sum.steals_tried += statistics_.steals_tried;
    sum.steals_won += statistics_.steals_won;
    sum.joins += statistics_.joins;
    sum.shared += statistics_.shared;
    sum.max_stored += statistics_.max_stored;
    sum.sum += statistics_.sum;
    sum.max = std::max(sum.max, statistics_.max);
    if (sum.workers.empty()) return sum.workers.swap(statistics_.workers);
    sum.workers.insert(sum.workers.end(), statistics_.workers.begin(), statistics_.workers.end());
  }

 private:
  /// True if a kernel writes the results to the host, which is faster than a copy.
  bool has_epilogue() const { return !plan_.device->capabilities().shares_host_memory; }
  /// Enqueues, after the workers' kernel, the copy of its results to the host.
  void enqueue_epilogue() {
    if (has_epilogue())
      workers_.end_launch(*stream_, epilogue_code_);
    else
      workers_.read_back(*stream_);
  }

  void make_statistics_for_all() {
    auto& workers = statistics_.workers;
    workers.resize(std::max<std::size_t>(workers.size(), kernel_.blocks()));
  }

  /// Counts for progress() the launches that have ended, and says whether workers count further tasks.
  void note_counts(bool is_running) {
    std::lock_guard const hold(counted_mutex_);
    if (is_running) kernel_.activities().clear_on_cores();
    counted_ = {statistics_.run, statistics_.created, is_running};
  }

  struct counted_tasks {
    std::uint64_t run = 0, created = 0;
    bool is_running = false;
  };

  pool_plan plan_;
  resident_kernel kernel_;
  std::unique_ptr<method_memory> memory_;
  worker_memory workers_;
  kernel_code const& epilogue_code_;
  std::unique_ptr<stream> stream_;  ///< destroyed first: it may still copy from or to the others
  std::vector<stored_task> waiting_;
  pool_statistics statistics_;  ///< of the run
  bool is_empty_ = false;       ///< the method's memory is empty
  bool is_started_ = false;
  bool has_run_ = false;  ///< the kernel has run in the newest launch
  std::mutex counted_mutex_;
  counted_tasks counted_;
};

/// Runs a pool as a resident kernel on each device. If tasks do not fit, the kernels end, the host collects
/// all tasks that have not run, and the kernels start again with empty stacks while these tasks wait.
class resident_executor final : public pool_executor {
 public:
  resident_executor(std::vector<pool_plan> const& plans, pool_method_code const& method)
      : kernels_(*plans.front().kernels),
        capacity_(plans.front().options.capacity),
        orders_(method.entry == entry_key_of<bands_ref>) {
    bool const is_alone = plans.size() == 1;
    auto const entry = is_alone ? method.entry : entry_key_of<peer_view>;
    auto const make_memory = is_alone ? method.make_memory : make_peer_memory;
    for (auto const& plan : plans) parts_.push_back(std::make_unique<device_part>(plan, entry, make_memory));
  }

  std::uint32_t workers() const override {
    std::uint32_t sum = 0;
    for (auto const& part : parts_) sum += part->workers();
    return sum;
  }
  std::size_t memory_bytes() const override {
    std::size_t sum = 0;
    for (auto const& part : parts_) sum += part->memory_bytes();
    return sum;
  }
  /// Checks each device, also if another one is lost.
  bool is_claimed() override {
    if (std::ranges::any_of(parts_, [](auto const& part) { return part->kernel().claimed(); }))
      forget_joins();  // its caller has given up what that run left
    bool any = false;
    std::exception_ptr loss;
    for (auto const& part : parts_) try {
        any |= part->is_claimed();
      } catch (error const&) { loss = std::current_exception(); }
    if (loss && !any) std::rethrow_exception(loss);
    return any;
  }

  work_progress progress() override {
    work_progress sum{.submitted = roots_.load()};
    std::uint64_t running = 0;
    for (auto const& part : parts_) {
      auto const one = part->counts();
      auto const busy = std::min(1.0, double(one.running) / part->blocks());
      sum.devices.push_back({.submitted = one.created, .done = one.run, .busy = busy});
      sum.submitted += one.created;
      sum.done += one.run;
      sum.busy += busy / double(parts_.size());
      running += one.running;
    }
    sum.submitted = std::max(sum.submitted, sum.done + (parts_.front()->runs_on_cores() ? running : 0));
    if (parts_.front()->runs_on_cores()) sum.waiting = sum.submitted - sum.done - running;
    if (parts_.size() == 1) sum.devices.clear();
    return sum;
  }

  void request_stop() noexcept override {
    stop_requested_.store(true);
    for (auto const& part : parts_) part->kernel().request_stop();
  }

  void check_ended() override {
    if (is_claimed()) throw error("the kernel of an earlier run of this pool has not ended");
  }

  void execute(pool_run& run) override {
    stop_requested_.store(false);
    most_with_host_ = 0;
    room_of_run const held{parts_};
    for (auto const& part : parts_)
      part->kernel().take_room();  // first: kernels that clear memory may run on the claimed SMs
    for (auto const& part : parts_) part->begin_run();
    roots_.store(run.waiting.size());
    while (!run.waiting.empty() && run.why_stopped.empty()) {
      if (!begin_launch(run)) break;
      end_launch(run);
      collect_unrun(run);
    }
    for (auto const& part : parts_) part->end_run(!run.why_stopped.empty());
    if (std::ranges::any_of(parts_, [](auto const& part) { return part->has_forgotten_joins(); }))
      forget_joins();
    for (auto const& part : parts_) part->add_to(run.statistics);
    run.statistics.max_stored = std::max(run.statistics.max_stored, most_with_host_);
  }

 private:
  using device_parts = std::vector<std::unique_ptr<device_part>>;

  /// Gives the claim back if no launch used it.
  struct room_of_run {
    device_parts const& parts;
    ~room_of_run() {
      for (auto const& part : parts) part->kernel().give_back_room();
    }
  };

  /// Forgets the joins of all devices: tasks of one device name the joins of others.
  void forget_joins() {
    for (auto const& part : parts_) part->forget_joins();
  }

  void meet() {
    std::vector<peer_device> all;
    for (auto const& part : parts_) all.push_back(part->reached());
    for (std::uint32_t i = 0; i < parts_.size(); ++i) parts_[i]->meet(all, i);
  }

  /// Sorts tasks by order_key(): workers take the last first.
  void put_best_last(std::vector<stored_task>& tasks) const {
    std::ranges::stable_sort(tasks, std::ranges::greater(), [&](stored_task const& task) {
      auto const key_of = kernels_.kernels()[task.record.kernel()].order_key;
      return key_of == nullptr ? 0 : key_of(task.record.data);
    });
  }

  /// Deals the tasks to the devices in turn, so that each gets some of the newest.
  void deal_out(std::vector<stored_task> waiting) {
    if (parts_.size() == 1) return parts_.front()->deal(std::move(waiting));
    std::vector<std::vector<stored_task>> of_parts(parts_.size());
    for (std::size_t i = 0; i < waiting.size(); ++i) of_parts[i % parts_.size()].push_back(waiting[i]);
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->deal(std::move(of_parts[i]));
  }

  void prepare_all() {
    for (auto const& part : parts_) part->prepare();
    if (parts_.size() == 1) return;
    for (auto const& part : parts_) part->on().synchronize();  // before one writes memory that another clears
    meet();
  }

  /// False, with why_stopped set, if the host's tasks cannot go back to the devices.
  bool begin_launch(pool_run& run) {
    if (orders_) put_best_last(run.waiting);
    deal_out(std::exchange(run.waiting, {}));
    try {
      prepare_all();
      start_all(run);
    } catch (device_lost const&) { throw; } catch (error const& failure) {
      for (auto const& part : parts_) part->on().synchronize();  // the memory that it copies will change
      take_waiting(run);
      if (run.statistics.launches == 0) throw;
      run.why_stopped = failure.what();
      return false;
    }
    ++run.statistics.launches;
    return true;
  }

  /// Starts the kernel of each device. If one cannot be started, stops those that were, or throws if none
  /// was.
  void start_all(pool_run& run) {
    try {
      for (auto const& part : parts_) part->start();
    } catch (error const& failure) {
      if (!parts_.front()->is_started()) throw;
      run.why_stopped = failure.what();
      request_stop();
    }
  }

  /// Joins the kernels of all devices, even if one throws.
  void end_launch(pool_run& run) {
    if (stop_requested_.load())
      request_stop();  // a kernel forgets a stop that was requested before it started
    if (parts_.size() > 1) await_first_end(run.until);
    std::exception_ptr failure;
    for (auto const& part : parts_) {
      if (!part->is_started()) continue;
      try {
        join(*part, run);
      } catch (...) {
        if (!failure) failure = std::current_exception();
        request_stop();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  /// Checks all devices until one has ended, since a lost device does not notify the others.
  void await_first_end(deadline until) {
    auto const has_ended = [](auto const& part) {
      return part->is_started() && (has_failed(part) || !part->kernel().running());
    };
    wait_limit limit(until);
    for (int looks = 0; !limit.passed() && std::ranges::none_of(parts_, has_ended); ++looks) {
      looks < looks_before_naps ? std::this_thread::yield() : std::this_thread::sleep_for(nap);
      for (auto const& part : parts_) part->kernel().activities().look();
    }
    if (std::ranges::any_of(parts_, has_failed)) request_stop();
  }
  /// True if the device has failed, which join() will throw.
  static bool has_failed(std::unique_ptr<device_part> const& part) {
    try {
      (void)part->kernel().running();
      return false;
    } catch (...) { return true; }
  }

  void join(device_part& part, pool_run& run) {
    try {
      part.join(run.until);
    } catch (timed_out const& passed) {
      if (run.why_stopped.empty()) run.why_stopped = passed.what();
      request_stop();
      part.join(deadline::in(part.stop_timeout()));
    }
  }

  void take_waiting(pool_run& run) {
    if (parts_.size() == 1) return run.waiting.swap(parts_.front()->waiting());
    for (auto const& part : parts_) {
      auto const left = std::exchange(part->waiting(), {});
      run.waiting.insert(run.waiting.end(), left.begin(), left.end());
    }
  }

  void collect_unrun(pool_run& run) {
    auto const ended_well = [](auto const& part) { return part->halt() == pool_halt::none; };
    take_waiting(run);
    if (std::ranges::all_of(parts_, ended_well)) {
      for (auto const& part : parts_) part->note_end();
      run.why_stopped.clear();  // it may have ended after its deadline, but it ended
      return;
    }
    for (auto const& part : parts_) {
      if (run.why_stopped.empty()) run.why_stopped = reason_of(part->halt());
      part->collect(run.waiting);
    }
    if (run.why_stopped.empty() && !std::exchange(has_warned_, true)) warn_of_spill(run.waiting.size());
    run.statistics.spilled += run.waiting.size();
    most_with_host_ = std::max<std::uint64_t>(most_with_host_, run.waiting.size());
  }

  /// Once a pool.
  void warn_of_spill(std::size_t tasks) const {
    write_log(log_level::warning, "a pool of " + kernels_.name() +
                                      " has no space left on its device: " + counted(tasks, "task") +
                                      " go through the host, which is slow; pool_options::capacity is " +
                                      std::to_string(capacity_));
  }

  kernel_set const& kernels_;
  std::uint32_t capacity_;
  bool orders_;  ///< the method keeps tasks in the order of their keys
  device_parts parts_;
  std::atomic<std::uint64_t> roots_ = 0;
  std::atomic<bool> stop_requested_ = false;
  bool has_warned_ = false;
  std::uint64_t most_with_host_ = 0;  ///< the most tasks that the host held between launches
};

}  // namespace

std::unique_ptr<pool_executor> make_resident_executor(std::vector<pool_plan> const& plans,
                                                      pool_method_code const& method) {
  return std::make_unique<resident_executor>(plans, method);
}

}  // namespace ballast::detail
