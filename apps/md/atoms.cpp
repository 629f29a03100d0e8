// SPDX-License-Identifier: Apache-2.0
#include "atoms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ballast/error.hpp"

namespace ballast::md {
namespace {

struct element {
  std::string_view symbol;
  double mass;
};

/// Abridged standard atomic weights (IUPAC 2021).
constexpr element elements[] = {
    {"H", 1.008},   {"He", helium_mass}, {"Li", 6.94},   {"Be", 9.0122}, {"B", 10.81},   {"C", 12.011},
    {"N", 14.007},  {"O", 15.999},       {"F", 18.998},  {"Ne", 20.180}, {"Na", 22.990}, {"Mg", 24.305},
    {"Al", 26.982}, {"Si", 28.085},      {"P", 30.974},  {"S", 32.06},   {"Cl", 35.45},  {"Ar", 39.95},
    {"K", 39.098},  {"Ca", 40.078},      {"Fe", 55.845}, {"Ni", 58.693}, {"Cu", 63.546}, {"Kr", 83.798},
    {"Ag", 107.87}, {"I", 126.90},       {"Xe", 131.29}, {"Pt", 195.08}, {"Au", 196.97},
};

bool sound(double value) { return std::isfinite(value) && std::abs(value) <= max_coordinate; }

template <class T>
std::vector<T> taken(std::vector<T> const& from, std::vector<std::uint32_t> const& order) {
  std::vector<T> result;
  result.reserve(order.size());
  for (auto const index : order) result.push_back(from[index]);
  return result;
}

[[noreturn]] void throw_bad_atom(atoms const& all, std::size_t i, std::string_view what, double value,
                                 std::string_view legal) {
  throw_bad_argument("the " + std::string(what) + " of atom " + std::to_string(all.id[i]), value, legal);
}

void check_components(atoms const& all, std::size_t i, std::string_view what, vec3 const& v,
                      std::string_view legal) {
  for (double const component : {v.x, v.y, v.z})
    if (!sound(component)) throw_bad_atom(all, i, what, component, legal);
}

void check_atom(atoms const& all, std::size_t i) {
  check_components(all, i, "position", all.position[i], "a finite coordinate within 1e9 Angstrom");
  check_components(all, i, "velocity", all.velocity[i], "a finite component within 1e9 Angstrom/fs");
  double const charge = all.charge[i], mass = all.mass[i];
  if (!sound(charge)) throw_bad_atom(all, i, "charge", charge, "a finite number within 1e9");
  if (!sound(mass) || mass <= 0) throw_bad_atom(all, i, "mass", mass, "more than 0 and at most 1e9");
}

void widen(double& low, double& high) {
  if (high - low >= 1.0) return;
  double const middle = 0.5 * (low + high);
  low = middle - 0.5;
  high = middle + 0.5;
}

double square(vec3 const& v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

}  // namespace

std::optional<double> mass_of_element(std::string_view symbol) {
  for (auto const& e : elements)
    if (e.symbol == symbol) return e.mass;
  return std::nullopt;
}

std::string element_of_mass(double mass) {
  for (auto const& e : elements)
    if (std::abs(e.mass - mass) <= 0.01) return std::string(e.symbol);
  return "X";
}

void add_atom(atoms& all, std::int64_t id, std::uint16_t type, vec3 position, vec3 velocity, double charge,
              double mass) {
  all.position.push_back(position);
  all.velocity.push_back(velocity);
  all.charge.push_back(charge);
  all.mass.push_back(mass);
  all.id.push_back(id);
  all.type.push_back(type);
}

atoms reordered(atoms const& from, std::vector<std::uint32_t> const& order) {
  return {taken(from.position, order),
          taken(from.velocity, order),
          taken(from.charge, order),
          taken(from.mass, order),
          taken(from.id, order),
          taken(from.type, order),
          from.type_name,
          from.box,
          from.box_is_given,
          from.parameters};
}

std::vector<std::uint32_t> order_of_ids(atoms const& all) {
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](auto a, auto b) { return all.id[a] < all.id[b]; });
  return order;
}

void check_atoms(atoms const& all) {
  if (all.size() == 0) throw_bad_argument("atoms", 0, "at least 1");
  if (all.size() > std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw_bad_argument("atoms", all.size(), "at most 2147483647");
  for (std::size_t i = 0; i < all.size(); ++i) check_atom(all, i);
}

bounds enclosing_box(std::vector<vec3> const& position) {
  if (position.empty()) return {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  bounds box{position.front(), position.front()};
  for (auto const& p : position) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
  }
  widen(box.low.x, box.high.x);
  widen(box.low.y, box.high.y);
  widen(box.low.z, box.high.z);
  return box;
}

double kinetic_energy(atoms const& all) {
  double twice = 0;
  for (std::size_t i = 0; i < all.size(); ++i) twice += all.mass[i] * square(all.velocity[i]);
  return 0.5 * twice / acceleration;
}

double temperature(atoms const& all, bool free_of_drift) {
  double const freedoms = 3.0 * static_cast<double>(all.size()) - (free_of_drift ? 3.0 : 0.0);
  return freedoms > 0 ? 2 * kinetic_energy(all) / (freedoms * boltzmann) : 0.0;
}

vec3 momentum(atoms const& all) {
  vec3 sum;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum.x += all.mass[i] * all.velocity[i].x;
    sum.y += all.mass[i] * all.velocity[i].y;
    sum.z += all.mass[i] * all.velocity[i].z;
  }
  return sum;
}

}  // namespace ballast::md
