// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/detail/pool/pool_view.cuh"
#include "ballast/device.hpp"
#include "ballast/task_pool.hpp"

namespace ballast::detail {

/// The construction of a pool, with checked and rounded options.
struct pool_plan {
  std::shared_ptr<compute_device> device;
  kernel_set const* kernels = nullptr;
  pool_options options;
  std::uint32_t capacity = 0;        ///< a power of two
  std::uint32_t stack_capacity = 0;  ///< a power of two, with space for the children of any task
};

/// Checks and rounds the options. Throws bad_argument ("capacity").
pool_plan make_plan(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                    pool_options const& options);

/// What an empty pool_options::method stands for.
std::string_view default_method(kernel_set const& kernels, std::size_t devices,
                                device_capabilities const& of_first);

/// The number of tasks that a block runs together: 32 for a warp that works for its threads.
inline std::uint32_t tasks_at_once(pool_plan const& plan) {
  return plan.kernels->workers_of_block(*plan.device);
}

/// The progress of a run.
struct pool_run {
  deadline until;
  std::vector<stored_task> waiting;  ///< tasks on the host; the last is the newest
  pool_statistics statistics;
  std::string why_stopped;  ///< empty if all tasks have run
};

/// Carries out runs.
class pool_executor {
 public:
  virtual ~pool_executor() = default;

  /// Runs tasks until none is left, or until it sets why_stopped; then all tasks that have not run are in
  /// `waiting`.
  virtual void execute(pool_run& run) = 0;
  virtual void request_stop() noexcept = 0;
  /// As task_pool::progress(), from any thread.
  virtual work_progress progress() = 0;
  /// As task_pool::workers().
  virtual std::uint32_t workers() const = 0;
  virtual std::size_t memory_bytes() const = 0;
  /// True if a kernel of an earlier run may still use the pool's memory, which must then not be freed. Joins
  /// a kernel that has ended meanwhile; throws device_lost.
  virtual bool is_claimed() = 0;
  /// Throws ballast::error if a kernel of an earlier run has not ended. Call it before a run.
  virtual void check_ended() = 0;
};

/// All that resident_kernel::start_on() takes except the kernel's argument.
struct kernel_start {
  resident_kernel& kernel;
  stream& on;
  std::function<void()> follow;
};

/// A method's state in device memory, for the workers of a resident kernel.
class method_memory {
 public:
  virtual ~method_memory() = default;

  /// Removes all tasks. A run that was not aborted leaves none.
  virtual void clear(stream& on) = 0;
  /// Called before each launch.
  virtual void prepare(stream&) {}
  virtual void start(kernel_start const& how, pool_view const& view) = 0;
  /// Adds the remaining tasks; no worker may run.
  virtual void collect(stream& on, std::vector<stored_task>& into) = 0;
  virtual std::size_t bytes() const = 0;
};

template <class T>
std::vector<T> copy_of(stream& on, device_buffer<T> const& buffer) {
  std::vector<T> copy(buffer.size());
  on.copy(copy.data(), buffer.data(), buffer.bytes());
  on.synchronize();
  return copy;
}

template <class... T>
void clear(stream& on, device_buffer<T> const&... buffers) {
  (on.fill(buffers.data(), 0, buffers.bytes()), ...);
}

/// A method's entry in the registry.
struct pool_method_code {
  named_policy about;
  entry_key entry = {};
  /// Makes the method's memory; null if the method launches the kernel for each level.
  std::unique_ptr<method_memory> (*make_memory)(pool_plan const& plan, std::uint32_t workers) = nullptr;
  bool block_per_task = false;  ///< for methods that launch the kernel for each level
};

/// The method of that name. Throws bad_argument ("method").
pool_method_code const& pool_method_named(std::string_view name);

/// Makes an executor from a plan for each device; for several devices the method must be `chunks`.
std::unique_ptr<pool_executor> make_resident_executor(std::vector<pool_plan> const& plans,
                                                      pool_method_code const& method);
std::unique_ptr<pool_executor> make_level_executor(pool_plan const& plan, bool block_per_task);

/// The meaning of a halt for the run's caller; empty if tasks did not fit, which is no reason to stop.
std::string_view reason_of(pool_halt halt);

}  // namespace ballast::detail
