// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/version.hpp"

namespace ballast {

/// A count that belongs to a span, as the steals of a run do.
struct span_count {
  std::string_view name;    ///< a string literal
  std::uint64_t value = 0;  ///< the count's final value

  /// Equal in both members.
  bool operator==(span_count const&) const = default;
};

namespace detail {

/// Workers numbered from here up to first_host_worker are the device's copy streams. Load figures leave their
/// spans out, as they do for host threads.
inline constexpr std::uint32_t first_copy_worker = std::uint32_t(1) << 30;
/// Workers from this number on are threads of the host that waited for the device.
inline constexpr std::uint32_t first_host_worker = std::uint32_t(1) << 31;
/// Workers from this number on are task graphs, whose spans are their rounds.
inline constexpr std::uint32_t first_graph_worker = std::uint32_t(3) << 30;
/// The count that is the same number in all spans of one critical path of a device.
inline constexpr std::string_view critical_path = "critical_path";

}  // namespace detail

/// The work of one worker of one device from `begin_ns` to `end_ns`.
struct span {
  std::size_t device = 0;  ///< index into `recording::devices`
  /// The resident block or the stream. Numbers from first_copy_worker on are copy streams, from
  /// first_host_worker on host threads, and from first_graph_worker on graphs.
  std::uint32_t worker = 0;
  std::string label = {};     ///< what ran, e.g. the kernel's name
  std::int64_t step = 0;      ///< the caller's step; busy time is measured within one
  std::uint64_t tasks = 0;    ///< tasks executed in the span; 0 for a plain kernel
  std::int64_t begin_ns = 0;  ///< nanoseconds of the host's steady clock (ballast::clock)
  std::int64_t end_ns = 0;    ///< nanoseconds of the same clock, at least begin_ns
  /// Other counts of the span; only the Chrome trace file contains them.
  std::vector<span_count> counts = {};

  /// Equal in every member.
  bool operator==(span const&) const = default;
};

/// Everything that one run recorded.
struct recording {
  std::vector<std::string> devices = {};  ///< names, in the order of the run's device list
  std::vector<span> spans = {};           ///< in the order in which they were recorded
  std::uint64_t dropped = 0;              ///< spans that found the recorder full
};

/// Collects spans from any number of threads, up to a fixed number. Further spans are counted but not stored,
/// so a long run cannot exhaust memory. Its memory grows as spans arrive. Any thread may call any member;
/// none waits for a device.
class BALLAST_API recorder {
 public:
  /// `devices`: the devices' names, at least one. `capacity`: how many spans are stored, at least 1; about a
  /// million by default. Throws bad_argument.
  explicit recorder(std::vector<std::string> devices, std::size_t capacity = std::size_t(1) << 20);

  /// Records a span, or a batch of spans. Throws bad_argument ("span.device", "span.end_ns") if a device is
  /// not in the list or a span ends before it begins; a batch with such a span is refused as a whole.
  void record(span one);
  /// Adds several spans under one lock.
  void record(std::vector<span> batch);

  /// Adds to dropped() spans that were lost before they reached the recorder.
  void count_dropped(std::uint64_t spans);

  /// The number of devices.
  std::size_t devices() const { return devices_.size(); }
  /// Spans that are kept so far.
  std::size_t size() const;
  /// Spans that arrived after `capacity` were stored.
  std::uint64_t dropped() const;
  /// A copy of everything recorded so far.
  recording snapshot() const;
  /// Removes every span and resets the count of dropped ones to 0.
  void clear();

 private:
  void check_span(span const& one) const;
  void keep_or_drop(span&& one);

  std::vector<std::string> const devices_;
  std::size_t const capacity_;
  mutable std::mutex mutex_;
  std::vector<span> spans_;
  std::uint64_t dropped_ = 0;
};

/// The destination of spans of queues, pools, launch queues and schedulers: the member `trace_to` of every
/// options struct, which takes `&recorder`. Device d of a queue is device `first_device` + d of the recorder.
/// If several of these share a recorder, give each its own rows: list a device once for each of them. The
/// recorder must outlive them. Cheap to copy; any thread may call any member.
class BALLAST_API trace_target {
 public:
  /// Records nothing, at no cost.
  trace_target() = default;
  /// Records to `to`; null records nothing. Not explicit, so that options take `&recorder`.
  trace_target(recorder* to, std::size_t first_device = 0) : to_(to), first_device_(first_device) {}

  /// True if it records.
  explicit operator bool() const { return to_ != nullptr; }
  /// The target whose first device is device `device` of this one.
  trace_target from_device(std::size_t device) const { return {to_, first_device_ + device}; }
  /// Throws bad_argument ("trace_to") if the recorder has fewer devices than `first_device` + `devices`.
  void check(std::size_t devices) const;

  ///@{
  /// Records spans whose devices count from first_device. Spans for which there is no memory, or that the
  /// recorder refuses, are counted as dropped.
  void record(span one) const noexcept;
  void record(std::vector<span> batch) const noexcept;
  ///@}
  /// As recorder::count_dropped().
  void count_dropped(std::uint64_t spans) const;

 private:
  recorder* to_ = nullptr;
  std::size_t first_device_ = 0;
};

/// The load of one device over a whole run.
struct device_load {
  std::int64_t busy_ns = 0;  ///< end of the last span minus start of the first in a step, summed over steps
  std::int64_t work_ns = 0;  ///< the lengths of all spans, summed over workers
  /// Tasks of all its spans.
  std::uint64_t tasks = 0;

