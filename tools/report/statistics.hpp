// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace ballast {

/// The middle and the spread of some samples.
struct sample_summary {
  std::size_t count = 0;
  double min = 0, lower_quartile = 0, median = 0, upper_quartile = 0, max = 0;

  bool operator==(sample_summary const&) const = default;
};

/// The value below which `fraction` (0 .. 1) of the samples lie, interpolated linearly (definition 7 of
/// Hyndman and Fan 1996, the default of R and NumPy). Samples in any order. Throws bad_argument ("samples")
/// if there are none or one is not a number, ("fraction") outside 0 .. 1.
double quantile(std::span<double const> samples, double fraction);

/// quantile() at 0.5. Throws bad_argument ("samples") if there are none or one is not a number.
double median(std::span<double const> samples);

/// Count, extremes, median and quartiles, the last three by quantile(). Throws bad_argument ("samples") if
/// there are none or one is not a number.
sample_summary summarise(std::span<double const> samples);

}  // namespace ballast
