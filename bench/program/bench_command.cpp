// SPDX-License-Identifier: Apache-2.0
#include "program/bench_command.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "command_line/options.hpp"
#include "command_line/program.hpp"
#include "harness/begin_record.hpp"
#include "program/child_runs.hpp"
#include "registry.hpp"
#include "report/papers.hpp"
#include "report/progress.hpp"
#include "report/run_record.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace ballast::bench {
namespace {

struct bench_options {
  std::optional<std::string> devices;
  std::string results = "bench-results";
  std::vector<std::string> names;
  std::vector<std::uint32_t> connections;
  bool quick = false, json = false;
};

device_list devices_of(bench_options const& options) {
  return open_devices(options.devices ? *options.devices : default_device_list());
}

std::string obstacle_of(benchmark const& one, device_list const& devices) {
  return one.obstacle == nullptr ? "" : one.obstacle(devices);
}

void print_list(device_list const& devices) {
  table all({{"name", alignment::left},
             {"here", alignment::left},
             {"paper", alignment::left},
             {"what it measures", alignment::left}});
  for (auto const& one : all_benchmarks()) {
    auto const is_here = obstacle_of(one, devices).empty();
    all.add_row({std::string(one.name), is_here ? "yes" : "no", all_papers().figures_of(one.name),
                 std::string(one.summary)});
  }
  std::cout << all.text(charset_of_environment());
}

json_value as_json(benchmark const& one, std::string const& obstacle) {
  return json_value::object{{"name", one.name},
                            {"here", obstacle.empty()},
                            {"obstacle", obstacle.empty() ? json_value() : json_value(obstacle)},
                            {"papers", all_papers().figures_of(one.name)},
                            {"measures", one.summary}};
}

json_value list_as_json(device_list const& devices) {
  json_value::list names, benchmarks;
  for (auto const& device : devices) names.push_back(device->name());
  for (auto const& one : all_benchmarks()) benchmarks.push_back(as_json(one, obstacle_of(one, devices)));
  return json_value::object{{"machine", begin_record("list", devices).machine.name},
                            {"devices", names},
                            {"benchmarks", benchmarks}};
}

void list_benchmarks(bench_options const& options) {
  auto const devices = devices_of(options);
  if (!options.json) return print_list(devices);
  std::cout << list_as_json(devices).text(2) << '\n';
}

void say(sample_series const& one) {
  command_line::print_note("  " + one.name + ": " + with_unit(median(one.samples), one.unit));
}

/// The derived figures as a table; empty if there are many, as with a queue's counts for each point of a
/// curve, which are for readers of the record.
std::string derived_text(run_record const& record) {
  constexpr std::size_t most = 40;
  if (record.derived.empty() || record.derived.size() > most) return {};
  table all({{"derived", alignment::left}, {"value"}});
  for (auto const& [name, value] : record.derived) {
    auto const text = value.text();
    all.add_row({name, text == "null" ? "not finite" : rounded(std::stod(text))});
  }
  return all.text(charset_of_environment());
}

std::string as_text(run_record const& record) {
  table all({{record.benchmark, alignment::left},
             {"unit", alignment::left},
             {"median"},
             {"lower quartile"},
             {"upper quartile"},
             {"samples"}});
  for (auto const& one : record.series) {
    auto const summary = summarise(one.samples);
    auto const [per_unit, unit] = shown_unit_for(summary.median, one.unit);
    all.add_row({one.name, unit, rounded(summary.median * per_unit),
                 rounded(summary.lower_quartile * per_unit), rounded(summary.upper_quartile * per_unit),
                 std::to_string(summary.count)});
  }
  auto const checked = (record.answer.verified ? "verified: " : "NOT VERIFIED: ") + record.answer.how + "\n";
  return all.text(charset_of_environment()) + derived_text(record) + checked;
}

/// The part by which file names distinguish records with another number of connections than CUDA's default.
std::string connections_suffix() {
  auto const now = process_connections();
  return now.from_environment ? std::to_string(now.count) + "-connections" : "";
}

/// Runs one benchmark and writes its record. Returns the record, whose answer may be wrong.
run_record run_one(benchmark const& one, device_list const& devices, bench_options const& options) {
  command_line::print_note(one.name);
  session now(one.name, devices, options.quick, say, command_line::was_interrupted);
  require_run_folder(options.results, now.record());
  one.run(now);
  auto const path = write_run_record(options.results, now.record(), connections_suffix());
  command_line::print_note("  written to " + path.string());
  return now.record();
}

void run_benchmarks(bench_options const& options) {
  std::vector<benchmark> chosen;
  for (auto const& name : options.names)
    for (auto const& one : benchmarks_named(name)) chosen.push_back(one);
  auto const devices = devices_of(options);
  json_value::list records;
  std::string wrong;
  auto const begin = std::chrono::steady_clock::now();
  std::size_t begun = 0;
  for (auto const& one : chosen) {
    if (command_line::was_interrupted()) break;
    std::chrono::duration<double> const so_far = std::chrono::steady_clock::now() - begin;
    if (chosen.size() > 1) command_line::print_note(part_begins(++begun, chosen.size(), so_far.count()));
    if (auto const why = obstacle_of(one, devices); !why.empty()) {
      command_line::print_note(std::string(one.name) + " does not run here: " + why);
      continue;
    }
    auto const record = run_one(one, devices, options);
    if (!record.answer.verified) wrong += " " + record.benchmark;
    if (options.json) records.push_back(to_json(record));
    if (!options.json) std::cout << as_text(record) << '\n';
  }
  if (options.json) std::cout << json_value(std::move(records)).text(2) << '\n';
  if (!wrong.empty()) throw error("the answers of these benchmarks were wrong or not checked:" + wrong);
}

void add_names(CLI::App& command, bench_options& options) {
  std::vector<std::string> names{"list", "all"};
  for (auto const& one : all_benchmarks()) names.emplace_back(one.name);
  command_line::takes_one_of(
      command.add_option("NAME", options.names, "list, all, or names that list prints")->required(), names,
      "...");
}

CLI::Option* add_connections(CLI::App& command, bench_options& options) {
  return command
      .add_option("--connections", options.connections,
                  "Run once for each of these numbers of hardware connections (1 to 32), each time as a "
                  "process of its own")
      ->type_name("N,N...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 32));
}

/// Adds the options. Returns those that only runs have.
std::vector<CLI::Option const*> add_options(CLI::App& command, bench_options& options) {
  add_names(command, options);
  command_line::begin_group(command, command_line::work_group);
  auto* const quick =
      command.add_flag("--quick", options.quick, "Show that it works: few repetitions of small cases");
  command_line::begin_group(command, command_line::device_group);
  command_line::add_devices_option(command, options.devices);
  auto* const connections = add_connections(command, options);
  command_line::begin_group(command, command_line::output_group);
  auto* const results = command_line::add_path(command, "--results", options.results, "FOLDER",
                                               "Records go to FOLDER/<machine>/ (bench/SCHEMA.md)")
                            ->default_str(options.results);
  command
      .add_flag("--json", options.json,
                "Print the records as one JSON list, or what list prints as one object")
      ->excludes(connections);
  return {results, quick, connections};
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto const options = std::make_shared<bench_options>();
  auto* const command =
      app.add_subcommand("bench", "Measure what the papers measured, and what they did not");
  command->option_defaults()->always_capture_default();
  auto const of_runs = add_options(*command, *options);
  command_line::add_examples(*command, {"ballast bench list", "ballast bench queue/round_trip --quick",
                                        "ballast bench all --quick --devices host:2 --results records"});
  command->callback([=] {
    if (options->names == std::vector<std::string>{"list"}) {
      command_line::check_not_given(of_runs, "beside list, which runs nothing");
      return list_benchmarks(*options);
    }
    if (!options->connections.empty()) return run_with_connections(options->connections, "--connections");
    run_benchmarks(*options);
  });
}

}  // namespace ballast::bench
