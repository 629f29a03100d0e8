// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries for the problems of cholesky.cpp and solve.cpp. Each function returns a program that
// runs on the stream's GPU and waits for it; empty if the library was not found.
#pragma once

#include <cstdint>
#include <functional>

#include "ballast/kernel.cuh"
#include "ballast/stream.hpp"

namespace ballast::bench {

///@{
/// Factors a symmetric matrix of size x size in place; the factor is the lower triangle, row by row.
std::function<void()> factor_by_cusolver(stream& on, array_ref<float> matrix, std::uint32_t size);
std::function<void()> factor_by_cusolver(stream& on, array_ref<double> matrix, std::uint32_t size);
///@}

/// A lower triangular matrix in compressed rows, the right-hand side and the solution, on the GPU.
struct triangle_in_rows {
  std::uint32_t rows, items;
  array_ref<std::uint32_t const> offsets, columns;
  array_ref<double const> values, b;
  array_ref<double> x;
};
std::function<void()> solve_by_cusparse(stream& on, triangle_in_rows const& of);

}  // namespace ballast::bench
