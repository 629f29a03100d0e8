// SPDX-License-Identifier: Apache-2.0
// NVIDIA's library for the problem of cholesky.cpp. Each function returns a program that runs on the stream's
// GPU and waits for it; empty if the library was not found.
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

}  // namespace ballast::bench
