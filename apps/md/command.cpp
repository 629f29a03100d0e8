// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "ballast/trace.hpp"
#include "command_line/interrupt.hpp"
#include "command_line/memory_for.hpp"
#include "command_line/options.hpp"
#include "report/progress.hpp"
#include "run_recording.hpp"
#include "run_report.hpp"
#include "run_request.hpp"

namespace ballast::md {
namespace {

using command_line::add_integer_option;
using command_line::add_path;

/// Shows how far a comparison is, and keeps the energies that it passes.
class run_monitor {
 public:
  explicit run_monitor(comparison_plan const& plan)
      : per_run_(static_cast<std::uint64_t>(std::max<std::int64_t>(plan.steps, 1))),
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
  /// done is 0 at the beginning of each run.
  void step(std::uint64_t done) {
    if (!shown_) shown_.emplace("md", total_, "steps", progress_on(stderr));
    if (done == 0) ++runs_;
    shown_->update((runs_ - 1) * per_run_ + done);
  }

  std::uint64_t per_run_, total_, runs_ = 0;
  double freedoms_;
  std::optional<progress> shown_;
  std::vector<energy_row> energies_;
};

struct prepared_run {
  comparison_plan plan;
  device_list devices;
};

/// Nothing is left behind yet, and a system may be large or come from a pipe.
prepared_run prepared(run_request const& asked) {
  command_line::exits_on_interrupt const meanwhile;
  auto plan = plan_for(asked);
  return {std::move(plan), open_devices(asked.devices ? *asked.devices : default_device_list())};
}

/// "S1 and TQ of 4096 atoms, which alone take 296 KiB"
std::string work_of(comparison_plan const& plan) {
  std::string text;
  for (auto const which : plan.solutions) text.append(text.empty() ? "" : ", ").append(name_of(which));
  auto const count = plan.from.state.size();
  return text + " of " + std::to_string(count) + " atoms, which alone take " +
         byte_size(count * bytes_of_an_atom);
}

void run(run_request const& asked) {
  auto [plan, devices] = prepared(asked);
  recording spans;
  if (!asked.trace.empty()) plan.spans = &spans;
  if (!asked.json) plan.sums_every = (plan.steps + 9) / 10;
  run_monitor monitor(plan);
  auto const started = utc_now();
  auto const result = command_line::with_memory_for(
      [&] { return work_of(plan); }, [&] { return compare_solutions(devices, plan, monitor.observer()); });
  monitor.finish();
  bool const something_was_timed = !result.solutions.empty();
  if (!asked.record.empty() && something_was_timed)
    write_run_record(asked.record, record_of(plan, result, devices, started));
  if (!asked.trace.empty() && something_was_timed) save_chrome_trace(asked.trace, spans);
  if (asked.json) {
    std::cout << report_as_json(plan, result).text(2) << '\n';
  } else {
    std::cout << report_as_text(plan, result, monitor.energies(), charset_of_environment());
  }
}

constexpr std::uint32_t max_atoms = 1 << 30;
constexpr std::int64_t max_steps = 1'000'000'000'000;
constexpr std::uint32_t max_queue_tasks = 256;
constexpr int max_repetitions = 1'000'000;

/// A whole number from 0.
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
  keep(md.add_option("--precision", asked.precision,
                     "Of the pair terms: single (with double sums) or double"));
  keep(md.add_option("--potential", asked.potential, "truncated or force-shifted (conserves energy)"));
  keep(md.add_option("--forces", asked.forces, "cells or all-pairs"));
  keep(md.add_option("--boundary", asked.boundary, "open or periodic"));
  keep(md.add_option("--epsilon", asked.epsilon, "Lennard-Jones epsilon in kcal/mol, instead of the file's"));
  keep(md.add_option("--sigma", asked.sigma, "Lennard-Jones sigma in Angstrom, instead of the file's"));
  keep(md.add_option("--temperature", asked.temperature, "Draw velocities of so many Kelvin"));
  keep(md.add_option("--dt", asked.time_step, "Time step in fs"));
  keep(md.add_option("--skin", asked.skin,
                     "Cells are so many Angstrom larger than the cut-off (1; 0 without steps)"));
}

void add_run_options(CLI::App& md, run_request& asked) {
  add_count(md, "--steps", asked.steps, max_steps, "Steps; 0 times one evaluation of the forces");
  add_integer_option<std::uint64_t>(md, "--seed", asked.seed, 0, std::numeric_limits<std::uint64_t>::max(),
                                    "Of velocities and of S2's permutation");
  md.add_option_function<std::string>(
        "--devices", [&](std::string const& list) { asked.devices = list; }, command_line::device_list_help)
      ->type_name("LIST");
  md.add_option("--solutions", asked.solutions, "Some of S1,S2,S3,TQ,chen")
      ->delimiter(',')
      ->type_name("LIST");
  add_count(md, "--chunk", asked.cut.chunk, max_atoms,
            "Atoms of a chunk of S3 (0: about 16 chunks per device)");
  add_count(md, "--task", asked.cut.task, max_atoms,
            "Atoms of a task of TQ and chen (0: 128, on cores up to 512 where tasks are many)");
  add_integer_option<std::uint32_t>(md, "--queue-tasks", asked.cut.queue_tasks, 1, max_queue_tasks,
                                    "Tasks that a queue of chen holds; the paper's is 20");
  md.add_option("--feed", asked.cut.feed, "How TQ feeds devices: drain, parts or fixed (docs/queue.md)")
      ->type_name("POLICY")
      ->capture_default_str();
  add_integer_option(md, "--repeat", asked.repeat, 1, max_repetitions, "Repetitions; medians are reported");
}

void add_file_options(CLI::App& md, run_request& asked, std::vector<CLI::Option*> const& physics) {
  auto* const restart =
      add_path(md, "--restart", asked.restart, "FILE", "Go on from this checkpoint, with its physics");
  for (auto* const option : physics) restart->excludes(option);
  auto& files = asked.files;
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
  add_system_options(*md, *asked, physics);
  add_run_options(*md, *asked);
  add_file_options(*md, *asked, physics);
  md->callback([asked] { run(*asked); });
}

}  // namespace ballast::md
