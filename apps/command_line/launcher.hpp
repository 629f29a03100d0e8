// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ballast::command_line {

/// The launcher that started this process as one of several.
struct launch {
  std::string launcher;         ///< the command, as "mpirun"
  std::uint32_t processes = 0;  ///< 2 or more
  std::uint32_t rank = 0;       ///< of this process, 0 .. processes - 1

  bool operator==(launch const&) const = default;
};

/// Reads the variables that launchers of MPI programs set: Open MPI's, those with PMI (MPICH, Intel MPI), and
/// Slurm's srun. Nothing if none started this process, or it is alone. `read` is like environment(). Pure.
std::optional<launch> launch_of(std::function<std::optional<std::string>(std::string_view)> const& read);

/// Advice for a user who started several processes, each of which does the whole work; for the log of the
/// first process, so that it appears once; otherwise empty. Pure.
std::string advice_on_launch(std::optional<launch> const& started);

}  // namespace ballast::command_line
