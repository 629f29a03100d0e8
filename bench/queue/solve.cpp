// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "launch/bare_cuda.hpp"
#include "queue/benchmarks.hpp"
#include "queue/copied_in.hpp"
#include "queue/graph_rivals.cuh"
#include "queue/graph_tasks.cuh"
#include "queue/graph_vendors.hpp"

namespace ballast::bench {
namespace {

constexpr auto most = solve_rows::most;

/// The earlier rows whose results each row of a lower triangular matrix needs, at most `most`.
using pattern = std::vector<std::vector<std::uint32_t>>;

/// Cells of a cube, each of which needs its neighbours towards the origin.
pattern cube_pattern(std::uint32_t side) {
  pattern all(std::size_t(side) * side * side);
  for (std::uint32_t cell = 0; cell < all.size(); ++cell)
    for (auto const stride : {1u, side, side * side})
      if (cell / stride % side != 0) all[cell].push_back(cell - stride);
  return all;
}

/// One to `most` of the `near` rows before.
pattern random_pattern(std::uint32_t rows, std::uint32_t near) {
  std::mt19937 random(7);
  pattern all(rows);
  for (std::uint32_t row = 1; row < rows; ++row) {
    auto& mine = all[row];
    for (auto left = 1 + random() % most; left > 0; --left)
      mine.push_back(row - 1 - std::uint32_t(random() % std::min(row, near)));
    std::ranges::sort(mine);
    mine.erase(std::ranges::unique(mine).begin(), mine.end());
  }
  return all;
}

/// Renumbers rows so that they stand level by level. Returns where each level begins, then the end.
std::vector<std::uint32_t> sort_by_level(pattern& rows) {
  std::vector<std::uint32_t> level(rows.size()), order(rows.size()), number(rows.size()), begins;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (auto const before : rows[row]) level[row] = std::max(level[row], level[before] + 1);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::less(), [&](auto row) { return level[row]; });
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    number[order[at]] = at;
    if (at == 0 || level[order[at]] != level[order[at - 1]]) begins.push_back(at);
  }
  begins.push_back(std::uint32_t(rows.size()));
  pattern sorted;
  for (auto const row : order) {
    for (auto& before : rows[row]) before = number[before];
    sorted.push_back(std::move(rows[row]));
  }
  rows = std::move(sorted);
  return begins;
}

/// As solve_rows reads them.
struct triangle_by_factors {
  std::vector<std::uint32_t> columns;
  std::vector<double> numbers;

  explicit triangle_by_factors(pattern const& rows)
      : columns(most * rows.size(), solve_rows::no_column), numbers((most + 2) * rows.size()) {
    std::mt19937 random(5);
    auto const fraction = [&] { return double(random() % 1000) / 1000; };
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t at = 0; at < rows[row].size(); ++at) {
        columns[at * rows.size() + row] = rows[row][at];
        numbers[at * rows.size() + row] = -0.1 - fraction() / 10;
      }
      numbers[most * rows.size() + row] = 1 + fraction();
      numbers[(most + 1) * rows.size() + row] = fraction();
    }
  }
};

std::vector<double> solved(pattern const& rows, triangle_by_factors const& of) {
  std::vector<double> x(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    x[row] = of.numbers[(most + 1) * rows.size() + row];
    for (std::size_t at = 0; at < rows[row].size(); ++at)
      x[row] -= of.numbers[at * rows.size() + row] * x[rows[row][at]];
    x[row] /= of.numbers[most * rows.size() + row];
  }
  return x;
}

bool is_near(std::vector<double> const& found, std::vector<double> const& expected) {
  return std::ranges::equal(found, expected,
                            [](double one, double other) { return std::abs(one - other) <= 1e-12 * other; });
}

/// A task for up to solve_rows::threads rows of a level.
struct tasks_of_rows {
  std::vector<std::uint32_t> first_row;  ///< of each task, then the number of rows
  levelled_tasks tasks;

