// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/options.hpp"
#include "droplet.hpp"
#include "report.hpp"
#include "report/json_value.hpp"
#include "report/progress.hpp"
#include "report/shown_progress.hpp"

namespace ballast::nanodroplet {
namespace {

/// Frames of a droplet in extended XYZ: O and H of the waters, C for the beads. One thread at a time.
class xyz_file {
 public:
  /// Throws bad_argument ("xyz") if the file exists or cannot be made.
  explicit xyz_file(std::string path) : path_(std::move(path)) {
    int const made = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made < 0) throw_bad_argument("xyz", path_, "a file that is not there, in a folder that is");
    ::close(made);
  }

  /// `trajectory` counts from 1, the time is in fs. If the frame cannot be written, the file is unchanged;
  /// throws as append_to_file().
  void add(droplet const& state, std::uint64_t trajectory, double time, double potential) {
    frame_ = fmt::format("{}\nProperties=species:S:1:pos:R:3 trajectory={} time={} potential={}\n",
                         state.atoms(), trajectory, seventeen_digits(time), seventeen_digits(potential));
    for (std::size_t i = 0; i < state.water.size(); ++i) add_atom(i % 3 == 0 ? 'O' : 'H', state.water[i]);
    for (auto const& bead : state.beads) add_atom('C', bead);
    append_to_file(path_, frame_);
  }

 private:
  void add_atom(char symbol, vec3 at) {
    fmt::format_to(std::back_inserter(frame_), "{} {} {} {}\n", symbol, seventeen_digits(at.x),
                   seventeen_digits(at.y), seventeen_digits(at.z));
  }

  std::string path_, frame_;
};

/// Throws bad_argument for a value that is above `most`, or so small that it under- or overflows when it is
/// multiplied or inverted.
void check_positive_range(std::string_view option, double value, double most) {
  if (value >= 1e-6 && value <= most) return;
  throw_bad_argument(option, value, fmt::format("1e-6 to {:.0f}", most));
}

constexpr std::string_view solutes[] = {"m12", "m7", "none"};

bool has_solute(command_request const& typed) { return index_among(solutes, "solute", typed.solute) < 2; }

std::uint32_t conformers(command_request const& typed) {
  if (!typed.conformers) return has_solute(typed) ? sampling_plan{}.conformers : 1;
  if (!has_solute(typed) && *typed.conformers > 1)
    throw_bad_argument("conformers", *typed.conformers, "1 beside --solute none");
  return *typed.conformers;
}

bool is_glat(command_request const& typed) {
  constexpr std::string_view protocols[] = {"plain", "glat"};
  return index_among(protocols, "protocol", typed.protocol) == 1;
}

void check_for_glat(command_request const& typed) {
  if (!has_solute(typed)) throw_bad_argument("solute", typed.solute, "m12 or m7 beside --protocol glat");
  if (typed.plan.chains < 2)
    throw_bad_argument("chains", typed.plan.chains,
                       fmt::format("2 to {} beside --protocol glat", max_chains));
  if (typed.discard > 0)
    throw_bad_argument("discard", typed.discard,
                       "0 beside --protocol glat, which leaves out the first half of each chain");
}

/// The rules of the protocol glat; none with the protocol plain.
std::optional<glat_rules> rules_for(command_request const& typed) {
  auto const check_use = [&](auto const& option, std::string_view name) {
    if (option) throw_bad_argument(name, *option, "nothing beside --protocol plain");
  };
  if (!is_glat(typed)) {
    check_use(typed.look_every, "look-every");
    check_use(typed.most_ratio, "most-ratio");
    check_use(typed.window, "window");
    return {};
  }
  check_for_glat(typed);
  glat_rules rules;
  rules.look_every = typed.look_every.value_or(rules.look_every);
  rules.most_ratio = typed.most_ratio.value_or(rules.most_ratio);
  rules.window = typed.window.value_or(rules.window);
  if (!(rules.most_ratio > 1 && rules.most_ratio <= 1000))
    throw_bad_argument("most-ratio", rules.most_ratio, "above 1, to 1000");
  if (!(rules.window >= 0 && rules.window <= 1000)) throw_bad_argument("window", rules.window, "0 to 1000");
  return rules;
}

std::uint32_t trajectories(command_request const& typed) {
  auto const each = typed.plan.settings.steps_per_trajectory;
  if (typed.steps % each != 0)
    throw_bad_argument("steps", typed.steps,
                       fmt::format("a multiple of --trajectory-steps, which is {}", each));
  auto const count = typed.steps / each;
  if (count > 0 && typed.discard >= count)
    throw_bad_argument("discard", typed.discard,
                       fmt::format("fewer than the trajectories of a chain, which are {}", count));
  return count;
}

void check_use(launch_mode const& mode, bool is_used, std::string_view option,
               std::optional<std::string> const& typed) {
  if (typed && !is_used)
    throw_bad_argument(option, *typed, "nothing beside --launch " + std::string(mode.name));
}

/// The options of a launch queue. The queue checks names and numbers.
launch_options options_for(launch_mode const& mode, command_request const& typed) {
  launch_options options;
  check_use(mode, mode.by_queue, "order", typed.order);
  check_use(mode, mode.by_queue, "key", typed.key);
  check_use(mode, mode.by_queue, "merge", typed.merge);
  if (typed.streams) check_use(mode, mode.by_queue, "streams", std::to_string(*typed.streams));
  options.order = typed.order.value_or(options.order);
  options.key = typed.key.value_or(options.key);
  options.merge = typed.merge.value_or(options.merge);
  options.streams = typed.streams.value_or(options.streams);
  return options;
}

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

void write_frames(markov_chain& chain, xyz_file& to, sampling_settings const& settings, std::uint32_t every) {
  double const time = settings.time_step * settings.steps_per_trajectory;
  chain.observe([&to, time, every, done = std::uint64_t(0)](trajectory_record const& record,
                                                            droplet const& state) mutable {
    if (++done % every == 0) to.add(state, done, time * static_cast<double>(done), record.potential.total());
  });
}

bool shares_cores(device_list const& devices) {
  return std::ranges::any_of(devices, [](auto const& d) { return !d->is_cuda(); });
}

}  // namespace

