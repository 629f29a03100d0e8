// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/balanced_queue.hpp"
#include "ballast/cluster.hpp"
#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/files.hpp"
#include "command_line/options.hpp"
#include "command_line/output_lock.hpp"
#include "command_line/program.hpp"
#include "command_line/text_file.hpp"
#include "comparison.hpp"
#include "gaussian_system.hpp"
#include "job_run/request.hpp"
#include "lammps_file.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"
#include "run_report.hpp"
#include "trajectory.hpp"

namespace ballast::md {
namespace {

/// The user's request on the command line, as text and as numbers in range; not checked otherwise.
struct run_request {
  comparison_plan plan;  ///< without the solutions and the beginning
  std::string system = "gaussian";
  static constexpr std::uint64_t usual_count = 4096;
  std::optional<std::uint64_t> count;  ///< of the gaussian system; empty: usual_count
  double cutoff = 12, time_step = 2;
  std::string precision = "single", potential = "truncated", forces = "cells", boundary = "open";
  std::optional<double> temperature, skin, epsilon, sigma;
  std::vector<std::string> solutions;  ///< empty: those of a comparison_plan, or jobs on ranks
  std::optional<std::string> devices;  ///< without it default_device_list()
  std::string restart, trace, record;
  bool json = false;
  job_run::cluster_flag cluster = {};
};

namespace fs = std::filesystem;

bool ends_with_one_of(std::string const& path, std::vector<std::string> const& ends) {
  auto const extension = fs::path(path).extension().string();
  return std::ranges::find(ends, extension) != ends.end();
}

std::string atoms_of(run_request const& asked) {
  if (!asked.restart.empty()) return "the atoms of " + asked.restart;
  if (asked.system != "gaussian") return "the atoms of " + asked.system;
  auto const count = asked.count.value_or(asked.usual_count);
  return fmt::format("{} atoms ({})", count, byte_size(count * bytes_of_an_atom));
}

frame read_system(run_request const& asked) {
  if (asked.system == "gaussian")
    return {gaussian_system(asked.count.value_or(asked.usual_count)), {}, {}, {}};
  if (asked.count)
    throw_bad_argument("--atoms", *asked.count,
                       "nothing beside --system " + asked.system + ", which has atoms of its own");
  if (ends_with_one_of(asked.system, {".data", ".lmp", ".lammps"}))
    return {read_lammps_data(asked.system), {}, {}, {}};
  if (ends_with_one_of(asked.system, {".xyz", ".extxyz"})) return read_first_frame(asked.system);
  throw_bad_argument("--system", asked.system,
                     "gaussian, a LAMMPS data file (.data, .lmp, .lammps) or an XYZ file (.xyz, .extxyz)");
}

/// Like index_among, for words in braces.
std::size_t choice(std::string_view option, std::string_view word,
                   std::initializer_list<std::string_view> legal) {
  return index_among(legal, option, word);
}

bool is_helium(atoms const& all) {
  return std::ranges::all_of(all.type_name, [](auto const& n) { return n == "He"; });
}

lennard_jones parameters_for(run_request const& asked, atoms const& all) {
  bool const known = all.parameters.has_value() || is_helium(all);
  if (!known && !(asked.epsilon && asked.sigma))
    throw error(asked.system +
                " gives no Lennard-Jones parameters and holds more than helium: say --epsilon and --sigma");
  auto p = all.parameters.value_or(helium_parameters);
  p.epsilon = asked.epsilon.value_or(p.epsilon);
  p.sigma = asked.sigma.value_or(p.sigma);
  return p;
}

physics physics_for(run_request const& asked, atoms const& all) {
  physics what;
  what.field = {
      parameters_for(asked, all), asked.cutoff,
      static_cast<potential>(choice("--potential", asked.potential, {"truncated", "force-shifted"})),
      static_cast<boundary>(choice("--boundary", asked.boundary, {"open", "periodic"}))};
  what.single_precision = choice("--precision", asked.precision, {"single", "double"}) == 0;
  what.all_pairs = choice("--forces", asked.forces, {"cells", "all-pairs"}) == 1;
  what.time_step = asked.time_step;
  what.skin = asked.skin.value_or(asked.plan.steps > 0 ? 1.0 : 0.0);
  return what;
}

std::vector<solution> solutions_for(run_request const& asked) {
  if (asked.solutions.empty() && asked.cluster.typed) return {solution::jobs};
  if (asked.solutions.empty()) return comparison_plan().solutions;
  std::vector<solution> all;
  for (auto const& name : asked.solutions) {
    auto const one = static_cast<solution>(index_among(solution_names(), "--solutions", name));
    if (std::ranges::find(all, one) != all.end())
      throw_bad_argument("--solutions", "a list with " + name + " twice",
                         fmt::format("each of {} at most once", fmt::join(solution_names(), ", ")));
    if (asked.cluster.typed && one != solution::jobs)
      throw_bad_argument("--solutions", name, "jobs with --cluster, which ranks run together");
    all.push_back(one);
  }
  return all;
}

/// Refuses a file that could not be written at the end of a long run.
void check_output(command_line::named_file const& output) {
  auto const& [option, path] = output;
  if (path.empty()) return;
  auto const folder = fs::absolute(path).parent_path();
  if (!fs::is_directory(folder)) throw_bad_argument(option, path, "a file in a folder that exists");
  if (fs::is_directory(path)) throw_bad_argument(option, path, "a file, not a folder");
}

/// Refuses outputs that cannot be written, or that would replace a file that is needed. A checkpoint may
/// replace the one from which the run begins; a trajectory is appended to, not replaced.
void check_outputs(run_request const& asked) {
  std::array<command_line::named_file, 3> const outputs{{{"--checkpoint", asked.plan.files.checkpoint},
                                                         {"--trajectory", asked.plan.files.trajectory},
                                                         {"--trace", asked.trace}}};
  for (auto const& output : outputs) check_output(output);
  command_line::named_file const system{"--system", asked.system == "gaussian" ? "" : asked.system},
      restart{"--restart", asked.restart};
  command_line::check_distinct_outputs(outputs, {&system, 1});
  command_line::check_distinct_outputs(std::span(outputs).subspan(1), {&restart, 1});
  for (auto const& path : {asked.plan.files.checkpoint, asked.trace})
    if (!path.empty()) check_replaceable(path);
}

void check_periods(output_files const& files) {
  if (files.checkpoint_every > 0 && files.checkpoint.empty())
    throw_bad_argument("--checkpoint-every", files.checkpoint_every, "0 without --checkpoint FILE");
  if (files.trajectory_every > 0 && files.trajectory.empty())
    throw_bad_argument("--trajectory-every", files.trajectory_every, "0 without --trajectory FILE");
}

/// Throws bad_argument ("policy") unless it is one of these names.
void check_policy(std::vector<named_policy> const& legal, std::string_view name) {
  std::vector<std::string_view> names;
  for (auto const& one : legal) names.push_back(one.name);
  static_cast<void>(index_among(names, "policy", name));
}

/// Refuses settings that only absent solutions would use.
void check_cut(comparison_plan const& plan) {
  auto const& cut = plan.cut;
  auto const runs = [&](solution which) {
    return std::ranges::find(plan.solutions, which) != plan.solutions.end();
  };
  if (cut.chunk != 0 && !runs(solution::s3))
    throw_bad_argument("--chunk", cut.chunk, "0 without S3 among --solutions");
  if (cut.task != 0 && !runs(solution::tq) && !runs(solution::chen))
    throw_bad_argument("--task", cut.task, "0 without TQ or chen among --solutions");
  check_policy(feed_policies(), cut.feed);
  if (cut.feed != granularity().feed && !runs(solution::tq))
    throw_bad_argument("--feed", cut.feed, granularity().feed + " without TQ among --solutions");
  auto const usual = granularity().queue_tasks;
  if (cut.queue_tasks != usual && !runs(solution::chen))
    throw_bad_argument("--queue-tasks", cut.queue_tasks,
                       fmt::format("{} without chen among --solutions", usual));
  check_policy(split_policies(), plan.jobs.policy);
  if (plan.jobs.policy != job_options().policy && !runs(solution::jobs))
    throw_bad_argument("--policy", plan.jobs.policy,
                       job_options().policy + " without jobs among --solutions");
}

/// Frames are appended to the existing file, so it must be a trajectory of the same atoms. Only its first
/// frame is checked: reading the rest could take as long as the run.
void check_trajectory(std::string const& path, std::size_t count) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) == 0) return;
  auto const legal = fmt::format("a new file or an XYZ trajectory of {} atoms", count);
  std::size_t there = 0;
  try {
    there = read_xyz(path).size();
  } catch (command_line::bad_file const& problem) {
    throw_bad_argument("--trajectory", path, legal + "; " + problem.what());
  }
  if (there == count) return;
  throw_bad_argument("--trajectory", fmt::format("{}, whose first frame has {} atoms", path, there), legal);
}

