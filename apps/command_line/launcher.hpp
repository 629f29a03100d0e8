// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ballast::command_line {

/// Who started this process as one of several.
struct launch {
  std::string launcher;         ///< the command, as "mpirun"
  std::uint32_t processes = 0;  ///< 2 or more
  std::uint32_t rank = 0;       ///< of this one, 0 .. processes - 1

  bool operator==(launch const&) const = default;
};

/// What launchers of MPI programs leave in the environment: Open MPI's, those with PMI (MPICH, Intel MPI),
/// and Slurm's srun. Nothing if none started this process, or it is alone. `read` is as environment(). Pure.
std::optional<launch> launch_of(std::function<std::optional<std::string>(std::string_view)> const& read);

/// What the log is to say to who started several processes, each of which does all that one was asked for:
/// by the first of them only, so that it is said once; else empty. Pure.
std::string advice_on_launch(std::optional<launch> const& started);

}  // namespace ballast::command_line
