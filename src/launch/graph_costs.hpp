// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ballast::detail {

// Of an H200 (docs/decisions/0011): a launch; setting the arguments of one in a graph; building a graph.
inline constexpr std::uint64_t launch_ns = 4200;
inline constexpr std::uint64_t set_arguments_ns = 750;
inline constexpr std::uint64_t build_ns = 2'000'000, build_launch_ns = 2000;
/// What launching a graph takes the host, beyond its arguments: an assumption.
inline constexpr std::uint64_t launch_graph_ns = 15'000;

/// Fewer are not worth a look: they are issued before anyone notices.
inline constexpr std::size_t min_graph_branches = 8, min_graph_launches = 32;

/// Whether the host time that was lost by going without a graph would have paid for one. So building costs at
/// most as much as never building, whatever comes.
constexpr bool is_worth_building(std::size_t launches, std::uint64_t misses) {
  auto const lost = misses * launches * (launch_ns - set_arguments_ns);
  return launches >= min_graph_launches && lost >= build_ns + launches * build_launch_ns;
}

struct graph_use {
  std::size_t launches = 0, branches = 0;
  std::size_t changed = 0;      ///< launches whose arguments must be set
  std::int64_t typical_ns = 0;  ///< how long one of the launches runs, 0 if that is unknown
};

/// A graph begins when its arguments are set. Launches one by one begin at once, and where one thread makes
/// them as fast as they end, lose no more than the time until each branch has its first.
constexpr bool is_worth_launching(graph_use const& use) {
  bool const host_keeps_up = use.typical_ns >= std::int64_t(use.branches * launch_ns);
  auto const lost_one_by_one = (host_keeps_up ? use.branches : use.launches) * launch_ns;
  return use.changed * set_arguments_ns + launch_graph_ns < lost_one_by_one;
}

}  // namespace ballast::detail
