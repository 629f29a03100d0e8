// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ranks/mpi_process.hpp"

namespace ballast::bench {

/// The time that a thread slept, in nanoseconds, at least `ns`.
std::uint64_t slept_ns(std::uint64_t ns);

/// Another way to share naps among the workers of all ranks. All ranks know the naps' lengths.
struct nap_peer {
  std::string name;
  /// Collective, on one thread of a rank: sleeps all naps. On rank 0 returns the duration of each; the result
  /// on other ranks is meaningless.
  std::function<std::vector<std::uint64_t>(std::span<std::uint64_t const> ns)> sleep_all;
};

/// The peers that were built and can have this many workers on each rank. To destroy a peer ends its threads.
/// `mpi` must outlive the peers.
std::vector<nap_peer> nap_peers(mpi_process const& mpi, std::uint32_t workers);

}  // namespace ballast::bench
