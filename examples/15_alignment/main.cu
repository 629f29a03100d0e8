// SPDX-License-Identifier: Apache-2.0
// Aligns two sequences (Smith and Waterman 1981). Both are cut into parts of unlike lengths, as at the ends
// of genes, so tiles of the table of scores take unlike times: a tile begins once those above it and to its
// left have been filled, and waits for no diagonal: example_15_alignment [letters]
#include <algorithm>
#include <ballast/kernels.cuh>
#include <ballast/stream.hpp>
#include <ballast/task_graph.hpp>
#include <ballast/task_queue.hpp>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

BALLAST_HD constexpr int larger(int a, int b) { return a > b ? a : b; }

// A cell by the cells before it; row 0 and column 0 are zero.
struct table {
  ballast::array_ref<char const> down, across;
  ballast::array_ref<int> scores;
  unsigned width;

  BALLAST_HD void fill(unsigned row, unsigned column) const {
    int* const cell = &scores[row * width + column];
    int const same = down[row - 1] == across[column - 1] ? 2 : -1;
    int const above = *(cell - width), left = *(cell - 1), corner = *(cell - width - 1);
    *cell = larger(larger(0, corner + same), larger(above, left) - 1);
  }
};

struct part {
  unsigned short begin, length;
};

// Along its own diagonals a tile's cells wait for none of each other.
struct fill_tile {
  static constexpr int threads = 64;
  table all;
  part rows, columns;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    for (unsigned diagonal = 0; diagonal + 1u < unsigned(rows.length + columns.length); ++diagonal) {
      unsigned const first = diagonal < columns.length ? 0 : diagonal - columns.length + 1;
      unsigned const end = diagonal < rows.length ? diagonal + 1 : rows.length;
      block.for_each(end - first, [&](unsigned i) {
        all.fill(1 + rows.begin + first + i, 1 + columns.begin + diagonal - first - i);
      });
      block.sync();
    }
  }
};
BALLAST_KERNELS(kernels, fill_tile)

std::vector<part> cut(unsigned letters, std::mt19937& draw) {
  std::vector<part> parts;
  for (unsigned begin = 0; begin < letters; begin += parts.back().length)
    parts.push_back({static_cast<unsigned short>(begin),
                     static_cast<unsigned short>(std::min<unsigned>(letters - begin, 16 + draw() % 128))});
  return parts;
}

void add_tiles(ballast::task_graph& graph, table const& all, std::vector<part> const& rows,
               std::vector<part> const& columns) {
  std::vector<ballast::graph_task> above(columns.size());
  for (auto const& row : rows)
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ballast::graph_task_options options{.cost = 1e-3 * row.length * columns[i].length};
      if (&row != &rows.front()) options.after.push_back(above[i]);
      if (i > 0) options.after.push_back(above[i - 1]);  // of this row already
      above[i] = graph.add(ballast::task(fill_tile{all, row, columns[i]}), options);
    }
}

int main(int count, char** arguments) {
  unsigned const letters = count > 1 ? unsigned(std::stoul(arguments[1])) : 1500;
  if (letters == 0 || letters > 20'000) return std::printf("letters: 1 to 20000\n"), 2;
  unsigned const width = letters + 1;
  auto const device = ballast::open_devices().front();
  std::mt19937 draw(1);
  ballast::pinned_buffer<char> down(device, letters), across(device, letters);
  for (char& letter : down.span()) letter = "ACGT"[draw() % 4];
  for (unsigned i = 0; i < letters; ++i) across[i] = draw() % 4 == 0 ? 'A' : down[i];

  ballast::device_buffer<int> scores(device, std::size_t(width) * width);
  ballast::pinned_buffer<int> result(device, scores.size());
  auto const stream = device->make_stream();
  stream->fill(scores.data(), 0, scores.bytes());
  stream->synchronize();

  ballast::array_ref<char const> const rows(down.data()), columns(across.data());
  ballast::task_graph graph(kernels());
  auto const row_parts = cut(letters, draw), column_parts = cut(letters, draw);
  add_tiles(graph, {rows, columns, ballast::array_ref(scores.data()), width}, row_parts, column_parts);
  ballast::queue_options options;
  options.start_at_once = false;
  ballast::task_queue queue(device, kernels(), options);
  graph.plan(queue);  // allocates, so before a kernel stays on the device
  queue.start();
  queue.submit(graph).wait();
  stream->copy(result.data(), scores.data(), result.bytes());
  stream->synchronize();

  std::vector<int> plain(scores.size(), 0);
  for (unsigned row = 1; row <= letters; ++row)
    for (unsigned column = 1; column <= letters; ++column)
      table{rows, columns, ballast::array_ref(plain.data()), width}.fill(row, column);
  if (!std::ranges::equal(plain, result.span())) return std::printf("a score is wrong\n"), 1;
  std::printf("the best of %u letters scores %d, in %zu uneven tiles\n", letters, (std::ranges::max)(plain),
              row_parts.size() * column_parts.size());
}
