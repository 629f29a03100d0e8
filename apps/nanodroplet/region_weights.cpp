// SPDX-License-Identifier: Apache-2.0
#include "region_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace ballast::nanodroplet {
namespace {

using jump_row = std::vector<double>;
using jump_matrix = std::vector<jump_row>;

/// A row of the jumps: the probabilities that a trajectory leads from region `own` to each other one, and
/// minus their sum at `own`. For one chain or for all chains together.
jump_row chances_of(std::span<chain_exits const> chains, std::span<region_exits const> regions,
                    std::size_t own) {
  double trajectories = 0;
  for (auto const& chain : chains) trajectories += chain.trajectories;
  jump_row chances(regions.size());
  for (std::size_t to = 0; to < regions.size(); ++to) {
    if (to == own || trajectories == 0) continue;
    for (auto const& chain : chains) chances[to] += chain.to[regions[to].basin];
    chances[to] /= trajectories;
  }
  chances[own] = -std::accumulate(chances.begin(), chances.end(), 0.0);
  return chances;
}

std::vector<std::vector<bool>> reachable(std::span<region_exits const> regions) {
  auto const size = regions.size();
  std::vector<std::vector<bool>> can(size, std::vector<bool>(size));
  for (std::size_t i = 0; i < size; ++i) {
    auto const chances = chances_of(regions[i].chains, regions, i);
    for (std::size_t j = 0; j < size; ++j) can[i][j] = i == j || chances[j] > 0;
  }
  for (std::size_t by = 0; by < size; ++by)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        if (can[i][by] && can[by][j]) can[i][j] = true;
  return can;
}

/// The largest set of regions each of which leads to every other; the first of several.
std::vector<std::size_t> largest_linked(std::span<region_exits const> regions) {
  auto const can = reachable(regions);
  std::vector<std::size_t> largest;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    std::vector<std::size_t> linked;
    for (std::size_t j = 0; j < regions.size(); ++j)
      if (can[i][j] && can[j][i]) linked.push_back(j);
    if (linked.size() > largest.size()) largest = std::move(linked);
  }
  return largest;
}

/// The stationary distribution of the jumps (Grassmann, Taksar and Heyman 1985: states are eliminated one by
/// one, without subtractions, so that small weights keep their precision).
std::vector<double> kept_by(jump_matrix jumps) {
  auto const size = jumps.size();
  for (auto last = size - 1; last > 0; --last) {
    double const leaves =
        std::accumulate(jumps[last].begin(), jumps[last].begin() + std::ptrdiff_t(last), 0.0);
    for (std::size_t i = 0; i < last; ++i) {
      jumps[i][last] /= leaves;
      for (std::size_t j = 0; j < last; ++j)
        if (i != j) jumps[i][j] += jumps[i][last] * jumps[last][j];
    }
  }
  std::vector<double> weights(size, 1.0);
  for (std::size_t j = 1; j < size; ++j) {
    weights[j] = 0;
    for (std::size_t i = 0; i < j; ++i) weights[j] += weights[i] * jumps[i][j];
  }
  double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto& weight : weights) weight /= sum;
  return weights;
}

/// The inverse, by Gauss-Jordan elimination with row pivots.
jump_matrix inverse_of(jump_matrix matrix) {
  auto const size = matrix.size();
  jump_matrix inverse(size, jump_row(size));
  for (std::size_t i = 0; i < size; ++i) inverse[i][i] = 1;
  for (std::size_t c = 0; c < size; ++c) {
    auto pivot = c;
    for (auto r = c; r < size; ++r)
      if (std::abs(matrix[r][c]) > std::abs(matrix[pivot][c])) pivot = r;
    std::swap(matrix[c], matrix[pivot]);
    std::swap(inverse[c], inverse[pivot]);
    for (std::size_t r = 0; r < size; ++r) {
      double const share = matrix[r][c] / matrix[c][c];
      if (r == c || share == 0) continue;
      for (std::size_t j = 0; j < size; ++j) {
        matrix[r][j] -= share * matrix[c][j];
        inverse[r][j] -= share * inverse[c][j];
      }
    }
  }
  for (std::size_t r = 0; r < size; ++r)
    for (auto& entry : inverse[r]) entry /= matrix[r][r];
  return inverse;
}

/// The response R of the weights: a change of the jumps changes the weights by weights . change . R.
jump_matrix response_of(jump_matrix const& jumps, std::vector<double> const& weights) {
  auto opposed = jumps;
  for (auto& row : opposed)
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = weights[j] - row[j];
  return inverse_of(std::move(opposed));
}

/// Adds the contribution of one region's chains, which are independent of each other, to the weights'
/// variances.
void add_variances(region_exits const& region, std::span<region_exits const> linked, std::size_t own,
                   double weight, jump_matrix const& response, std::vector<double>& variances) {
  double const chains = static_cast<double>(region.chains.size());
  auto const mean = chances_of(region.chains, linked, own);
  for (auto const& chain : region.chains) {
    auto const alone = chances_of(std::span(&chain, 1), linked, own);
    for (std::size_t of = 0; of < linked.size(); ++of) {
      double change = 0;
      for (std::size_t j = 0; j < linked.size(); ++j) change += (alone[j] - mean[j]) * response[j][of];
      variances[of] += weight * change * weight * change / (chains * (chains - 1));
    }
  }
}

std::vector<region_weight> weights_of_linked(std::vector<region_exits> const& linked) {
  jump_matrix jumps;
  for (std::size_t i = 0; i < linked.size(); ++i) jumps.push_back(chances_of(linked[i].chains, linked, i));
  auto const weights = kept_by(jumps);
  auto const response = response_of(jumps, weights);
  std::vector<double> variances(linked.size());
  for (std::size_t i = 0; i < linked.size(); ++i)
    add_variances(linked[i], linked, i, weights[i], response, variances);
  std::vector<region_weight> found;
  for (std::size_t i = 0; i < linked.size(); ++i) found.push_back({weights[i], std::sqrt(variances[i])});
  return found;
}

}  // namespace

double chain_exits::total() const { return std::accumulate(to.begin(), to.end(), 0.0); }

std::vector<region_weight> weights_of(std::span<region_exits const> regions) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<region_weight> all(regions.size(), {unknown, unknown});
  auto const places = largest_linked(regions);
  if (places.empty() || (places.size() == 1 && regions.size() > 1)) return all;
  std::vector<region_exits> linked;
  for (auto const place : places) linked.push_back(regions[place]);
  auto const found = weights_of_linked(linked);
  for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = found[i];
  return all;
}

}  // namespace ballast::nanodroplet
