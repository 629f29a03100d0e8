// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "split_kinds.hpp"
#include "split_pooled.hpp"

namespace ballast::detail {
namespace {

class master_worker_split final : public pooled_split {
 public:
  master_worker_split(job_shape const& shape, listener finished) : pooled_split(shape, std::move(finished)) {
    for (auto const& part : equal_parts({0, shape.units}, shape.tasks))
      ends_.push_back(part.first + part.count);
  }

 private:
  /// To the end of the part: the rest of it, where the device before took less than the whole.
  std::uint32_t wanted_units(std::uint32_t) const override {
    return *std::ranges::upper_bound(ends_, units_taken()) - units_taken();
  }

  std::vector<std::uint32_t> ends_;  ///< of the parts, ascending
};

/// Ohno et al. 2016, section 4.3: whichever device is idle gets the next task.
class master_worker_policy final : public split_policy {
  std::unique_ptr<job_split> split(job_shape const& shape) override { return split_among_workers(shape); }
};

}  // namespace

std::unique_ptr<job_split> split_among_workers(job_shape const& shape, recorded_split::listener finished) {
  return std::make_unique<master_worker_split>(shape, std::move(finished));
}

std::unique_ptr<split_policy> make_master_worker_split() { return std::make_unique<master_worker_policy>(); }

}  // namespace ballast::detail
