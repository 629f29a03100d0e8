// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/run_record.hpp"
#include "report/statistics.hpp"

namespace ballast {

/// Whether more of a quantity is better.
enum class tendency { smaller_is_better, larger_is_better, neither };

/// Derived from the unit: less of a time ("s", "us", "cycles", also per something: "ns/task") is better, more
/// of a rate ("tasks/s", "B/s"), and neither of all others ("1", "B").
tendency tendency_of(std::string_view unit);

enum class verdict { same, better, worse, changed };
/// "same", "better", "worse" or "changed".
std::string_view verdict_text(verdict one);

/// A series in both records.
struct compared_series {
  std::string name, unit;
  sample_summary a, b;
  /// The change of the median from `a` to `b`, in percent of a's size; infinite if only a's median is 0.
  double change_percent = 0;
  verdict outcome = verdict::same;
};

struct record_comparison {
  std::vector<compared_series> series;            ///< in a's order
  std::vector<std::string> only_in_a, only_in_b;  ///< names of series
  std::vector<std::string> doubts;  ///< sentences: why the records may not be comparable, or are no evidence
  bool worse = false;               ///< whether a series is worse, or b's answer was not verified
};

/// Whether b's samples differ significantly from a's: the medians differ by more than `threshold` percent of
/// a's, and the ranges from lower to upper quartile do not overlap (touching counts as overlap).
verdict compare_samples(sample_summary const& a, sample_summary const& b, tendency more, double threshold);

/// Compares two records of one benchmark, `b` with `a`. Throws bad_argument ("b.benchmark", "b.series NAME")
/// if they are of different benchmarks, or measure a series in different units, and ("threshold") unless it
/// is finite and at least 0.
record_comparison compare_records(run_record const& a, run_record const& b, double threshold = 5);

}  // namespace ballast
