// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/access_map.hpp"
#include "ballast/arguments.hpp"
#include "ballast/completion.hpp"
#include "ballast/deadline.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/kernel.cuh"
#include "ballast/shared_array.hpp"
#include "ballast/stream.hpp"
#include "ballast/trace.hpp"
#include "ballast/version.hpp"

namespace ballast::detail {
class job_peers;
class job_runtime;
class sequence_content;

/// The devices that sequences run on: by learned times, always one, or all where they can.
enum class sequence_devices : std::uint8_t { learned, one, all };
}

namespace ballast {

/// The split policies by name: each divides a job among devices. "learned" is the default.
BALLAST_API std::vector<named_policy> split_policies();

/// The options of a scheduler. `policy` and `tasks` apply to jobs whose job_setup does not set them.
struct job_options {
  std::string policy = "learned";  ///< one of split_policies()
  std::uint32_t tasks = 8;         ///< tasks of a job, for policies that use a number; at least 1
  std::uint32_t in_flight = 2;     ///< as job_shape::in_flight, 1 to 64
  /// Bytes of each device's memory for arrays, at least 4096. The constructor allocates them in one piece and
  /// the destructor frees them. Jobs whose arrays need more run in smaller tasks, and the least recently used
  /// data is evicted to the host. 0: on a GPU 0.9 of the memory that the constructor finds free, which leaves
  /// the rest to other libraries and schedulers; for all CPU cores of the list together, a quarter of the
  /// memory that the machine has available.
  std::uint64_t device_bytes = 0;
  /// The total size of all arrays in bytes; 0: not known. With device_bytes 0 the scheduler allocates on CPU
  /// cores at most this and some space between the arrays.
  std::uint64_t array_bytes = 0;
  /// false: after each task, data on its device that no task in flight uses is written back and evicted (Ohno
  /// et al. 2016, Fig. 14c: their scheme without its optimisations).
  bool reuse = true;
  /// true, on CPU cores only: each task runs twice on separate memory, to find accesses of its kernel outside
  /// the access maps (docs/job.md, "Checking access maps"). A task with such an access fails, and none of its
  /// results reaches the arrays. Kernels must give the same bits twice and have no effects except on arrays;
  /// the factory is called twice for each task.
  bool check_maps = false;
  /// Which devices a job_sequence runs on: set only for the library's own measurements.
  detail::sequence_devices sequences_on = detail::sequence_devices::learned;
  /// Asked before each task is issued, and before each block on CPU cores, on any thread, also with locks
  /// held. The first true acts as request_stop(). It must be quick, must not throw, and must not call the
  /// library: let it read a flag.
  std::function<bool()> stop_requested = {};
  /// How long a call, also an access of an array, waits if no deadline is passed.
  clock::duration timeout = default_timeout;
  /// How long the scheduler's destructor waits for unfinished jobs, and how long jobs on a lost device wait
  /// for its blocks that still run, before the jobs fail. Work that a device has not ended by then may still
  /// use the arrays. All of their memory then stays allocated until the end of the process, and the log
  /// reports it.
  clock::duration shutdown_timeout = std::chrono::minutes(1);
  /// A recorder (`&recorder`) that receives a span for each task that ended successfully, from the start to
  /// the end of its kernels. The span's worker is the stream of the kernel that ended last, and its step is
  /// the job's number (host accesses are numbered too). A task's span is recorded before the completion of
  /// its job is ready. It also receives a span for each copy that ended successfully, whose worker is
  /// first_copy_worker for copies to the device and one more for copies from it. Its label is the array and
  /// the direction, its count is `bytes`, and its step is the job that needs the copy, or 0. The recorder
  /// must have at least as many devices as the scheduler, in the same order, and must outlive it.
  trace_target trace_to = {};
  /// The other ranks that run the same program, from job_peers_of() (docs/jobs-over-ranks.md); null: none.
  /// Each value serves one scheduler. "With ranks" means that this is set.
  std::shared_ptr<detail::job_peers> ranks = nullptr;
};

/// Bytes of the planned copies between host and devices, and from device to device.
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
  /// The difference from an earlier value of the same count.
  moved_bytes since(moved_bytes const& before) const {
    return {from_host - before.from_host, to_host - before.to_host, between_devices - before.between_devices};
  }
  /// Equal in all three counts.
  bool operator==(moved_bytes const&) const = default;
};

