// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "simulation.hpp"

namespace ballast::md {

/// Files that a run leaves; an empty path means none. Written by the last solution in its first repetition.
struct output_files {
  std::string checkpoint, trajectory;
  std::int64_t checkpoint_every = 0, trajectory_every = 0;  ///< steps; 0: at the end only
};

/// Writes the files of one run as it goes on. A state whose energies or forces are not finite is refused
/// (ballast::error) before a file is touched, so a good checkpoint is never replaced by a spoilt one. Throws
/// bad_file and ballast::error where a file cannot be written. The files and the stage must outlive it.
class run_files {
 public:
  run_files(output_files const& files, physics const& what, stage& system)
      : files_(&files), what_(what), system_(&system) {}

  /// The first frame.
  void begin(simulation const& run);
  /// What is due after the step that `run` has just made.
  void after_step(simulation& run);
  /// The last frame and the checkpoint.
  void end(simulation& run);

 private:
  void write_frame(simulation const& run);

  output_files const* files_;
  physics what_;
  stage* system_;
  std::int64_t last_frame_ = -1;
};

}  // namespace ballast::md
