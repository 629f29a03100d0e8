// SPDX-License-Identifier: Apache-2.0
#include "job_history.hpp"
#include "split_kinds.hpp"
#include "split_ranges.hpp"

namespace ballast::detail {
namespace {

/// Wants no number from the user, the future work of Ohno et al. 2016: how fast the devices are and into how
/// many tasks a range is best cut comes from the runs before.
class learned_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override {
    auto const ranges = ranges_.of(shape);
    auto const devices = shape.devices.size();
    if (devices > 1 && !ranges->is_known())
      return split_guided(shape, std::vector<double>(devices), true,
                          [ranges](finished_job const& run) { ranges->learn_from_probes(run); });
    return split_as_mapped(shape, ranges->parts(shape),
                           [ranges](finished_job const& run) { ranges->learn(run); });
  }

  shape_cache<learned_ranges> ranges_;
};

}  // namespace

std::unique_ptr<split_policy> make_learned_split() { return std::make_unique<learned_policy>(); }

}  // namespace ballast::detail
