// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <utility>

#include "ballast/error.hpp"
#include "command_line/options.hpp"
#include "report.hpp"
#include "run.hpp"

namespace ballast::nanodroplet {
namespace {

using command_line::add_integer_option;

/// With --steps 0 nothing is sampled.
void check_that_nothing_is_idle(CLI::App const& nanodroplet) {
  constexpr std::string_view used[] = {"--waters", "--solute", "--steps", "--json"};
  for (auto const* option : nanodroplet.get_options()) {
    if (option->count() == 0 || std::ranges::find(used, option->get_name()) != std::end(used)) continue;
    throw_bad_argument(option->get_name(), option->results().front(), "nothing beside --steps 0");
  }
}

void print_energies(command_request const& asked, droplet_spec const& spec) {
  auto const start = make_droplet(spec);
  std::cout << (asked.json ? energies_as_json(start).text(2) + "\n" : energies_as_text(start));
}

void run(CLI::App const& nanodroplet, command_request const& typed,
         std::function<bool()> const& stop_requested) {
  if (typed.steps == 0) check_that_nothing_is_idle(nanodroplet);
  auto const asked = checked(typed);
  if (typed.steps == 0) return print_energies(typed, asked.plan.system);
  auto const devices = devices_for(*asked.mode, typed.devices);
  auto const done = run_sampling(asked, devices, typed.xyz, typed.xyz_every, stop_requested);
  std::cout << (typed.json ? run_as_json(done).text(2) + "\n" : run_as_text(done));
}

void add_system_options(CLI::App& nanodroplet, command_request& asked) {
  add_integer_option(nanodroplet, "--waters", asked.waters, 1u, max_waters, "Molecules of water");
  nanodroplet.add_option("--solute", asked.solute, "The molecule in the middle: m12 or none");
  add_integer_option(nanodroplet, "--conformers", asked.conformers, 1u, max_conformers,
                     "Of the molecule, each in a droplet of its own (4; 1 without a molecule)");
  add_integer_option(nanodroplet, "--minimise", asked.minimise, 0u, max_iterations,
                     "Iterations at most to relax a droplet before it is sampled");
}

void add_sampling_options(CLI::App& nanodroplet, command_request& asked) {
  add_integer_option(nanodroplet, "--chains", asked.chains, 1u, max_chains, "Chains from each conformer");
  add_integer_option(nanodroplet, "--steps", asked.steps, 0u, max_steps,
                     "Steps of each chain; 0 prints the energies of the start, nothing else");
  add_integer_option(nanodroplet, "--trajectory-steps", asked.trajectory_steps, 1u, max_steps,
                     "Steps between two decisions to accept");
  nanodroplet.add_option("--dt", asked.time_step, "Time step in fs");
  nanodroplet.add_option("--temperature", asked.temperature, "In Kelvin");
  add_integer_option<std::uint64_t>(nanodroplet, "--seed", asked.seed, 0, 1'000'000'000'000'000,
                                    "Chain k of conformer c has this + 1000 c + k");
  add_integer_option(nanodroplet, "--discard", asked.discard, 0u, max_steps,
                     "Trajectories at the beginning of each chain that the means leave out");
}

void add_queue_options(CLI::App& nanodroplet, command_request& asked) {
  launch_options const usual;
  nanodroplet.add_option("--order", asked.order, "Of a queue: whose launch is next (docs/launch.md)")
      ->default_str(usual.order);
  nanodroplet.add_option("--among", asked.among, "Of a queue: what goes before that order")
      ->default_str(usual.among);
  nanodroplet.add_option("--merge", asked.merge, "Of a queue: which kernels become one launch")
      ->default_str(usual.merge);
  add_integer_option(nanodroplet, "--streams", asked.streams, 0u, max_streams,
                     "Of a queue: streams of each device; 0 leaves it to the queue");
}

std::string launch_mode_list() {
  std::string text = "How kernels are launched.";
  for (auto const& mode : launch_modes())
    text += " " + std::string(mode.name) + ": " + std::string(mode.summary) + ".";
  return text;
}

void add_run_options(CLI::App& nanodroplet, command_request& asked) {
  nanodroplet.add_option("--launch", asked.launch, launch_mode_list());
  add_queue_options(nanodroplet, asked);
  nanodroplet
      .add_option("--devices", asked.devices,
                  "Devices, comma-separated, chains in turn; else BALLAST_DEVICES, else every GPU, else the "
                  "host's cores")
      ->type_name("LIST");
  add_integer_option(nanodroplet, "--threads", asked.threads, 1u, max_threads,
                     "Threads that drive the chains, each many in turn");
  nanodroplet.add_option("--xyz", asked.xyz, "Write frames of the first chain to this file, a new one")
      ->type_name("FILE");
  add_integer_option(nanodroplet, "--xyz-every", asked.xyz_every, 1u, max_steps,
                     "A frame every so many trajectories");
  nanodroplet.add_flag("--json", asked.json, "Print one JSON object");
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  auto* const nanodroplet = app.add_subcommand(
      "nanodroplet",
      "A droplet of water around a molecule, sampled by many Markov chains (Wende, Cordes, Steinke 2012)");
  nanodroplet->option_defaults()->always_capture_default();
  add_system_options(*nanodroplet, *asked);
  add_sampling_options(*nanodroplet, *asked);
  add_run_options(*nanodroplet, *asked);
  nanodroplet->callback(
      [=, stop_requested = std::move(stop_requested)] { run(*nanodroplet, *asked, stop_requested); });
}

}  // namespace ballast::nanodroplet
