// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "droplet.hpp"
#include "force_field.cuh"
#include "local_sampling.hpp"
#include "reference_forces.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"

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

template <class Part>
chain_summary summed(std::span<std::unique_ptr<markov_chain> const> chains, double temperature,
                     Part const& counted) {
  double const atoms = chains.empty() ? 0 : static_cast<double>(chains.front()->state().atoms());
  summing sums(boltzmann * temperature, 3 * atoms);
  for (auto const& chain : chains)
    for (auto const& record : counted(*chain)) sums.add(record);
  return sums.means();
}

std::vector<std::pair<std::string, double>> listed(energy_terms const& energy) {
  return {{"bond", energy.bond}, {"angle", energy.angle},     {"dihedral", energy.dihedral},
          {"vdw", energy.vdw},   {"coulomb", energy.coulomb}, {"total", energy.total()}};
}

json_value as_json(energy_terms const& energy) {
  json_value::object members;
  for (auto const& [name, value] : listed(energy)) members.emplace_back(name, value);
  return members;
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

json_value as_json(glat_rules const& rules) {
  return json_value::object{
      {"look_every", rules.look_every}, {"most_ratio", rules.most_ratio}, {"window", rules.window}};
}

json_value settings_as_json(finished_run const& run) {
  auto const& plan = run.asked.plan;
  auto const& settings = plan.settings;
  auto const& options = run.asked.options;
  json_value::object of_queue{
      {"order", options.order}, {"key", options.key}, {"merge", options.merge}, {"streams", options.streams}};
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
                            {"seed", plan.seed},
                            {"glat", run.asked.glat ? as_json(*run.asked.glat) : json_value()}};
}

json_value launches_as_json(std::optional<launch_statistics> const& of_queue) {
  if (!of_queue) return {};
  json_value::object all, verdicts;
  for (auto const& [name, count] : of_queue->listed()) all.emplace_back(name, count);
  for (auto const& [verdict, count] : of_queue->verdicts.listed()) verdicts.emplace_back(verdict.name, count);
  all.emplace_back("verdicts", std::move(verdicts));
  all.emplace_back("costs", json_value::list_of(of_queue->costs));
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
    json_value::object one{{"conformer", i / run.asked.plan.chains},  // with glat, indices of the regions'
                                                                      // list
                           {"chain", i % run.asked.plan.chains},
                           {"seed", chain.seed()},
                           {"decisions", decisions_of(chain)}};
    for (auto& member : members_of(summary_of_run(run, i, 1))) one.push_back(std::move(member));
    one.emplace_back("torsions", torsions_as_json(chain.state()));
    all.emplace_back(std::move(one));
  }
  return all;
}

std::vector<std::string> cells_of(chain_summary const& mean) {
  return {rounded(mean.acceptance()),
          rounded(mean.expected_acceptance()),
          rounded(mean.boltzmann_factor) + " +- " + rounded(mean.boltzmann_error, 2),
          rounded(mean.potential.total(), 6),
          rounded(mean.temperature),
          rounded(mean.gyration_radius),
          rounded(mean.greatest_radius)};
}

void add_row(table& to, std::vector<std::string> names, chain_summary const& mean) {
  for (auto& cell : cells_of(mean)) names.push_back(std::move(cell));
  to.add_row(std::move(names));
}

std::string chains_as_text(finished_run const& run) {
  table rows({{"conformer"},
              {"chain"},
              {"accepted"},
              {"erfc"},
              {"<exp(-dH/kT)>"},
              {"potential"},
              {"T in K"},
              {"radius in A"},
              {"farthest"}});
  auto const of_each = run.asked.plan.chains;
  for (std::size_t i = 0; i < run.chains.size(); ++i)
    add_row(rows, {std::to_string(i / of_each), std::to_string(i % of_each)}, summary_of_run(run, i, 1));
  add_row(rows, {"all", "all"}, summary_of_run(run, 0, run.chains.size()));
  return rows.text(charset_of_environment());
}

std::string heading(finished_run const& run) {
  auto const& plan = run.asked.plan;
  return fmt::format("{} waters, {} beads; {} {}, {} chains each; --launch {}{}{}, driven by threads: {}\n",
                     run.start.waters(), run.start.beads.size(),
                     run.asked.glat ? run.regions.size() : plan.conformers,
                     run.asked.glat ? "regions" : "conformers", plan.chains, run.asked.mode->name,
                     run.devices.empty() ? "" : " on ", fmt::join(run.devices, ","), plan.threads);
}

std::string ending(finished_run const& run) {
  return fmt::format("{}{} steps in {} (after {} of minimising): {}\n", run.was_stopped ? "stopped; " : "",
                     run.steps(), duration_text(run.seconds), duration_text(run.minimiser_seconds),
                     with_unit(run.interactions_per_second(), "interactions/s"));
}

}  // namespace

double chain_summary::expected_acceptance() const {
  return std::erfc(std::sqrt(std::max(0.0, energy_error)) / 2);
}

chain_summary summary_of(std::span<std::unique_ptr<markov_chain> const> chains, double temperature,
                         std::size_t discarded) {
  return summed(chains, temperature, [=](markov_chain const& chain) {
    std::span const all(chain.records());
    return all.subspan(std::min(discarded, all.size()));
  });
}

chain_summary summary_of_run(finished_run const& run, std::size_t first, std::size_t count) {
  auto const chains = std::span(run.chains).subspan(first, count);
  double const temperature = run.asked.plan.settings.temperature;
  return run.asked.glat ? summed(chains, temperature, &settled_part)
                        : summary_of(chains, temperature, run.asked.discard);
}

std::string decisions_of(markov_chain const& chain) {
  std::string letters;
  for (auto const& record : chain.records()) letters += record.accepted ? '1' : '0';
  return letters;
}

json_value energies_as_json(droplet const& start) { return start_members(start); }

json_value run_as_json(finished_run const& run) {
  auto whole = start_members(run.start);
  whole.emplace_back("settings", settings_as_json(run));
  whole.emplace_back("conformers", conformers_as_json(run));
  whole.emplace_back("chains", chains_as_json(run));
  whole.emplace_back("all", members_of(summary_of_run(run, 0, run.chains.size())));
  whole.emplace_back("regions", run.asked.glat ? regions_as_json(run) : json_value());
  whole.emplace_back("global", run.asked.glat ? global_as_json(run) : json_value());
  whole.emplace_back("stopped", run.was_stopped);
  whole.emplace_back("steps", run.steps());
  whole.emplace_back("launches", launches_as_json(run.launches));
  whole.emplace_back("minimiser_seconds", run.minimiser_seconds);
  whole.emplace_back("seconds", run.seconds);
  whole.emplace_back("interactions_per_second", run.interactions_per_second());
  return whole;
}

std::string energies_as_text(droplet const& start) {
  table rows({{"energy", alignment::left}, {"kcal/mol"}});
  for (auto const& [name, energy] : listed(energy_of(start))) rows.add_row({name, rounded(energy, 12)});
  return rows.text(charset_of_environment());
}

std::string run_as_text(finished_run const& run) {
  return heading(run) + (run.asked.glat ? regions_as_text(run) : chains_as_text(run)) + ending(run);
}

}  // namespace ballast::nanodroplet
