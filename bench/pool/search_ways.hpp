// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ballast/task_pool.hpp"
#include "harness/regret.hpp"
#include "harness/session.hpp"

namespace ballast::bench {

/// One of several programs that make the same search.
struct search_way {
  std::string name;
  std::function<void()> prepare;
  std::function<std::uint64_t()> run;  ///< returns how many tasks ran
  std::function<bool()> is_right;      ///< of what the last run found
};

/// An order in which a pool runs tasks: its name and a pool that has it.
struct ordered_pool {
  std::string order;
  std::shared_ptr<task_pool> pool;
};

/// A pool of the session's first device for each order, that of the default first. On cores each worker has
/// room for `capacity` tasks.
std::vector<ordered_pool> ordered_pools(session const& now, kernel_set const& kernels,
                                        std::uint32_t capacity);

/// Measures all ways in turn, those of a pool's order first, in the series "way, load", with the number of
/// tasks of each beside it, and derives that number over `tasks`, whose meaning `unit` says. Throws
/// ballast::error if a search found something wrong. One that a pool gives up is noted in the record.
void measure_ways(session& now, regrets& all, std::string const& load, std::vector<search_way> const& ways,
                  double tasks, std::string const& unit);

}  // namespace ballast::bench
