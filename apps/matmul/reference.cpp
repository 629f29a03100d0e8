// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <random>

namespace ballast::matmul {
namespace {

std::int32_t folded(std::uint64_t number) { return static_cast<std::int32_t>(number % 17) - 8; }

template <class Element>
void fill(std::span<std::int32_t> matrix, std::uint32_t columns, Element const& element) {
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = element(static_cast<std::uint32_t>(i / columns), static_cast<std::uint32_t>(i % columns));
}

using words = std::vector<std::uint32_t>;  ///< numbers modulo 2^32, which cannot overflow

words random_words(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  words drawn(count);
  for (auto& word : drawn) word = static_cast<std::uint32_t>(generator());
  return drawn;
}

/// A matrix, with as many columns as x has elements, times x.
words times(std::span<std::int32_t const> matrix, std::size_t rows, words const& x) {
  words result(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    auto const elements = matrix.subspan(row * x.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[row] += static_cast<std::uint32_t>(elements[i]) * x[i];
  }
  return result;
}

}  // namespace

std::int32_t element_of_a(std::uint32_t row, std::uint32_t column) {
  return folded(std::uint64_t{7} * row + std::uint64_t{13} * column);
}

std::int32_t element_of_b(std::uint32_t row, std::uint32_t column) {
  return folded(std::uint64_t{11} * row + std::uint64_t{5} * column);
}

void fill_a(product_shape const& shape, std::span<std::int32_t> a) { fill(a, shape.inner, element_of_a); }
void fill_b(product_shape const& shape, std::span<std::int32_t> b) { fill(b, shape.columns, element_of_b); }

std::vector<std::int32_t> multiplied(product const& factors) {
  auto const [rows, inner, columns] = factors.shape;
  std::vector<std::int32_t> result(factors.shape.elements_of_c());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t column = 0; column < columns; ++column)
        result[row * columns + column] += factors.a[row * inner + k] * factors.b[k * columns + column];
  return result;
}

bool passes_freivalds_test(product const& claimed, std::uint32_t vectors) {
  auto const [rows, inner, columns] = claimed.shape;
  for (std::uint32_t seed = 1; seed <= vectors; ++seed) {
    auto const x = random_words(columns, seed);
    if (times(claimed.c, rows, x) != times(claimed.a, rows, times(claimed.b, inner, x))) return false;
  }
  return true;
}

}  // namespace ballast::matmul
