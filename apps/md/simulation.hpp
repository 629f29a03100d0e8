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

/// Where the time of a run went, in seconds of host time, summed over its steps.
struct step_times {
  double forces = 0;      ///< what the solutions are compared by: positions are on the devices before
  double motion = 0;      ///< kick and drift
  double neighbours = 0;  ///< building cells anew
  double exchange = 0;    ///< copying positions to the GPUs that read copies
};

/// Where a run begins: atoms, the step count so far, and for a restart where cells were built.
struct beginning {
  atoms state;
  std::int64_t step = 0;
  std::optional<std::vector<vec3>> rebuilt_at;
};
beginning beginning_of(checkpoint const& point);

/// One run of velocity-Verlet with one solution. The system and the runner must outlive it.
class simulation {
 public:
  /// Computes the forces at the beginning, which is not timed. Throws as particle_system::load().
  /// `loaded`: the system is at that beginning already.
  simulation(particle_system& system, runner& by, physics const& what, beginning const& from,
             bool loaded = false);

  /// One step of motion. Throws ballast::error naming the step if positions are no numbers any more.
  void step();
  /// One more evaluation of the forces where the atoms are; timed like a step.
  void evaluate();

  std::int64_t step_count() const { return step_; }  ///< including those before the beginning
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t rebuilds() const { return rebuilds_; }
  step_times const& times() const { return times_; }
  std::vector<double> busy_seconds() const;  ///< per device, of the timed evaluations
  /// Everything that a bitwise restart from here needs.
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

/// Files that a run leaves; an empty path means none. Written by the last solution in its first repetition.
struct output_files {
  std::string checkpoint, trajectory;
  std::int64_t checkpoint_every = 0, trajectory_every = 0;  ///< steps; 0: at the end only
};

/// Writes the files of one run as it goes on, on the first rank of those that run it; the others take part. A
/// state whose energies or forces are not finite is refused (ballast::error) before a file is touched, so a
/// good checkpoint is never replaced by a spoilt one. Throws bad_file and ballast::error where a file cannot
/// be written. The files and the system must outlive it.
class run_files {
 public:
  run_files(output_files const& files, physics const& what, particle_system& system)
      : files_(&files), what_(what), system_(&system) {}

  /// The first frame.
  void begin(simulation const& run);
  /// What is due after the step that `run` has just made.
  void after_step(simulation& run);
  /// The last frame and the checkpoint.
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
