// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ballast {

/// The whole picture, in pixels from its left upper corner.
struct picture_size {
  int width = 0, height = 0;

  double x(int pixels) const { return double(pixels) / width; }       ///< as gnuplot counts: a part of all
  double y(int pixels) const { return 1 - double(pixels) / height; }  ///< from below
};

/// The rectangle that a panel draws its data in, without labels.
struct panel_frame {
  int left = 0, right = 0, top = 0, bottom = 0;
};

/// The commands that make it the place of the next plot.
std::string frame_commands(picture_size const& picture, panel_frame const& frame);

/// The commands that put a legend to the right of it.
std::string legend_commands(picture_size const& picture, panel_frame const& frame);
/// How wide that is, in pixels, for these texts.
int legend_width(std::vector<std::string> const& texts);

/// The widest of the texts, in pixels.
int widest(std::vector<std::string> const& texts);

/// A colour that people who see few still tell from its neighbours (Okabe and Ito), as a quoted string; they
/// come round again after eight.
std::string colour(std::size_t number);

}  // namespace ballast
