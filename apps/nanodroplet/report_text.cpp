// SPDX-License-Identifier: Apache-2.0
#include "chain_summary.hpp"
#include "reference_forces.hpp"
#include "report.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"

namespace ballast::nanodroplet {
namespace {

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

std::string joined(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

std::string heading(finished_run const& run) {
  auto const& plan = run.asked.plan;
  return std::to_string(run.start.waters()) + " waters, " + std::to_string(run.start.beads.size()) +
         " beads; " + std::to_string(plan.conformers) + " conformers, " + std::to_string(plan.chains) +
         " chains each; --launch " + std::string(run.asked.mode->name) +
         (run.devices.empty() ? "" : " on " + joined(run.devices)) +
         ", driven by threads: " + std::to_string(plan.threads) + "\n";
}

std::string ending(finished_run const& run) {
  return std::string(run.was_stopped ? "stopped; " : "") + std::to_string(run.steps()) + " steps in " +
         duration_text(run.seconds) + " (after " + duration_text(run.minimiser_seconds) +
         " of minimising): " + rounded(run.interactions_per_second()) + " interactions/s\n";
}

}  // namespace

std::string energies_as_text(droplet const& start) {
  auto const e = energy_of(start);
  table rows({{"energy", alignment::left}, {"kcal/mol"}});
  rows.add_row({"bond", rounded(e.bond, 12)});
  rows.add_row({"angle", rounded(e.angle, 12)});
  rows.add_row({"dihedral", rounded(e.dihedral, 12)});
  rows.add_row({"vdw", rounded(e.vdw, 12)});
  rows.add_row({"coulomb", rounded(e.coulomb, 12)});
  rows.add_row({"total", rounded(e.total(), 12)});
  return rows.text(charset_of_environment());
}

std::string run_as_text(finished_run const& run) {
  table rows({{"conformer"},
              {"chain"},
              {"accepted"},
              {"erfc"},
              {"<exp(-dH/kT)>"},
              {"potential"},
              {"T in K"},
              {"radius in A"},
              {"farthest"}});
  std::span const chains(run.chains);
  auto const& plan = run.asked.plan;
  auto const summary = [&](std::size_t first, std::size_t count) {
    return summary_of(chains.subspan(first, count), plan.settings.temperature, run.asked.discard);
  };
  for (std::size_t i = 0; i < chains.size(); ++i)
    add_row(rows, {std::to_string(i / plan.chains), std::to_string(i % plan.chains)}, summary(i, 1));
  add_row(rows, {"all", "all"}, summary(0, chains.size()));
  return heading(run) + rows.text(charset_of_environment()) + ending(run);
}

}  // namespace ballast::nanodroplet
