// SPDX-License-Identifier: Apache-2.0
// A kernel of one's own that needs one header. Elements of a matrix are numbers of values in a table, which
// each block copies to shared memory once; then it multiplies tile after tile. Without a GPU, a ballast
// kernel does the same on cores.
#include <ballast/balanced_queue.hpp>
#include <ballast/for_each_block.cuh>
#include <ballast/kernels.cuh>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned values = 4096, columns = 64, tile_rows = 256, tiles = 2000, rows = tiles * tile_rows;

struct matrix {
  float const *table, *vector;
  std::uint16_t const* elements;  // column after column

  BALLAST_HD float times_vector(float const* copied_table, unsigned row) const {
    float sum = 0;
    for (unsigned column = 0; column < columns; ++column)
      sum += copied_table[elements[column * rows + row]] * vector[column];
    return sum;
  }
};

#if defined(__CUDACC__)
__global__ void multiply(matrix of, float* product, ballast::block_counter* counter,
                         ballast::block_quantum quantum) {
  __shared__ float table[values];
  for (unsigned i = threadIdx.x; i < values; i += tile_rows) table[i] = of.table[i];
  __syncthreads();
  ballast::for_each_block(*counter, tiles, quantum, [&](unsigned tile) {
    unsigned const row = tile * tile_rows + threadIdx.x;
    product[row] = of.times_vector(table, row);
  });
}

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::puts(cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
T* on_gpu(std::vector<T> const& from) {
  T* to = nullptr;
  require(cudaMalloc(&to, from.size() * sizeof(T)));
  require(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

bool has_gpu() {
  int gpus = 0;
  return cudaGetDeviceCount(&gpus) == cudaSuccess && gpus > 0;
}

void multiply_on_gpu(std::vector<float> const& table, std::vector<float> const& vector,
                     std::vector<std::uint16_t> const& elements, std::vector<float>& product) {
  ballast::block_counter* counter = nullptr;
  require(cudaMalloc(&counter, sizeof *counter));
  require(cudaMemset(counter, 0, sizeof *counter));  // once: each launch leaves it zero
  matrix const of{on_gpu(table), on_gpu(vector), on_gpu(elements)};
  auto* const result = on_gpu(product);
  auto const shape = ballast::shape_of(multiply, tiles, tile_rows, 0, {.tile = std::chrono::microseconds(5)});
  multiply<<<shape.blocks, tile_rows>>>(of, result, counter, shape.quantum);
  require(cudaMemcpy(product.data(), result, rows * sizeof(float), cudaMemcpyDeviceToHost));
}
#else
bool has_gpu() { return false; }
void multiply_on_gpu(auto&&...) {}
#endif

struct multiply_anywhere {
  static constexpr int threads = tile_rows;
  struct scratch {
    float table[values];
  };
  matrix of;
  float* product;
  ballast::block_counter* counter;
  unsigned blocks;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto& table = block.scratch().table;
    block.for_each(values, [&](unsigned i) { table[i] = of.table[i]; });
    block.sync();
    ballast::for_each_block(block, *counter, tiles, blocks, [&](unsigned tile) {
      block.for_each(tile_rows, [&](unsigned i) {
        unsigned const row = tile * tile_rows + i;
        product[row] = of.times_vector(table, row);
      });
    });
  }
};
BALLAST_KERNELS(kernels, multiply_anywhere)

void multiply_on_cores(std::vector<float> const& table, std::vector<float> const& vector,
                       std::vector<std::uint16_t> const& elements, std::vector<float>& product) {
  ballast::block_counter counter;
  multiply_anywhere const kernel{{table.data(), vector.data(), elements.data()}, product.data(), &counter, 2};
  ballast::balanced_queue queue(ballast::open_devices("host:2"), kernels());
  queue.submit(ballast::grid_task(ballast::task(kernel, {0, kernel.blocks}))).wait();
}

int main() {
  std::vector<float> table(values), vector(columns), product(rows);
  std::vector<std::uint16_t> elements(std::size_t(rows) * columns);
  for (unsigned i = 0; i < values; ++i) table[i] = float(i % 17);
  for (unsigned i = 0; i < columns; ++i) vector[i] = float(i % 5);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = std::uint16_t(i * 7919 % values);
  if (has_gpu())
    multiply_on_gpu(table, vector, elements, product);
  else
    multiply_on_cores(table, vector, elements, product);
  double sum = 0;
  for (float const element : product) sum += element;
  std::printf("%u rows, sum %.0f\n", rows, sum);
}