/// The report of one task. Times are nanoseconds of the host's steady clock (ballast::clock); on a GPU a
/// kernel ends when its completion is observed. Adjacent short tasks may share one launch: its time is then
/// divided among them by units, in order.
struct task_report {
  std::uint32_t device = 0;  ///< index in the scheduler's device list
  /// The units of the task.
  job_part part{};
  moved_bytes moved{};  ///< bytes copied before the task could begin
  /// The start of its kernels, as if there were no gaps between them.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< the end of its last kernel
};

/// The report of a finished job. Times are nanoseconds of the host's steady clock.
struct job_report {
  /// The name in its job_setup, or its kernel's type.
  std::string name, policy;  ///< the split policy that divided it
  /// When submit() took it.
  std::int64_t submitted_ns = 0;
  /// When the first of its kernels began.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< when the last one ended
  /// Bytes copied for all tasks together, without the write-backs that reuse = false causes.
  moved_bytes moved{};
  std::vector<task_report> tasks{};  ///< in the order in which they ended
};

/// Counts of a scheduler so far.
struct job_statistics {
  /// Jobs that submit() took.
  std::uint64_t submitted = 0;
  /// Jobs that ended, successfully or not.
  std::uint64_t ended = 0, failed = 0;  ///< jobs that ended with a failure or by stop()
  std::uint64_t tasks = 0;              ///< tasks that ended successfully
  moved_bytes moved{};                  ///< in total, including host accesses
  /// Bytes planned to be sent to other ranks.
  std::uint64_t sent = 0, received = 0;  ///< bytes planned to be received from other ranks
  /// For each device, the name() of the costs that its decisions use: "defaults", or the day of a
  /// calibration.
  std::vector<std::string> costs{};
};

/// A task of a job failed, or used data of a failed job. Array elements that the job should have written are
/// lost until they are written again; other jobs continue.
class BALLAST_API job_failed : public kernel_failed {
 public:
  /// `part` has no units and `device` is empty if no task failed but a whole job or a host access. For a host
  /// access, `job` names the job that should have written the elements, such as "number 17".
  job_failed(std::string job, job_part part, std::string device, std::string_view cause);

  /// The job's name in messages: "'step' (number 17)".
  std::string const& job() const noexcept { return kernel(); }
  /// The units of the failed task, or of several tasks in one launch; none if no task failed.
  job_part part() const noexcept { return part_; }

 private:
  job_part part_;
};

/// The report of a job. Waits and throws as job.wait(); throws bad_argument ("job") for other work. Any
/// thread may call, also when the scheduler is gone.
BALLAST_API job_report report_of(completion const& job, std::optional<deadline> until = {});

class job_scheduler;

/// Jobs that are submitted together, one after another and any number of times, as one job: for steps that
/// are shorter than their planning. The sequence is one job of one unit, and its report has one task for each
/// device that runs it. If one of its jobs fails, the sequence fails, and all elements that it should have
/// written are lost. On GPUs repetitions are captured as a CUDA graph, if they are numerous enough to pay for
/// it. job_options::check_maps compares with the regions of all its jobs together. Only one thread at a time
/// may call, or submit it; jobs that are added later do not affect earlier submissions.
///
/// The first repetitions run on one device, whose memory holds all arrays. If the jobs take long enough
/// there, later ones try all devices, and the faster way stays until another trial. While the sequence
/// learns, a submission of more than 8 repetitions runs in parts, and its report has tasks of each. add()
/// begins anew. Devices that share the sequence each run a part of every job, in proportion to their
/// multiprocessors (or cores), and copy the elements that they need from each other between two jobs. The
/// sequence stays on one device if there is only one, if devices are of two backends or cannot reach each
/// other's memory, under check_maps or with ranks, if two devices would write the same elements, if the
/// copies differ from one repetition to the next, or if a device is lost or has too little memory for its
/// part. If a device is lost while a shared submission waits or runs, this fails.
class BALLAST_API job_sequence {
 public:
  /// Makes an empty sequence of jobs of the scheduler. `name` is for messages and reports. A sequence may
  /// outlive the scheduler: it keeps the state that its arrays need.
  explicit job_sequence(job_scheduler const& scheduler, std::string name = "a sequence");
  /// Moves the jobs; the old sequence can only be destroyed or assigned to.
  job_sequence(job_sequence&&) noexcept;
  /// Moves the jobs, as the constructor does.
  job_sequence& operator=(job_sequence&&) noexcept;
  ~job_sequence();

