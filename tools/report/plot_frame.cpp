// SPDX-License-Identifier: Apache-2.0
#include "plot_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gnuplot_text.hpp"

namespace ballast {

std::string frame_commands(picture_size const& picture, panel_frame const& frame) {
  return fmt::format(
      "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\nset bmargin at screen "
      "{}\n",
      plotted(picture.x(frame.left)), plotted(picture.x(frame.right)), plotted(picture.y(frame.top)),
      plotted(picture.y(frame.bottom)));
}

std::string legend_commands(picture_size const& picture, panel_frame const& frame) {
  return fmt::format("set key at screen {}, screen {} left top vertical Left reverse samplen 2 maxrows 999\n",
                     plotted(picture.x(frame.right + 8)), plotted(picture.y(frame.top)));
}

int widest(std::vector<std::string> const& texts) {
  int most = 0;
  for (std::string const& one : texts) most = std::max(most, pixels_wide(one));
  return most;
}

int legend_width(std::vector<std::string> const& texts) { return widest(texts) + 60; }

std::string colour(std::size_t number) {
  constexpr std::array colours = {"'#0072B2'", "'#D55E00'", "'#009E73'", "'#CC79A7'",
                                  "'#E69F00'", "'#56B4E9'", "'#000000'", "'#888888'"};
  return colours.at(number % colours.size());
}

}  // namespace ballast
