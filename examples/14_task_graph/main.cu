// SPDX-License-Identifier: Apache-2.0
// Factors a symmetric matrix into L times its transpose (Cholesky) by tiles. A task works on one tile, once
// others have written the tiles that it reads: example_14_task_graph [order of the matrix]
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

constexpr unsigned side = 32, elements = side * side;
using tile = ballast::array_ref<double>;  // column after column

BALLAST_HD constexpr unsigned at(unsigned row, unsigned column) { return column * side + row; }

struct load {
  static constexpr int threads = 128;
  ballast::array_ref<double const> from;
  tile to;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(elements, [&](unsigned i) { to[i] = from[i]; });
  }
};

struct potrf {  // the names are LAPACK's
  static constexpr int threads = 128;
  tile diagonal;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for (unsigned k = 0; k < side; ++k) {
      auto const left = side - k - 1;
      double const root = std::sqrt(diagonal[at(k, k)]);
      block.sync();  // every thread has the root
      block.for_each(left + 1, [&](unsigned i) { diagonal[at(k + i, k)] /= root; });
      block.sync();
      block.for_each(left, left, [&](unsigned i, unsigned j) {
        auto const column = k + 1 + i, row = k + 1 + j;
        if (row >= column) diagonal[at(row, column)] -= diagonal[at(row, k)] * diagonal[at(column, k)];
      });
      block.sync();
    }
  }
};

struct trsm {
  static constexpr int threads = 128;
  tile diagonal, below;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(side, [&](unsigned row) {
      for (unsigned column = 0; column < side; ++column) {
        double value = below[at(row, column)];
        for (unsigned k = 0; k < column; ++k) value -= below[at(row, k)] * diagonal[at(column, k)];
        below[at(row, column)] = value / diagonal[at(column, column)];
      }
    });
  }
};

struct gemm {  // on the diagonal, syrk
  static constexpr int threads = 128;
  tile to, left, right;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    block.for_each(side, side, [&](unsigned column, unsigned row) {
      double sum = 0;
      for (unsigned k = 0; k < side; ++k) sum += left[at(row, k)] * right[at(column, k)];
      to[at(row, column)] -= sum;
    });
  }
};
BALLAST_KERNELS(kernels, load, potrf, trsm, gemm)

std::size_t number_of(unsigned row, unsigned column) { return row * (row + 1) / 2 + column; }

void add_tasks(ballast::task_graph& graph, unsigned tiles, ballast::array_ref<double const> input,
               ballast::array_ref<double> factor) {
  double const us = elements * side / 3e3;   // of potrf, at an operation a nanosecond
  std::vector<ballast::graph_task> writers;  // the last task that writes each tile
  auto const last = [&](unsigned row, unsigned column) -> auto& { return writers[number_of(row, column)]; };
  auto const part = [&](unsigned row, unsigned column) {
    return factor.from(number_of(row, column) * elements);
  };
  for (std::size_t i = 0; i < number_of(tiles, 0); ++i)
    writers.push_back(graph.add(ballast::task(load{input.from(i * elements), factor.from(i * elements)})));
  for (unsigned k = 0; k < tiles; ++k) {
    auto const& top = last(k, k) =
        graph.add(ballast::task(potrf{part(k, k)}), {.after = {last(k, k)}, .cost = us});
    for (unsigned i = k + 1; i < tiles; ++i)
      last(i, k) = graph.add(ballast::task(trsm{part(k, k), part(i, k)}),
                             {.after = {top, last(i, k)}, .cost = 3 * us});
    for (unsigned i = k + 1; i < tiles; ++i)
      for (unsigned j = k + 1; j <= i; ++j)
        last(i, j) = graph.add(ballast::task(gemm{part(i, j), part(i, k), part(j, k)}),
                               {.after = {last(i, j), last(i, k), last(j, k)}, .cost = 6 * us});
  }
}

std::size_t place_of(unsigned row, unsigned column) {
  return number_of(row / side, column / side) * elements + at(row % side, column % side);
}

std::vector<double> positive_definite(unsigned n, unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<double> made(number_of(n / side, 0) * elements);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j <= i; ++j)
      made[place_of(i, j)] = (i == j ? n : 0) + double(draw()) / 4294967296.0 - 0.5;
  return made;
}

std::vector<double> plainly_factored(std::vector<double> a, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j <= i; ++j) {
      double value = a[place_of(i, j)];
      for (unsigned k = 0; k < j; ++k) value -= a[place_of(i, k)] * a[place_of(j, k)];
      a[place_of(i, j)] = i == j ? std::sqrt(value) : value / a[place_of(j, j)];
    }
  return a;
}

// Elements of the factor are at most about the root of n.
bool is_alike(ballast::pinned_buffer<double> const& factor, std::vector<double> const& plain, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j <= i; ++j)
      if (!(std::fabs(factor[place_of(i, j)] - plain[place_of(i, j)]) <= 1e-12 * n)) return false;
  return true;
}

int main(int count, char** arguments) {
  unsigned const wanted = count > 1 ? unsigned(std::stoul(arguments[1])) : 512;
  unsigned const tiles = (wanted + side - 1) / side, n = tiles * side;  // whole tiles
  auto const device = ballast::open_devices().front();
  auto const size = number_of(tiles, 0) * elements;
  ballast::pinned_buffer<double> input(device, size), result(device, size);
  ballast::device_buffer<double> factor(device, size);
  auto const stream = device->make_stream();

  ballast::task_graph graph(kernels());
  add_tasks(graph, tiles, ballast::array_ref<double const>(input.data()), ballast::array_ref(factor.data()));
  ballast::queue_options options;
  options.start_at_once = false;
  ballast::task_queue queue(device, kernels(), options);
  graph.plan(queue);  // allocates, so before a kernel stays on the device
  queue.start();

  for (unsigned seed = 0; seed < 2; ++seed) {
    auto const a = positive_definite(n, seed);
    std::copy(a.begin(), a.end(), input.data());
    queue.submit(graph).wait();
    stream->copy(result.data(), factor.data(), result.bytes());
    stream->synchronize();
    if (!is_alike(result, plainly_factored(a, n), n)) return std::printf("matrix %u is wrong\n", seed), 1;
  }
  std::printf("two matrices of order %u are factored\n", n);
}
