// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast {

/// Which figure of a record is meant.
struct record_figure {
  enum class kind { curve, series, derived, number };

  std::string benchmark;
  kind what = kind::number;
  std::vector<std::string> names;  ///< the first that the record has; * stands for anything, the last such
  /// On a curve: the first that it has of numbers, first, last, most, least. Of series: which of those that
  /// fit. Of a ratio of two curves also each: the least ratio over the places of both.
  std::vector<std::string> places;
  bool takes_place = false;  ///< where on the curve it is, instead of the median there
  double number = 0;         ///< kind::number: itself
};

/// A figure, or its ratio to another.
struct figure_ratio {
  record_figure value;
  std::optional<record_figure> over;
};

/// One figure that a paper states, and what stands beside it here.
struct published_value {
  std::string series;
  std::optional<double> x;
  double y = 0;
  std::string unit;
  std::string source;  ///< where the paper says so: "section 6.3.1", "Table 1"
  std::optional<figure_ratio> ours;
};

/// What must hold for a figure to be reproduced.
struct figure_check {
  std::string says;
  figure_ratio value;
  std::optional<double> at_least, at_most;
};

/// On how many devices a figure is measured: a record of another number does not count.
enum class figure_devices { any, one, several };

/// A figure or table, or a section that states measurements, and the benchmarks that redo it.
struct published_figure {
  std::string figure;  ///< "Fig. 7", "Figs. 6 and 7", "section 5.2"
  std::string title;
  std::string note;  ///< may be empty
  std::vector<std::string> benchmarks;
  figure_devices devices = figure_devices::any;
  std::optional<std::uint32_t> connections;  ///< hardware connections of the paper's GPU, if they matter
  std::vector<published_value> values;
  std::vector<figure_check> checks;  ///< all must hold; at least one
};

struct published_paper {
  std::string key;         ///< "chen2010"
  std::string short_name;  ///< "Chen 2010"
  std::string title, machine;
  std::string results;  ///< the page of docs/results that discusses it
  std::vector<published_figure> figures;
};

/// How long a benchmark took once, in seconds: quick on two CPU cores, whole on a GPU. 0: not known.
struct benchmark_duration {
  double quick = 0, whole = 0;
};

/// The five papers and what they published: bench/published.json, which is part of the program.
struct published_papers {
  std::vector<published_paper> papers;
  std::map<std::string, benchmark_duration> durations;  ///< by benchmark

  /// Throws bad_argument ("NAME") with the keys.
  published_paper const& named(std::string_view key) const;
  /// "Chen 2010, Fig. 5 and Fig. 8" for a benchmark that redoes them, else empty.
  std::string figures_of(std::string_view benchmark) const;
};

/// The file's text, read. Throws ballast::error with what is wrong.
published_papers read_papers(std::string_view json);

/// Those of bench/published.json, as it was when this was compiled.
published_papers const& all_papers();

}  // namespace ballast
