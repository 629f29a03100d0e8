// SPDX-License-Identifier: Apache-2.0
#include "summary.hpp"

#include <numeric>

namespace ballast::hotspot {

template <class Real>
summary summary_of(plate const& of, std::span<Real const> temperature) {
  double const sum = std::accumulate(temperature.begin(), temperature.end(), 0.0);
  auto const middle = temperature[std::size_t(of.rows / 2) * of.columns + of.columns / 2];
  return {sum, double(temperature.front()), double(middle), double(temperature.back())};
}

template summary summary_of(plate const&, std::span<float const>);
template summary summary_of(plate const&, std::span<double const>);

}  // namespace ballast::hotspot
