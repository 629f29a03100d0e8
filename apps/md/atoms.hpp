// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::md {

/// Units everywhere in md: Angstrom, femtosecond, kcal/mol, elementary charge, g/mol, Kelvin.
struct vec3 {
  double x = 0, y = 0, z = 0;

  bool operator==(vec3 const&) const = default;
};

/// The space in which the atoms were given: low <= position < high. Atoms of open systems may leave it.
struct bounds {
  vec3 low, high;

  double length(int axis) const {
    return axis == 0 ? high.x - low.x : axis == 1 ? high.y - low.y : high.z - low.z;
  }
  bool operator==(bounds const&) const = default;
};

/// One pair of parameters for all atoms: epsilon in kcal/mol, sigma in Angstrom.
struct lennard_jones {
  double epsilon = 0, sigma = 0;

  bool operator==(lennard_jones const&) const = default;
};

constexpr lennard_jones helium_parameters{0.0203093, 2.556};
constexpr double helium_mass = 4.002602;
constexpr double boltzmann = 0.0019872067;                          ///< kcal/mol/K
constexpr double acceleration = 1.0 / (48.88821291 * 48.88821291);  ///< converts (kcal/mol/A)/(g/mol) to
                                                                    ///< A/fs^2
constexpr double light_speed = 2997.92458;                          ///< A/fs
constexpr double max_coordinate = 1e9;                              ///< beyond it a run has diverged

/// The state of a system: arrays of equal length, one entry per atom.
struct atoms {
  std::vector<vec3> position, velocity;
  std::vector<double> charge, mass;
  std::vector<std::int64_t> id;
  std::vector<std::uint16_t> type;     ///< index into type_name
  std::vector<std::string> type_name;  ///< an element symbol, or the type's number as text
  bounds box;
  bool box_is_given = true;                 ///< false: the file had no box, `box` only encloses the atoms
  std::optional<lennard_jones> parameters;  ///< empty: the file did not contain any

  std::size_t size() const { return position.size(); }
  bool operator==(atoms const&) const = default;
};

/// The size of one atom in the arrays of `atoms`.
inline constexpr std::size_t bytes_of_an_atom =
    2 * sizeof(vec3) + 2 * sizeof(double) + sizeof(std::int64_t) + sizeof(std::uint16_t);

/// Appends one atom.
void add_atom(atoms& all, std::int64_t id, std::uint16_t type, vec3 position, vec3 velocity, double charge,
              double mass);

/// The atoms in another order: entry i of the result is entry order[i] of `from`.
atoms reordered(atoms const& from, std::vector<std::uint32_t> const& order);

/// The indices of the atoms in ascending order of their ids.
std::vector<std::uint32_t> order_of_ids(atoms const& all);

/// Throws bad_argument if there is no atom or more than 2^31 - 1, a coordinate, velocity or charge that is
/// not finite or beyond +-1e9, or a mass that is not positive. The sentence names the atom's id.
void check_atoms(atoms const& all);

/// The smallest box around the positions; a side without extent is widened to 1 Angstrom.
bounds enclosing_box(std::vector<vec3> const& position);

/// The kinetic energy in kcal/mol.
double kinetic_energy(atoms const& all);
/// The temperature in Kelvin, from 3 degrees of freedom per atom, 3 fewer if `free_of_drift`; 0 for a single
/// atom.
double temperature(atoms const& all, bool free_of_drift = true);
/// The total momentum in (g/mol)(A/fs).
vec3 momentum(atoms const& all);

/// The mass of an element by its symbol in g/mol (helium as in helium_mass), if the table has it: H .. Kr, Xe
/// and a few more.
std::optional<double> mass_of_element(std::string_view symbol);

/// The symbol of the element whose mass is within 0.01 of `mass`; "X" if there is none.
std::string element_of_mass(double mass);

}  // namespace ballast::md
