// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ballast/error.hpp"

namespace ballast {
namespace {

std::vector<double> sorted(std::span<double const> samples) {
  if (samples.empty()) throw_bad_argument("samples", "empty", "one value or more");
  for (double const sample : samples) {
    if (std::isnan(sample)) throw_bad_argument("samples", sample, "numbers");
  }
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(std::vector<double> const& sorted, double fraction) {
  double const place = fraction * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(place);
  double const beyond = place - static_cast<double>(below);
  if (beyond == 0) return sorted[below];  // also keeps infinite neighbours out of it
  double const apart = sorted[below + 1] - sorted[below];
  if (std::isfinite(apart)) return sorted[below] + beyond * apart;
  return (1 - beyond) * sorted[below] +
         beyond * sorted[below + 1];  // also right if both are far from 0 on opposite sides
}

}  // namespace

double quantile(std::span<double const> samples, double fraction) {
  if (!(fraction >= 0 && fraction <= 1)) throw_bad_argument("fraction", fraction, "0 to 1");
  return quantile_of_sorted(sorted(samples), fraction);
}

double median(std::span<double const> samples) { return quantile(samples, 0.5); }

sample_summary summarise(std::span<double const> samples) {
  std::vector<double> const all = sorted(samples);
  return {all.size(),
          all.front(),
          quantile_of_sorted(all, 0.25),
          quantile_of_sorted(all, 0.5),
          quantile_of_sorted(all, 0.75),
          all.back()};
}

}  // namespace ballast
