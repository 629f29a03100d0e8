// SPDX-License-Identifier: Apache-2.0
#include "gaussian_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <future>
#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "splitmix.hpp"

namespace ballast::md {
namespace {

constexpr double spacing = 2.8, jitter = 0.2, peak = 0.5, charge = 0.02;
constexpr std::uint64_t lattice_seed = 20261120;

struct lattice {
  explicit lattice(std::size_t count)
      : width(std::cbrt(static_cast<double>(count) * spacing * spacing * spacing /
                        (peak * std::pow(2 * std::numbers::pi, 1.5)))),
        half(static_cast<std::uint64_t>(std::ceil(4 * width / spacing))) {
    for (std::uint64_t i = 0; i < sites(); ++i) falloff.push_back(std::exp(-square(i) / (2 * width * width)));
  }

  std::uint64_t sites() const { return 2 * half; }
  double at(std::uint64_t i) const {
    return spacing * (static_cast<double>(i) - static_cast<double>(half) + 0.5);
  }
  double square(std::uint64_t i) const { return at(i) * at(i); }

  double width;
  std::uint64_t half;
  std::vector<double> falloff;  ///< exp(-x^2 / 2 width^2) along one axis
};

struct candidate {
  double key;
  std::uint64_t site;

  bool operator<(candidate const& other) const {
    return std::pair(key, site) < std::pair(other.key, other.site);
  }
};

double chance(std::uint64_t site, unsigned n) { return splitmix::uniform(lattice_seed ^ (4 * site + n)); }

/// The expected number of sites with a key below `threshold`: the integral of 1 - exp(-threshold * falloff).
double expected_below(double threshold, double width) {
  double sum = 0;
  for (int i = 0; i < 400; ++i) {
    double const r = (i + 0.5) * 0.01;
    sum += r * r * 0.01 * -std::expm1(-threshold * std::exp(-0.5 * r * r));
  }
  return 4 * std::numbers::pi * sum * std::pow(width / spacing, 3);
}

double threshold_for(std::size_t count, double width) {
  double const wanted = static_cast<double>(count) * 1.005 + 6 * std::sqrt(static_cast<double>(count));
  double threshold = peak;
  while (threshold < 64 && expected_below(threshold, width) < wanted) threshold *= 1.01;
  return threshold;
}

/// The sites of one row whose key is at most `threshold`. -ln u >= 1 - u saves nearly every site the
/// logarithm.
void collect_row(lattice const& grid, double threshold, std::uint64_t j, std::uint64_t k,
                 std::vector<candidate>& found) {
  double const rest = grid.square(j) + grid.square(k);
  double const across = threshold * grid.falloff[j] * grid.falloff[k] * (1 + 1e-9);
  std::uint64_t const row = (k * grid.sites() + j) * grid.sites();
  for (std::uint64_t i = 0; i < grid.sites(); ++i) {
    double const u = chance(row + i, 3);
    double const square = grid.square(i) + rest;
    if (1 - u > across * grid.falloff[i] || square > 16 * grid.width * grid.width) continue;
    double const key = -std::log(u) * std::exp(square / (2 * grid.width * grid.width));
    if (key <= threshold) found.push_back({key, row + i});
  }
}

/// The candidates of layers begin .. end - 1.
std::vector<candidate> collect_layers(lattice const& grid, double threshold, std::uint64_t begin,
                                      std::uint64_t end) {
  std::vector<candidate> found;
  for (std::uint64_t k = begin; k < end; ++k)
    for (std::uint64_t j = 0; j < grid.sites(); ++j) collect_row(grid, threshold, j, k, found);
  return found;
}

/// The candidates of all layers, in ascending order of sites. Uses every core, unless there are too few
/// layers.
std::vector<candidate> collect(lattice const& grid, double threshold) {
  std::uint64_t const layers = grid.sites(), cores = cores_of_process().usable;
  std::uint64_t const parts = std::clamp<std::uint64_t>(layers / 8, 1, cores);
  blocked_signals const of_other_threads;
  std::vector<std::future<std::vector<candidate>>> rest;
  for (std::uint64_t part = 1; part < parts; ++part)
    rest.push_back(std::async(std::launch::async, &collect_layers, std::cref(grid), threshold,
                              layers * part / parts, layers * (part + 1) / parts));
  auto all = collect_layers(grid, threshold, 0, layers / parts);
  for (auto& part : rest) std::ranges::copy(part.get(), std::back_inserter(all));
  return all;
}

std::vector<std::uint64_t> chosen_sites(lattice const& grid, std::size_t count) {
  std::vector<candidate> all;
  for (double threshold = threshold_for(count, grid.width); all.size() < count; threshold *= 1.5)
    all = collect(grid, threshold);
  auto order = all;
  auto const last = order.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(order.begin(), last, order.end());
  std::vector<std::uint64_t> sites;
  for (auto const& c : all)
    if (!(*last < c)) sites.push_back(c.site);
  return sites;
}

void add_site(atoms& all, lattice const& grid, std::uint64_t site) {
  std::uint64_t const i = site % grid.sites(), j = site / grid.sites() % grid.sites(),
                      k = site / grid.sites() / grid.sites();
  auto const shifted = [&](std::uint64_t index, unsigned n) {
    return grid.at(index) + jitter * (2 * chance(site, n) - 1);
  };
  add_atom(all, static_cast<std::int64_t>(all.size() + 1), 0, {shifted(i, 0), shifted(j, 1), shifted(k, 2)},
           {}, (i + j + k) % 2 == 1 ? -charge : charge, helium_mass);
}

/// Three independent normal numbers, drawn by seed and id. Two uniform numbers become two normal ones (Box,
/// Muller 1958); the third takes half of a second pair.
vec3 normal_triple(std::uint64_t seed, std::int64_t id) {
  auto const u = [&](unsigned n) {
    return splitmix::uniform(splitmix::mix(seed) ^ (4 * static_cast<std::uint64_t>(id) + n));
  };
  double const a = std::sqrt(-2 * std::log(u(0))), b = std::sqrt(-2 * std::log(u(2)));
  double const turn = 2 * std::numbers::pi;
  return {a * std::cos(turn * u(1)), a * std::sin(turn * u(1)), b * std::cos(turn * u(3))};
}

void stop_drift(atoms& all) {
  vec3 const p = momentum(all);
  double mass = 0;
  for (double const m : all.mass) mass += m;
  for (auto& v : all.velocity) v = {v.x - p.x / mass, v.y - p.y / mass, v.z - p.z / mass};
}

/// Throws bad_argument ("temperature") below 0 or above the limit, where the lightest atom would usually
/// exceed the speed of light, and soon all bounds.
void check_temperature(atoms const& all, double kelvin) {
  double const lightest = all.mass.empty() ? 1.0 : *std::ranges::min_element(all.mass);
  double const hottest = lightest * light_speed * light_speed / (boltzmann * acceleration);
  if (kelvin >= 0 && kelvin <= hottest) return;
  throw_bad_argument(
      "temperature", kelvin,
      "0 to " + std::to_string(hottest) + " Kelvin, where the lightest atom is as fast as light");
}

void scale_velocities(atoms& all, double factor) {
  for (auto& v : all.velocity) v = {v.x * factor, v.y * factor, v.z * factor};
}

}  // namespace

atoms gaussian_system(std::size_t count) {
  if (count < 1 || count > std::size_t(1) << 30) { throw_bad_argument("atoms", count, "1 to 1073741824"); }
  lattice const grid(count);
  atoms all;
  double const edge = spacing * static_cast<double>(grid.half);
  all.box = {{-edge, -edge, -edge}, {edge, edge, edge}};
  all.type_name = {"He"};
  all.parameters = helium_parameters;
  for (auto const site : chosen_sites(grid, count)) add_site(all, grid, site);
  return all;
}

void draw_velocities(atoms& all, double kelvin, std::uint64_t seed) {
  check_temperature(all, kelvin);
  for (std::size_t i = 0; i < all.size(); ++i) {
    double const width = std::sqrt(boltzmann * kelvin / all.mass[i] * acceleration);
    vec3 const n = normal_triple(seed, all.id[i]);
    all.velocity[i] = {width * n.x, width * n.y, width * n.z};
  }
  stop_drift(all);
  double const drawn = temperature(all);
  scale_velocities(all, drawn > 0 ? std::sqrt(kelvin / drawn) : 0.0);
}

}  // namespace ballast::md