void warn_of_other_edges(run_request const& asked, std::optional<boundary> told) {
  bool const is_periodic = asked.boundary == "periodic";
  if (!told || (*told == boundary::periodic) == is_periodic) return;
  write_log(log_level::warning,
            fmt::format("{}: pbc says {}, but --boundary is {}", asked.system,
                        is_periodic ? "F F F, which is open" : "T T T, which is periodic", asked.boundary));
}

void begin_anew(comparison_plan& plan, run_request const& asked) {
  auto system = read_system(asked);
  plan.from.state = std::move(system.state);
  check_atoms(plan.from.state);
  plan.what = physics_for(asked, plan.from.state);
  warn_of_other_edges(asked, system.edges);
  if (asked.temperature) draw_velocities(plan.from.state, *asked.temperature, asked.plan.seed);
}

void begin_at(comparison_plan& plan, std::string const& file) {
  auto const point = read_checkpoint(file);
  plan.from = beginning_of(point);
  plan.what = {point.field, point.single_precision, point.all_pairs, point.time_step, point.skin};
}

/// Reads the files, makes the system and checks everything that needs no device, also that an existing
/// trajectory contains these atoms. Throws bad_argument, bad_file.
comparison_plan plan_for(run_request const& asked) {
  auto plan = asked.plan;
  plan.solutions = solutions_for(asked);
  check_outputs(asked);
  check_periods(plan.files);
  check_cut(plan);
  auto const begin = [&] {
    asked.restart.empty() ? begin_anew(plan, asked) : begin_at(plan, asked.restart);
    check_plan(plan);
    if (!plan.files.trajectory.empty()) check_trajectory(plan.files.trajectory, plan.from.state.size());
  };
  command_line::with_memory_for([&] { return atoms_of(asked); }, begin);
  return plan;
}

