// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ballast::matmul {

/// c = a b, where a is rows x inner, b inner x columns and c rows x columns, all stored row by row.
struct product_shape {
  std::uint32_t rows = 0, inner = 0, columns = 0;

  constexpr std::size_t elements_of_a() const { return std::size_t(rows) * inner; }
  constexpr std::size_t elements_of_b() const { return std::size_t(inner) * columns; }
  constexpr std::size_t elements_of_c() const { return std::size_t(rows) * columns; }
  constexpr bool operator==(product_shape const&) const = default;
};

/// The factors: a[i][k] = (7 i + 13 k) mod 17 - 8 and b[k][j] = (11 k + 5 j) mod 17 - 8, so that no element
/// of c exceeds 64 times the inner size.
std::int32_t element_of_a(std::uint32_t row, std::uint32_t column);
std::int32_t element_of_b(std::uint32_t row, std::uint32_t column);

/// The spans hold as many elements as the shape requires.
void fill_a(product_shape const& shape, std::span<std::int32_t> a);
void fill_b(product_shape const& shape, std::span<std::int32_t> b);

/// The three matrices of a product, each with as many elements as the shape requires.
struct product {
  product_shape shape;
  std::span<std::int32_t const> a, b, c;
};

/// a b, element by element on the calling thread, with other code than the kernels'; c is ignored.
std::vector<std::int32_t> multiplied(product const& factors);

/// Freivalds' test (Freivalds 1979): whether c x = a (b x) modulo 2^32 for each of `vectors` vectors x, drawn
/// the same every time. Takes the time of reading the matrices. A wrong c passes one vector with a
/// probability of at most one half.
bool passes_freivalds_test(product const& claimed, std::uint32_t vectors = 3);

}  // namespace ballast::matmul
