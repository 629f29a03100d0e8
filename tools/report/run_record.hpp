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

/// Repeated measurements of one quantity, in the order in which they were taken, without the warm-up.
struct sample_series {
  std::string name;  ///< unique in the record, e.g. "TQ.seconds_per_step"
  std::string unit;  ///< "s", "tasks/s", "1" for a plain ratio or count
  std::vector<double> samples;
  std::string curve = {};        ///< series with one curve and one unit are the points of one line of a plot
  std::optional<double> x = {};  ///< the position on that line, unique for each point
};

/// True if samples and places may have this value: 0 or a size from 1e-150 to 1e150. So every quotient or
/// difference of two of them, also in percent, is finite.
bool is_measurable(double value);

/// The labels of a plot of the record; an empty text leaves the choice to the plot. Labels include their unit
/// ("tasks/s", "time of a step, s"), since they are drawn unchanged.
struct plot_axes {
  std::string title, x_label, y_label;
  bool x_log = false, y_log = false;

  bool operator==(plot_axes const&) const = default;
};

/// Whether the measured answer was checked, and against what.
struct verification {
  bool verified = false;
  std::string how;  ///< e.g. "forces bitwise equal to S1's"; or why it was not verified
};

/// One result: what ran where, and the measurements. The one format of every benchmark, specified in
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
  json_value::object policies;       ///< the policy that made each kind of decision
  json_value::object parameters;
  std::size_t warm_up = 0;      ///< repetitions whose figures were discarded
  std::size_t repetitions = 0;  ///< repetitions measured
  std::vector<sample_series> series;
  plot_axes axes;              ///< of the curves of the series
  json_value::object derived;  ///< figures that are not samples
  verification answer;
};

/// The record as a JSON document, with the summary of each series next to its samples. Throws bad_argument
/// naming the field if the benchmark's name is empty or has other characters; or if a series is empty, has a
/// value that is not is_measurable(), shares its name with another, or has a curve but no x, or the curve,
/// unit and x of another.
json_value to_json(run_record const& record);

/// Writes results/<machine.name>/<benchmark>-<started>.json, with "/" in the benchmark's name replaced by
/// "-", and -2, -3 ... added rather than overwriting; makes the folders. A non-empty `suffix` follows the
/// benchmark's name with a dash, so that a folder's listing distinguishes settings; characters as in that
/// name. Returns the path. Throws as to_json, bad_argument ("suffix"), and ballast::error with the path.
std::filesystem::path write_run_record(std::filesystem::path const& results, run_record const& record,
                                       std::string const& suffix = "");

/// Makes the folder into which write_run_record() would write the record, and writes and removes a file
/// there, so that an obstacle shows before anything is measured. Throws ballast::error with the path.
void require_run_folder(std::filesystem::path const& results, run_record const& record);

/// JSON that declares another form, or none: traces, tables of other tools.
class another_form : public error {
 public:
  using error::error;
};

/// Reads a record that write_run_record() wrote. Ignores unknown members; a file without axes, curve or x
/// (the first had none) gives empty ones. Throws ballast::error with the file and the member: no such file,
/// not JSON or JSON nested too deeply, a missing member, one of another type, or a record that to_json
/// refuses; another_form if the schema is missing or another.
run_record read_run_record(std::filesystem::path const& path);

/// Why the record is no evidence for a figure, or empty: its answer was not verified, or its program was
/// built from files that differ from a commit or from an unknown one, has a name other than ballast's, or is
/// version 0.
std::string why_no_evidence(run_record const& record);

/// A parameter as JSON, "8" or "true"; empty if the record has none of that name.
std::string parameter_of(run_record const& record, std::string_view name);

/// This moment in UTC, to the second: "2026-01-31T09:05:00Z".
std::string utc_now();

}  // namespace ballast
