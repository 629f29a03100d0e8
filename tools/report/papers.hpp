// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/provenance.hpp"

namespace ballast {

/// Selects a figure of a record.
struct record_figure {
  enum class kind { curve, series, derived, number };

  std::string benchmark;
  kind what = kind::number;
  std::vector<std::string> names;  ///< the first that the record has applies; * stands for any text, and
                                   ///< selects the last match
  /// Where the value is read. On a curve: at the first of these places that the curve has. A place is a
  /// number (x), "first", "last", "most" or "least" (the largest or smallest y), or "level 2" or "level 2 +
  /// 1" (that many blocks on each multiprocessor, or one more in all). For series: the first place selects
  /// one of the series whose names fit. For a ratio of two curves a place may also be "each".
  std::vector<std::string> places;
  bool takes_place = false;  ///< the value is the place on the curve, instead of the median there
  double number = 0;         ///< kind::number: itself
};

/// A figure, or its ratio to another.
struct figure_ratio {
  record_figure value;
  std::optional<record_figure> over;
};

/// True if a name in a record_figure, which may contain one *, matches this text.
bool fits(std::string_view pattern, std::string_view text);

/// True if it is a ratio of two curves at each place that both have.
bool is_at_each_place(figure_ratio const& ratio);

/// One number that a paper states, and our counterpart; or a number that only we have.
struct published_value {
  std::string series;
  std::optional<double> x;
  std::optional<double> y;  ///< as published; none for ours alone
  std::string unit;
  std::string source;  ///< where the paper states it: "section 6.3.1", "Table 1"
  std::optional<figure_ratio> ours;
};

/// A condition for a figure to be reproduced. A single bound may come with a published number, which must
/// satisfy it: a value more than a tenth beyond that number is better than published.
struct figure_check {
  std::string says;
  figure_ratio value;
  std::optional<figure_ratio> expected;  ///< divides the value at each place
  std::optional<double> at_least, at_most, published;
};

/// The devices to which a paper's figure applies: records from others do not count.
struct figure_devices {
  std::size_t least = 1, most = ~std::size_t(0);  ///< how many
  bool gpus = false;                              ///< GPUs, not CPU cores
  bool unequal = false;                           ///< of unequal speed
};

/// A figure or table, or a section that states measurements, and the benchmarks that repeat it.
struct published_figure {
  std::string figure;  ///< "Fig. 7", "Figs. 6 and 7", "section 5.2"
  std::string title;
  std::string note;  ///< may be empty
  std::vector<std::string> benchmarks;
  figure_devices devices;
  std::optional<std::uint32_t> connections;  ///< hardware connections of the paper's GPU, if they matter
  std::map<std::string, std::string> sizes;  ///< parameters of a record at the paper's size, as JSON
  std::vector<published_value> values;
  std::vector<figure_check> checks;  ///< all must hold; at least one
};

/// Why records from these devices, named as in `--devices`, do not count for such a figure: "it is of GPUs",
/// or empty. Devices are unequal if they are parts of different sizes, slowed by different factors, or GPUs
/// of different models, as far as `gpus`, by index, shows.
std::string why_not_on(std::span<std::string const> devices, std::span<gpu_facts const> gpus,
                       figure_devices const& needed);

/// Devices to which the figure applies, as `--devices` takes them: "DEVICE,DEVICE", or "DEVICE,SLOWER
/// DEVICE".
std::string example_of(figure_devices const& needed);

struct published_paper {
  std::string key;         ///< "chen2010"
  std::string short_name;  ///< "Chen 2010"
  std::string title, machine;
  std::string authors, published_in;  ///< "Chen, Villa"; where and when
  std::string doi;                    ///< may be empty
  std::string results;                ///< the page of docs/results that discusses it
  std::vector<published_figure> figures;
};

/// The time of one run of a benchmark, in seconds: quick on two CPU cores, whole on a GPU. 0: not known.
struct benchmark_duration {
  double quick = 0, whole = 0;
};

/// The five papers and their published numbers: bench/published.json, which is compiled into the program.
struct published_papers {
  std::vector<published_paper> papers;
  std::map<std::string, benchmark_duration> durations;  ///< by benchmark

  /// Throws bad_argument ("NAME"), which lists the keys.
  published_paper const& named(std::string_view key) const;
  /// "Chen 2010, Fig. 5 and Fig. 8" for a benchmark that repeats them, else empty.
  std::string figures_of(std::string_view benchmark) const;
};

/// Parses the file's text. Throws ballast::error with the fault.
published_papers read_papers(std::string_view json);

/// The content of bench/published.json when this was compiled.
published_papers const& all_papers();

}  // namespace ballast
