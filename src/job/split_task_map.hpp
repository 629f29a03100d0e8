// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ballast/policy/split.hpp"
#include "split_run.hpp"
#include "split_shares.hpp"

namespace ballast::detail {

/// The task-device map of a repeated job (Ohno et al. 2016, section 3.4.3), which the paper never changes.
/// Here tasks move when the devices' times are out of balance run after run.
class task_map {
 public:
  explicit task_map(job_shape const& shape) : parts_(shape.devices.size()) {}

  /// After the first run.
  bool is_known() const { return known_; }
  device_parts const& parts() const { return parts_; }

  void learn(finished_job const& run);

 private:
  void record(finished_job const& run);
  void balance(finished_job const& run);
  bool is_of_this_map(finished_job const& run) const;

  device_parts parts_;  ///< ascending
  bool known_ = false;
  std::uint32_t unbalanced_in_a_row_ = 0;
};

}  // namespace ballast::detail