  tasks_of_rows(pattern const& rows, std::vector<std::uint32_t> const& begins) : of_row_(rows.size()) {
    for (std::size_t level = 0; level + 1 < begins.size(); ++level) {
      tasks.begin_level();
      for (auto row = begins[level]; row < begins[level + 1]; row += solve_rows::threads)
        add(rows, row, std::min(row + solve_rows::threads, begins[level + 1]));
    }
    tasks.begin_level();
    first_row.push_back(std::uint32_t(rows.size()));
  }

 private:
  void add(pattern const& rows, std::uint32_t first, std::uint32_t end) {
    std::vector<std::uint32_t> after;
    for (auto row = first; row < end; ++row)
      for (auto const before : rows[row]) after.push_back(of_row_[before]);
    auto const made = tasks.add(std::move(after), 2);
    std::fill(of_row_.begin() + first, of_row_.begin() + end, made);
    first_row.push_back(first);
  }

  std::vector<std::uint32_t> of_row_;  ///< the task of each row
};

void measure_cusparse(session& now, graph_rivals& rivals, pattern const& rows, triangle_by_factors const& of,
                      copied_in<double> const& x) {
  if (!now.first()->is_cuda()) return;
  enter_device(*now.first());
  std::vector<std::uint32_t> offsets{0}, columns;
  std::vector<double> values, b;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    for (std::size_t at = 0; at < rows[row].size(); ++at) {
      columns.push_back(rows[row][at]);
      values.push_back(of.numbers[at * rows.size() + row]);
    }
    columns.push_back(row);
    values.push_back(of.numbers[most * rows.size() + row]);
    b.push_back(of.numbers[(most + 1) * rows.size() + row]);
    offsets.push_back(std::uint32_t(columns.size()));
  }
  copied_in<std::uint32_t> const begins(now.first(), offsets), all(now.first(), columns);
  copied_in<double> const factors(now.first(), values), right(now.first(), b);
  rivals.measure(
      "cuSPARSE SpSV",
      solve_by_cusparse(rivals.on(), {std::uint32_t(rows.size()), offsets.back(), begins.constant(),
                                      all.constant(), factors.constant(), right.constant(), x.all()}));
}

void measure_triangle(session& now, std::string const& name, pattern rows) {
  auto const& device = now.first();
  tasks_of_rows made(rows, sort_by_level(rows));
  triangle_by_factors const triangle(rows);
  auto const expected = solved(rows, triangle);
  copied_in<std::uint32_t> const columns(device, triangle.columns), first_row(device, made.first_row);
  copied_in<double> const numbers(device, triangle.numbers);
  copied_in<double> x(device, std::vector<double>(rows.size(), std::numeric_limits<double>::quiet_NaN()));
  auto const levels = made.tasks.levels();
  rival_answer const answer{[&](stream& on) { x.copy_in(on); },
                            [&](stream& on) { return is_near(x.now(on), expected); },
                            "x as one thread computes it, to 12 digits"};
  graph_rivals rivals(now,
                      {name, double(rows.size()), "us/level", 1e6 / levels, std::move(made.tasks), answer});
  solve_rows const solve{columns.constant(), numbers.constant(), x.all(), first_row.constant(),
                         std::uint32_t(rows.size())};
  rivals.measure_all(rival(solve_row_kernels(), solve));
  rivals.measure_launches(rival(solve_row_kernels(), solve_rows_at_once{solve}), ", without prepare()");
  measure_cusparse(now, rivals, rows, triangle, x);
  rivals.compare();
}

}  // namespace

/// Not from a paper. A sample is the time of a solve divided by its levels.
void measure_graph_solve(session& now) {
  now.axes("Sparse triangular solves in tasks of 128 rows of a level", "rows", "us/level", true, true);
  now.repeat(now.quick() ? 1 : 2, now.quick() ? 2 : 9);
  bool const gpu = now.first()->is_cuda();
  measure_triangle(now, ", cube", cube_pattern(std::uint32_t(now.size(gpu ? 100 : 40, 8))));
  measure_triangle(
      now, ", random",
      random_pattern(std::uint32_t(now.size(gpu ? 400'000 : 40'000, 1000)), now.quick() ? 100 : 4096));
}

}  // namespace ballast::bench
