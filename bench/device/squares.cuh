// SPDX-License-Identifier: Apache-2.0
// Squares of matrices, by cuBLAS or by a plain kernel.
#pragma once

#include <cstdint>
#include <functional>

#include "device/launched.cuh"

namespace ballast::bench {

/// Square matrices that lie one after another, and where their squares go; all on the device.
struct square_matrices {
  std::uint32_t side;
  array_ref<float const> from;
  array_ref<float> to;

  BALLAST_HD std::size_t elements() const { return std::size_t(side) * side; }
};

/// A block squares a matrix, beginning with number `first`. For CPU cores.
struct square_a_matrix {
  static constexpr int threads = 256;
  square_matrices of;
  std::uint32_t first;

  template <class Block>
  BALLAST_HD void operator()(Block& block) const {
    auto const begin = of.elements() * (first + block.index());
    block.for_each(of.side, of.side, [&](std::uint32_t column, std::uint32_t row) {
      float sum = 0;
      for (std::uint32_t i = 0; i < of.side; ++i)
        sum += of.from[begin + i * of.side + row] * of.from[begin + column * of.side + i];
      of.to[begin + column * of.side + row] = sum;
    });
  }
};

/// Puts the squares of matrices `first` to `end` - 1 on the stream.
using enqueue_squares = std::function<void(std::uint32_t first, std::uint32_t end)>;

/// One batched product of cuBLAS. Empty on CPU cores, where CUDA was not built, and where the library was not
/// found, which is looked for when this is called. The stream must outlive the function. Throws
/// ballast::error with CUDA's message.
enqueue_squares squares_by_cublas(stream& on, square_matrices const& of);

}  // namespace ballast::bench
