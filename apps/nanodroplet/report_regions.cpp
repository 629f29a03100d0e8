// SPDX-License-Identifier: Apache-2.0
// The protocol glat's report of its regions.

#include <algorithm>
#include <cmath>

#include "local_sampling.hpp"
#include "report.hpp"
#include "report/table.hpp"

namespace ballast::nanodroplet {
namespace {

region_chains chains_of_region(finished_run const& run, std::size_t region) {
  auto const each = run.asked.plan.chains;
  return region_chains(run.chains).subspan(region * each, each);
}

region_exits exits_of_region(finished_run const& run, std::size_t region) {
  return {run.regions[region].basin,
          exits_of(chains_of_region(run, region), run.asked.plan.settings.temperature)};
}

/// Exits expected per trajectory: all, and those into regions that were not sampled.
struct exit_chances {
  double all = 0, elsewhere = 0;
};

exit_chances chances_to_leave(finished_run const& run, std::size_t region) {
  double trajectories = 0, known = 0;
  exit_chances chances;
  for (auto const& chain : exits_of_region(run, region).chains) {
    trajectories += chain.trajectories;
    chances.all += chain.total();
    for (auto const& other : run.regions) known += chain.to[other.basin];
  }
  return {chances.all / trajectories, std::max(0.0, chances.all - known) / trajectories};
}

std::size_t trajectories_of_region(finished_run const& run, std::size_t region) {
  return chains_of_region(run, region).front()->records().size();
}

json_value region_as_json(finished_run const& run, std::size_t place, region_weight const& weight) {
  auto const& region = run.regions[place];
  auto const exits = chances_to_leave(run, place);
  return json_value::object{{"region", region.basin},  {"torsions", name_of_basin(region.basin)},
                            {"strain", region.strain}, {"trajectories", trajectories_of_region(run, place)},
                            {"ratio", region.ratio},   {"converged", region.has_converged},
                            {"exits", exits.all},      {"exits_elsewhere", exits.elsewhere},
                            {"weight", weight.weight}, {"weight_error", weight.error}};
}

}  // namespace

std::vector<region_weight> weights_of_run(finished_run const& run) {
  std::vector<region_exits> exits;
  for (std::size_t i = 0; i < run.regions.size(); ++i) exits.push_back(exits_of_region(run, i));
  return weights_of(exits);
}

json_value regions_as_json(finished_run const& run) {
  auto const weights = weights_of_run(run);
  json_value::list all;
  for (std::size_t i = 0; i < weights.size(); ++i) all.push_back(region_as_json(run, i, weights[i]));
  return all;
}

json_value global_as_json(finished_run const& run) {
  auto const weights = weights_of_run(run);
  double potential = 0, radius = 0, total = 0;
  torsion_shares torsions{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double const weight = weights[i].weight;
    if (std::isnan(weight)) continue;
    auto const local = summary_of_run(run, i * run.asked.plan.chains, run.asked.plan.chains);
    total += weight;
    potential += weight * local.potential.total();
    radius += weight * local.gyration_radius;
    auto const shares = torsion_shares_of(chains_of_region(run, i));
    for (std::size_t torsion = 0; torsion < shares.size(); ++torsion)
      for (std::size_t bin = 0; bin < torsion_bins; ++bin)
        torsions[torsion][bin] += weight * shares[torsion][bin];
  }
  if (total == 0) return {};
  json_value::list of_torsions;
  for (auto const& shares : torsions) of_torsions.push_back(json_value::list_of(shares));
  return json_value::object{
      {"potential", potential}, {"gyration_radius", radius}, {"torsions", std::move(of_torsions)}};
}

std::string regions_as_text(finished_run const& run) {
  auto const weights = weights_of_run(run);
  table rows({{"region"},
              {"torsions", alignment::left},
              {"strain"},
              {"trajectories"},
              {"ratio"},
              {"converged", alignment::left},
              {"exits"},
              {"elsewhere"},
              {"weight"}});
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto const& region = run.regions[i];
    auto const exits = chances_to_leave(run, i);
    rows.add_row({std::to_string(region.basin), name_of_basin(region.basin), rounded(region.strain),
                  std::to_string(trajectories_of_region(run, i)), rounded(region.ratio),
                  region.has_converged ? "yes" : "no", rounded(exits.all), rounded(exits.elsewhere),
                  rounded(weights[i].weight) + " +- " + rounded(weights[i].error, 2)});
  }
  return rows.text(charset_of_environment());
}

}  // namespace ballast::nanodroplet
