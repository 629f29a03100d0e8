// SPDX-License-Identifier: Apache-2.0
#include "run_request.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "ballast/policy/feed.hpp"
#include "ballast/replace_file.hpp"
#include "command_line/files.hpp"
#include "command_line/memory_for.hpp"
#include "gaussian_system.hpp"
#include "lammps_file.hpp"
#include "report/table.hpp"
#include "text_file.hpp"
#include "trajectory.hpp"

namespace ballast::md {
namespace {

namespace fs = std::filesystem;

bool ends_with_one_of(std::string const& path, std::vector<std::string> const& ends) {
  auto const extension = fs::path(path).extension().string();
  return std::find(ends.begin(), ends.end(), extension) != ends.end();
}

std::string atoms_of(run_request const& asked) {
  if (!asked.restart.empty()) return "the atoms of " + asked.restart;
  if (asked.system != "gaussian") return "the atoms of " + asked.system;
  auto const count = asked.count.value_or(asked.usual_count);
  return std::to_string(count) + " atoms (" + byte_size(count * bytes_of_an_atom) + ")";
}

atoms read_system(run_request const& asked) {
  if (asked.system == "gaussian") return gaussian_system(asked.count.value_or(asked.usual_count));
  if (asked.count) {
    throw_bad_argument("--atoms", *asked.count,
                       "nothing beside --system " + asked.system + ", which has atoms of its own");
  }
  if (ends_with_one_of(asked.system, {".data", ".lmp", ".lammps"})) return read_lammps_data(asked.system);
  if (ends_with_one_of(asked.system, {".xyz", ".extxyz"})) return read_xyz(asked.system);
  throw_bad_argument("--system", asked.system,
                     "gaussian, a LAMMPS data file (.data, .lmp, .lammps) or an XYZ file (.xyz, .extxyz)");
}

/// As index_among, for words in braces.
std::size_t choice(std::string_view option, std::string_view word,
                   std::initializer_list<std::string_view> legal) {
  return index_among(legal, option, word);
}

bool is_helium(atoms const& all) {
  return std::all_of(all.type_name.begin(), all.type_name.end(), [](auto const& n) { return n == "He"; });
}

lennard_jones parameters_for(run_request const& asked, atoms const& all) {
  bool const known = all.parameters.has_value() || is_helium(all);
  if (!known && !(asked.epsilon && asked.sigma)) {
    throw error(asked.system +
                " gives no Lennard-Jones parameters and holds more than helium: say --epsilon and --sigma");
  }
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
  what.skin = asked.skin.value_or(asked.steps > 0 ? 1.0 : 0.0);
  return what;
}

std::vector<solution> solutions_for(run_request const& asked) {
  std::vector<solution> all;
  for (auto const& name : asked.solutions) {
    auto const one = static_cast<solution>(choice("--solutions", name, {"S1", "S2", "S3", "TQ", "chen"}));
    if (std::find(all.begin(), all.end(), one) != all.end()) {
      throw_bad_argument("--solutions", "a list with " + name + " twice",
                         "each of S1, S2, S3, TQ, chen at most once");
    }
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

/// A checkpoint may replace the one that the run begins with; a trajectory is added to, not replaced.
void check_outputs(run_request const& asked) {
  std::array<command_line::named_file, 3> const outputs{{{"--checkpoint", asked.files.checkpoint},
                                                         {"--trajectory", asked.files.trajectory},
                                                         {"--trace", asked.trace}}};
  for (auto const& output : outputs) check_output(output);
  command_line::named_file const system{"--system", asked.system == "gaussian" ? "" : asked.system},
      restart{"--restart", asked.restart};
  command_line::check_distinct_outputs(outputs, {&system, 1});
  command_line::check_distinct_outputs(std::span(outputs).subspan(1), {&restart, 1});
  for (auto const& path : {asked.files.checkpoint, asked.trace})
    if (!path.empty()) check_replaceable(path);
}

void check_periods(output_files const& files) {
  if (files.checkpoint_every > 0 && files.checkpoint.empty()) {
    throw_bad_argument("--checkpoint-every", files.checkpoint_every, "0 without --checkpoint FILE");
  }
  if (files.trajectory_every > 0 && files.trajectory.empty()) {
    throw_bad_argument("--trajectory-every", files.trajectory_every, "0 without --trajectory FILE");
  }
}

/// Refuses what only solutions look at that are not run.
void check_cut(granularity const& cut, std::vector<solution> const& solutions) {
  auto const runs = [&](solution which) {
    return std::find(solutions.begin(), solutions.end(), which) != solutions.end();
  };
  if (cut.chunk != 0 && !runs(solution::s3))
    throw_bad_argument("--chunk", cut.chunk, "0 without S3 among --solutions");
  if (cut.task != 0 && !runs(solution::tq) && !runs(solution::chen))
    throw_bad_argument("--task", cut.task, "0 without TQ or chen among --solutions");
  (void)make_feed_policy(cut.feed);
  if (cut.feed != granularity().feed && !runs(solution::tq))
    throw_bad_argument("--feed", cut.feed, granularity().feed + " without TQ among --solutions");
  auto const usual = granularity().queue_tasks;
  if (cut.queue_tasks != usual && !runs(solution::chen))
    throw_bad_argument("--queue-tasks", cut.queue_tasks,
                       std::to_string(usual) + " without chen among --solutions");
}

/// Frames are added to what is there, so that must be a trajectory of the same atoms. Its first frame is
/// taken for all of them: reading the rest could take as long as the run.
void check_trajectory(std::string const& path, std::size_t count) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) == 0) return;
  std::string const legal = "a new file or an XYZ trajectory of " + std::to_string(count) + " atoms";
  std::size_t there = 0;
  try {
    there = read_xyz(path).size();
  } catch (bad_file const& problem) {
    throw_bad_argument("--trajectory", path, legal + "; " + problem.what());
  }
  if (there == count) return;
  throw_bad_argument("--trajectory", path + ", whose first frame has " + std::to_string(there) + " atoms",
                     legal);
}

void begin_anew(comparison_plan& plan, run_request const& asked) {
  plan.from.state = read_system(asked);
  check_atoms(plan.from.state);
  plan.what = physics_for(asked, plan.from.state);
  if (asked.temperature) draw_velocities(plan.from.state, *asked.temperature, asked.seed);
}

void begin_at(comparison_plan& plan, std::string const& file) {
  auto const point = read_checkpoint(file);
  plan.from = beginning_of(point);
  plan.what = {point.field, point.single_precision, point.all_pairs, point.time_step, point.skin};
}

}  // namespace

comparison_plan plan_for(run_request const& asked) {
  comparison_plan plan;
  plan.steps = asked.steps;
  plan.solutions = solutions_for(asked);
  plan.repeat = asked.repeat;
  plan.cut = asked.cut;
  plan.seed = asked.seed;
  plan.files = asked.files;
  check_outputs(asked);
  check_periods(asked.files);
  check_cut(plan.cut, plan.solutions);
  command_line::with_memory_for([&] { return atoms_of(asked); },
                                [&] {
                                  asked.restart.empty() ? begin_anew(plan, asked)
                                                        : begin_at(plan, asked.restart);
                                  check_plan(plan);
                                  if (!plan.files.trajectory.empty())
                                    check_trajectory(plan.files.trajectory, plan.from.state.size());
                                });
  return plan;
}

}  // namespace ballast::md
