// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

struct analysis_options {
  bool allow_unpartitioned = false;  ///< a launch that cannot be cut becomes one task instead of errors
  /// The most isl operations per question. A question that takes more is not answered, and the launch is
  /// analysed less exactly.
  unsigned long operations = 200'000;
};

/// Decides which dimension of a launch to cut, and what a part of it reads and writes; or, if it cannot be
/// cut, which assumption of Ohno et al. (2016), section 3.1, it breaks. Pure; any thread may call.
launch_analysis analyse(launch_model const& model, analysis_options const& options = {});

}  // namespace ballast::mesicc
