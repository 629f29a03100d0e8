// SPDX-License-Identifier: Apache-2.0
// A kernel whose threads work together: a block loads a row to shared memory, smooths it, and finds its peak.
#include <ballast/balanced_queue.hpp>
#include <ballast/kernels.cuh>
#include <cstdio>

constexpr unsigned rows = 64, columns = 1000;

struct smooth {
  static constexpr int threads = 128;
  struct scratch {  // on a GPU in shared memory, one for each block
    unsigned row[columns];
  };
  ballast::array_ref<unsigned const> from;
  ballast::array_ref<unsigned> to, peaks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& row = block.scratch().row;
    auto const first = block.index() * columns;
    block.for_each(columns, [&](unsigned i) { row[i] = from[first + i]; });
    block.sync();  // a thread reads below what others have loaded
    auto const mean = [&](unsigned i) {
      return i == 0 || i + 1 == columns ? row[i] : (row[i - 1] + row[i] + row[i + 1]) / 3;
    };
    block.for_each(columns, [&](unsigned i) { to[first + i] = mean(i); });
    unsigned const peak = block.reduce(columns, 0u, mean, ballast::maximum());
    if (block.rank() == 0) peaks[block.index()] = peak;
  }
};
BALLAST_KERNELS(kernels, smooth)

int main() {
  auto const device = ballast::open_devices().front();
  ballast::pinned_buffer<unsigned> from(device, rows * columns), to(device, rows * columns),
      peaks(device, rows);
  for (unsigned i = 0; i < rows * columns; ++i) from[i] = i * i % 1009;

  ballast::balanced_queue queue({device}, kernels());
  smooth const kernel{ballast::array_ref(from), ballast::array_ref(to), ballast::array_ref(peaks)};
  queue.submit(ballast::grid_task(ballast::task(kernel, {0, rows}))).wait();  // 64 blocks, shared by workers
  std::printf("row 7, cell 8: %u became %u, peak %u\n", from[7008], to[7008], peaks[7]);
}
