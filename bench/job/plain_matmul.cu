// SPDX-License-Identifier: Apache-2.0
#include "job/plain_array.cuh"
#include "job/plain_cuda.hpp"
#include "matmul/reference.hpp"

namespace ballast::bench {

#if defined(__CUDACC__)
namespace {

using matmul::product_kernel, matmul::product_shape;

constexpr unsigned threads = 256;

/// As in Ohno et al. 2016, Fig. 3: a thread computes an element, a block 256 columns of a row.
__global__ void __launch_bounds__(threads) multiply_naively(product_shape shape, int const* __restrict__ a,
                                                            int const* __restrict__ b, int* __restrict__ c) {
  unsigned const row = blockIdx.y, column = blockIdx.x * threads + threadIdx.x;
  if (column >= shape.columns) return;
  a += std::size_t(row) * shape.inner;
  b += column;
  int sum = 0;
  for (unsigned k = 0; k < shape.inner; ++k, b += shape.columns) sum += a[k] * *b;
  c[std::size_t(row) * shape.columns + column] = sum;
}

constexpr unsigned side = 128, depth = 16;       // of a tile of c; of the slices of a and b
constexpr unsigned patch = 8, half = patch / 2;  // a thread has 8 rows, and 4 columns in either half
constexpr unsigned patches_across = side / patch;

struct slices {
  alignas(16) int a[depth][side + 4];  // transposed; the padding of 4 avoids bank conflicts of its stores
  alignas(16) int b[depth][side];
};

__device__ unsigned row_of(unsigned r) { return threadIdx.x / patches_across * patch + r; }
__device__ unsigned column_of(unsigned c) {
  return c / half * (side / 2) + threadIdx.x % patches_across * half + c % half;
}

/// Loads the slices from k on; elements beyond the matrices are 0.
__device__ void load(slices& to, product_shape const& shape, unsigned k, int const* a, int const* b) {
  unsigned const top = blockIdx.y * side, left = blockIdx.x * side;
  for (unsigned i = threadIdx.x; i < side * depth; i += threads) {
    unsigned const row = top + i / depth, inner = k + i % depth;
    bool const is_inside = row < shape.rows && inner < shape.inner;
    to.a[i % depth][i / depth] = is_inside ? a[std::size_t(row) * shape.inner + inner] : 0;
  }
  for (unsigned i = threadIdx.x; i < side * depth; i += threads) {
    unsigned const inner = k + i / side, column = left + i % side;
    bool const is_inside = inner < shape.inner && column < shape.columns;
    to.b[i / side][i % side] = is_inside ? b[std::size_t(inner) * shape.columns + column] : 0;
  }
}

__device__ void add_product(int (&sums)[patch][patch], slices const& of) {
  for (unsigned k = 0; k < depth; ++k) {
    int of_a[patch], of_b[patch];
    for (unsigned i = 0; i < patch; ++i) {
      of_a[i] = of.a[k][row_of(i)];
      of_b[i] = of.b[k][column_of(i)];
    }
    for (unsigned r = 0; r < patch; ++r)
      for (unsigned c = 0; c < patch; ++c) sums[r][c] += of_a[r] * of_b[c];
  }
}

__device__ void store(int const (&sums)[patch][patch], product_shape const& shape, int* c) {
  for (unsigned r = 0; r < patch; ++r) {
    unsigned const row = blockIdx.y * side + row_of(r);
    if (row >= shape.rows) return;
    for (unsigned i = 0; i < patch; ++i) {
      unsigned const column = blockIdx.x * side + column_of(i);
      if (column < shape.columns) c[std::size_t(row) * shape.columns + column] = sums[r][i];
    }
  }
}

/// A block computes a tile of 128 x 128 elements, each thread 8 x 8 of them in registers.
__global__ void __launch_bounds__(threads) multiply_tiles(product_shape shape, int const* __restrict__ a,
                                                          int const* __restrict__ b, int* __restrict__ c) {
  __shared__ slices shared;
  int sums[patch][patch] = {};
  for (unsigned k = 0; k < shape.inner; k += depth) {
    load(shared, shape, k, a, b);
    __syncthreads();
    add_product(sums, shared);
    __syncthreads();
  }
  store(sums, shape, c);
}

class plain_product final : public job_program {
 public:
  plain_product(int gpu, product_shape const& shape, product_kernel with)
      : shape_(shape),
        with_(with),
        stream_(gpu),
        a_(shape.elements_of_a()),
        b_(shape.elements_of_b()),
        c_(shape.elements_of_c()) {
    matmul::fill_a(shape_, a_.host());
    matmul::fill_b(shape_, b_.host());
  }

  void prepare() override { stream_.enter(); }
  void run() override {
    a_.copy_in(stream_);
    b_.copy_in(stream_);
    launch();
    c_.copy_out(stream_);
    stream_.synchronize();
  }
  bool is_right() override {
    return matmul::passes_freivalds_test({shape_, a_.host(), b_.host(), c_.host()});
  }
  std::span<std::byte const> result() override { return std::as_bytes(c_.host()); }

 private:
  void launch() const {
    if (with_ == product_kernel::naive)
      multiply_naively<<<dim3(parts_of(shape_.columns, threads), shape_.rows), threads, 0, stream_.get()>>>(
          shape_, a_.gpu(), b_.gpu(), c_.gpu());
    else
      multiply_tiles<<<dim3(parts_of(shape_.columns, side), parts_of(shape_.rows, side)), threads, 0,
                       stream_.get()>>>(shape_, a_.gpu(), b_.gpu(), c_.gpu());
    check(cudaGetLastError(), "a launch of a product");
  }

  product_shape shape_;
  product_kernel with_;
  plain_stream stream_;  // before the arrays, which are allocated on its GPU
  plain_array<int> a_, b_, c_;
};

}  // namespace

std::unique_ptr<job_program> plain_matmul(int gpu, product_shape const& shape, product_kernel with) {
  return std::make_unique<plain_product>(gpu, shape, with);
}
#else
std::unique_ptr<job_program> plain_matmul(int, matmul::product_shape const&, matmul::product_kernel) {
  return nullptr;
}
#endif

}  // namespace ballast::bench
