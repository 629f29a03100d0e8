// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/job_scheduler.hpp"

namespace ballast::mesi {

/// The number in an environment variable. Throws bad_argument naming the variable.
template <class Number>
Number number_of(char const* variable, Number unset, Number min, Number max) {
  auto const text = environment(variable);
  return text ? parse_integer(variable, *text, min, max) : unset;
}

/// The policy that BALLAST_POLICY names. Throws bad_argument.
inline std::string policy_in_environment(std::string const& unset) {
  auto const named = environment("BALLAST_POLICY");
  if (!named) return unset;
  std::vector<std::string_view> legal;
  for (auto const& policy : split_policies()) legal.push_back(policy.name);
  return std::string(legal[index_among(legal, "BALLAST_POLICY", *named)]);
}

/// The options that the environment sets for a program: BALLAST_POLICY, BALLAST_TASKS, BALLAST_CHECK_MAPS (0
/// or 1), BALLAST_DEVICE_BYTES and BALLAST_TIMEOUT (in seconds, a day by default). Throws bad_argument naming
/// the variable; a scheduler's constructor checks the bytes again.
inline job_options options_of_environment() {
  constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  job_options options;
  options.policy = policy_in_environment(options.policy);
  options.tasks = number_of<std::uint32_t>("BALLAST_TASKS", options.tasks, 1, 1u << 20);
  options.check_maps = number_of<int>("BALLAST_CHECK_MAPS", 0, 0, 1) == 1;
  options.device_bytes =
      number_of<std::uint64_t>("BALLAST_DEVICE_BYTES", options.device_bytes, 4096, unlimited);
  options.shutdown_timeout = std::chrono::seconds(number_of("BALLAST_TIMEOUT", 86400, 1, 100 * 86400));
  return options;
}

}  // namespace ballast::mesi
