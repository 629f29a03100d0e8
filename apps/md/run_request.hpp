// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison.hpp"

namespace ballast::md {

/// What a user asks for on the command line, as text and as numbers within their ranges; not checked else.
struct run_request {
  std::string system = "gaussian";
  static constexpr std::uint64_t usual_count = 4096;
  std::optional<std::uint64_t> count;  ///< of the gaussian system; without it usual_count
  double cutoff = 12, time_step = 2;
  std::string precision = "single", potential = "truncated", forces = "cells", boundary = "open";
  std::optional<double> temperature, skin, epsilon, sigma;
  std::uint64_t seed = 1;
  std::int64_t steps = 0;
  std::vector<std::string> solutions{"S1", "S2", "S3", "TQ"};
  granularity cut;
  int repeat = 1;
  std::optional<std::string> devices;  ///< without it default_device_list()
  output_files files;
  std::string restart, trace, record;
  bool json = false;
};

/// Reads the files, makes the system and checks everything that can be checked without a device, also that
/// an existing trajectory is one of these atoms. Throws bad_argument, bad_file.
comparison_plan plan_for(run_request const& asked);

}  // namespace ballast::md
