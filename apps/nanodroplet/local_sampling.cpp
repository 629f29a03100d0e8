// SPDX-License-Identifier: Apache-2.0
#include "local_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "force_field.cuh"
#include "torsion_basin.hpp"

namespace ballast::nanodroplet {
namespace {

struct mean_and_variance {
  double mean, variance;
};

mean_and_variance moments_of(std::span<double const> values) {
  double const n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (double const value : values) sum += value;
  for (double const value : values) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, squares / (n - 1)};
}

/// The scale reduction of one quantity over each chain's settled part.
template <class Quantity>
double scale_reduction_by(region_chains chains, Quantity const& quantity) {
  std::vector<std::vector<double>> values;
  for (auto const& chain : chains) {
    values.emplace_back();
    for (auto const& record : settled_part(*chain)) values.back().push_back(quantity(record));
  }
  return scale_reduction(values);
}

}  // namespace

std::span<trajectory_record const> settled_part(markov_chain const& chain) {
  std::span const all(chain.records());
  return all.subspan(all.size() / 2);
}

double scale_reduction(std::span<std::vector<double> const> chains) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (chains.size() < 2 || chains.front().size() < 2) return unknown;
  double within = 0;
  std::vector<double> means;
  for (auto const& chain : chains) {
    auto const [mean, variance] = moments_of(chain);
    means.push_back(mean);
    within += variance / static_cast<double>(chains.size());
  }
  double const n = static_cast<double>(chains.front().size());
  return within > 0 ? std::sqrt((n - 1) / n + moments_of(means).variance / within) : unknown;
}

double scale_reduction_of(region_chains chains) {
  auto const basin = chains.front()->basin();
  double greatest = scale_reduction_by(chains, [](auto const& record) { return record.potential.total(); });
  for (std::size_t torsion = 0; torsion < m12::torsions; ++torsion) {
    greatest = std::max(greatest, scale_reduction_by(chains, [=](auto const& record) {
                          return off_middle(record.shape.torsions, basin)[torsion];
                        }));
  }
  return greatest;
}

std::vector<chain_exits> exits_of(region_chains chains, double temperature) {
  std::vector<chain_exits> all;
  for (auto const& chain : chains) {
    auto& exits = all.emplace_back();
    for (auto const& record : settled_part(*chain)) {
      ++exits.trajectories;
      if (record.proposed_basin == chain->basin()) continue;
      exits.to[record.proposed_basin] +=
          std::min(1.0, std::exp(-record.energy_error / (boltzmann * temperature)));
    }
  }
  return all;
}

torsion_shares torsion_shares_of(region_chains chains) {
  torsion_shares shares{};
  double count = 0;
  for (auto const& chain : chains) count += static_cast<double>(settled_part(*chain).size());
  for (auto const& chain : chains) {
    for (auto const& record : settled_part(*chain)) {
      for (std::size_t torsion = 0; torsion < m12::torsions; ++torsion) {
        double const turn = (record.shape.torsions[torsion] + pi) / (2 * pi);  // 0 .. 1
        auto const bin = std::min(torsion_bins - 1, static_cast<std::size_t>(turn * torsion_bins));
        shares[torsion][bin] += 1 / count;
      }
    }
  }
  return shares;
}

}  // namespace ballast::nanodroplet
