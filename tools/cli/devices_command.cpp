// SPDX-License-Identifier: Apache-2.0
#include "devices_command.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "calibration.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "device_listing.hpp"
#include "link_matrix.hpp"
#include "programs.hpp"
#include "report/progress.hpp"
#include "report/shown_progress.hpp"
#include "report/table.hpp"

namespace ballast::cli {
namespace {

struct devices_options {
  std::optional<std::string> list;
  bool no_links = false;
  bool json = false, cluster = false, calibrate = false;
};

/// Lists the devices of ranks by the program ballast-cluster, since this one does not use MPI.
void list_ranks(devices_options const& options) {
  std::vector<std::string> words = {"ballast", "cluster", "devices"};
  if (options.list) words.insert(words.end(), {"--devices", *options.list});
  if (options.json) words.emplace_back("--json");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  exec_program(own_folder(), argv.data());
}

/// Throws bad_argument for a device with a slowdown, which is no cost of the cores.
void refuse_slowdowns(device_list const& devices) {
  for (auto const& device : devices)
    if (device->spec().slowdown != 1)
      throw_bad_argument("--devices", device->name(), "devices without a slowdown");
}

std::vector<calibrated_device> calibrate_shown(device_list const& devices, deadline until) {
  std::atomic<std::uint64_t> measured = 0;
  shown_progress const shown(progress("calibration", devices.size(), "devices", progress_on(stderr)),
                             [&measured] { return measured.load(); });
  return calibrate(devices, until, &measured);
}

void calibrate_devices(device_list const& devices, bool as_json) {
  constexpr auto longest = std::chrono::minutes(5);
  command_line::exits_on_interrupt const immediately;
  refuse_slowdowns(devices);
  save_costs({});  // reports an unwritable file before anything is measured
  auto const until = deadline::in(longest);
  auto const calibrated = as_json ? calibrate(devices, until) : calibrate_shown(devices, until);
  save_costs(calibrated);
  std::cout << (as_json ? calibration_as_json(calibrated).text(2) + "\n"
                        : calibration_as_text(calibrated, charset_of_environment()));
}

void list_devices(devices_options const& options) {
  if (options.cluster) return list_ranks(options);
  device_list const devices = open_devices(options.list ? *options.list : default_device_list());
  if (options.calibrate) return calibrate_devices(devices, options.json);
  std::optional<link_matrix> links;
  if (!options.no_links) links = measure_links(devices);
  if (options.json) {
    std::cout << listing_as_json(devices, links).text(2) << '\n';
    return;
  }
  std::cout << listing_as_text(devices, links, charset_of_environment());
}

CLI::Option* add_calibrate_flag(CLI::App& command, devices_options& options) {
  return command.add_flag(
      "--calibrate", options.calibrate,
      "Measure what launches, graphs and copies cost, and keep it for programs that start later, in "
      "ballast/costs of XDG_CACHE_HOME or ~/.cache; nothing else may run on the devices");
}

}  // namespace

void add_devices_command(CLI::App& app) {
  auto const options = std::make_shared<devices_options>();
  CLI::App* const command = app.add_subcommand("devices", "List devices and measure the links between them");
  command_line::begin_group(*command, command_line::work_group);
  auto* const no_links = command->add_flag("--no-links", options->no_links, "Do not measure links");
  add_calibrate_flag(*command, *options)->excludes(no_links);
  command_line::begin_group(*command, command_line::device_group);
  command_line::add_devices_option(*command, options->list);
  command
      ->add_flag("--cluster", options->cluster,
                 "Of all ranks that mpirun or srun started, with their hosts and cores: rank 0 reports")
      ->excludes(no_links)
      ->excludes("--calibrate");
  command_line::begin_group(*command, command_line::output_group);
  command->add_flag("--json", options->json, "Print one JSON object");
  command_line::add_examples(*command, {"ballast devices", "ballast devices --devices host:1,host:1 --json",
                                        "ballast devices --calibrate --devices host:1"});
  command->callback([options] { list_devices(*options); });
}

}  // namespace ballast::cli
