// SPDX-License-Identifier: Apache-2.0
#include "md/uniform_system.hpp"

#include <cstdint>

#include "ballast/error.hpp"
#include "splitmix.hpp"

namespace ballast::bench {
namespace {

constexpr double spacing = 4, jitter = 0.2, charge = 0.02;
constexpr std::uint64_t shaking_seed = 20261121;

double place(std::uint64_t along, std::uint64_t site, unsigned axis) {
  double const shift = 2 * splitmix::uniform(shaking_seed ^ (4 * site + axis)) - 1;
  return spacing * (double(along) + 0.5) + jitter * shift;
}

}  // namespace

md::atoms uniform_system(unsigned doublings) {
  if (doublings > 30) throw_bad_argument("doublings", doublings, "0 to 30");
  std::uint64_t const nx = 1ull << ((doublings + 2) / 3), ny = 1ull << ((doublings + 1) / 3),
                      nz = 1ull << (doublings / 3);
  md::atoms all;
  all.box = {{0, 0, 0}, {spacing * double(nx), spacing * double(ny), spacing * double(nz)}};
  all.type_name = {"He"};
  all.parameters = md::helium_parameters;
  for (std::uint64_t site = 0; site < nx * ny * nz; ++site) {
    auto const i = site % nx, j = site / nx % ny, k = site / nx / ny;
    md::add_atom(all, std::int64_t(site + 1), 0, {place(i, site, 0), place(j, site, 1), place(k, site, 2)},
                 {}, (i + j + k) % 2 == 1 ? -charge : charge, md::helium_mass);
  }
  return all;
}

}  // namespace ballast::bench
