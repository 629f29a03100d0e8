// SPDX-License-Identifier: Apache-2.0
#include "factors.hpp"

namespace ballast::matmul {
namespace {

std::int32_t folded(std::uint64_t number) { return static_cast<std::int32_t>(number % 17) - 8; }

template <class Element>
void fill(std::span<std::int32_t> matrix, std::uint32_t columns, Element const& element) {
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = element(static_cast<std::uint32_t>(i / columns), static_cast<std::uint32_t>(i % columns));
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

}  // namespace ballast::matmul
