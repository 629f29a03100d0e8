// SPDX-License-Identifier: Apache-2.0
#include "device_speed.hpp"

namespace ballast::detail {
namespace {

constexpr double outlier_factor = 2;
constexpr std::uint32_t outliers_to_accept = 3;

}  // namespace

void device_speed::learn(std::uint32_t steps, double busy_ns) {
  if (steps == 0) return;
  auto const measured = steps / busy_ns;
  auto const outlier = is_outlier(measured);
  outliers_in_a_row_ = outlier ? outliers_in_a_row_ + 1 : 0;
  if (outlier && outliers_in_a_row_ < outliers_to_accept) return;
  steps_per_ns_ = steps_per_ns_ == 0 || outlier ? measured : (steps_per_ns_ + measured) / 2;
  outliers_in_a_row_ = 0;
}

bool device_speed::is_outlier(double steps_per_ns) const {
  if (steps_per_ns_ == 0) return false;
  return steps_per_ns > steps_per_ns_ * outlier_factor || steps_per_ns * outlier_factor < steps_per_ns_;
}

}  // namespace ballast::detail
