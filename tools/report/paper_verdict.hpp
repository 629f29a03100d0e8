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

/// A check of a figure: what was measured, and whether that is as it must be, at each place if it is one of
/// many.
struct check_outcome {
  std::optional<double> value;  ///< none if no record has it; of many places the one that is farthest off
  bool holds = false;
  std::size_t places = 0,
              within = 0;      ///< of a check of each place: how many there are, and at how many it holds
  std::optional<double> gain;  ///< how far it is beyond the published number, if there is one and it holds
};

/// What records say about a figure. `records` point into what was judged.
struct figure_verdict {
  figure_outcome outcome = figure_outcome::not_measured;
  std::string why;                           ///< in a sentence's place: "2 of 2 checks hold"
  std::string machine;                       ///< the one that all `records` are of, empty if there are none
  std::string origin;                        ///< of the records: devices, dates, commits; empty without any
  std::vector<filed_record const*> records;  ///< of each benchmark the one that is judged, if there is one
  std::vector<check_outcome> checks;         ///< of each of the figure's, in their order
  std::vector<std::optional<double>> ours;   ///< beside each of the figure's values, in their order
  bool is_quick = false;                     ///< a record is of a quick run
  std::vector<std::string> differences;      ///< sizes that are not the paper's, a sentence each
  std::string since;  ///< what has changed since the records, for who knows; judge() does not
};

/// Why the verdict is as it is: its `why`, machine, devices, dates and commits, that a record is of a quick
/// run, what differs from the paper, and what is in the way of measuring the figure here, unless that is
/// empty.
std::string grounds_of(figure_verdict const& verdict, std::string const& unable);

/// Whether each of the paper's figures is reproduced, by its checks: if all hold it is, if one does not it is
/// gone, and if what one looks at is in no record it was not measured. It is better than published if a check
/// is more than a tenth beyond its published number. A record counts if it is of one of the figure's
/// benchmarks, of its connections and devices, and evidence (why_no_evidence()). Where all are of other
/// devices the figure does not apply.
///
/// A figure is judged on one machine. Of several, one with GPUs goes first, then the one that measured most
/// of the figure's benchmarks, in whole runs before quick ones, then the kind of GPU with records of most of
/// the paper's figures, then the one with the newest record. Of its records of a benchmark the newest of a
/// whole run counts, or of a quick one if there is no other.
std::vector<figure_verdict> judge(published_paper const& paper, std::span<filed_record const> records);

}  // namespace ballast
