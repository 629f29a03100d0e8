// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/job_scheduler.hpp"
#include "sanitized.hpp"
#include "test_devices.hpp"

namespace ballast::job_run {

/// The first device alone, and all of them; by default also three of unequal speed.
inline std::vector<device_list> device_sets() {
  auto const& all = test::test_devices();
  std::vector<device_list> sets{{all.front()}, all};
  if (!environment("BALLAST_TEST_DEVICES")) sets.push_back(open_devices("host:1,host:1/2,host:1"));
  return sets;
}

/// Options with little memory: a scheduler allocates all of its devices' memory at once, which sanitizers
/// take long to mark.
inline job_options options_of_little_memory() {
  job_options options;
  options.device_bytes = 64 << 20;
  return options;
}

/// Options for every policy; for policies that use a number of tasks, with several numbers.
inline std::vector<job_options> split_options() {
  std::vector<job_options> ways;
  for (auto const& policy : split_policies()) {
    bool const uses_a_number = policy.name == "master_worker" || policy.name == "fixed";
    for (std::uint32_t const tasks : {8u, 1u, 2u, 5u, 61u}) {
      if (tasks != 8 && (!uses_a_number || test::sanitized)) break;
      ways.push_back(options_of_little_memory());
      ways.back().policy = policy.name;
      ways.back().tasks = tasks;
    }
  }
  return ways;
}

/// The devices and the options as text, for messages.
inline std::string text_of(device_list const& devices, job_options const& how) {
  return std::to_string(devices.size()) + " devices, " + how.policy + ", " + std::to_string(how.tasks) +
         " tasks";
}

}  // namespace ballast::job_run
