// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ballast/detail/pool/pool_worker.cuh"

namespace ballast::detail {

/// What a halt means for who asked for the run; empty if tasks did not fit, which is no reason to stop.
std::string_view reason_of(pool_halt halt);

}  // namespace ballast::detail
