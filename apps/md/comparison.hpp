// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "ballast/trace.hpp"
#include "simulation.hpp"

namespace ballast::md {

/// The work of compare_solutions().
struct comparison_plan {
  physics what;
  beginning from;
  std::int64_t steps = 0;  ///< 0: one evaluation of the forces is timed
  std::vector<solution> solutions{solution::s1, solution::s2, solution::s3, solution::tq};
  int repeat = 1;  ///< repetitions; the one with the median time per step is reported
  granularity cut;
  std::uint64_t seed = 1;  ///< of S2's permutation
  output_files files;
  std::int64_t sums_every = 0;  ///< steps between calls of comparison_observer::sums; 0: none
  job_options jobs;             ///< options of the solution jobs; with ranks it is the only solution, on all
                                ///< ranks
  /// If set, receives the spans of every solution's first repetition, and for jobs those of all. Must have as
  /// many devices as the plan runs on.
  recorder* spans = nullptr;
};

/// Throws bad_argument for faults that show without a device: atoms, physics, "steps", "repeat", "solutions".
void check_plan(comparison_plan const& plan);

/// Callbacks during a run; every function may be empty.
struct comparison_observer {
  std::function<void(solution, int repetition)> began;
  /// Called with done = 0 at the beginning of each run, then after every step (or the one evaluation).
  std::function<void(std::int64_t done, std::int64_t steps)> stepped;
  /// Called with the energies every sums_every steps of the last solution's first repetition.
  std::function<void(std::int64_t step, totals const&, double kinetic)> sums;
};

struct solution_report {
  solution which = solution::s1;
  std::uint32_t pieces = 0;     ///< launches or tasks of one evaluation of the forces
  double seconds_per_step = 0;  ///< of forces
  double speedup = 0;           ///< S1's seconds_per_step over this one's; 0 if S1 was not run
  std::vector<double> busy_seconds;
  double imbalance = 1;
  step_times times;              ///< of all steps
  double energy = 0;             ///< potential, at the end, kcal/mol
  std::int64_t evaluations = 0;  ///< of the forces: one per step, or one if timed without steps
  std::int64_t rebuilds = 0;
  std::vector<double> seconds_samples;            ///< seconds_per_step of each repetition, in order
  std::vector<std::vector<double>> busy_samples;  ///< by repetition, then device
};

struct comparison {
  std::vector<std::string> devices;
  std::vector<solution_report> solutions;
  bool interrupted = false;
  /// For the last solution's first run, or for an earlier interrupted one: the steps made, and the sums and
  /// energies after them.
  std::int64_t steps = 0;
  totals sums;
  double kinetic = 0, temperature = 0;
  /// The largest difference of a force component between solutions at the end, relative to the root mean
  /// square force; and whether all but S2 agree to the bit.
  double largest_difference = 0;
  bool identical = true;
  /// The number of ranks that ran jobs together, and the bytes that this rank sent and received.
  std::uint32_t ranks = 1;
  std::uint64_t bytes_sent = 0, bytes_received = 0;
};

/// Runs every solution on the devices from the same beginning, with interleaved repetitions. Ends early,
/// after the present step, when request_stop() was called on any rank; writes no files if the last solution
/// was stopped before its first. Throws bad_argument, bad_file, device_lost, timed_out, and ballast::error if
/// sums are not finite.
comparison compare_solutions(device_list const& devices, comparison_plan const& plan,
                             comparison_observer const& observer = {});

/// Asks every run of this process to end after its present step. Async-signal-safe; never waits.
void request_stop() noexcept;
/// True if request_stop() was called since the last clear_stop().
bool stop_requested() noexcept;
/// Forgets calls of request_stop(), so that a new run may start.
void clear_stop() noexcept;

}  // namespace ballast::md
