// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ballast/detail/resident/task_record.cuh"

namespace ballast::detail {

/// A task as pools store it, aligned so that a GPU moves 16 bytes at once.
struct alignas(16) stored_task {
  task_record record;
};
static_assert(sizeof(stored_task) == 48);

}  // namespace ballast::detail