checked_request checked(command_request const& typed) {
  auto plan = typed.plan;
  check_positive_range("dt", plan.settings.time_step, 1000);
  check_positive_range("temperature", plan.settings.temperature, 1'000'000);
  if (typed.xyz.empty() && typed.xyz_every != 1)
    throw_bad_argument("xyz-every", typed.xyz_every, "1 without --xyz");
  auto const rules = rules_for(typed);
  plan.are_alike = !rules;
  plan.system.has_solute = has_solute(typed);
  plan.system.has_sides = typed.solute == solutes[0];
  plan.conformers = conformers(typed);
  plan.settings.trajectories = trajectories(typed);
  auto const& mode = launch_mode_named(typed.launch);
  check_use(mode, mode.on_devices, "devices", typed.devices);
  return {plan, &mode, options_for(mode, typed), typed.discard, rules};
}

device_list devices_for(launch_mode const& mode, std::optional<std::string> const& typed) {
  if (!mode.on_devices) return {};
  return open_devices(typed ? *typed : default_device_list());
}

std::uint64_t finished_run::steps() const {
  std::uint64_t sum = 0;
  for (auto const& chain : chains) sum += chain->steps_done();
  return sum;
}

double finished_run::interactions_per_second() const {
  return static_cast<double>(steps() * interactions(start.waters(), start.beads.size())) / seconds;
}

