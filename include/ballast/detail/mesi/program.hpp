// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"
#include "ballast/version.hpp"

namespace ballast::mesi {

/// The scheduler of all variables and launches of a program, made at the first use. It uses the devices of
/// BALLAST_DEVICES, else all GPUs, else the cores, and reads BALLAST_POLICY, BALLAST_TASKS,
/// BALLAST_CHECK_MAPS, BALLAST_DEVICE_BYTES and BALLAST_TIMEOUT. It is destroyed after main, when all
/// launches have ended. If a launch failed and its error was never reported, the program then ends as by an
/// exception that escapes main. Any thread may call. Throws as job_scheduler, and bad_argument naming the
/// environment variable.
BALLAST_API job_scheduler& scheduler();

/// The options of a program according to its environment: BALLAST_POLICY, BALLAST_TASKS, BALLAST_CHECK_MAPS
/// (0 or 1), BALLAST_DEVICE_BYTES and BALLAST_TIMEOUT (in seconds, a day by default). Throws bad_argument
/// naming the variable; a scheduler that is made checks the bytes once more.
job_options options_of_environment();

/// Registers a launch, so that its failure is reported.
BALLAST_API void track_launch(completion launch);
/// Waits for the oldest launch if 256 launches have not ended. Called before each launch. Throws job_failed
/// if the oldest has failed.
BALLAST_API void limit_pending_launches();

/// Registers the kernels of a file: with the scheduler when it is made, or immediately if it exists already
/// because an initialiser before main has used a variable. A static object; see BALLAST_MESI_KERNELS.
class BALLAST_API kernel_registration {
 public:
  /// Registers the list that `list` returns. Called before main, so it throws nothing of its own.
  explicit kernel_registration(kernel_set const& (*list)());
};

}  // namespace ballast::mesi
