// SPDX-License-Identifier: Apache-2.0
#include "md/fp32_fraction.hpp"

#include <string>

#include "md/pair_formula.cuh"

namespace ballast::bench {
namespace {

constexpr double lanes_per_multiprocessor = 128, operations_per_clock = 2;

/// The operations of one evaluation: every atom is tested against every other, and both atoms of a pair
/// compute it.
double operations(std::size_t atoms, double pairs_in_range) {
  return double(atoms) * double(atoms) * md::operations_to_test +
         2 * pairs_in_range * md::operations_in_range;
}

}  // namespace

std::optional<double> fp32_peak(device_list const& devices) {
  double sum = 0;
  for (auto const& device : devices) {
    auto const& facts = device->properties();
    if (facts.compute_major < 9 || facts.clock_hertz == 0) return std::nullopt;
    sum +=
        facts.multiprocessors * lanes_per_multiprocessor * operations_per_clock * double(facts.clock_hertz);
  }
  return sum;
}

void derive_fp32_fractions(session& now, std::size_t atoms, md::comparison const& result) {
  auto const peak = fp32_peak(now.devices());
  if (!peak) return;
  auto const done = operations(atoms, double(result.sums.pairs));
  for (auto const& one : result.solutions)
    now.derived(std::string(md::name_of(one.which)) + ".fp32_fraction@" + std::to_string(atoms),
                done / one.seconds_per_step / *peak);
}

}  // namespace ballast::bench
