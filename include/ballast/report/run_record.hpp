// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "ballast/report/json_value.hpp"
#include "ballast/report/machine_facts.hpp"
#include "ballast/report/source_state.hpp"

namespace ballast::inline report {

/// Repeated measurements of one quantity, in the order in which they were taken, warm-up not included.
struct sample_series {
  std::string name;  ///< unique in the record, e.g. "TQ.seconds_per_step"
  std::string unit;  ///< "s", "tasks/s", "1" for a plain ratio or count
  std::vector<double> samples;
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
  json_value::object derived;  ///< figures computed from several series
  verification answer;
};

/// The record as a JSON document, with the summary of each series beside its samples. Throws bad_argument
/// naming the field if the benchmark's name is empty or has other signs, or a series is empty, holds a value
/// that is not finite, or shares its name with another.
json_value to_json(run_record const& record);

/// Writes results/<machine.name>/<benchmark>-<started>.json, "/" in the benchmark's name replaced by "-",
/// with -2, -3 ... added rather than overwriting; makes the folders. Returns the path. Throws what to_json
/// throws, and ballast::error with the path.
std::filesystem::path write_run_record(std::filesystem::path const& results, run_record const& record);

/// This moment in UTC, to the second: "2026-01-31T09:05:00Z".
std::string utc_now();

}  // namespace ballast::inline report