using command_line::add_integer_option;
using command_line::add_path;
using command_line::takes_one_of;

/// Shows the progress of a comparison, and keeps the reported energies.
class run_monitor {
 public:
  run_monitor(comparison_plan const& plan, bool shows)
      : shows_(shows),
        per_run_(static_cast<std::uint64_t>(std::max<std::int64_t>(plan.steps, 1))),
        total_(per_run_ * plan.solutions.size() * static_cast<std::uint64_t>(plan.repeat)),
        freedoms_(3.0 * static_cast<double>(plan.from.state.size()) - 3.0) {}

  comparison_observer observer() {
    comparison_observer callbacks;
    callbacks.stepped = [this](std::int64_t done, std::int64_t) { step(static_cast<std::uint64_t>(done)); };
    callbacks.sums = [this](std::int64_t step, totals const& sums, double kinetic) {
      energies_.push_back({step, sums, kinetic, freedoms_ > 0 ? 2 * kinetic / (freedoms_ * boltzmann) : 0});
    };
    return callbacks;
  }
  void finish() {
    if (shown_) shown_->finish();
  }
  std::vector<energy_row> const& energies() const { return energies_; }

 private:
  /// Shows how much of all runs is done. `done` is 0 at the beginning of each run.
  void step(std::uint64_t done) {
    if (!shows_) return;
    if (!shown_) shown_.emplace("md", total_, "steps", progress_on(stderr));
    if (done == 0) ++runs_;
    shown_->update((runs_ - 1) * per_run_ + done);
  }

  bool shows_;
  std::uint64_t per_run_, total_, runs_ = 0;
  double freedoms_;
  std::optional<progress> shown_;
  std::vector<energy_row> energies_;
};

struct prepared_run {
  std::optional<cluster> ranks;  ///< first, since it is destroyed after its users
  comparison_plan plan;
  device_list devices;
};

/// Makes the plan and opens the devices. An interrupt ends the process meanwhile: nothing was written yet,
/// and a system may be large or come from a pipe.
prepared_run prepared(run_request const& asked) {
  command_line::exits_on_interrupt const meanwhile;
  auto plan = plan_for(asked);
  auto ranks = job_run::ranks_if(asked.cluster);
  auto devices = job_run::telling_ranks(
      ranks, [&] { return open_devices(asked.devices ? *asked.devices : default_device_list()); });
  return {std::move(ranks), std::move(plan), std::move(devices)};
}

