// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "ballast/report/table.hpp"
#include "reference_forces.hpp"

namespace ballast::nanodroplet {
namespace {

json_value::object members_of(energy_terms const& energy) {
  return {{"bond", energy.bond}, {"angle", energy.angle},     {"dihedral", energy.dihedral},
          {"vdw", energy.vdw},   {"coulomb", energy.coulomb}, {"total", energy.total()}};
}

json_value system_as_json(droplet const& system) {
  return json_value::object{{"waters", system.waters()},
                            {"beads", system.beads.size()},
                            {"atoms", system.atoms()},
                            {"interactions_per_step", interactions(system.waters(), system.beads.size())}};
}

}  // namespace

json_value energies_as_json(droplet const& system) {
  return json_value::object{{"system", system_as_json(system)}, {"energy", members_of(energy_of(system))}};
}

std::string energies_as_text(droplet const& system) {
  auto const e = energy_of(system);
  table rows({{"energy", alignment::left}, {"kcal/mol"}});
  rows.add_row({"bond", rounded(e.bond, 12)});
  rows.add_row({"angle", rounded(e.angle, 12)});
  rows.add_row({"dihedral", rounded(e.dihedral, 12)});
  rows.add_row({"vdw", rounded(e.vdw, 12)});
  rows.add_row({"coulomb", rounded(e.coulomb, 12)});
  rows.add_row({"total", rounded(e.total(), 12)});
  return rows.text(charset_of_environment());
}

}  // namespace ballast::nanodroplet
