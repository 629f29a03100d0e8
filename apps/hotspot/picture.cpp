// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "ballast/replace_file.hpp"

namespace ballast::hotspot {
namespace {

/// How bright a third of the scale is, which begins at `begin`.
std::uint8_t brightness(double heat, double begin) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(3 * heat - begin, 0.0, 1.0)));
}

}  // namespace

colour colour_of(double temperature) {
  if (std::isnan(temperature)) return {0, 0, 255};
  double const heat =
      std::clamp((temperature - coldest_colour) / (hottest_colour - coldest_colour), 0.0, 1.0);
  return {brightness(heat, 0), brightness(heat, 1), brightness(heat, 2)};
}

template <class Real>
void write_picture(std::string const& path, plate const& of, std::span<Real const> temperature) {
  replace_file(path, [&](std::ostream& out) {
    out << "P6\n" << of.columns << ' ' << of.rows << "\n255\n";
    for (Real const t : temperature)
      for (std::uint8_t const part : colour_of(double(t))) out.put(static_cast<char>(part));
  });
}

template void write_picture(std::string const&, plate const&, std::span<float const>);
template void write_picture(std::string const&, plate const&, std::span<double const>);

}  // namespace ballast::hotspot