std::string names_of(std::vector<solution> const& solutions, std::string_view between) {
  std::vector<std::string_view> names;
  for (auto const which : solutions) names.push_back(name_of(which));
  return fmt::format("{}", fmt::join(names, between));
}

/// The work of the plan for a message: "S1 and TQ of 4096 atoms, which alone take 296 KiB"
std::string work_of(comparison_plan const& plan) {
  auto const count = plan.from.state.size();
  return fmt::format("{} of {} atoms, which alone take {}", names_of(plan.solutions, ", "), count,
                     byte_size(count * bytes_of_an_atom));
}

void run(run_request const& asked, prepared_run& all) {
  auto& [ranks, plan, devices] = all;
  bool const is_told_here = !ranks || ranks->rank() == 0;
  command_line::output_lock const adds_alone("--trajectory", is_told_here ? plan.files.trajectory : "");
  job_run::trace_file const trace(asked.trace, devices, ranks ? &*ranks : nullptr);
  plan.spans = trace.spans();
  if (ranks) plan.jobs.ranks = job_peers_of(*ranks);
  if (!asked.json) plan.sums_every = (plan.steps + 9) / 10;
  run_monitor monitor(plan, is_told_here);
  auto const started = utc_now();
  auto const result = command_line::with_memory_for(
      [&] { return work_of(plan); }, [&] { return compare_solutions(devices, plan, monitor.observer()); });
  monitor.finish();
  bool const something_was_timed = !result.solutions.empty();
  if (something_was_timed) trace.save();
  if (!is_told_here) return;
  if (!asked.record.empty() && something_was_timed)
    write_run_record(asked.record, record_of(plan, result, devices, started));
  if (asked.json) {
    std::cout << report_as_json(plan, result).text(2) << '\n';
  } else {
    std::cout << report_as_text(plan, result, monitor.energies(), charset_of_environment());
  }
}

void run(run_request const& asked) {
  auto all = prepared(asked);
  job_run::telling_ranks(all.ranks, [&] { run(asked, all); });
}

constexpr std::uint32_t max_atoms = 1 << 30;
constexpr std::int64_t max_steps = 1'000'000'000'000;
constexpr std::uint32_t max_queue_tasks = 256;
constexpr int max_repetitions = 1'000'000;

/// Adds an option that takes a whole number from 0.
template <std::integral Number>
void add_count(CLI::App& md, std::string const& name, Number& target, Number most,
               std::string const& meaning) {
  add_integer_option(md, name, target, Number(0), most, meaning);
}

void add_system_options(CLI::App& md, run_request& asked, std::vector<CLI::Option*>& physics) {
  auto const keep = [&](CLI::Option* option) { physics.push_back(option); };
  keep(md.add_option(
      "--system", asked.system,
      "gaussian (a droplet of helium), a LAMMPS data file (.data, .lmp, .lammps) or an XYZ file "
      "(.xyz, .extxyz)"));
  keep(add_integer_option<std::uint64_t>(md, "--atoms", asked.count, 1, max_atoms,
                                         "Atoms of the gaussian system")
           ->default_str(std::to_string(run_request::usual_count)));
  keep(md.add_option("--cutoff", asked.cutoff, "Cut-off in Angstrom"));
  keep(takes_one_of(
      md.add_option("--precision", asked.precision, "Of the pair terms, whose sums are double either way"),
      {"single", "double"}));
  keep(takes_one_of(md.add_option("--potential", asked.potential, "force-shifted conserves energy"),
                    {"truncated", "force-shifted"}));
  keep(takes_one_of(md.add_option("--forces", asked.forces, "Whether near atoms are found by cells"),
                    {"cells", "all-pairs"}));
  keep(takes_one_of(md.add_option("--boundary", asked.boundary, "Of the box"), {"open", "periodic"}));
  keep(md.add_option("--epsilon", asked.epsilon, "Lennard-Jones epsilon in kcal/mol, instead of the file's"));
  keep(md.add_option("--sigma", asked.sigma, "Lennard-Jones sigma in Angstrom, instead of the file's"));
  keep(md.add_option("--temperature", asked.temperature, "Draw velocities of so many Kelvin"));
  keep(md.add_option("--dt", asked.time_step, "Time step in fs"));
  keep(md.add_option("--skin", asked.skin,
                     "Cells are so many Angstrom larger than the cut-off (1; 0 without steps)"));
}

