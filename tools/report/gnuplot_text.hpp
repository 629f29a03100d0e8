// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ballast {

/// Any text as a string of gnuplot's that stands for itself: between single quotes, in which gnuplot expands
/// nothing, those of the text doubled, and signs below the blank (a new line would end the string) made
/// blanks. Drawn with a terminal that is `noenhanced`.
std::string gnuplot_string(std::string_view text);

/// The same for a tick's label, in which gnuplot looks for %.
std::string gnuplot_tick(std::string_view text);

/// A number as gnuplot reads it, nine significant digits: more than a picture shows.
std::string plotted(double number);

/// How many pixels wide a text is, about: one letter of the picture's font for each code point.
int pixels_wide(std::string_view text);

}  // namespace ballast
