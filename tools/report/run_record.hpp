// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/error.hpp"
#include "report/json_value.hpp"
#include "report/provenance.hpp"

namespace ballast {

/// Repeated measurements of one quantity, in the order in which they were taken, warm-up not included.
struct sample_series {
  std::string name;  ///< unique in the record, e.g. "TQ.seconds_per_step"
  std::string unit;  ///< "s", "tasks/s", "1" for a plain ratio or count
  std::vector<double> samples;
  std::string curve = {};        ///< series of one curve and one unit are the points of one line of a plot
  std::optional<double> x = {};  ///< where on that line; each point of it has another
};

/// Whether samples and places may have this value: 0 or of a size from 1e-150 to 1e150. So whatever is
/// derived of two of them, differences and quotients in percent, is finite.
bool is_measurable(double value);

/// How a plot of the record is labelled; empty text leaves it to the plot. Labels carry their unit
/// ("tasks/s", "time of a step, s"), since they are drawn as they are.
struct plot_axes {
  std::string title, x_label, y_label;
  bool x_log = false, y_log = false;

  bool operator==(plot_axes const&) const = default;
};

/// Whether the answer of what was measured was checked, and against what.
struct verification {
  bool verified = false;
  std::string how;  ///< e.g. "forces bitwise equal to S1's"; why not, if it was not verified
};

/// One result: what ran where, what was measured. The one format of every benchmark, laid down in
/// bench/SCHEMA.md.
struct run_record {
  static constexpr char const* schema = "ballast-run/1";

  std::string benchmark;  ///< letters, digits and "._/-", e.g. "md/solutions"
  std::string version;    ///< of ballast
  std::string started;    ///< UTC, e.g. "2026-01-31T09:05:00Z"; see utc_now()
  std::vector<std::string> command;
  source_state source;
  machine_facts machine;
  std::vector<std::string> devices;  ///< the spec as given, plus #k for repeats
  json_value::object policies;       ///< which decision was made by which policy
  json_value::object parameters;
  std::size_t warm_up = 0;      ///< repetitions whose figures were thrown away
  std::size_t repetitions = 0;  ///< repetitions measured
  std::vector<sample_series> series;
  plot_axes axes;              ///< of the curves of the series
  json_value::object derived;  ///< figures that are not samples
  verification answer;
};

/// The record as a JSON document, with the summary of each series beside its samples. Throws bad_argument
/// naming the field if the benchmark's name is empty or has other signs, or a series is empty, holds a value
/// that is not is_measurable(), shares its name with another, or has a curve but no x, or the curve, unit and
/// x of another.
json_value to_json(run_record const& record);

/// Writes results/<machine.name>/<benchmark>-<started>.json, "/" in the benchmark's name replaced by "-",
/// with -2, -3 ... added rather than overwriting; makes the folders. `suffix`, unless it is empty, follows
/// the benchmark's name with a dash, so that a folder's listing tells settings apart; signs as in that name.
/// Returns the path. Throws what to_json throws, bad_argument ("suffix"), and ballast::error with the path.
std::filesystem::path write_run_record(std::filesystem::path const& results, run_record const& record,
                                       std::string const& suffix = "");

/// Makes the folder into which write_run_record() would write the record, and writes and removes a file
/// there, so that what stands in the way is known before anything is measured. Throws ballast::error with the
/// path.
void require_run_folder(std::filesystem::path const& results, run_record const& record);

/// JSON that says itself that it is no record, or says nothing about itself: traces, tables of other tools.
class another_form : public error {
 public:
  using error::error;
};

/// Reads a record that write_run_record() wrote. Members it does not know are left out; a file without axes,
/// curve or x (the first had none) gives empty ones. Throws ballast::error with the file and the member: no
/// such file, not JSON or JSON nested too deeply, a missing member, one of another type, or what to_json
/// refuses; another_form if the schema is missing or another.
run_record read_run_record(std::filesystem::path const& path);

/// Why the record is no evidence for a figure, or empty: its answer was not verified, its program was built
/// of files that differ from a commit or of an unknown one, has another name than ballast's, or is of version
/// 0.
std::string why_no_evidence(run_record const& record);

/// A parameter as JSON, "8" or "true"; empty if the record has none of that name.
std::string parameter_of(run_record const& record, std::string_view name);

/// This moment in UTC, to the second: "2026-01-31T09:05:00Z".
std::string utc_now();

}  // namespace ballast
