// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/run_record.hpp"
#include "report/statistics.hpp"

namespace ballast {

/// What more of a quantity means.
enum class tendency { smaller_is_better, larger_is_better, neither };

/// By the unit: of a time ("s", "us", "cycles", also per something: "ns/task") less is better, of what is
/// counted per time ("tasks/s", "B/s") more; of all others ("1", "B") neither.
tendency tendency_of(std::string_view unit);

enum class verdict { same, better, worse, changed };
/// "same", "better", "worse" or "changed".
std::string_view verdict_text(verdict one);

/// A series that both records have.
struct compared_series {
  std::string name, unit;
  sample_summary a, b;
  /// Of the median, from `a` to `b`, in percent of a's size; infinite if only a's median is 0.
  double change_percent = 0;
  verdict outcome = verdict::same;
};

struct record_comparison {
  std::vector<compared_series> series;            ///< in a's order
  std::vector<std::string> only_in_a, only_in_b;  ///< names of series
  std::vector<std::string> doubts;  ///< sentences: why the records may not be comparable, or are no evidence
  bool worse = false;               ///< whether a series is worse, or b's answer was not verified
};

/// Whether b's samples say something else than a's: only if the medians differ by more than
/// `threshold` percent of a's, and the ranges from lower to upper quartile do not overlap, which touching
/// ones do.
verdict compare_samples(sample_summary const& a, sample_summary const& b, tendency more, double threshold);

/// Two records of one benchmark, `b` seen from `a`. Throws bad_argument ("b.benchmark", "b.series NAME") if
/// they are of different benchmarks, or measure a series in different units, and ("threshold") unless
/// it is finite and at least 0.
record_comparison compare_records(run_record const& a, run_record const& b, double threshold = 5);

}  // namespace ballast
