// SPDX-License-Identifier: Apache-2.0
#include "ballast/policy/merge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ballast/error.hpp"

namespace ballast {

using namespace detail;

/// Rounded up, so that an error of exactly 10% is within 10%, whatever rounding makes of it.
std::uint8_t error_histogram::class_of(double predicted, double measured) {
  constexpr double rounding = 1e-9;
  auto const percents = std::ceil(100 * std::abs(predicted / measured - 1) - rounding);
  return static_cast<std::uint8_t>(std::clamp(percents, 0.0, double{last_class}));
}

error_summary error_histogram::summary() const {
  if (total_ == 0) return {};
  return {total_, median(), part_up_to(10), part_up_to(20)};
}

double error_histogram::part_up_to(std::uint8_t error) const {
  auto const sum = std::accumulate(counts_.begin(), counts_.begin() + error + 1, std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(total_);
}

/// The lower one of an even number.
double error_histogram::median() const {
  std::uint64_t below = 0;
  std::size_t error = 0;
  while ((below += counts_[error]) < (total_ + 1) / 2) ++error;
  return static_cast<double>(error) / 100;
}

void prediction_error::record(double predicted, double measured) {
  if (!(std::isfinite(predicted) && predicted >= 0))
    throw_bad_argument("predicted", predicted, "finite and at least 0");
  if (!(std::isfinite(measured) && measured > 0))
    throw_bad_argument("measured", measured, "finite and above 0");
  auto const error = error_histogram::class_of(predicted, measured);
  auto& oldest = ring_[recorded_ % newest_count];
  if (recorded_++ >= newest_count) newest_.remove(oldest);
  oldest = error;
  newest_.add(error);
  all_.add(error);
}

}  // namespace ballast
