// SPDX-License-Identifier: Apache-2.0
#include "md/pair_formula.cuh"

#include <gtest/gtest.h>

#include <cmath>

namespace counting {

int operations = 0;

/// A number that counts the operations on it.
struct number {
  float value = 0;

  constexpr number() = default;
  constexpr explicit number(float v) : value(v) {}
  constexpr explicit number(double v) : value(float(v)) {}
  constexpr explicit number(int v) : value(float(v)) {}
  explicit operator double() const { return value; }
};

number counted(float value, int done = 1) {
  operations += done;
  return number(value);
}
number operator+(number a, number b) { return counted(a.value + b.value); }
number operator-(number a, number b) { return counted(a.value - b.value); }
number operator*(number a, number b) { return counted(a.value * b.value); }
number operator-(number a) { return counted(-a.value, 0); }
number fma_on_gpu(number a, number b, number c) { return counted(a.value * b.value + c.value, 2); }
number inverse_square_root(number a) { return counted(1 / std::sqrt(a.value)); }
number nearest_whole(number a) { return counted(std::rint(a.value)); }

/// The operations during `work`.
template <class Work>
int operations_of(Work const& work) {
  operations = 0;
  work();
  return operations;
}

}  // namespace counting

namespace ballast::md {
namespace {

using counting::number;
using counting::operations_of;

TEST(pair_formula, does_as_many_operations_as_it_says) {
  pair_formula<number> formula{};
  formula.a12 = formula.a6 = formula.coulomb = number(1.0);
  placed_charge<number> const here{number(0), number(0), number(0), number(1)};
  placed_charge<number> const there{number(3), number(0), number(0), number(1)};
  placed_charge<number> d{};
  number r2;
  int const tested = operations_of([&] {
    d = formula.difference<false>(here, there);
    r2 = formula.square(d);
  });
  atom_result sums;
  int const added = operations_of([&] { formula.add(d, r2, sums); });
  EXPECT_EQ(sums.neighbours, 1);
  EXPECT_NE(sums.fx, 0);
  // The product of the charges is needed only within range, and -6 a6 is the same for all pairs.
  EXPECT_EQ(tested - 1, operations_to_test);
  EXPECT_EQ(added + 1 - 1, operations_in_range);
}

}  // namespace
}  // namespace ballast::md
