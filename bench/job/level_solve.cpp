// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ballast/job_scheduler.hpp"
#include "ballast/shared_array.hpp"
#include "job/benchmarks.hpp"
#include "job/level_solve.cuh"

namespace ballast::bench {
namespace {

/// A lower triangular matrix, row by row with the diagonal last, and a right-hand side. Rows stand level by
/// level: those of a level need no result of each other.
struct triangle {
  std::vector<std::uint32_t> begin_of{0}, column, first_of_level;
  std::vector<double> factor, b;

  std::size_t levels() const { return first_of_level.size() - 1; }
};

/// Cells of a cube, each of which needs its neighbours towards the origin.
triangle cube(std::uint32_t side) {
  std::vector<std::uint32_t> cells(std::size_t(side) * side * side), row_of(cells.size());
  std::iota(cells.begin(), cells.end(), 0u);
  auto const level = [side](std::uint32_t cell) {
    return cell % side + cell / side % side + cell / side / side;
  };
  std::ranges::stable_sort(cells, std::less(), level);
  std::mt19937 random(5);
  auto const fraction = [&] { return double(random() % 1000) / 1000; };
  triangle all;
  for (std::uint32_t row = 0; row < cells.size(); ++row) {
    auto const cell = cells[row];
    row_of[cell] = row;
    if (row == 0 || level(cell) != level(cells[row - 1])) all.first_of_level.push_back(row);
    for (auto const stride : {1u, side, side * side})
      if (cell / stride % side != 0) {
        all.column.push_back(row_of[cell - stride]);
        all.factor.push_back(-0.1 - fraction() / 10);
      }
    all.column.push_back(row);
    all.factor.push_back(1 + fraction());
    all.begin_of.push_back(std::uint32_t(all.column.size()));
    all.b.push_back(fraction());
  }
  all.first_of_level.push_back(std::uint32_t(cells.size()));
  return all;
}

std::vector<double> solved(triangle const& of) {
  auto x = of.b;
  for (std::size_t row = 0; row < x.size(); ++row) {
    auto const diagonal = of.begin_of[row + 1] - 1;
    for (auto at = of.begin_of[row]; at < diagonal; ++at) x[row] -= of.factor[at] * x[of.column[at]];
    x[row] /= of.factor[diagonal];
  }
  return x;
}

bool are_near(std::span<double const> found, std::span<double const> expected) {
  return std::ranges::equal(found, expected,
                            [](double one, double other) { return std::abs(one - other) <= 1e-12 * other; });
}

template <class T>
shared_array<T> shared(job_scheduler& jobs, std::vector<T> const& values) {
  shared_array<T> array(jobs, {values.size()});
  std::ranges::copy(values, array.write().begin());
  return array;
}

/// The solution by a job for each level, in a sequence.
template <class Kernel>
class solve_by_levels {
 public:
  solve_by_levels(std::shared_ptr<compute_device> const& device, triangle const& of)
      : jobs_({device}, solve_kernels()),
        begin_of_(shared(jobs_, of.begin_of)),
        column_(shared(jobs_, of.column)),
        factor_(shared(jobs_, of.factor)),
        b_(shared(jobs_, of.b)),
        x_(shared(jobs_, std::vector<double>(of.b.size()))) {
    for (std::size_t level = 0; level < of.levels(); ++level)
      add(of.first_of_level[level], of.first_of_level[level + 1]);
  }

  double seconds(std::uint32_t times) {
    return seconds_of([&] { jobs_.submit(levels_, times).wait(); });
  }
  std::vector<double> x() {
    auto const all = x_.read();
    return {all.begin(), all.end()};
  }

 private:
  /// One unit, as each block may read what any block of an earlier level wrote.
  void add(std::uint32_t first, std::uint32_t end) {
    auto const blocks = (end - first + Kernel::threads - 1) / Kernel::threads;
    levels_.add({job_grid({blocks, 1}, cut::y)}, reads(begin_of_, all), reads(column_, all),
                reads(factor_, all), reads(b_, all), updates(x_, all),
                [first, end](auto begin_of, auto column, auto factor, auto b, auto x) {
                  return Kernel{{begin_of, column, factor, b, x, first, end}};
                });
  }

  job_scheduler jobs_;
  shared_array<std::uint32_t> begin_of_, column_;
  shared_array<double> factor_, b_, x_;
  job_sequence levels_{jobs_};
};

}  // namespace

/// Not from a paper.
void measure_job_level_solve(session& now) {
  now.axes("A sparse triangular solve as a sequence of a job for each level", "cells of a cube's side",
           "microseconds a level");
  now.repeat(now.quick() ? 1 : 3, now.quick() ? 2 : 9);
  auto const side = std::uint32_t(now.size(100, 8)), times = std::uint32_t(now.size(20, 2));
  auto const matrix = cube(side);
  auto const expected = solved(matrix);
  auto const measure = [&](std::string const& curve, auto by_levels) {
    now.measure(curve, side, "us",
                [&] { return by_levels.seconds(times) * 1e6 / double(times * matrix.levels()); });
    now.verify(are_near(by_levels.x(), expected), "x as one thread computes it, to 12 digits");
  };
  measure("kernels with prepare()", solve_by_levels<solve_prepared>(now.first(), matrix));
  measure("without", solve_by_levels<solve_at_once>(now.first(), matrix));
  now.derived("without over with prepare()",
              now.median_of("without", side) / now.median_of("kernels with prepare()", side));
}

}  // namespace ballast::bench