namespace {

/// Shows the progress of a run if `shows`; the end of one by glat is unknown.
std::unique_ptr<shown_progress> shown_steps(bool shows, std::uint64_t all,
                                            std::function<std::uint64_t()> done) {
  if (!shows) return nullptr;
  return std::make_unique<shown_progress>(progress("nanodroplet", all, "steps", progress_on(stderr)),
                                          std::move(done));
}

/// Adds the chains' results to the result, as run_sampling() describes.
void sample_plainly(finished_run& result, launcher_source const& source, xyz_file* frames,
                    std::uint32_t xyz_every, bool shares, std::function<bool()> const& stop_requested,
                    bool shows) {
  auto const& plan = result.asked.plan;
  auto const prepares = clock::now();
  result.minimised = prepared_conformers(plan, stop_requested);
  result.minimiser_seconds = seconds_since(prepares);
  result.chains = make_chains(plan, result.minimised, [&](std::size_t i) { return source.make(i); });
  if (frames != nullptr) write_frames(*result.chains.front(), *frames, plan.settings, xyz_every);
  auto const begins = clock::now();
  {
    auto const all =
        std::uint64_t(plan.settings.steps_per_trajectory) * plan.settings.trajectories * result.chains.size();
    auto const shown = shown_steps(shows, all, [&result] { return result.steps(); });
    drive(result.chains, plan.threads, shares, stop_requested);
  }
  result.seconds = seconds_since(begins);
  result.was_stopped = !std::ranges::all_of(result.chains, [](auto const& c) { return c->is_done(); });
}

/// The same by the protocol glat.
void sample_regions(finished_run& result, launcher_source const& source, xyz_file* frames,
                    std::uint32_t xyz_every, bool shares, std::function<bool()> const& stop_requested,
                    bool shows) {
  auto const& plan = result.asked.plan;
  auto const begins = clock::now();
  glat_sampling work(plan, *result.asked.glat, [&](std::size_t i) { return source.make(i); });
  if (frames != nullptr)
    work.on_first_chain([&](markov_chain& first) { write_frames(first, *frames, plan.settings, xyz_every); });
  {
    auto const shown = shown_steps(shows, 0, [&work] { return work.steps_done(); });
    work.run(shares, stop_requested);
  }
  result.seconds = seconds_since(begins);
  result.minimiser_seconds = work.seconds_of_relaxing();
  result.was_stopped = work.was_stopped();
  auto outcome = work.outcome();
  result.regions = std::move(outcome.regions);
  result.minimised = std::move(outcome.starts);
  result.chains = std::move(outcome.chains);
}

}  // namespace

finished_run run_sampling(checked_request const& asked, device_list const& devices, std::string const& xyz,
                          std::uint32_t xyz_every, std::function<bool()> const& stop_requested, bool shows) {
  auto const source = asked.mode->open(asked.plan, devices, asked.options);
  std::optional<xyz_file> frames;
  if (!xyz.empty()) frames.emplace(xyz);
  finished_run result{asked, {}, make_droplet(asked.plan.system), {}, {}, {}, 0, 0, false, {}};
  for (auto const& device : devices) result.devices.push_back(device->name());
  auto const sample = asked.glat ? &sample_regions : &sample_plainly;
  sample(result, *source, frames ? &*frames : nullptr, xyz_every, shares_cores(devices), stop_requested,
         shows);
  result.launches = source->statistics();
  return result;
}

namespace {

using command_line::add_integer_option;
using command_line::takes_one_of;

/// Refuses options of sampling with --steps 0, which samples nothing.
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
  auto const done = run_sampling(asked, devices, typed.xyz, typed.xyz_every, stop_requested, !typed.json);
  std::cout << (typed.json ? run_as_json(done).text(2) + "\n" : run_as_text(done));
}

void add_system_options(CLI::App& nanodroplet, command_request& asked) {
  add_integer_option(nanodroplet, "--waters", asked.plan.system.waters, 1u, max_waters, "Molecules of water");
  takes_one_of(nanodroplet.add_option("--solute", asked.solute,
                                      "The molecule in the middle; m7 is the chain of m12 alone"),
               {"m12", "m7", "none"});
  add_integer_option(
      nanodroplet, "--conformers", asked.conformers, 1u, max_conformers,
      "Of the molecule, each in a droplet of its own (4; 1 without a molecule); with glat the first");
  add_integer_option(nanodroplet, "--minimise", asked.plan.minimiser_iterations, 0u, max_iterations,
                     "Iterations at most to relax a droplet before it is sampled");
}

void add_sampling_options(CLI::App& nanodroplet, command_request& asked) {
  add_integer_option(nanodroplet, "--chains", asked.plan.chains, 1u, max_chains,
                     "Chains from each conformer; 2 or more with glat");
  add_integer_option(
      nanodroplet, "--steps", asked.steps, 0u, max_steps,
      "Steps of each chain, with glat at most; 0 prints the energies of the start, nothing else");
  add_integer_option(nanodroplet, "--trajectory-steps", asked.plan.settings.steps_per_trajectory, 1u,
                     max_steps, "Steps between two decisions to accept");
  nanodroplet.add_option("--dt", asked.plan.settings.time_step, "Time step in fs");
  nanodroplet.add_option("--temperature", asked.plan.settings.temperature, "In Kelvin");
  add_integer_option<std::uint64_t>(nanodroplet, "--seed", asked.plan.seed, 0, 1'000'000'000'000'000,
                                    "Chain k of conformer c (with glat: of region c) has this + 1000 c + k");
  add_integer_option(nanodroplet, "--discard", asked.discard, 0u, max_steps,
                     "Trajectories at the beginning of each chain that the means leave out");
}

