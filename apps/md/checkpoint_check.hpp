// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checkpoint.hpp"

namespace ballast::md {

/// Throws bad_argument naming the field of a checkpoint that no run can have left, its value, and what is
/// legal. A run may begin where this returns.
void check_checkpoint(checkpoint const& point);

}  // namespace ballast::md
