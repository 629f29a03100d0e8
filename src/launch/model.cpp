// SPDX-License-Identifier: Apache-2.0
#include "ballast/policy/merge.hpp"

#include <cmath>

#include "ballast/error.hpp"

namespace ballast {

using namespace detail;

std::uint64_t level_number(std::uint64_t blocks, multiprocessor_count multiprocessors) {
  if (blocks < 1) throw_bad_argument("blocks", blocks, "at least 1");
  if (multiprocessors.value() < 1)
    throw_bad_argument("multiprocessors", multiprocessors.value(), "at least 1");
  return (blocks - 1) / multiprocessors.value() + 1;
}

double paper_time(std::span<std::uint64_t const> blocks, multiprocessor_count multiprocessors,
                  double start_levels) {
  if (multiprocessors.value() < 1)
    throw_bad_argument("multiprocessors", multiprocessors.value(), "at least 1");
  if (!std::isfinite(start_levels) || start_levels < 0)
    throw_bad_argument("start_levels", start_levels, "finite and at least 0");
  double levels = start_levels * static_cast<double>(blocks.size());
  for (auto const launch : blocks) levels += static_cast<double>(level_number(launch, multiprocessors));
  return levels;
}

}  // namespace ballast
