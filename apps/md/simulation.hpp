// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "particle_system.hpp"
#include "runner.hpp"

namespace ballast::md {

/// The time of a run by kind of work, in seconds of host time, summed over its steps.
struct step_times {
  double forces = 0;      ///< the value that compares the solutions: positions are on the devices before
  double motion = 0;      ///< kick and drift
  double neighbours = 0;  ///< rebuilding cells
  double exchange = 0;    ///< copying positions to the GPUs that read copies
};

/// The start of a run: atoms, the step count so far, and for a restart the positions from which cells were
/// built.
struct beginning {
  atoms state;
  std::int64_t step = 0;
  std::optional<std::vector<vec3>> rebuilt_at;
};
beginning beginning_of(checkpoint const& point);

/// One run of velocity-Verlet with one solution. The system and the runner must outlive it.
class simulation {
 public:
  /// Computes the forces at the beginning, which is not timed. Throws as particle_system::load(). `loaded`:
  /// the system is already in that state.
  simulation(particle_system& system, runner& by, physics const& what, beginning const& from,
             bool loaded = false);

  /// One step of motion. Throws ballast::error naming the step if positions have become NaN.
  void step();
  /// One more evaluation of the forces at the current positions; timed like a step.
  void evaluate();

  std::int64_t step_count() const { return step_; }  ///< including those before the beginning
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t rebuilds() const { return rebuilds_; }
  step_times const& times() const { return times_; }
  std::vector<double> busy_seconds() const;  ///< per device, of the timed evaluations
  /// The complete state for a bitwise restart from here.
  checkpoint point();

 private:
  void rebuild_neighbours();

  particle_system* system_;
  runner* by_;
  physics what_;
  std::int64_t step_, evaluations_ = 0, rebuilds_ = 0;
  step_times times_;
  std::vector<std::int64_t> busy_ns_;
};

/// Files that a run writes; an empty path means none. Written by the last solution in its first repetition.
struct output_files {
  std::string checkpoint, trajectory;
  std::int64_t checkpoint_every = 0, trajectory_every = 0;  ///< steps; 0: at the end only
};

/// Writes the files of one run as it progresses, on the first rank; the others take part. Throws
/// ballast::error for a state whose energies or forces are not finite before touching a file, so a good
/// checkpoint is never replaced by a bad one. Throws bad_file and ballast::error if a file cannot be written.
/// The files and the system must outlive it.
class run_files {
 public:
  run_files(output_files const& files, physics const& what, particle_system& system)
      : files_(&files), what_(what), system_(&system) {}

  /// Writes the first frame.
  void begin(simulation const& run);
  /// Writes the output that is due after the step just made by `run`.
  void after_step(simulation& run);
  /// Writes the last frame and the checkpoint.
  void end(simulation& run);

 private:
  void write_frame(simulation const& run);
  void write_point(simulation& run);

  output_files const* files_;
  physics what_;
  particle_system* system_;
  std::int64_t last_frame_ = -1;
};

}  // namespace ballast::md
