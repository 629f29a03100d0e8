// SPDX-License-Identifier: Apache-2.0
#include "report/plot.hpp"

#include <string>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "report/child_program.hpp"

namespace ballast {
namespace {

/// Runs the gnuplot found in PATH, without the user's settings (-d).
child_end end_of_gnuplot(std::string const& script) {
  try {
    return run_child({.words = {"gnuplot", "-d"}, .input = script});
  } catch (no_such_program const&) {
    throw error("there is no gnuplot in PATH; install it (on Debian the package gnuplot-nox)");
  }
}

}  // namespace

std::string picture_of(std::string const& script) {
  auto const end = end_of_gnuplot(script);
  if (end.code != 0) throw error("gnuplot failed: " + end.complaints);
  if (end.output.find("</svg>") == std::string::npos) throw error("gnuplot drew no picture");
  return end.output;
}

void write_plot(std::filesystem::path const& svg, std::span<run_record const> records) {
  replace_file(svg, picture_of(plot_script(records)));
}

}  // namespace ballast
