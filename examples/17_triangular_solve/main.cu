// SPDX-License-Identifier: Apache-2.0
// Solves a sparse triangular system: cells of a square grid, each of which needs the one above it and the one
// to its left. Cells of a diagonal need none of each other, so a task solves up to 64 of one. It waits for
// the two or three tasks that it needs, not for the whole diagonal before, and prepares its factors
// meanwhile: example_17_triangular_solve [side]
#include <algorithm>
#include <ballast/kernels.cuh>
#include <ballast/stream.hpp>
#include <ballast/task_graph.hpp>
#include <ballast/task_queue.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

// x = (b - left * x[of_left] - above * x[of_above]) / pivot
struct row {
  float b, left, above, pivot;
  unsigned of_left, of_above;
};

struct solve_rows {
  static constexpr int threads = 64;
  struct scratch {
    row rows[threads];
  };
  ballast::array_ref<row const> rows;
  ballast::array_ref<float> x;
  unsigned first, count;

  // May run before the tasks have ended that this one waits for, so it reads no x.
  template <class Block>
  BALLAST_HD void prepare(Block& block) const {
    block.for_each(count, [&](unsigned i) { block.scratch().rows[i] = rows[first + i]; });
  }
  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(count, [&](unsigned i) {
      auto const& mine = block.scratch().rows[i];
      x[first + i] = (mine.b - mine.left * x[mine.of_left] - mine.above * x[mine.of_above]) / mine.pivot;
    });
  }
};
BALLAST_KERNELS(kernels, solve_rows)

// Diagonal by diagonal. Where a cell has no neighbour it names the last element of x, which stays 0.
struct grid_of_rows {
  std::vector<row> rows;
  std::vector<unsigned> diagonals{0};  // the first row of each, then their number

  explicit grid_of_rows(unsigned side) {
    std::mt19937 draw(1);
    auto const fraction = [&] { return float(draw() % 1000) / 1000; };
    for (unsigned d = 0; d < 2 * side - 1; ++d) {
      unsigned const top = d < side ? 0 : d - side + 1, end = (std::min)(d + 1, side);
      for (unsigned down = top; down < end; ++down) {
        unsigned const before = diagonals[d > 0 ? d - 1 : 0] + down - (d > side - 1 ? top - 1 : 0);
        rows.push_back({fraction(), -fraction() / 2, -fraction() / 2, 1 + fraction(),
                        down < d ? before : side * side, down > 0 ? before - 1 : side * side});
      }
      diagonals.push_back(unsigned(rows.size()));
    }
  }
};

void add_tasks(ballast::task_graph& graph, grid_of_rows const& all, solve_rows kernel) {
  std::vector<ballast::graph_task> of_row(all.rows.size());
  for (std::size_t d = 0; d + 1 < all.diagonals.size(); ++d)
    for (kernel.first = all.diagonals[d]; kernel.first < all.diagonals[d + 1]; kernel.first += kernel.count) {
      kernel.count = (std::min)(64u, all.diagonals[d + 1] - kernel.first);
      ballast::graph_task_options options{.cost = 2};
      for (unsigned i = kernel.first; i < kernel.first + kernel.count; ++i)
        for (unsigned const before : {all.rows[i].of_left, all.rows[i].of_above})
          if (before < all.rows.size()) options.after.push_back(of_row[before]);  // duplicates count once
      std::fill_n(of_row.begin() + kernel.first, kernel.count, graph.add(ballast::task(kernel), options));
    }
}

int main(int count, char** arguments) {
  unsigned const side = count > 1 ? unsigned(std::stoul(arguments[1])) : 200;
  if (side == 0 || side > 4000) return std::printf("side: 1 to 4000\n"), 2;
  auto const device = ballast::open_devices().front();
  grid_of_rows const all(side);
  ballast::pinned_buffer<row> rows(device, all.rows.size());
  std::ranges::copy(all.rows, rows.data());
  ballast::device_buffer<float> x(device, all.rows.size() + 1);
  ballast::pinned_buffer<float> result(device, x.size());
  auto const stream = device->make_stream();
  stream->fill(x.data(), 0, x.bytes());
  stream->synchronize();

  ballast::task_graph graph(kernels());
  add_tasks(graph, all, {ballast::array_ref<row const>(rows), ballast::array_ref(x), 0, 0});
  ballast::queue_options options;
  options.start_at_once = false;
  ballast::task_queue queue(device, kernels(), options);
  graph.plan(queue);  // allocates, so before a kernel stays on the device
  queue.start();
  for (int solve = 0; solve < 3; ++solve) queue.submit(graph).wait();
  stream->copy(result.data(), x.data(), result.bytes());
  stream->synchronize();

  std::vector<float> plain(all.rows.size() + 1, 0);
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    auto const& of = all.rows[i];
    plain[i] = (of.b - of.left * plain[of.of_left] - of.above * plain[of.of_above]) / of.pivot;
    if (std::abs(result[i] - plain[i]) > 1e-5f * plain[i]) return std::printf("row %zu is wrong\n", i), 1;
  }
  std::printf("%zu rows on %zu diagonals are solved\n", all.rows.size(), all.diagonals.size() - 1);
}
