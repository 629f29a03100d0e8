// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <utility>

#include "command_line/files.hpp"
#include "command_line/options.hpp"
#include "job_run/request.hpp"
#include "report/table.hpp"
#include "run.hpp"

namespace ballast::hotspot {
namespace {

constexpr std::uint32_t max_rows = 32768, max_steps = 1'000'000'000;

struct command_request {
  std::uint32_t size = plan{}.of.rows, steps = plan{}.steps;
  std::string chip = "scaled", precision = "single";
  run_files files;
  job_run::request how;
};

plan plan_for(command_request const& typed) {
  return {{typed.size, typed.size},
          typed.steps,
          chip_size_named(typed.chip),
          precision_named(typed.precision),
          typed.files,
          {},
          typed.how.repeat};
}

std::string as_json(command_request const& typed, plan const& asked, finished_run const& done) {
  json_value::object members{{"size", typed.size},
                             {"steps", typed.steps},
                             {"precision", typed.precision},
                             {"chip", edge_of_chip(asked.of, asked.chip)},
                             {"stable", is_stable(factors_of(asked.of, asked.chip))},
                             {"sum", done.end.sum},
                             {"first", done.end.first},
                             {"middle", done.end.middle},
                             {"last", done.end.last}};
  for (auto& member : job_run::members_of(done.how)) members.push_back(std::move(member));
  return json_value(std::move(members)).text(2) + "\n";
}

std::string as_text(command_request const& typed, plan const& asked, finished_run const& done) {
  auto const size = std::to_string(typed.size);
  bool const stable = is_stable(factors_of(asked.of, asked.chip));
  return "hotspot, " + size + " x " + size + " cells, " + std::to_string(typed.steps) + " steps, " +
         typed.precision + " precision, a chip of " + rounded(edge_of_chip(asked.of, asked.chip), 3) + " m" +
         (stable ? "" : ": UNSTABLE, for timing only") + "\nsum " + rounded(done.end.sum, 12) + ", first " +
         rounded(done.end.first, 8) + ", middle " + rounded(done.end.middle, 8) + ", last " +
         rounded(done.end.last, 8) + "\n" + job_run::text_of(done.how);
}

void check_distinct_outputs(command_request const& typed) {
  std::array<command_line::named_file, 3> const outputs{
      {{"--output", typed.files.output}, {"--picture", typed.files.picture}, {"--trace", typed.how.trace}}};
  std::array<command_line::named_file, 2> const inputs{
      {{"--temperature", typed.files.temperature}, {"--power", typed.files.power}}};
  command_line::check_distinct_outputs(outputs, inputs);
}

void run_command(command_request const& typed, std::function<bool()> const& stop_requested) {
  check_distinct_outputs(typed);
  auto asked = plan_for(typed);
  auto const simulate = [&](device_list const& devices, job_options const& options) {
    asked.options = options;
    return run(devices, asked, stop_requested);
  };
  auto const done = job_run::run_with_devices(typed.how, simulate);
  std::cout << (typed.how.json ? as_json(typed, asked, done) : as_text(typed, asked, done));
  job_run::expect_right(done.how);
}

void add_options(CLI::App& hotspot, command_request& asked) {
  command_line::add_integer_option(hotspot, "--size", asked.size, 1u, max_rows, "Rows and columns of cells");
  command_line::add_integer_option(hotspot, "--steps", asked.steps, 1u, max_steps, "Time steps, a job each");
  hotspot.add_option("--chip", asked.chip,
                     "scaled: larger with more than 1024 cells to a side; rodinia: always 0.016 m");
  hotspot.add_option("--precision", asked.precision, "single or double");
}

void add_file_options(CLI::App& hotspot, run_files& files) {
  command_line::add_path(hotspot, "--temperature", files.temperature, "FILE",
                         "Begin with these temperatures: Rodinia's text, a number a line");
  command_line::add_path(hotspot, "--power", files.power, "FILE", "Heat cells by these powers, likewise");
  command_line::add_path(hotspot, "--output", files.output, "FILE",
                         "Write the last temperatures, as Rodinia");
  command_line::add_path(hotspot, "--picture", files.picture, "FILE", "Draw them as a PPM picture");
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const hotspot = app.add_subcommand(
      "hotspot",
      "The temperature of a chip (Rodinia), a job each time step, cut into tasks for several devices");
  hotspot->option_defaults()->always_capture_default();
  add_options(*hotspot, *asked);
  add_file_options(*hotspot, asked->files);
  job_run::add_options(*hotspot, asked->how);
  hotspot->callback([=, stop_requested = std::move(stop_requested)] {
    job_run::name_options_in_errors([&] { run_command(*asked, stop_requested); });
  });
}

}  // namespace ballast::hotspot
