// SPDX-License-Identifier: Apache-2.0
#include "ballast/resident/prepared_tasks.hpp"

namespace ballast::inline resident {

prepared_tasks::prepared_tasks(compiled_kernels const& kernels, std::span<task const> tasks)
    : kernels_(&kernels) {
  records_.reserve(tasks.size());
  for (auto const& task : tasks) records_.push_back(kernels.record_of(task));
}

}  // namespace ballast::inline resident
