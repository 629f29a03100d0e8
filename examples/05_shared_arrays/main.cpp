// SPDX-License-Identifier: Apache-2.0
// One job a step over arrays that the host and all devices share: heat in a plate, cut into bands of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <ballast/job_scheduler.hpp>
#include <ballast/shared_array.hpp>

#include "kernels.cuh"

namespace {

constexpr std::uint32_t rows = 256, columns = 256, steps = 100;

/// Heats the first row; all others are cold.
void heat_up(std::span<float> plate) {
  std::ranges::fill(plate, 0.f);
  std::ranges::fill(plate.first(columns), 100.f);
}

/// The result of the same steps by one thread, without any job.
std::vector<float> by_one_thread() {
  std::vector<float> now(rows * columns), next(rows * columns);
  heat_up(now);
  for (std::uint32_t step = 0; step < steps; ++step) {
    heat const kernel{ballast::array_ref<float const>(now.data()), ballast::array_ref(next.data()), rows,
                      columns};
    for (std::uint32_t row = 0; row < rows; ++row)
      for (std::uint32_t column = 0; column < columns; ++column) {
        auto const at = std::size_t{row} * columns + column;
        next[at] = kernel.is_edge(row, column) ? now[at] : kernel.mean_of_neighbors(at);
      }
    std::swap(now, next);
  }
  return now;
}

}  // namespace

int main() {
  ballast::job_scheduler jobs(ballast::open_devices(), kernels());
  ballast::shared_array<float, 2> now(jobs, {rows, columns}), next(jobs, {rows, columns});
  heat_up(now.write());

  for (std::uint32_t step = 0; step < steps; ++step) {
    // A task reads its rows and one more on either side, and writes all of its rows: so the next step's tasks
    // wait for their neighbours only, and a border moves one row.
    jobs.submit({rows}, ballast::reads(now, ballast::neighborhood(1)), ballast::writes(next, ballast::rows),
                [](auto from, auto to) {
                  return heat{from, to, rows, columns};
                });
    std::swap(now, next);  // jobs that were submitted keep the arrays that they were given
  }

  auto const result = now.read();  // the only wait
  auto const expected = by_one_thread();
  float worst = 0;
  for (std::size_t i = 0; i < result.size(); ++i) worst = std::max(worst, std::abs(result[i] - expected[i]));

  auto const did = jobs.statistics();
  std::printf("%llu jobs, %llu tasks, %llu bytes copied\n", 0ull + did.submitted, 0ull + did.tasks,
              0ull + did.moved.all());
  std::printf("%.2f degrees below the hot edge; %.4f off what one thread finds\n",
              double(now(1, columns / 2)), double(worst));
  return worst < 0.01f ? 0 : 1;
}
