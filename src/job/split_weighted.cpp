// SPDX-License-Identifier: Apache-2.0
#include "job_history.hpp"
#include "split_kinds.hpp"

namespace ballast::detail {
namespace {

/// One range per device, by the speeds that were measured; equal ones at first.
class weighted_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const known = history_.of(shape);
    device_parts parts;
    for (auto const& range : side_by_side(shares_by_pace(shape.units, known->paces())))
      parts.push_back({range});
    return split_as_mapped(shape, parts, [known](finished_job const& run) { known->learn(run); });
  }

  shape_cache<job_history> history_;
};

}  // namespace

std::unique_ptr<split_policy> make_weighted_split() { return std::make_unique<weighted_policy>(); }

}  // namespace ballast::detail
