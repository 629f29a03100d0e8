// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "product_shape.hpp"

namespace ballast::matmul {

/// The three matrices of a product, each with as many elements as the shape says.
struct product {
  product_shape shape;
  std::span<std::int32_t const> a, b, c;
};

/// a b, element by element on the calling thread, with other code than the kernels'; c is not looked at.
std::vector<std::int32_t> multiplied(product const& factors);

/// Freivalds' test (Freivalds 1979): whether c x = a (b x) modulo 2^32 for each of `vectors` vectors x, drawn
/// the same every time. Takes the time of reading the matrices. A wrong c passes one vector with a
/// probability of at most one half.
bool passes_freivalds_test(product const& claimed, std::uint32_t vectors = 3);

}  // namespace ballast::matmul