  /// Appends a job, which begins when the previous one has ended; only prepare() of its kernel may begin
  /// before. Takes the arguments of job_scheduler::submit() and throws as it does; `policy`, `tasks`,
  /// `learning_key` and `device` of the setup are ignored. The factory may be called once for several
  /// repetitions: for the same arrays it must return the same kernel. The sequence keeps the arrays. Does not
  /// wait for a device, except as submit() for the first use of a kernel.
  template <class... Arguments, bool CompiledHere = BALLAST_COMPILES_KERNELS>
  job_sequence& add(job_setup const& setup, Arguments&&... accesses_then_factory) {
    return add_request(
        detail::request_of<CompiledHere>(setup, std::forward_as_tuple(accesses_then_factory...)));
  }
  /// The number of jobs that were added.
  std::size_t jobs() const noexcept;

 private:
  friend class job_scheduler;
  job_sequence& add_request(detail::job_request const& request);

  std::unique_ptr<detail::sequence_content> content_;
};

namespace detail {

/// The part of a job_scheduler that only the library calls.
class BALLAST_API running_jobs {
 public:
  /// The scheduler's state, for the parts of the library that share it.
  std::shared_ptr<job_runtime> const& runtime() const { return runtime_; }

 protected:
  explicit running_jobs(std::shared_ptr<job_runtime> runtime) : runtime_(std::move(runtime)) {}
  std::shared_ptr<job_runtime> runtime_;
};

}  // namespace detail

/// Runs jobs over shared arrays: cuts each job into tasks, assigns them to devices, copies the data that they
/// need, and orders jobs that touch common elements as if they ran in the order of their submission. One
/// thread per device carries out the operations. Any thread may call any member. Making and destroying a
/// scheduler or a shared_array allocates and frees memory, which may wait for the devices: do not do it while
/// a resident kernel (of a queue or a pool) runs there.
class BALLAST_API job_scheduler : public detail::running_jobs {
 public:
  /// Makes a scheduler on 1 to 31 devices and allocates options.device_bytes on each. Throws bad_argument
  /// ("devices", "policy", "tasks", "in_flight", "device_bytes", "check_maps", "trace_to"), device_lost, and
  /// error if a device does not have that much memory.
  explicit job_scheduler(device_list const& devices, job_options const& options = {});
  /// Makes a scheduler and adds the kernels of a set, as add().
  job_scheduler(device_list const& devices, kernel_set const& kernels, job_options const& options = {});
  job_scheduler(job_scheduler const&) = delete;
  job_scheduler& operator=(job_scheduler const&) = delete;
  /// Waits for unfinished jobs, at most options.shutdown_timeout; jobs unfinished by then fail. After that it
  /// waits at most a minute for each stream on which a kernel still runs, and for factories that have not
  /// returned. Only a job's completion reports its failure. Arrays may outlive the scheduler.
  ~job_scheduler();

  /// Loads the kernels of a set for use by jobs, except kernels whose tasks create tasks. The same kernel may
  /// be in several sets. `more` must outlive the scheduler. May wait for devices. Throws device_lost.
  void add(kernel_set const& more);

