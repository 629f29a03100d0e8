// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ballast {

/// Any text as a literal gnuplot string: a legal_text() in single quotes, in which gnuplot expands nothing.
/// Single quotes in the text are doubled, and control characters become blanks (a new line would end the
/// string). "]]>", which would end the part of an SVG picture that holds texts, becomes "]] >". Drawn with a
/// `noenhanced` terminal.
std::string gnuplot_string(std::string_view text);

/// gnuplot_string() for a tick's label, in which gnuplot would expand %: percent signs are doubled, too.
std::string gnuplot_tick(std::string_view text);

/// A number as gnuplot reads it, with nine significant digits: more than a picture shows. Throws
/// ballast::error if it is not finite, which gnuplot would take for the name of a variable.
std::string plotted(double number);

/// The approximate width in pixels of a drawn text: each code point counts as one letter of the picture's
/// font.
int pixels_wide(std::string_view text);

/// The size of the whole picture; pixels count from its upper left corner.
struct picture_size {
  int width = 0, height = 0;

  double x(int pixels) const { return double(pixels) / width; }       ///< a fraction of the whole
  double y(int pixels) const { return 1 - double(pixels) / height; }  ///< from below
};

/// The rectangle in which a panel draws its data, without labels.
struct panel_frame {
  int left = 0, right = 0, top = 0, bottom = 0;
};

/// The commands that draw the next plot inside `frame`.
std::string frame_commands(picture_size const& picture, panel_frame const& frame);

/// The commands that put the legend of the next plot to the right of `frame`.
std::string legend_commands(picture_size const& picture, panel_frame const& frame);

/// The width in pixels of a legend with these texts.
int legend_width(std::vector<std::string> const& texts);

/// The width in pixels of the widest text.
int widest(std::vector<std::string> const& texts);

/// The number of colours.
inline constexpr std::size_t colours = 8;

/// One of the colours, as a quoted string, chosen so that colour-blind people can tell neighbours apart
/// (Okabe and Ito); the ninth is the first again.
std::string colour(std::size_t number);

/// How gnuplot writes the values along an axis.
struct axis_scale {
  bool log = false;
  bool includes_unit = false;         ///< each tick names the unit, so the axis need not
  double divisor = 1;                 ///< divides the values before drawing: 0.002 s is drawn at 2,
  std::string suffix = {};            ///< and " ms" follows
  std::string tick_format = "%.10g";  ///< gnuplot's format: a number and the suffix
};

/// The scale for values in `unit` from `smallest` to `largest`. Seconds get the prefixes n, µ and m, rates
/// and bytes k, M and G, other units none. `log` stays set unless `smallest` is 0 or less, which a
/// logarithmic axis cannot show.
axis_scale scale_for(std::string_view unit, double smallest, double largest, bool log);

/// A value with four significant digits and the prefix that suits it: "391.2 µs".
std::string value_text(std::string_view unit, double value);

}  // namespace ballast
