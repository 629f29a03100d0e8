// SPDX-License-Identifier: Apache-2.0
#include "chain_summary.hpp"

#include <algorithm>
#include <cmath>

#include "force_field.cuh"

namespace ballast::nanodroplet {
namespace {

class summing {
 public:
  summing(double kt, double freedoms) : kt_(kt), freedoms_(freedoms) {}

  void add(trajectory_record const& record) {
    ++sum_.trajectories;
    if (record.accepted) ++sum_.accepted;
    sum_.potential += record.potential;
    sum_.temperature += 2 * record.kinetic / (freedoms_ * boltzmann);
    double const factor = std::exp(-record.energy_error / kt_);
    sum_.boltzmann_factor += factor;
    squares_ += factor * factor;
    sum_.energy_error += record.energy_error / kt_;
    sum_.gyration_radius += record.shape.gyration_radius;
    sum_.greatest_radius = std::max(sum_.greatest_radius, record.shape.greatest_radius);
  }

  chain_summary means() const {
    auto mean = sum_;
    double const n = static_cast<double>(sum_.trajectories);
    for (double* value : {&mean.potential.bond, &mean.potential.angle, &mean.potential.dihedral,
                          &mean.potential.vdw, &mean.potential.coulomb, &mean.temperature,
                          &mean.boltzmann_factor, &mean.energy_error, &mean.gyration_radius})
      *value /= n;
    double const variance = squares_ / n - mean.boltzmann_factor * mean.boltzmann_factor;
    mean.boltzmann_error = std::sqrt(std::max(0.0, variance) / (n - 1));
    return mean;
  }

 private:
  double kt_, freedoms_, squares_ = 0;
  chain_summary sum_;
};

}  // namespace

double chain_summary::expected_acceptance() const {
  return std::erfc(std::sqrt(std::max(0.0, energy_error)) / 2);
}

chain_summary summary_of(std::span<std::unique_ptr<markov_chain> const> chains, double temperature,
                         std::size_t discarded) {
  double const atoms = chains.empty() ? 0 : static_cast<double>(chains.front()->state().atoms());
  summing sums(boltzmann * temperature, 3 * atoms);
  for (auto const& chain : chains) {
    auto const& records = chain->records();
    for (std::size_t i = discarded; i < records.size(); ++i) sums.add(records[i]);
  }
  return sums.means();
}

std::string decisions_of(markov_chain const& chain) {
  std::string letters;
  for (auto const& record : chain.records()) letters += record.accepted ? '1' : '0';
  return letters;
}

}  // namespace ballast::nanodroplet
