// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/kernel.cuh"
#include "ballast/shared_array.hpp"
#include "ballast/stream.hpp"
#include "ballast/trace.hpp"

namespace ballast::detail {
class job_runtime;
class job_ticket_state;
}

namespace ballast {

/// How a scheduler treats jobs that do not say it themselves.
struct job_options {
  std::string policy = "learned";  ///< one of split_policies()
  std::uint32_t tasks = 8;         ///< of a job, for the policies that want a number; at least 1
  std::uint32_t in_flight = 2;     ///< as job_shape::in_flight; 1 to 64
  /// The memory of each device for arrays, from 4096, taken as a whole when the scheduler is made and given
  /// back when it goes: jobs whose arrays need more run in smaller tasks, and what was used longest ago goes
  /// back to the host. 0: 0.9 of what is free on a GPU just then, so that other libraries and schedulers find
  /// the rest; of what the machine has available a quarter for all CPU cores of the list.
  std::uint64_t device_bytes = 0;
  /// How many bytes all arrays have together, if that is known: with device_bytes 0 no more is taken of the
  /// memory of CPU cores, but for some room between them. 0: not known.
  std::uint64_t array_bytes = 0;
  /// false: what a device has and no task in flight uses is written back and forgotten after each task (Ohno
  /// et al. 2016, Fig. 14c: their scheme without its optimisations).
  bool reuse = true;
  /// true, on CPU cores only: each task runs twice on memory of its own, to find what its kernel does beside
  /// the access maps (docs/job.md, "Checking access maps"). Such a task fails, and nothing of it reaches the
  /// arrays. Kernels have to give the same bits twice and to have no effects but on arrays; the factory is
  /// called twice for each task.
  bool check_maps = false;
  /// How long the scheduler's destructor waits for jobs that have not ended, and jobs on a lost device for
  /// its blocks that still run, before they fail. What a device has not ended by then may still use the
  /// arrays: then all of their memory stays to the end of the process, and the log says so.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::minutes(1);
  /// Gets a span for each task that ended well, as long as its kernels ran: the stream of the one that was
  /// last to end is the worker, the job's number the step; accesses of the host have numbers too. A task's
  /// span is there before its ticket has finished. Of at least as many devices as the scheduler's, in the
  /// same order; outlives the scheduler.
  recorder* spans = nullptr;
};

/// Bytes that copies between arrays' places were planned to move.
struct moved_bytes {
  std::uint64_t from_host = 0;        ///< to devices
  std::uint64_t to_host = 0;          ///< from devices
  std::uint64_t between_devices = 0;  ///< from one to another

  /// The sum of the three.
  std::uint64_t all() const { return from_host + to_host + between_devices; }
  /// Adds each of the three counts.
  moved_bytes& operator+=(moved_bytes const& more) {
    from_host += more.from_host;
    to_host += more.to_host;
    between_devices += more.between_devices;
    return *this;
  }
  /// What was moved since `before`, of a count that goes on.
  moved_bytes since(moved_bytes const& before) const {
    return {from_host - before.from_host, to_host - before.to_host, between_devices - before.between_devices};
  }
  /// Equal in all three counts.
  bool operator==(moved_bytes const&) const = default;
};

/// What became of one task. Times are nanoseconds of the host's steady clock; on a GPU its kernels
/// end when they are seen to have ended.
struct task_report {
  std::uint32_t device = 0;  ///< its place in the scheduler's list
  /// The units that the task had.
  job_part part{};
  moved_bytes moved{};  ///< so that the task could begin
  /// When its first kernel began and its last one ended.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< of its kernels, without what lay between them
};

/// A finished job.
struct job_report {
  /// That of its job_setup, or its kernel's type.
  std::string name, policy;  ///< the split policy that dealt it out
  /// When submit() took it.
  std::int64_t submitted_ns = 0;
  /// When the first of its kernels began.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< when the last one ended
  /// For all tasks together; not what reuse = false writes back after a task.
  moved_bytes moved{};
  std::vector<task_report> tasks{};  ///< in the order in which they ended
};

/// What a scheduler did so far.
struct job_statistics {
  /// Jobs that submit() took.
  std::uint64_t submitted = 0;
  /// Jobs that are over, well or not.
  std::uint64_t ended = 0, failed = 0;  ///< jobs that ended with a failure
  std::uint64_t tasks = 0;              ///< that ended well
  moved_bytes moved{};                  ///< all, also for accesses of the host
};

/// A task of a job failed, or took data of one that did. The arrays' elements that the job was to write are
/// lost until they are written anew; other jobs go on.
class job_failed : public error {
 public:
  /// `part` has no units and `device` is empty where no task failed, but a job as a whole or an access of the
  /// host, which calls the job that was to write "number 17".
  job_failed(std::string job, job_part part, std::string device, std::string_view cause);

