// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "md/runner.hpp"
#include "md/stage.hpp"

namespace ballast::md {

inline physics physics_of(bool single, bool all_pairs, double cutoff = 12,
                          potential shape = potential::truncated, boundary edges = boundary::open) {
  physics what;
  what.field = {helium_parameters, cutoff, shape, edges};
  what.single_precision = single;
  what.all_pairs = all_pairs;
  return what;
}

inline std::vector<atom_result> forces_by(solution which, device_list const& devices, physics const& what,
                                          atoms const& all, std::uint32_t chunk = 256) {
  auto const system = make_stage(devices, what, all.size(), 1);
  auto const by = make_runner(which, devices, *system, {chunk, 0}, false);
  system->load(all, std::nullopt);
  auto const timing = by->forces(0);
  EXPECT_EQ(timing.busy_ns.size(), devices.size());
  by->leave();
  return system->results_by_id();
}

inline constexpr solution all_solutions[] = {solution::s1, solution::s2, solution::s3, solution::tq,
                                             solution::chen};

}  // namespace ballast::md