  /// Equal in every member.
  bool operator==(device_load const&) const = default;
};

/// Computes the load of each device from the spans, in any order; ignores spans of copies and host threads.
/// Pure. `devices` is the number of devices; a span of a device beyond it throws bad_argument
/// ("span.device").
BALLAST_API std::vector<device_load> device_loads(std::span<span const> spans, std::size_t devices);

/// The largest value over the mean: 1 is perfectly even, n means that one of n devices did everything; 1 if
/// all values are zero. Throws bad_argument ("busy") if there is no value, or one is negative or not finite.
BALLAST_API double imbalance(std::span<double const> busy);
BALLAST_API double imbalance(std::span<device_load const> loads);  ///< imbalance() of the busy times

/// How far a queue or a pool is in its present or last run. The counts change while they are read.
struct work_progress {
  /// Tasks accepted, as in queue_statistics; without those that balanced_queue::cancel() returned. Of a pool,
  /// the tasks created, roots included.
  std::uint64_t submitted = 0;
  /// Those of batches that have run. A balanced_queue counts what its feeding threads have seen to be over,
  /// so it may lag by some milliseconds. May lack a batch that is being submitted.
  std::uint64_t done = 0;
  /// Those that no worker has claimed; of a balanced_queue those that no device was given.
  std::uint64_t waiting = 0;
  /// The time since the oldest unfinished batch was submitted to a balanced_queue; 0 if there is none. Always
  /// 0 for a task_queue, which reads no clock when it accepts tasks, and for a pool.
  clock::duration oldest{0};
  /// The share of the workers that run a task at this moment, 0 to 1; of several devices the mean. A worker
  /// that waits inside a task is busy, and on a GPU for some microseconds after a task too.
  double busy = 0;
  /// Each device of a balanced_queue, or of a pool over several, in the order of the list; for a queue graphs
  /// count here too.
  std::vector<work_progress> devices = {};
};

/// Progress that a process publishes, as another process reads it.
struct process_progress {
  int process = 0;              ///< its number (PID)
  std::string name = {};        ///< as it was given to published_progress
  work_progress progress = {};  ///< what the function returned; of its devices the first 64
  double rate = 0;              ///< tasks done per second, over the last second
  /// When the process read this. The clock is the same in all processes of a host.
  clock::time_point when = {};
};

/// While it lives, other processes of the same user can read how far some work is, by read() or by the
/// command `ballast top`. A thread calls `progress` every 0.1 s, and writes what it returns to a file of
/// shared memory, /dev/shm/ballast.progress.*, with permissions 0600, which the destructor removes. A process
/// may have any number of them. A child made by fork() publishes nothing, and its copy leaves the file alone;
/// if the parent dies without its destructors, the file stays until the child ends too.
class BALLAST_API published_progress {
 public:
  /// Calls `progress` once, then from its own thread, as `[&] { return queue.progress(); }`; what that uses
  /// must outlive this object. When `progress` throws, readers keep the last values, the log has one warning,
  /// and the next call comes all the same. `name`: 1 to 63 bytes without control characters, which no other
  /// of the process has. Throws bad_argument ("name", "progress"), and ballast::error if the system refuses
  /// the file or the thread.
  published_progress(std::string const& name, std::function<work_progress()> progress);
  /// Waits for a call of `progress` that is under way, and removes the file.
  ~published_progress();
  published_progress(published_progress const&) = delete;
  published_progress& operator=(published_progress const&) = delete;

  /// What `process` publishes, or with 0 each process of this user on this host, by process and then in the
  /// order of construction; nothing if it publishes nothing. Removes files of processes that have ended. Any
  /// thread of any process may call; waits for none.
  static std::vector<process_progress> read(int process = 0);

 private:
  struct BALLAST_HIDDEN state;
  std::unique_ptr<state> state_;
};

/// Writes the Chrome trace to a file, as a whole or not at all: see replace_file(). Throws ballast::error
/// with the path.
BALLAST_API void save_chrome_trace(std::filesystem::path const& path, recording const& what);

namespace detail {

/// Writes the Trace Event Format of Chrome, which ui.perfetto.dev and chrome://tracing open: one process per
/// device, one thread per worker, one complete event ("X") per span, arrows along critical paths. Times are
/// microseconds since the start of the first span, with three decimals; `args` holds tasks and step,
/// `otherData` the number of dropped spans.
BALLAST_API void write_chrome_trace(std::ostream& out, recording const& what);

/// Shows a scope by name in NVIDIA's profilers (Nsight Systems, Nsight Compute), in the NVTX domain
/// `ballast`, on the thread that made it; ranges nest. Costs almost nothing when no profiler is attached, and
/// does nothing in a build without CUDA. Only the constructor reads `name`.
class BALLAST_API nvtx_range {
 public:
#if defined(BALLAST_HAVE_CUDA) && BALLAST_HAVE_CUDA
  explicit nvtx_range(char const* name) noexcept;
  ~nvtx_range();
#else
  /// A build without CUDA does not read the name.
  explicit nvtx_range(char const*) noexcept {}
  ~nvtx_range() {}  // not defaulted, so that compilers do not report a scope marker as unused
#endif
  nvtx_range(nvtx_range const&) = delete;
  nvtx_range& operator=(nvtx_range const&) = delete;
};

}  // namespace detail

}  // namespace ballast
