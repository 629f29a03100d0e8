// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <algorithm>
#include <cmath>

namespace ballast::ep {
namespace {

constexpr double down23 = 0x1p-23, up23 = 0x1p23, down46 = 0x1p-46, up46 = 0x1p46;

/// x becomes a x modulo 2^46, all of them integers; returns x 2^-46.
double randlc(double& x, double a) {
  double const a1 = std::trunc(down23 * a), a2 = a - up23 * a1;
  double const x1 = std::trunc(down23 * x), x2 = x - up23 * x1;
  double const middle = a1 * x2 + a2 * x1;
  double const low = middle - up23 * std::trunc(down23 * middle);
  double const product = up23 * low + a2 * x2;
  x = product - up46 * std::trunc(down46 * product);
  return down46 * x;
}

void add_pair(tally& sums, double x, double y) {
  double const t = x * x + y * y;
  if (t > 1) return;
  double const factor = std::sqrt(-2 * std::log(t) / t);
  double const normal_x = x * factor, normal_y = y * factor;
  sums.sx += normal_x;
  sums.sy += normal_y;
  ++sums.counts[static_cast<std::size_t>(std::max(std::abs(normal_x), std::abs(normal_y)))];
}

}  // namespace

tally run_sequentially(std::uint32_t log2_pairs) {
  tally sums;
  double state = 271828183;
  for (std::uint64_t pair = 0; pair < std::uint64_t{1} << log2_pairs; ++pair) {
    double const x = 2 * randlc(state, 1220703125) - 1;
    add_pair(sums, x, 2 * randlc(state, 1220703125) - 1);
  }
  return sums;
}

}  // namespace ballast::ep
