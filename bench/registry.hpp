// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "harness/benchmark.hpp"

namespace ballast::bench {

/// Every benchmark, in the order in which `all` runs them.
std::vector<benchmark> all_benchmarks();

/// The benchmark of that name, or all of them for "all". Throws bad_argument ("NAME"), which lists the names,
/// and `list`, which the command handles itself.
std::vector<benchmark> benchmarks_named(std::string_view name);

}  // namespace ballast::bench
