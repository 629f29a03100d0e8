// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "product_shape.hpp"

namespace ballast::matmul {

/// The factors that are multiplied: a[i][k] = (7 i + 13 k) mod 17 - 8 and b[k][j] = (11 k + 5 j) mod 17 - 8,
/// so that no element of c is beyond 64 times the inner size.
std::int32_t element_of_a(std::uint32_t row, std::uint32_t column);
std::int32_t element_of_b(std::uint32_t row, std::uint32_t column);

/// The spans hold as many elements as the shape says.
void fill_a(product_shape const& shape, std::span<std::int32_t> a);
void fill_b(product_shape const& shape, std::span<std::int32_t> b);

}  // namespace ballast::matmul
