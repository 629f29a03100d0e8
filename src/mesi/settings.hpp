// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/job_scheduler.hpp"

namespace ballast::mesi {

/// What the environment says of a program: BALLAST_POLICY, BALLAST_TASKS, BALLAST_CHECK_MAPS (0 or 1),
/// BALLAST_DEVICE_BYTES and BALLAST_PATIENCE (in seconds, a day by default). Throws bad_argument naming the
/// variable; the bytes are looked at once more when a scheduler is made.
job_options options_of_environment();

}  // namespace ballast::mesi
