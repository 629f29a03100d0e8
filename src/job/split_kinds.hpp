// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "ballast/policy/split.hpp"
#include "split_run.hpp"
#include "split_shares.hpp"

namespace ballast::detail {

/// Each device takes its parts in their order, however the others get on, and has as many as it can ahead.
std::unique_ptr<job_split> split_as_mapped(job_shape const& shape, device_parts const& parts,
                                           recorded_split::listener finished = {});

/// `shape.tasks` equal parts, the next one for whoever has room.
std::unique_ptr<job_split> split_among_workers(job_shape const& shape,
                                               recorded_split::listener finished = {});

/// Large parts first, small ones last, for whoever has room. `units_per_ns` of each device are known, or 0. A
/// device of unknown speed begins with a small part as a probe if `probing`.
std::unique_ptr<job_split> split_guided(job_shape const& shape, std::vector<double> units_per_ns,
                                        bool probing, recorded_split::listener finished = {});

std::unique_ptr<split_policy> make_static_split();
std::unique_ptr<split_policy> make_master_worker_split();
std::unique_ptr<split_policy> make_guided_split();
std::unique_ptr<split_policy> make_weighted_split();
std::unique_ptr<split_policy> make_fixed_split();
std::unique_ptr<split_policy> make_learned_split();

}  // namespace ballast::detail
