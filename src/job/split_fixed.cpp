// SPDX-License-Identifier: Apache-2.0
#include "job_history.hpp"
#include "split_kinds.hpp"
#include "split_task_map.hpp"

namespace ballast::detail {
namespace {

/// Ohno et al. 2016, section 3.4.3: a repeated job gives each task to the device that had it before, where
/// its data is.
class fixed_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const map = map_.of(shape);
    auto const learn = [map](finished_job const& run) { map->learn(run); };
    return map->is_known() ? split_as_mapped(shape, map->parts(), learn) : split_among_workers(shape, learn);
  }

  shape_cache<task_map> map_;
};

}  // namespace

std::unique_ptr<split_policy> make_fixed_split() { return std::make_unique<fixed_policy>(); }

}  // namespace ballast::detail
