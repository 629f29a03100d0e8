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
}

namespace ballast {

/// How a job_scheduler may divide a job among devices: the split policies by name. "learned" is the default.
BALLAST_API std::vector<named_policy> split_policies();

/// The options of a scheduler. `policy` and `tasks` are for jobs whose job_setup does not set them.
struct job_options {
  std::string policy = "learned";  ///< one of split_policies()
  std::uint32_t tasks = 8;         ///< tasks of a job, for policies that use a number; at least 1
  std::uint32_t in_flight = 2;     ///< as job_shape::in_flight, 1 to 64
  /// Bytes of each device's memory for arrays, at least 4096. The scheduler allocates them in one piece when
  /// it is made and frees them when it is destroyed. Jobs whose arrays need more run in smaller tasks, and
  /// the least recently used data is evicted to the host. 0: on a GPU 0.9 of the memory that is free when the
  /// scheduler is made, so that other libraries and schedulers find the rest; for all CPU cores of the list
  /// together, a quarter of the memory that the machine has available.
  std::uint64_t device_bytes = 0;
  /// The size of all arrays together, in bytes, if it is known; 0: not known. With device_bytes 0 the
  /// scheduler takes no more memory of CPU cores than this and some space between the arrays.
  std::uint64_t array_bytes = 0;
  /// false: after each task a device's data that no task in flight uses is written back and evicted (Ohno et
  /// al. 2016, Fig. 14c: their scheme without its optimisations).
  bool reuse = true;
  /// true, on CPU cores only: each task runs twice on separate memory, to find accesses of its kernel outside
  /// the access maps (docs/job.md, "Checking access maps"). Such a task fails, and none of its results
  /// reaches the arrays. Kernels must give the same bits twice and have no effects except on arrays; the
  /// factory is called twice for each task.
  bool check_maps = false;
  /// Asked before each task is issued, and before each block on CPU cores, on any thread, also under locks:
  /// once it says true, that is a request_stop(). It must be quick, throw nothing, and call nothing of the
  /// library: a look at a flag.
  std::function<bool()> stop_requested = {};
  /// How long a call, also an access of an array, waits if no deadline is passed.
  clock::duration timeout = default_timeout;
  /// How long the scheduler's destructor waits for unfinished jobs, and how long jobs on a lost device wait
  /// for its blocks that still run, before the jobs fail. Work that a device has not ended by then may still
  /// use the arrays: therefore all of their memory then stays allocated until the end of the process, and the
  /// log says so.
  clock::duration shutdown_timeout = std::chrono::minutes(1);
  /// A recorder (`&recorder`) that receives a span for each task that ended successfully, from the begin to
  /// the end of its kernels. The span's worker is the stream of the kernel that ended last, and its step is
  /// the job's number; accesses of the host have numbers too. A task's span is recorded before the completion
  /// of its job is ready. It also receives a span for each copy that ended successfully, whose worker is
  /// first_copy_worker for what comes to the device and one more for what leaves it, with the array and the
  /// way as its label and the count `bytes`; its step is the job that it is for, or 0. The recorder must have
  /// at least as many devices as the scheduler, in the same order, and must outlive it.
  trace_target trace_to = {};
  /// The other ranks that run the same program, of job_peers_of() (docs/jobs-over-ranks.md); null:
  /// none. For one scheduler.
  std::shared_ptr<detail::job_peers> ranks = nullptr;
};

/// Bytes of the planned copies between the places of arrays.
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
  /// The difference to an earlier value `before` of the same count.
  moved_bytes since(moved_bytes const& before) const {
    return {from_host - before.from_host, to_host - before.to_host, between_devices - before.between_devices};
  }
  /// Equal in all three counts.
  bool operator==(moved_bytes const&) const = default;
};

/// What became of one task. Times are nanoseconds of the host's steady clock (ballast::clock); on a GPU a
/// kernel ends when its completion is observed. Short tasks that adjoin may be one launch: then each has a
/// share of its time, by units, one behind the other.
struct task_report {
  std::uint32_t device = 0;  ///< index in the scheduler's device list
  /// The units that the task had.
  job_part part{};
  moved_bytes moved{};  ///< copied so that the task could begin
  /// When its first kernel began and its last one ended.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< of its kernels, without what lay between them
};

/// The report of a finished job. Times are nanoseconds of the host's steady clock.
struct job_report {
  /// The name in its job_setup, or its kernel's type.
  std::string name, policy;  ///< the split policy that dealt it out
  /// When submit() took it.
  std::int64_t submitted_ns = 0;
  /// When the first of its kernels began.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< when the last one ended
  /// Copied for all tasks together, without what reuse = false writes back after a task.
  moved_bytes moved{};
  std::vector<task_report> tasks{};  ///< in the order in which they ended
};