void add_protocol_options(CLI::App& nanodroplet, command_request& asked) {
  glat_rules const usual;
  takes_one_of(
      nanodroplet.add_option("--protocol", asked.protocol,
                             "plain: as many chains from each conformer, all equally long. glat: from "
                             "each until they tell the same, and from all that perturbing leads to"),
      {"plain", "glat"});
  add_integer_option(nanodroplet, "--look-every", asked.look_every, 4u, max_steps,
                     "Of glat: trajectories between two looks whether a region has converged")
      ->default_str(std::to_string(usual.look_every));
  nanodroplet
      .add_option("--most-ratio", asked.most_ratio,
                  "Of glat: the Gelman-Rubin ratio of a region that has converged")
      ->default_str(fmt::format("{}", usual.most_ratio));
  nanodroplet
      .add_option("--window", asked.window,
                  "Of glat: kcal/mol that a conformer may be above the lowest of the first")
      ->default_str(fmt::format("{}", usual.window));
}

void add_queue_options(CLI::App& nanodroplet, command_request& asked) {
  launch_options const usual;
  auto const names_of = &command_line::names_of;
  takes_one_of(nanodroplet
                   .add_option("--order", asked.order,
                               "Of a queue: whose launch is next (docs/reference/launch-options.md)")
                   ->default_str(usual.order),
               names_of(order_policies()));
  takes_one_of(nanodroplet.add_option("--key", asked.key, "Of a queue: what goes before that order")
                   ->default_str(usual.key),
               names_of(order_keys()));
  takes_one_of(nanodroplet.add_option("--merge", asked.merge, "Of a queue: which kernels become one launch")
                   ->default_str(usual.merge),
               names_of(merge_policies()));
  add_integer_option(nanodroplet, "--streams", asked.streams, 0u, max_streams,
                     "Of a queue: streams of each device; 0 leaves it to the queue");
}

std::string launch_mode_list() {
  std::string text = "How kernels are launched.";
  for (auto const& mode : launch_modes()) text += fmt::format(" {}: {}.", mode.name, mode.summary);
  return text;
}

void add_run_options(CLI::App& nanodroplet, command_request& asked) {
  command_line::begin_group(nanodroplet, command_line::device_group);
  command_line::add_devices_option(
      nanodroplet, asked.devices,
      std::string("They take the chains in turn. ") + command_line::device_list_help);
  std::vector<std::string> modes;
  for (auto const& mode : launch_modes()) modes.emplace_back(mode.name);
  takes_one_of(nanodroplet.add_option("--launch", asked.launch, launch_mode_list()), modes);
  add_queue_options(nanodroplet, asked);
  add_integer_option(nanodroplet, "--threads", asked.plan.threads, 1u, max_threads,
                     "Threads that drive the chains, each many in turn; as many as cores without it")
      ->default_str("");
  command_line::begin_group(nanodroplet, command_line::output_group);
  nanodroplet.add_option("--xyz", asked.xyz, "Write frames of the first chain to this file, a new one")
      ->type_name("FILE");
  add_integer_option(nanodroplet, "--xyz-every", asked.xyz_every, 1u, max_steps,
                     "A frame every so many trajectories");
  nanodroplet.add_flag("--json", asked.json, "Print one JSON object");
}

}  // namespace

void add_command(CLI::App& app, std::function<bool()> stop_requested) {
  auto const asked = std::make_shared<command_request>();
  asked->plan.threads = usual_threads();
  auto* const nanodroplet = app.add_subcommand(
      "nanodroplet",
      "A droplet of water around a molecule, sampled by many Markov chains (Wende, Cordes, Steinke 2012)");
  nanodroplet->option_defaults()->always_capture_default();
  command_line::begin_group(*nanodroplet, command_line::work_group);
  add_system_options(*nanodroplet, *asked);
  add_sampling_options(*nanodroplet, *asked);
  add_protocol_options(*nanodroplet, *asked);
  add_run_options(*nanodroplet, *asked);
  command_line::add_examples(*nanodroplet,
                             {"ballast nanodroplet --conformers 4 --steps 100",
                              "ballast nanodroplet --waters 50 --steps 200 --launch queue --json",
                              "ballast nanodroplet --waters 250 --steps 0"});
  nanodroplet->callback(
      [=, stop_requested = std::move(stop_requested)] { run(*nanodroplet, *asked, stop_requested); });
}

}  // namespace ballast::nanodroplet
