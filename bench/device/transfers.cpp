// SPDX-License-Identifier: Apache-2.0
#include "device/transfers.hpp"

#include "device/benchmarks.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

constexpr std::size_t groups = 16;

}  // namespace

std::vector<std::size_t> transfer_sizes(session const& now) {
  if (now.quick()) return {8, 256, 4096};
  return {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
}

std::size_t transfers_of_a_point(session const& now) { return now.size(4000, 60); }

void record_transfers(session& now, std::string const& curve, std::size_t bytes,
                      std::vector<double> seconds) {
  seconds.erase(seconds.begin(), seconds.begin() + std::ptrdiff_t(seconds.size() / 10));
  now.add(curve, double(bytes), "s", medians_of_groups(seconds, groups));
  if (bytes == 8 || bytes == 4096)
    now.derived("p99 seconds, " + curve + "@" + std::to_string(bytes), quantile(seconds, 0.99));
}

/// A kernel's transfers are timed on the device, so the launch is excluded. Stored data is fenced for the
/// whole system within the time; loaded data has arrived.
void measure_transfers(session& now) {
  now.axes("Time of a small transfer", "bytes", "seconds", true, true);
  auto const transfers = transfers_of_a_point(now);
  now.repeat(transfers / 10, transfers - transfers / 10);
  now.parameter("sample", "median of one of 16 equal groups of transfers");
  now.parameter("transfers_of_a_point", transfers - transfers / 10);
  auto const peer = now.peer_of_first();
  transfer_memory memory(now.first(), peer);
  measure_copies(now, memory);
  measure_kernel_transfers(now, memory, peer != nullptr);
  if (!now.first()->is_cuda()) measure_cache_lines(now);
}

}  // namespace ballast::bench
