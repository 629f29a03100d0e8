// SPDX-License-Identifier: Apache-2.0
#include "ballast/task_pool.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>

#include "ballast/detail/pool/chunk_pool.hpp"
#include "ballast/detail/pool/peer_view.cuh"
#include "ballast/error.hpp"
#include "pool_executor.hpp"

namespace ballast::detail {

constexpr std::uint32_t min_capacity = 8, max_capacity = 1u << 20, default_stack = 256, warp_stack = 1024;

pool_plan make_plan(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                    pool_options const& options) {
  if (options.capacity < min_capacity || options.capacity > max_capacity)
    throw_bad_argument("capacity", options.capacity, "8 to 1048576 tasks a worker");
  options.trace_to.check(1);
  pool_plan plan{std::move(device), &kernels, options, std::bit_ceil(options.capacity), 0};
  auto const stack = tasks_at_once(plan) > 1 ? warp_stack : default_stack;
  auto const children = kernels.max_spawns() + 1;
  plan.stack_capacity = std::max(std::min(plan.capacity, stack), std::bit_ceil(children));
  return plan;
}

// A GPU runs thousands of tasks at once, so that their order costs more than it saves.
std::string_view default_method(kernel_set const& kernels, std::size_t devices,
                                device_capabilities const& of_first) {
  auto const has_order_key = [](listed_kernel const& kernel) { return kernel.order_key != nullptr; };
  bool const pays = devices == 1 && of_first.runs_on_cores;
  return pays && std::ranges::any_of(kernels.kernels(), has_order_key) ? "bands" : "chunks";
}

std::string_view reason_of(pool_halt halt) {
  switch (halt) {
    case pool_halt::stop_requested:
      return "a stop was requested";
    case pool_halt::too_many_spawns:
      return "a kernel created more tasks than its `spawns`; those beyond are lost";
    case pool_halt::out_of_joins:
      return "no record is left for a join: the option `joins`";
    case pool_halt::too_many_joins:
      return "a kernel made more joins than its `joins`, or ended some twice; what hangs on them is lost";
    case pool_halt::bad_range:
      return "a kernel created a task of a range that is not 1 to 16777215 blocks; it is lost";
    case pool_halt::stalled:
      return "a worker waited too long for another inside a shared structure";
    default:
      return "";
  }
}

}  // namespace ballast::detail

namespace ballast {

using namespace detail;
namespace {

device_list const& checked(device_list const& devices) {
  check_devices(devices, max_pool_devices);
  for (auto const& one : devices)
    for (auto const& other : devices)
      if (!one->enable_peer_access(*other) || !one->has_atomics_on(*other))
        throw_bad_argument("devices", one->name() + " beside " + other->name(),
                           "devices whose kernels reach each other's memory, also by atomic operations");
  return devices;
}

std::vector<pool_plan> make_plans(device_list const& devices, kernel_set const& kernels,
                                  pool_options options) {
  auto const& all = checked(devices);
  if (options.method.empty())
    options.method = default_method(kernels, all.size(), all.front()->capabilities());
  std::vector<pool_plan> plans;
  for (auto const& device : all) plans.push_back(make_plan(device, kernels, options));
  return plans;
}

std::unique_ptr<pool_executor> make_shared_executor(std::vector<pool_plan> const& plans) {
  auto const& plan = plans.front();
  auto const& method = pool_method_named(plan.options.method);
  if (method.entry != entry_key_of<chunks_ref>)
    throw_bad_argument("method", plan.options.method, "chunks for a pool over several devices");
  if (!plan.kernels->has_entry_for(entry_key_of<peer_view>))
    throw error("kernel set " + plan.kernels->name() + " was compiled for pools of one device; list " +
                "for_pools_over_devices (ballast/methods/pool_methods.cuh) for several");
  return make_resident_executor(plans, method);
}

std::unique_ptr<pool_executor> make_executor(std::vector<pool_plan> const& plans) {
  if (plans.size() > 1) return make_shared_executor(plans);
  auto const& plan = plans.front();
  auto const& method = pool_method_named(plan.options.method);
  if (!plan.kernels->has_entry_for(method.entry))
    throw error("kernel set " + plan.kernels->name() + " was compiled without the pool method " +
                std::string(method.about.name) + "; BALLAST_KERNELS compiles chunks, and every method for " +
                "for_pool_methods (ballast/methods/pool_methods.cuh)");
  return method.make_memory == nullptr ? make_level_executor(plan, method.block_per_task)
                                       : make_resident_executor(plans, method);
}

/// Refuses a second thread.
class one_run {
 public:
  explicit one_run(std::atomic<bool>& is_running) : is_running_(is_running) {
    if (is_running_.exchange(true)) throw error("run() of this pool is at work in another thread");
  }
  ~one_run() { is_running_.store(false); }
  one_run& operator=(one_run&&) = delete;

