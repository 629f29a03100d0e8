// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast {

struct gpu_facts {
  std::string model;
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::string compute_capability;  ///< "9.0"
};

/// The machine on which a result was measured. No host name: a result names kinds of machines.
struct machine_facts {
  std::string name;  ///< the folder of its results: see machine_name()
  std::string cpu;
  std::size_t cores = 0;         ///< cores that this process may use
  std::size_t memory_bytes = 0;  ///< the machine's, even if a container may use less
  std::string system;            ///< kernel and architecture, "Linux 6.1.0 x86_64"
  std::string compiler;          ///< of the host code
  std::vector<gpu_facts> gpus;   ///< GPUs that the run used or could have used
  std::string driver;            ///< NVIDIA's, empty if there is none
  std::string cuda_runtime;      ///< "13.0", empty without CUDA
};

/// The facts that this system reports. GPU facts, the CUDA runtime and the number of usable cores come from
/// the caller (0: all of the machine). Fills in the name. Asks no GPU.
machine_facts this_machine(std::vector<gpu_facts> gpus = {}, std::string cuda_runtime = {},
                           std::size_t cores = 0);

/// "2x-nvidia-h200", or for a CPU "amd-epyc-9575f-2-cores": lower case, digits and dashes.
std::string machine_name(machine_facts const& facts);

/// CUDA's version 13000 is "13.0"; 0 is "".
std::string cuda_version_text(int version);

/// The source from which a program was built, as far as it is known.
struct source_state {
  std::string commit;         ///< the full hash; empty if unknown
  std::optional<bool> clean;  ///< whether the tracked files were as committed; nothing if unknown

  bool operator==(source_state const&) const = default;
};

/// The variable BALLAST_COMMIT if it is set (a hash, with "-dirty" at the end if the tree was changed).
/// Otherwise git's answer for the folder from which this library was compiled, at that time, if it was a
/// checkout of its own; else unknown.
source_state current_source();

/// Parses a text in the form of BALLAST_COMMIT, "HASH" or "HASH-dirty"; an empty one is an unknown source.
source_state parse_source(std::string_view text);

}  // namespace ballast