  /// Submits a job; does not wait for a device, except to load a kernel outside all added sets at its first
  /// use; only a .cu file can submit such a kernel. With ranks and the default policy the call for the third,
  /// fifth, ninth, ... job of a site (job_setup::learning_key) waits for the newest job before it, at most
  /// for job_options::timeout. The job's completion is ready once all of its tasks have ended. If the job
  /// fails, it is ready once none of its tasks runs any more and no older job still uses the data that it
  /// should have written. wait() throws job_failed, stopped, and timed_out with the state of the scheduler.
  /// The arguments are arrays with access maps, and last a factory. The factory is called for each launch
  /// (one task, a part of a task, or several adjacent tasks) with one array_ref<T> per array (of T const for
  /// reads()), and returns the kernel. Index i of such a reference is element i of the whole flattened array,
  /// of which only the task's region may be touched. A factory whose parameters are array_view<T, Rank> is
  /// called with views of the whole arrays; a generic one gets references. In a .cu file the last argument
  /// may be the kernel itself, a lambda that takes a block_of<THREADS>, or an item for each unit, and then
  /// the references or views; the kernel is copied.
  ///
  /// Factories are called on threads of the scheduler, concurrently and in any order, and must not access
  /// arrays. They are destroyed on these threads, or on one that calls a member of the scheduler or of its
  /// arrays. Neither they nor their destructors may wait for jobs. Maps are called on any thread and must use
  /// neither arrays nor the scheduler.
  ///
  /// Throws what a map throws; error if the scheduler is being destroyed; stopped after stop() or
  /// request_stop(); and bad_argument, before anything has changed: ("kernel") if the kernel is in no added
  /// set and the file compiles none, or if it is a plain one and all devices are CPU cores; ("grid") if the
  /// grid is cut although a slower dimension has more than one block, or has more than 2 147 483 647 blocks;
  /// ("map") if a map does not fit; ("policy"); ("device") if the setup names a device that is not there or
  /// cannot run the kernel; ("arguments") for arrays of another scheduler, or if a unit
  /// writes elements that another unit touches; ("device_bytes") if the arrays of a unit fit on no device, or
  /// not on the one that is named.
  template <class... Arguments, bool CompiledHere = BALLAST_COMPILES_KERNELS>
  completion submit(job_setup const& setup, Arguments&&... accesses_then_factory) {
    return submit_request(
        detail::request_of<CompiledHere>(setup, std::forward_as_tuple(accesses_then_factory...)));
  }

  /// Submits a sequence of this scheduler as one job, which runs it `times` times; 0 does nothing. The policy
  /// assigns it as a job of one unit. Does not wait for a device. Throws bad_argument ("jobs") for a sequence
  /// of another scheduler; ("device_bytes") if its arrays together fit on no device; ("arguments") if an
  /// array's memory was released to the caller; error if the scheduler is being destroyed; and stopped as
  /// above.
  completion submit(job_sequence const& jobs, std::uint32_t times = 1);

  /// Sleeps until the jobs submitted before the call have ended, successfully or not, at most until the
  /// deadline, or for job_options::timeout if none is passed. Throws timed_out, and error in a
  /// continuation.
  void wait_all(std::optional<deadline> until = {});
  /// Ends the jobs: no further block begins on CPU cores, and no further task is issued to a GPU. Waits for
  /// the blocks and tasks that run, at most until the deadline, or for job_options::timeout if none is
  /// passed, and returns the completions of the jobs that did not run completely, in the order of submission:
  /// their wait() throws stopped. The elements that these jobs should have written are lost, as after a
  /// failure; all other elements can still be accessed. submit() then throws stopped. A second call returns
  /// no completion again. With ranks the jobs of the other ranks fail. Throws timed_out, after which another
  /// call continues to wait, and error in a continuation.
  std::vector<completion> stop(std::optional<deadline> until = {});
  /// Requests what stop() does, without waiting. Any thread may call; async-signal-safe.
  void request_stop() noexcept;
  /// The number of this rank among the ranks that run the same jobs.
  std::uint32_t rank() const noexcept;
  /// The number of ranks that run the same jobs; 1 without job_options::ranks.
  std::uint32_t ranks() const noexcept;
  /// Counts since the scheduler was made. Waits for no device.
  job_statistics statistics() const;

 private:
  completion submit_request(detail::job_request request);
};

}  // namespace ballast
