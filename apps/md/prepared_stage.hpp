// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "ballast/device.hpp"
#include "ballast/task.hpp"
#include "stage.hpp"

namespace ballast::md {

/// The tasks of a stage as queues take them, made once for all steps.
struct prepared_stage {
  std::shared_ptr<prepared_tasks const> forces, drifts, kicks;
};

/// `task_atoms`: see granularity. The stage must outlive the tasks.
prepared_stage prepare_tasks(device_list const& devices, stage const& system, std::uint32_t task_atoms);

}  // namespace ballast::md
