// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "ballast/job_scheduler.hpp"

namespace ballast::mesi {

/// The scheduler behind all variables and launches of a program, made at the first use: on the devices of
/// BALLAST_DEVICES, else all GPUs, else the cores, with BALLAST_POLICY, BALLAST_TASKS, BALLAST_CHECK_MAPS,
/// BALLAST_DEVICE_BYTES and BALLAST_PATIENCE. It goes after main, when all launches have ended; one that
/// failed and of which nobody was told then ends the program as an exception that escapes main does. Any
/// thread may call. Throws as job_scheduler, and bad_argument naming the variable of the environment.
job_scheduler& scheduler();

/// Of each launch, so that its failure is told.
void track_launch(job_ticket launch);
/// Behind each launch. Waits for the oldest one if more than 256 have not ended. Throws job_failed if the
/// oldest has failed.
void limit_pending_launches();

/// Kernels of a file, given to the scheduler when it is made, or at once if it is there already, because an
/// initialiser before main has used a variable. A static object; see BALLAST_MESI_KERNELS.
class kernel_registration {
 public:
  /// Registers the list that `list` returns. Called before main, so it throws nothing of its own.
  explicit kernel_registration(job_kernels const& (*list)());
};

}  // namespace ballast::mesi
