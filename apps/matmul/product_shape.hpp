// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace ballast::matmul {

/// c = a b, where a is rows x inner, b inner x columns and c rows x columns, all stored row by row.
struct product_shape {
  std::uint32_t rows = 0, inner = 0, columns = 0;

  constexpr std::size_t elements_of_a() const { return std::size_t(rows) * inner; }
  constexpr std::size_t elements_of_b() const { return std::size_t(inner) * columns; }
  constexpr std::size_t elements_of_c() const { return std::size_t(rows) * columns; }
  constexpr bool operator==(product_shape const&) const = default;
};

}  // namespace ballast::matmul
