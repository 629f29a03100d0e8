// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "chain_summary.hpp"
#include "droplet_shape.hpp"
#include "reference_forces.hpp"
#include "report.hpp"

namespace ballast::nanodroplet {
namespace {

json_value as_json(energy_terms const& energy) {
  return json_value::object{{"bond", energy.bond}, {"angle", energy.angle},     {"dihedral", energy.dihedral},
                            {"vdw", energy.vdw},   {"coulomb", energy.coulomb}, {"total", energy.total()}};
}

json_value torsions_as_json(droplet const& system) {
  json_value::list degrees;
  if (!system.beads.empty())
    for (double const torsion : shape_of(system).torsions) degrees.emplace_back(torsion / degree);
  return degrees;
}

json_value::object start_members(droplet const& start) {
  return {{"system",
           json_value::object{{"waters", start.waters()},
                              {"beads", start.beads.size()},
                              {"atoms", start.atoms()},
                              {"interactions_per_step", interactions(start.waters(), start.beads.size())}}},
          {"energy", as_json(energy_of(start))}};
}

json_value settings_as_json(finished_run const& run) {
  auto const& plan = run.asked.plan;
  auto const& settings = plan.settings;
  auto const& options = run.asked.options;
  json_value::object of_queue{{"order", options.order},
                              {"among", options.among},
                              {"merge", options.merge},
                              {"streams", options.streams}};
  return json_value::object{{"launch", run.asked.mode->name},
                            {"queue", run.asked.mode->by_queue ? json_value(of_queue) : json_value()},
                            {"devices", json_value::list_of(run.devices)},
                            {"threads", plan.threads},
                            {"conformers", plan.conformers},
                            {"chains", plan.chains},
                            {"trajectories", settings.trajectories},
                            {"trajectory_steps", settings.steps_per_trajectory},
                            {"dt", settings.time_step},
                            {"temperature", settings.temperature},
                            {"minimise", plan.minimiser_iterations},
                            {"discard", run.asked.discard},
                            {"seed", plan.seed}};
}

json_value launches_as_json(std::optional<launch_statistics> const& of_queue) {
  if (!of_queue) return {};
  json_value::object all, verdicts;
  for (auto const& [name, count] : of_queue->listed()) all.emplace_back(name, count);
  for (auto const& [verdict, count] : of_queue->verdicts.listed()) verdicts.emplace_back(verdict.name, count);
  all.emplace_back("verdicts", std::move(verdicts));
  return all;
}

json_value::object members_of(chain_summary const& mean) {
  return {{"trajectories", mean.trajectories},         {"accepted", mean.accepted},
          {"acceptance", mean.acceptance()},           {"expected_acceptance", mean.expected_acceptance()},
          {"boltzmann_factor", mean.boltzmann_factor}, {"boltzmann_error", mean.boltzmann_error},
          {"energy_error_kt", mean.energy_error},      {"potential", as_json(mean.potential)},
          {"temperature", mean.temperature},           {"gyration_radius", mean.gyration_radius},
          {"greatest_radius", mean.greatest_radius}};
}

chain_summary summary_of_run(finished_run const& run, std::size_t first, std::size_t count) {
  return summary_of(std::span(run.chains).subspan(first, count), run.asked.plan.settings.temperature,
                    run.asked.discard);
}

json_value conformers_as_json(finished_run const& run) {
  json_value::list all;
  for (std::size_t c = 0; c < run.minimised.size(); ++c) {
    auto const& one = run.minimised[c];
    all.push_back(json_value::object{{"conformer", c},
                                     {"iterations", one.iterations},
                                     {"energy", one.energy},
                                     {"greatest_force", one.greatest_force},
                                     {"torsions", torsions_as_json(one.system)}});
  }
  return all;
}

json_value chains_as_json(finished_run const& run) {
  json_value::list all;
  for (std::size_t i = 0; i < run.chains.size(); ++i) {
    auto const& chain = *run.chains[i];
    json_value::object one{{"conformer", i / run.asked.plan.chains},
                           {"chain", i % run.asked.plan.chains},
                           {"seed", chain.seed()},
                           {"decisions", decisions_of(chain)}};
    for (auto& member : members_of(summary_of_run(run, i, 1))) one.push_back(std::move(member));
    one.emplace_back("torsions", torsions_as_json(chain.state()));
    all.emplace_back(std::move(one));
  }
  return all;
}

}  // namespace

json_value energies_as_json(droplet const& start) { return start_members(start); }

json_value run_as_json(finished_run const& run) {
  auto whole = start_members(run.start);
  whole.emplace_back("settings", settings_as_json(run));
  whole.emplace_back("conformers", conformers_as_json(run));
  whole.emplace_back("chains", chains_as_json(run));
  whole.emplace_back("all", members_of(summary_of_run(run, 0, run.chains.size())));
  whole.emplace_back("stopped", run.was_stopped);
  whole.emplace_back("steps", run.steps());
  whole.emplace_back("launches", launches_as_json(run.launches));
  whole.emplace_back("minimiser_seconds", run.minimiser_seconds);
  whole.emplace_back("seconds", run.seconds);
  whole.emplace_back("interactions_per_second", run.interactions_per_second());
  return whole;
}

}  // namespace ballast::nanodroplet