  /// As messages call it: "'step' (number 17)".
  std::string const& job() const noexcept { return job_; }
  /// The units of the task that failed; none where no task did.
  job_part part() const noexcept { return part_; }
  /// The name of the device that ran the task; empty where no task failed.
  std::string const& device() const noexcept { return device_; }

 private:
  std::string job_;
  job_part part_;
  std::string device_;
};

/// One job. Cheap to copy; may outlive the scheduler. Any thread may call any member.
class job_ticket {
 public:
  /// Of no job: finished, with an empty report.
  job_ticket() = default;
  /// For the scheduler, which knows the state.
  explicit job_ticket(std::shared_ptr<detail::job_ticket_state> state) : state_(std::move(state)) {}

  /// Whether all its tasks have ended; or it has failed, nothing of it runs any more, and older jobs have
  /// nothing to read or write of what it was to write. Does not wait.
  bool is_finished() const;
  /// Sleeps until is_finished(). Throws job_failed, and timed_out with the state of the scheduler.
  void wait(deadline until = deadline::in(std::chrono::minutes(10))) const;
  /// Waits as wait() does, and throws likewise.
  job_report report(deadline until = deadline::in(std::chrono::minutes(10))) const;

 private:
  std::shared_ptr<detail::job_ticket_state> state_;
};

/// A line of a scheduler's journal: an operation was handed to a device's thread, or has ended. The journal
/// holds the order of what happened and no times.
struct journal_entry {
  /// What the line tells of.
  enum class what : std::uint8_t { submitted, ended, failed };

  /// Whether the operation was handed over, has ended well or has failed.
  what happened{};
  std::uint64_t operation = 0;  ///< they count from 1 in the order in which they were planned
  bool is_kernel = false;       ///< else a copy
  std::uint64_t job = 0;        ///< its number; 0: the host's, and in lines of ends
  std::uint32_t device = 0;     ///< that carries it out
  std::uint32_t stream = 0;     ///< of the device: 0 copies in, 1 and 2 compute, 3 copies out
  std::vector<std::uint64_t> dependencies =
      {};  ///< it waits for, of each stream the newest; none in lines of ends
};

/// One kernel of a list.
struct listed_job_kernel {
  /// Identifies the kernel's type.
  kernel_key key;
  /// The kernel's type, as C++ writes it.
  std::string name;
  kernel_code code;  ///< runs a task_of_kernel of it; without a name
};

/// What a list of kernels for jobs became when its .cu file was compiled (BALLAST_JOB_KERNELS). Immutable;
/// lives as long as the program; any thread may call.
class job_kernels {
 public:
  /// For BALLAST_JOB_KERNELS, which compiled these.
  job_kernels(std::string name, std::vector<listed_job_kernel> kernels)
      : name_(std::move(name)), kernels_(std::move(kernels)) {
    for (auto& kernel : kernels_) kernel.code.name = kernel.name;
  }
  job_kernels(job_kernels const&) = delete;
  job_kernels& operator=(job_kernels const&) = delete;

  /// The name that the macro was given.
  std::string const& name() const { return name_; }
  /// The kernels, in the order in which they were listed.
  std::span<listed_job_kernel const> kernels() const { return kernels_; }

 private:
  std::string name_;
  std::vector<listed_job_kernel> kernels_;
};

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
    constexpr std::size_t arguments = sizeof...(Arguments);
    static_assert(arguments > 0, "the last argument of submit() is a factory, which returns the kernel");
    return submit_tuple(setup, std::forward_as_tuple(accesses_then_factory...),
                        std::make_index_sequence < arguments == 0 ? 0 : arguments - 1 > ());
  }

  /// Sleeps until the jobs submitted before the call have ended, well or not. Throws timed_out.
  void drain(deadline until = deadline::in(std::chrono::minutes(10)));
  /// Counts since the scheduler was made. Waits for no device.
  job_statistics statistics() const;
  /// The newest 65536 lines.
  std::vector<journal_entry> journal() const;

  /// For the parts of the library that share the scheduler's state.
  std::shared_ptr<detail::job_runtime> const& runtime() const { return runtime_; }

 private:
  template <class Tuple, std::size_t... I>
  job_ticket submit_tuple(job_setup const& setup, Tuple const& all, std::index_sequence<I...>) {
    static_assert((array_access_of_any<std::tuple_element_t<I, Tuple>> && ...),
                  "all arguments but the last are reads(), writes(), writes_some() or updates()");
    detail::check_factory<std::tuple_element_t<sizeof...(I), Tuple>, std::tuple_element_t<I, Tuple>...>();
    return submit_request(detail::make_request(setup, std::get<sizeof...(I)>(all), std::get<I>(all)...));
  }
  job_ticket submit_request(detail::job_request request);

  std::shared_ptr<detail::job_runtime> runtime_;
};

}  // namespace ballast
