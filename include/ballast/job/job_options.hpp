// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "ballast/trace/recorder.hpp"

namespace ballast::inline job {

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

}  // namespace ballast::inline job