/// What a scheduler has done so far.
struct job_statistics {
  /// Jobs that submit() took.
  std::uint64_t submitted = 0;
  /// Jobs that ended, successfully or not.
  std::uint64_t ended = 0, failed = 0;  ///< jobs that ended with a failure, or by stop()
  std::uint64_t tasks = 0;              ///< tasks that ended successfully
  moved_bytes moved{};                  ///< in total, including accesses of the host
  /// Bytes that were planned to go to other ranks.
  std::uint64_t sent = 0, received = 0;  ///< from other ranks
  /// For each device, the name() of the costs that decisions rest on: "defaults", or the day of a
  /// calibration.
  std::vector<std::string> costs{};
};

/// A task of a job failed, or used data of a job that failed. The elements of arrays that the job should have
/// written are lost until they are written anew; other jobs continue.
class BALLAST_API job_failed : public kernel_failed {
 public:
  /// `part` has no units and `device` is empty if no task failed but a job as a whole, or an access of the
  /// host. For such an access, `job` names the job that was to write, such as "number 17".
  job_failed(std::string job, job_part part, std::string device, std::string_view cause);

  /// The job's name in messages: "'step' (number 17)".
  std::string const& job() const noexcept { return kernel(); }
  /// The units of the task that failed, or of several that were one launch; none where no task did.
  job_part part() const noexcept { return part_; }

 private:
  job_part part_;
};

/// The report of a job. Waits and throws as job.wait(); throws bad_argument ("job") for other work. Any
/// thread may call, also when the scheduler is gone.
BALLAST_API job_report report_of(completion const& job, std::optional<deadline> until = {});

class job_scheduler;

/// On which devices of its scheduler a sequence runs.
enum class sequence_devices : std::uint8_t {
  /// On one, whose memory holds all its arrays.
  one,
  /// On all: each has a part of every job, as large as its share of their multiprocessors (or cores), and
  /// copies what it needs of the others' between two jobs. The sequence runs on one instead if there is only
  /// one, if devices are of two backends or do not reach each other's memory, under check_maps or with
  /// peers, if two devices would write the same elements, if what is copied differs from one repetition to
  /// the next, or if some device is lost or has too little memory for its part. One that loses a device
  /// while it runs, or while it waits, fails.
  all
};

/// Jobs that are submitted together, one after another and any number of times, as one job: for steps so
/// short that planning each takes longer than the step. The sequence is one job of one unit, which runs whole
/// on one device, or on all at a time (sequence_devices), and its report has one task for each of these. If
/// one of its jobs fails, the sequence has, and all elements that it was to write are lost. On GPUs
/// repetitions are captured as a CUDA graph, once they are many enough to pay for it. job_options::check_maps
/// compares with what all its jobs together may touch. Only one thread at a time may call; submissions that
/// have not ended do not see what is added.
class BALLAST_API job_sequence {
 public:
  /// An empty sequence of jobs of that scheduler. `name` is for messages and reports. A sequence keeps what
  /// arrays need of the scheduler, and may outlive it.
  explicit job_sequence(job_scheduler const& scheduler, std::string name = "a sequence",
                        sequence_devices on = sequence_devices::one);
  /// The new one has the jobs, and the old one can only be destroyed or assigned to.
  job_sequence(job_sequence&&) noexcept;
  /// As the constructor.
  job_sequence& operator=(job_sequence&&) noexcept;
  ~job_sequence();

  /// Appends a job, which begins when those before it have ended. Arguments and what is thrown are those of
  /// job_scheduler::submit(); `policy`, `tasks` and `site` of the setup say nothing. The factory may be
  /// called once for several repetitions: for the same arrays it returns the same kernel. The sequence keeps
  /// the arrays. Does not wait for a device, but as submit() for a kernel that is used for the first time.
  template <class... Arguments, bool CompiledHere = BALLAST_COMPILES_KERNELS>
  job_sequence& add(job_setup const& setup, Arguments&&... accesses_then_factory) {
    return add_request(
        detail::request_of<CompiledHere>(setup, std::forward_as_tuple(accesses_then_factory...)));
  }
  /// How many jobs were added.
  std::size_t jobs() const noexcept;

 private:
  friend class job_scheduler;
  job_sequence& add_request(detail::job_request const& request);

  std::unique_ptr<detail::sequence_content> content_;
};

namespace detail {

/// One line of a scheduler's journal: an operation was submitted to a device's thread, or has ended. The
/// journal holds the order of events and no times.
struct journal_entry {
  /// What a line can say.
  enum class what : std::uint8_t { submitted, ended, failed };

  /// Whether the operation was handed over, has ended well or has failed.
  what happened{};
  std::uint64_t operation = 0;  ///< its number, counted from 1 in the order of planning
  bool is_kernel = false;       ///< true: a kernel, false: a copy
  std::uint64_t job = 0;        ///< the job's number; 0 for accesses of the host and for ends
  std::uint32_t device = 0;     ///< index of the device that carries it out
  std::uint32_t stream = 0;     ///< of the device: 0 copies in, 1 and 2 compute, 3 copies out
  std::vector<std::uint64_t> dependencies =
      {};  ///< operations that it waits for, the newest of each stream; empty for ends
};

/// The part of a job_scheduler that only the library calls.
class BALLAST_API running_jobs {
 public:
  /// The newest lines of the journal, at most 65536, oldest first.
  std::vector<journal_entry> journal() const;

