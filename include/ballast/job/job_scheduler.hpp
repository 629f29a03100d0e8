// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/base/deadline.hpp"
#include "ballast/device/compute_device.hpp"
#include "ballast/job/job_access.hpp"
#include "ballast/job/job_kernels.hpp"
#include "ballast/job/job_options.hpp"
#include "ballast/job/job_report.hpp"
#include "ballast/job/job_request.hpp"
#include "ballast/job/job_setup.hpp"
#include "ballast/job/job_ticket.hpp"
#include "ballast/job/journal_entry.hpp"

namespace ballast::inline job {

class job_runtime;

/// Runs jobs over shared arrays: cuts each into tasks, gives them to devices, copies what they need where
/// they need it, and orders jobs by the elements that they touch, as if they ran in the order of their
/// submission. One thread per device carries that out. Any thread may call any member. Making and destroying
/// a scheduler or a shared_array takes and frees memory, which may wait for the devices: not while a resident
/// kernel (a queue, a pool) runs there.
class job_scheduler {
 public:
  /// `devices`: 1 to 31. Throws bad_argument ("devices", "policy", "tasks", "in_flight", "device_bytes",
  /// "check_maps", "spans"), device_lost, error if a device has not as much memory.
  explicit job_scheduler(device_list const& devices, job_options const& options = {});
  /// With kernels, as add().
  job_scheduler(device_list const& devices, job_kernels const& kernels, job_options const& options = {});
  job_scheduler(job_scheduler const&) = delete;
  job_scheduler& operator=(job_scheduler const&) = delete;
  /// Waits at most options.shutdown_timeout for the jobs; what has not ended then fails. After that at most a
  /// minute for each stream on which a kernel still runs, and for factories that have not returned. A job
  /// that failed is told by its ticket only. Arrays may outlive it.
  ~job_scheduler();

  /// Loads the kernels of a list, so that jobs may use them; one in two lists is one kernel. May wait for
  /// devices. Throws device_lost.
  void add(job_kernels const& more);

  /// Takes arrays with access maps, and last a factory, which is called for each kernel of a task with an
  /// array_ref<T> for each of them (of T const for reads()) and returns the task's kernel. Index i of a
  /// reference is element i of the whole flattened array, of which only the task's region may be touched.
  /// Factories are called on threads of the scheduler, on several at once and in any order, and access no
  /// array; neither they nor their destructors wait for jobs. Maps are called on any thread and use neither
  /// arrays nor the scheduler. Waits for no device. Throws what a map throws, error when the scheduler is
  /// going, and bad_argument, before anything has changed: "kernel" that is in no added list, or is a plain
  /// one where all devices are CPU cores; "grid" that is cut although a slower dimension has more than one
  /// block, or has more than 2 147 483 647 blocks; "map" that does not fit; "policy"; "arguments" of another
  /// scheduler or of which a unit writes what another one touches; "device_bytes" if the arrays of a unit fit
  /// on no device.
  template <class... Arguments>
  job_ticket submit(job_setup const& setup, Arguments&&... accesses_then_factory) {
    static_assert(sizeof...(Arguments) > 0, "the last argument is a factory");
    return submit_tuple(setup, std::forward_as_tuple(accesses_then_factory...),
                        std::make_index_sequence<sizeof...(Arguments) - 1>());
  }

  /// Sleeps until the jobs submitted before the call have ended, well or not. Throws timed_out.
  void drain(deadline until = deadline::in(std::chrono::minutes(10)));
  job_statistics statistics() const;
  /// The newest 65536 lines.
  std::vector<journal_entry> journal() const;

  std::shared_ptr<job_runtime> const& runtime() const { return runtime_; }

 private:
  template <class Tuple, std::size_t... I>
  job_ticket submit_tuple(job_setup const& setup, Tuple const& all, std::index_sequence<I...>) {
    static_assert((array_access_of_any<std::tuple_element_t<I, Tuple>> && ...),
                  "all arguments but the last are reads(), writes(), writes_some() or updates()");
    return submit_request(make_request(setup, std::get<sizeof...(I)>(all), std::get<I>(all)...));
  }
  job_ticket submit_request(job_request request);

  std::shared_ptr<job_runtime> runtime_;
};

}  // namespace ballast::inline job
