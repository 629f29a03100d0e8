// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ranks/mpi_process.hpp"

namespace ballast::bench {

/// How long a thread has slept, in nanoseconds, after `ns` at least.
std::uint64_t slept_ns(std::uint64_t ns);

/// Another way to share naps among the workers of all ranks. Their lengths are known on all of them.
struct nap_peer {
  std::string name;
  /// Collective, on one thread of a rank: sleeps them all. Returns on rank 0 how long each took, elsewhere
  /// what does not matter.
  std::function<std::vector<std::uint64_t>(std::span<std::uint64_t const> ns)> sleep_all;
};

/// With so many workers on each rank; what is not built is not there. What they have started ends with them,
/// and `mpi` outlives them.
std::vector<nap_peer> nap_peers(mpi_process const& mpi, std::uint32_t workers);

}  // namespace ballast::bench