  /// For the parts of the library that share the scheduler's state.
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
  /// Waits for unfinished jobs, at most options.shutdown_timeout; those that have not ended by then fail.
  /// After that it waits at most a minute for each stream on which a kernel still runs, and for factories
  /// that have not returned. The failure of a job is reported by its completion only. Arrays may outlive the
  /// scheduler.
  ~job_scheduler();

  /// Loads the kernels of a set, so that jobs may use them, but for those whose tasks create tasks. The same
  /// kernel may be in several sets. `more` must outlive the scheduler. May wait for devices. Throws
  /// device_lost.
  void add(kernel_set const& more);

  /// Submits a job; does not wait for a device, unless its kernel is in no added set and used for the first
  /// time, which loads it; only a .cu file can submit such a kernel. With peers it waits for the newest job
  /// of its site before the third, fifth, ninth, ... of them, at most for job_options::timeout. The job's
  /// completion is ready once all tasks of the job have ended; that of a failed job once none of its tasks
  /// runs any more and no older job has yet to read or write the data that it was to write. wait() throws
  /// job_failed, stopped, and timed_out with the state of the scheduler. The arguments are arrays with access
  /// maps, and last a factory. The factory is called for each launch, which is a task, a part of one or
  /// several that adjoin, with one array_ref<T> per array (of T const for reads()) and returns the kernel.
  /// Index i of such a reference is element i of the whole flattened array, of which only the task's region
  /// may be touched. A factory whose parameters are array_view<T, Rank> is called with views of the whole
  /// arrays; one that takes anything gets references. In a .cu file the last argument may be the kernel
  /// itself, a lambda that takes a block_of<THREADS>, or an item for each unit, and then the references or
  /// views; it is copied.
  ///
  /// Factories are called on threads of the scheduler, concurrently and in any order, and must not access
  /// arrays. They are destroyed on these threads, or by whoever calls a member of the scheduler or of its
  /// arrays. Neither they nor their destructors may wait for jobs. Maps are called on any thread and must use
  /// neither arrays nor the scheduler.
  ///
  /// Throws what a map throws; error if the scheduler is being destroyed; stopped after stop() or
  /// request_stop(); and bad_argument, before anything has changed: ("kernel") if it is in no added set and
  /// the file compiles none, or is a plain one while all devices are CPU cores; ("grid") if it is cut
  /// although a slower dimension has more than one block, or has more than 2 147 483 647 blocks; ("map") if
  /// a map does not fit; ("policy"); ("arguments") for arrays of another scheduler, or if a unit writes
  /// elements that another unit touches; ("device_bytes") if the arrays of a unit fit on no device.
  template <class... Arguments, bool CompiledHere = BALLAST_COMPILES_KERNELS>
  completion submit(job_setup const& setup, Arguments&&... accesses_then_factory) {
    return submit_request(
        detail::request_of<CompiledHere>(setup, std::forward_as_tuple(accesses_then_factory...)));
  }

  /// Submits a sequence of jobs of this scheduler, to be run `times` times one after another, as one job;
  /// none do nothing. The policy deals it out as a job of one unit. Does not wait for a device. Throws
  /// bad_argument ("jobs") for a sequence of another scheduler; ("device_bytes") if its arrays fit on no
  /// device together; ("arguments") if an array's memory is the caller's again; error if the scheduler is
  /// being destroyed; and stopped as above.
  completion submit(job_sequence const& jobs, std::uint32_t times = 1);

  /// Sleeps until the jobs submitted before the call have ended, successfully or not, at most until the
  /// deadline, or for job_options::timeout if none is passed. Throws timed_out, and error in a
  /// continuation.
  void wait_all(std::optional<deadline> until = {});
  /// Ends the jobs: on CPU cores no block begins any more, on a GPU no task that was not issued yet. Waits
  /// for those that did, at most until the deadline, or for job_options::timeout if none is passed, and
  /// returns the completions of the jobs that did not run whole, in the order of submission: their wait()
  /// throws stopped. What these jobs were to write is lost as that of failed ones; all else can still be
  /// accessed. submit() then throws stopped. A second call returns no completion again. With peers the other
  /// ranks' jobs fail. Throws timed_out, when another call goes on waiting, and error in a continuation.
  std::vector<completion> stop(std::optional<deadline> until = {});
  /// Requests what stop() does, without waiting. Any thread may call; async-signal-safe.
  void request_stop() noexcept;
  /// The number of this rank among those that run the same jobs.
  std::uint32_t rank() const noexcept;
  std::uint32_t ranks() const noexcept;  ///< how many those are; 1 without job_options::ranks
  /// Counts since the scheduler was made. Waits for no device.
  job_statistics statistics() const;

 private:
  completion submit_request(detail::job_request request);
};

}  // namespace ballast
