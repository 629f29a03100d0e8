// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/task_pool.hpp"
#include "ballast/trace.hpp"

namespace ballast::detail {

/// The span of a run that ends now; a pool's workers do not record their tasks.
inline span span_of_run(std::string const& name, pool_statistics const& did, std::int64_t begin_ns) {
  return {.label = name,
          .tasks = did.run,
          .begin_ns = begin_ns,
          .end_ns = std::int64_t(steady_now_ns()),
          .counts = {{"created", did.created},
                     {"steals_tried", did.steals_tried},
                     {"steals_won", did.steals_won},
                     {"joins", did.joins},
                     {"shared", did.shared},
                     {"launches", did.launches},
                     {"spilled", did.spilled}}};
}

}  // namespace ballast::detail