void add_run_options(CLI::App& md, run_request& asked) {
  add_count(md, "--steps", asked.plan.steps, max_steps, "Steps; 0 times one evaluation of the forces");
  add_integer_option<std::uint64_t>(md, "--seed", asked.plan.seed, 0,
                                    std::numeric_limits<std::uint64_t>::max(),
                                    "Of velocities and of S2's permutation");
  auto const& names = solution_names();
  command_line::takes_list_of(
      md.add_option("--solutions", asked.solutions,
                    fmt::format("Some of {}; jobs with --cluster", fmt::join(names, ",")))
          ->delimiter(',')
          ->default_str(names_of(comparison_plan().solutions, ",")),
      {names.begin(), names.end()});
}

void add_device_options(CLI::App& md, run_request& asked) {
  command_line::begin_group(md, command_line::device_group);
  command_line::add_devices_option(md, asked.devices);
  add_count(md, "--chunk", asked.plan.cut.chunk, max_atoms,
            "Atoms of a chunk of S3 (0: about 16 chunks per device)");
  add_count(md, "--task", asked.plan.cut.task, max_atoms,
            "Atoms of a task of TQ and chen (0: 128, on cores up to 512 where tasks are many)");
  add_integer_option<std::uint32_t>(md, "--queue-tasks", asked.plan.cut.queue_tasks, 1, max_queue_tasks,
                                    "Tasks that a queue of chen holds; the paper's is 20");
  takes_one_of(
      md.add_option("--feed", asked.plan.cut.feed,
                    command_line::help_with_names("How TQ feeds devices (docs/queue.md):", feed_policies())),
      command_line::names_of(feed_policies()), "POLICY");
  job_run::add_policy_option(md, asked.plan.jobs.policy, "Who gets which atoms of jobs");
  job_run::add_cluster_flag(md, asked.cluster);
}

void add_restart_option(CLI::App& md, run_request& asked, std::vector<CLI::Option*> const& physics) {
  auto* const restart =
      add_path(md, "--restart", asked.restart, "FILE",
               "Go on from this checkpoint, with its atoms and physics: none of the options before");
  for (auto* const option : physics) restart->excludes(option);
}

void add_file_options(CLI::App& md, run_request& asked) {
  command_line::begin_group(md, command_line::output_group);
  add_integer_option(md, "--repeat", asked.plan.repeat, 1, max_repetitions,
                     "Repetitions; medians are reported");
  auto& files = asked.plan.files;
  add_path(md, "--checkpoint", files.checkpoint, "FILE", "Write a checkpoint at the end");
  add_count(md, "--checkpoint-every", files.checkpoint_every, max_steps, "And every so many steps");
  add_path(md, "--trajectory", files.trajectory, "FILE", "Add first and last positions to this XYZ file");
  add_count(md, "--trajectory-every", files.trajectory_every, max_steps, "And those of every so many steps");
  add_path(md, "--trace", asked.trace, "FILE", "Write what ran where and when, for ui.perfetto.dev");
  add_path(md, "--record", asked.record, "FOLDER",
           "Write the raw samples, machine and commit to FOLDER/<machine>/ (bench/SCHEMA.md)");
  md.add_flag("--json", asked.json, "Print one JSON object");
}

}  // namespace

void add_command(CLI::App& app) {
  auto const asked = std::make_shared<run_request>();
  auto* const md = app.add_subcommand(
      "md", "Molecular dynamics, its forces balanced over devices in the four ways of Chen et al. 2010");
  md->option_defaults()->always_capture_default();
  std::vector<CLI::Option*> physics;
  command_line::begin_group(*md, command_line::work_group);
  add_system_options(*md, *asked, physics);
  add_restart_option(*md, *asked, physics);
  add_run_options(*md, *asked);
  add_device_options(*md, *asked);
  add_file_options(*md, *asked);
  command_line::add_examples(*md,
                             {"ballast md --atoms 4096 --steps 10",
                              "ballast md --atoms 16384 --solutions S1,TQ --devices host:1,host:1",
                              "ballast md --atoms 1000 --steps 100 --checkpoint half.json --json"},
                             "Solutions: S1 gives each device an equal part of the sorted atoms, S2 of\n"
                             "shuffled ones; S3 launches chunks where a device is free; TQ feeds tasks of\n"
                             "128 atoms to kernels that stay; chen does so by the published queues; jobs\n"
                             "deals out ranges. Without --solutions S1, S2, S3 and TQ run in turn, each all\n"
                             "steps.");
  md->callback([asked] { run(*asked); });
}

}  // namespace ballast::md
