// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <CLI/CLI.hpp>

#include "ballast/device/device_spec.hpp"
#include "ballast/job/split_policy.hpp"
#include "command_line/options.hpp"

namespace ballast::job_run {
namespace {

constexpr std::uint32_t most_tasks = 1'000'000, most_repetitions = 1'000'000;

std::string policies_by_name() {
  std::string text = "Who gets which part of a job (docs/job.md):";
  for (auto const& policy : split_policies()) text += " " + std::string(policy.name);
  return text;
}

}  // namespace

void add_options(CLI::App& command, request& asked) {
  command
      .add_option("--devices", asked.devices,
                  "Devices, comma-separated; else BALLAST_DEVICES, else every GPU, else the host's cores")
      ->type_name("LIST");
  command.add_option("--policy", asked.policy, policies_by_name())->type_name("NAME");
  command_line::add_whole_number(command, "--tasks", asked.tasks, 1u, most_tasks,
                                 "Tasks of a job, for policies that want a number");
  command_line::add_whole_number(command, "--repeat", asked.repeat, 1u, most_repetitions,
                                 "Repetitions; the median of their times is told");
  command.add_flag("--json", asked.json, "Print one JSON object");
}

job_options options_of(request const& asked) {
  job_options options;
  options.policy = asked.policy;
  options.tasks = asked.tasks;
  return options;
}

device_list devices_of(request const& asked) {
  return open_devices(asked.devices ? *asked.devices : default_device_list());
}

}  // namespace ballast::job_run
