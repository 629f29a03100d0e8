// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/timed.hpp"
#include "device/transfer_memory.hpp"

namespace ballast::bench {

/// The sizes to measure, in bytes, and how often each path is tried at one of them.
std::vector<std::size_t> transfer_sizes(session const& now);
std::size_t transfers_of_a_point(session const& now);

/// Adds a point of a curve: the seconds of each transfer, without the first tenth, which warms up.
void record_transfers(session& now, std::string const& curve, std::size_t bytes, std::vector<double> seconds);

/// The parts of device/transfers: copies that the host starts, loads and stores of a kernel, and cache lines
/// that move between cores.
void measure_copies(session& now, transfer_memory& memory);
void measure_kernel_transfers(session& now, transfer_memory& memory, bool with_peer);
void measure_cache_lines(session& now);

}  // namespace ballast::bench