 private:
  std::atomic<bool>& is_running_;
};

}  // namespace

pool_stopped::pool_stopped(std::string_view device, std::string_view why, std::vector<task> unexecuted,
                           pool_statistics statistics)
    : stopped("a run of the pool on " + std::string(device) + " ended with " +
                  detail::counted(unexecuted.size(), "task") + " not executed: " + std::string(why),
              unexecuted.size()),
      unexecuted_(std::move(unexecuted)),
      statistics_(std::move(statistics)) {}

struct task_pool::state {
  // Allocates after making the executor, which refuses a device with a resident kernel: space for 16 roots of
  // any kernel, as in the executors.
  state(device_list const& on, std::vector<pool_plan> const& plans)
      : devices(on), plan(plans.front()), executor(make_executor(plans)) {
    members = pinned_buffer<std::byte>(plan.device, 16 * max_bytes_outside(*plan.kernels));
  }

  device_list devices;
  pool_plan plan;                    ///< of the first device
  pinned_buffer<std::byte> members;  ///< members of large kernels, to which the tasks of a run refer
  std::unique_ptr<pool_executor> executor;
  std::atomic<bool> is_running = false;
  process_of_origin const process;

  pool_run begin(std::span<task const> roots, deadline until) const {
    pool_run run{until, {}, {}, {}};
    run.waiting.reserve(roots.size());
    for (auto const& root : roots) {
      if (root.is_grid()) throw_bad_argument("roots", "a grid task", "tasks that are no grid tasks");
      run.waiting.push_back({record_of(*plan.kernels, root)});
    }
    run.statistics.created = roots.size();
    return run;
  }
  /// Copies the roots' members to memory that the device reads.
  void keep_members(pool_run& run) {
    std::size_t bytes = 0;
    for (auto const& root : run.waiting) bytes += bytes_outside(*plan.kernels, root.record);
    if (bytes == 0) return;
    if (members.size() < bytes) {
      members = {};
      members = pinned_buffer<std::byte>(plan.device, std::bit_ceil(bytes));
    }
    auto* to = members.data();
    for (auto& root : run.waiting) to = move_members(*plan.kernels, root.record, to);
  }
  void execute(pool_run& run) {
    nvtx_range const shown(plan.kernels->name().c_str());
    executor->check_ended();
    keep_members(run);
    auto const& to = plan.options.trace_to;
    auto const begin_ns = to ? std::int64_t(steady_now_ns()) : 0;
    executor->execute(run);
    if (to) to.record(span_of_run(plan.kernels->name(), run.statistics, begin_ns));
  }
  [[noreturn]] void hand_back(pool_run& run) const {
    std::vector<task> unexecuted;
    unexecuted.reserve(run.waiting.size());
    for (auto const& left : run.waiting) unexecuted.push_back(task_of(*plan.kernels, left.record));
    throw pool_stopped(plan.device->name(), run.why_stopped, std::move(unexecuted),
                       std::move(run.statistics));
  }
};

task_pool::task_pool(std::shared_ptr<compute_device> device, kernel_set const& kernels, pool_options options)
    : task_pool(device_list{std::move(device)}, kernels, std::move(options)) {}
task_pool::task_pool(device_list const& devices, kernel_set const& kernels, pool_options options)
    : state_(std::make_unique<state>(devices, make_plans(devices, kernels, options))) {}

// Blocks that may still run use the memory: this state is then deliberately leaked.
task_pool::~task_pool() {
  if (state_->process.is_parent()) {
    (void)state_.release();  // its threads exist only in the parent
    return;
  }
  bool is_claimed = true;
  try {
    is_claimed = state_->executor->is_claimed();
  } catch (error const&) { is_claimed = false; }  // the device is lost, and its kernels with it
  if (!is_claimed) return;
  write_log(log_level::warning, "a task pool whose kernel does not end is left behind");
  (void)state_.release();
}

pool_statistics task_pool::run(std::span<task const> roots, std::optional<deadline> until) {
  state_->process.check("run()");
  one_run const only(state_->is_running);
  auto run = state_->begin(roots, until.value_or(deadline::in(state_->plan.options.timeout)));
  try {
    state_->execute(run);
    if (!run.why_stopped.empty()) state_->hand_back(run);
  } catch (std::bad_alloc const&) {
    if (run.why_stopped.empty()) throw;
    throw error("a run of the pool on " + state_->plan.device->name() + " ended: " + run.why_stopped +
                "; and no memory is left to hand back the tasks that did not run");
  }
  return std::move(run.statistics);
}
pool_statistics task_pool::run(task const& root) { return run(std::span(&root, 1)); }

work_progress task_pool::progress() const {
  state_->process.check("progress()");
  return state_->executor->progress();
}
void task_pool::request_stop() noexcept { state_->executor->request_stop(); }
std::string_view task_pool::method() const { return state_->plan.options.method; }
std::uint32_t task_pool::workers() const { return state_->executor->workers(); }
std::size_t task_pool::memory_bytes() const {
  return state_->executor->memory_bytes() + state_->members.bytes();
}
compute_device& task_pool::device() const { return *state_->plan.device; }
device_list const& task_pool::devices() const { return state_->devices; }

}  // namespace ballast
