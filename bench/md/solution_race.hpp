// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/session.hpp"
#include "md/comparison.hpp"

namespace ballast::bench {

inline std::vector<md::solution> const all_solutions{md::solution::s1, md::solution::s2, md::solution::s3,
                                                     md::solution::tq, md::solution::chen};

/// The session's size for GPUs, for CPU cores, or for a quick run.
std::size_t atoms_for(session const& now, std::size_t on_gpus, std::size_t on_cores, std::size_t in_quick);

/// One evaluation of the forces on G(atoms) as the paper timed it: positions on the devices before, cut-off
/// 12 A, truncated potential, single precision.
md::comparison_plan droplet(session const& now, std::size_t atoms, std::vector<md::solution> solutions);

/// The session's number of repetitions for a system of this size.
int repetitions_of(session const& now);
/// Records the settings of droplet(), for systems of `fewest` to `most` atoms. Call it before the first
/// sample.
void begin_races(session& now);

/// The result of compare_solutions(). Reports to the session whether the solutions agree. Throws
/// ballast::error if interrupted.
md::comparison race(session& now, device_list const& devices, md::comparison_plan const& plan);

/// The report of a solution. Throws ballast::error if that solution was not run.
md::solution_report const& report_of(md::comparison const& result, md::solution which);

/// base / sample for each: the speed-ups over `base` seconds.
std::vector<double> speed_ups(double base, std::vector<double> const& samples);

/// Adds a point at x of each solution's speed-up over S1 and of its seconds. S1 must have run.
void add_speed_ups_over_s1(session& now, double x, md::comparison const& result);

/// The curve of seconds per step that belongs to a curve of speed-ups.
std::string seconds_curve(std::string const& curve);

}  // namespace ballast::bench
