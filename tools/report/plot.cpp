// SPDX-License-Identifier: Apache-2.0
#include "report/plot.hpp"

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "gnuplot.hpp"

namespace ballast {

void write_plot(std::filesystem::path const& svg, std::span<run_record const> records) {
  std::string const picture = output_of_gnuplot(plot_script(records));
  if (picture.find("</svg>") == picture.npos) throw error("gnuplot drew no picture for " + svg.string());
  replace_file(svg, picture);
}

}  // namespace ballast
