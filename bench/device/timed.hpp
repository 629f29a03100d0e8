// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/session.hpp"

namespace ballast::bench {

/// The deadline for any one wait of these benchmarks.
inline deadline soon() { return deadline::in(std::chrono::seconds(10)); }

/// The device's seconds for the work that `enqueue` puts on the stream. Waits for this work.
double device_seconds(stream& on, std::function<void()> const& enqueue);

/// Seconds per tick of a kernel's clock, now: measured on a GPU, whose clock varies; a nanosecond on the
/// host. Waits for about half a millisecond.
double seconds_per_tick(std::shared_ptr<compute_device> const& device);

/// The number of calls that take about `wanted` seconds, a multiple of 8 from 8 to 2^19: found in a few
/// trials, of which the first loads the kernel. `seconds_of_calls` takes the number of calls.
std::uint32_t calls_for_duration(double wanted, std::function<double(std::uint32_t)> const& seconds_of_calls);

/// The numbers of blocks to sweep: on a GPU up to its capacity, 16 blocks of 128 threads per SM; on the host
/// up to a block per core.
std::vector<std::uint32_t> block_counts(session const& now);

/// The medians of `groups` equally long runs of the samples, in order, which represent thousands of samples
/// in a record.
std::vector<double> medians_of_groups(std::vector<double> const& samples, std::size_t groups);

}  // namespace ballast::bench
