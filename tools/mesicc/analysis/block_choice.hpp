// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"

namespace ballast::mesicc {

/// Threads of a block, of which those along x are neighbours in a warp: along the direction in which more
/// accesses are of neighbouring elements, and as many as keep a multiprocessor busy, or fewer if there would
/// be too few blocks. A short kernel that waits for memory in a loop is to use few registers; one without
/// loops gives a thread several rows where there are more than enough.
block_shape choose_block(launch_model const& model, axis cut);

}  // namespace ballast::mesicc
