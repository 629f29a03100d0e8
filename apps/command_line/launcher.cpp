// SPDX-License-Identifier: Apache-2.0
#include "command_line/launcher.hpp"

#include <charconv>

namespace ballast::command_line {
namespace {

struct launcher_variables {
  char const* launcher;
  char const* processes;
  char const* rank;
};

constexpr launcher_variables of_slurm{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};
/// If several match, the first decides: mpirun and mpiexec start their own processes by srun under Slurm.
constexpr launcher_variables launchers[] = {{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                            {"mpiexec", "PMI_SIZE", "PMI_RANK"},
                                            of_slurm};

using reader = std::function<std::optional<std::string>(std::string_view)>;

std::optional<std::uint32_t> number_in(char const* variable, reader const& read) {
  auto const text = read(variable);
  std::uint32_t number = 0;
  if (!text) return std::nullopt;
  auto const end = text->data() + text->size();
  auto const [rest, problem] = std::from_chars(text->data(), end, number);
  return problem == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<launch> launch_of(reader const& read) {
  for (auto const& [launcher, size, rank] : launchers) {
    auto const processes = number_in(size, read), own = number_in(rank, read);
    if (!processes || !own || *processes < 2 || *own >= *processes) continue;
    bool const is_srun = number_in(of_slurm.processes, read) == processes;  // which speaks PMI too
    bool const is_open_mpi = &launcher == &launchers[0].launcher;
    return launch{is_srun && !is_open_mpi ? of_slurm.launcher : launcher, *processes, *own};
  }
  return std::nullopt;
}

std::string advice_on_launch(std::optional<launch> const& started) {
  if (!started || started->rank != 0) return {};
  return std::to_string(started->processes) + " processes were started by " + started->launcher +
         " without --cluster: each of them does the whole work by itself";
}

}  // namespace ballast::command_line
