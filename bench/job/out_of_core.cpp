// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "job/benchmarks.hpp"
#include "job/launched_whole.hpp"
#include "job/race.hpp"
#include "report/statistics.hpp"

namespace ballast::bench {
namespace {

struct bandwidth {
  double in = 0, out = 0;  ///< bytes per second
};

/// The rates of one large copy in each direction between pinned memory and the first device.
bandwidth measured_bandwidth(session& now) {
  auto const on = now.first()->make_stream();
  copied_array<std::uint32_t> bytes(now.first(), now.size(std::size_t(1) << 26, std::size_t(1) << 20));
  std::ranges::fill(bytes.host(), 1u);
  auto const rate = [&](std::string const& name, auto&& copy) {
    now.measure(name, "B/s", [&] {
      return double(bytes.host().size_bytes()) / seconds_of([&] {
               copy();
               on->synchronize();
             });
    });
    return now.median_of(name);
  };
  auto const in = rate("bandwidth in", [&] { bytes.copy_in(*on); });
  return {in, rate("bandwidth out", [&] { bytes.copy_out(*on); })};
}

/// Measures the program without a limit, and on a device that may use `share` of the bytes of all arrays.
void measure_program(session& now, program_kind const& kind, double share, bandwidth const& link) {
  std::vector<contestant> both;
  both.push_back(as_jobs(kind.name, kind, {now.first()}, {}));
  auto const limit = std::uint64_t(double(kind.bytes) * share);
  auto const limited = kind.name + " in " + std::to_string(limit) + " bytes";
  both.push_back(as_jobs(limited, kind, {now.first()}, {.device_bytes = limit}));
  race(now, kind, both);
  for (auto const& one : both) now.add(one.name, "s", one.seconds);
  auto const& moved = both.back().moved;
  now.derived(limited + ": bytes from the host", double(moved.from_host));
  now.derived(limited + ": bytes to the host", double(moved.to_host));
  now.derived(limited + ": over the time of the copies alone",
              median(both.back().seconds) /
                  std::max(double(moved.from_host) / link.in, double(moved.to_host) / link.out));
}

}  // namespace

void measure_job_out_of_core(session& now) {
  now.axes("Programs whose arrays do not fit in the memory that the device may take", "", "");
  now.repeat(now.quick() ? 1 : runs_to_learn, now.quick() ? 2 : 5);
  auto const link = measured_bandwidth(now);
  bool const on_gpu = now.first()->is_cuda();
  auto const plate = std::uint32_t(now.size(on_gpu ? 8192 : 2048, 256)),
             steps = std::uint32_t(now.size(20, 4));
  auto const matrix = std::uint32_t(now.size(on_gpu ? 8192 : 512, 128));
  measure_program(now, hotspot_program(plate, steps), 0.25, link);
  measure_program(now, matmul_program(matrix), 0.5, link);
}

}  // namespace ballast::bench
