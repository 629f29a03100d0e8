// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

struct analysis_options {
  bool allow_unpartitioned = false;  ///< a launch that cannot be cut becomes one task instead of errors
  /// Of isl for each question; one that takes more is not answered, and the launch is looked at less exactly.
  unsigned long operations = 200'000;
};

/// Which dimension of a launch to cut, what a part of it reads and writes, and why it cannot be cut if so:
/// where it breaks an assumption of Ohno et al. (2016), section 3.1. Pure; any thread may call.
launch_analysis analyse(launch_model const& model, analysis_options const& options = {});

}  // namespace ballast::mesicc
