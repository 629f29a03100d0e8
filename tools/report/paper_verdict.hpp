// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/papers.hpp"
#include "report/record_folder.hpp"

namespace ballast {

enum class figure_outcome { reproduced, better, gone, inapplicable, not_measured };

/// "reproduced", "better than published", "gone on this hardware", "does not apply here", "not measured".
std::string_view outcome_text(figure_outcome outcome);

/// A check of a figure: the measured value, and whether it satisfies the check, at each place if there are
/// many.
struct check_outcome {
  std::optional<double> value;  ///< none if no record has it; if there are many places, the value farthest
                                ///< off
  bool holds = false;
  std::size_t places = 0,
              within = 0;      ///< for a check of each place: the number of places, and of those where it
                               ///< holds
  std::optional<double> gain;  ///< how far it exceeds the published number, if there is one and the check
                               ///< holds
};

/// The verdict of records on a figure. `records` point into the judged records.
struct figure_verdict {
  figure_outcome outcome = figure_outcome::not_measured;
  std::string why;                           ///< instead of a sentence: "2 of 2 checks hold"
  std::string machine;                       ///< the machine of all `records`, empty if there are none
  std::string origin;                        ///< devices, dates and commits of the records; empty without any
  std::vector<filed_record const*> records;  ///< for each benchmark the record that is judged, if there is
                                             ///< one
  std::vector<check_outcome> checks;         ///< for each of the figure's checks, in order
  std::vector<std::optional<double>> ours;   ///< our counterpart of each of the figure's values, in order
  bool is_quick = false;                     ///< a record is from a quick run
  std::vector<std::string> differences;      ///< sizes that differ from the paper's, a sentence each
  std::string since;  ///< changes since the records, set by callers that know them, not by judge()
};

/// The grounds of the verdict: its `why`, machine, devices, dates and commits, whether a record is from a
/// quick run, the differences from the paper, and the obstacle to measuring the figure here, unless that is
/// empty.
std::string grounds_of(figure_verdict const& verdict, std::string const& unable);

/// Decides by the checks of each figure of the paper. If all hold, the figure is reproduced; if one fails, it
/// is gone; if no record has what a check looks at, it was not measured. It is better than published if a
/// check exceeds its published number by more than a tenth. A record counts if it is from one of the figure's
/// benchmarks, with its connections and devices, and evidence (why_no_evidence()). If all records are from
/// other devices, the figure does not apply.
///
/// A figure is judged on one machine. Among several, machines with GPUs come first, then the one that
/// measured most of the figure's benchmarks, in whole runs before quick ones, then the kind of GPU with
/// records of most of the paper's figures, then the newest record. For each benchmark its newest record from
/// a whole run counts, or from a quick one if there is no other.
std::vector<figure_verdict> judge(published_paper const& paper, std::span<filed_record const> records);

}  // namespace ballast
