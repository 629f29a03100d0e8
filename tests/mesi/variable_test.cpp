// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/mesi/variable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "shared.hpp"

namespace ballast::test {
using namespace detail;
namespace {

TEST(mesi_variable, begins_with_zeros) {
  static mesi::variable<double[7][5]> own{"own"};
  for (auto const& row : own.read())
    for (double const element : row) EXPECT_EQ(element, 0);
}

TEST(mesi_variable, is_the_array_that_it_was_in_the_dialect) {
  static mesi::variable<short[7][5]> own{"own"};
  static_assert(std::is_same_v<decltype(own.update()), short(&)[7][5]>);
  static_assert(std::is_same_v<decltype(own.read()), short const(&)[7][5]>);
  static_assert(std::is_same_v<decltype(factor.update()), double&>);
  EXPECT_EQ(sizeof(own.read()), 70u);
  EXPECT_EQ(&own.update()[6][4] - &own.read()[0][0], 34);
  for (auto& row : own.update()) std::ranges::fill(row, short(3));
  EXPECT_EQ(own.read()[6][4], 3);
}

TEST(mesi_variable, keeps_its_address_and_has_it_without_waiting) {
  auto* const before = &numbers.address();
  number(numbers.address(), numbers_count);
  EXPECT_EQ(&numbers.address(), before);
  EXPECT_EQ(static_cast<void const*>(&numbers.read()), before);
}

TEST(mesi_variable, is_found_by_any_address_from_its_first_element_to_the_end) {
  auto* const begin = numbers.address();
  auto* const of = mesi::variable_at(begin);
  ASSERT_NE(of, nullptr);
  EXPECT_STREQ(of->name(), "numbers");
  EXPECT_EQ(mesi::variable_at(begin + numbers_count - 1), of);
  EXPECT_EQ(mesi::variable_at(begin + numbers_count), of);
  EXPECT_NE(mesi::variable_at(begin + numbers_count + 1000), of);
  int elsewhere = 0;
  EXPECT_EQ(mesi::variable_at(&elsewhere), nullptr);
  EXPECT_EQ(mesi::variable_at(nullptr), nullptr);
}

TEST(mesi_variable, waits_for_launches_behind_a_pointer_or_a_reference_of_the_host) {
  int* pointer = numbers.address() + 10;
  int& reference = numbers.address()[20];
  std::ranges::fill(numbers.update(), -1);
  number(numbers.address(), numbers_count);
  EXPECT_EQ(mesi::host(pointer)[1], 11);
  int volatile* const unoptimised = pointer;
  EXPECT_EQ(mesi::host(unoptimised)[1], 11);
  number(numbers.address(), numbers_count);
  EXPECT_EQ(mesi::host(reference), 20);
}

TEST(mesi_variable, leaves_other_pointers_alone) {
  int elsewhere = 5, *pointer = &elsewhere, *none = nullptr;
  EXPECT_EQ(*mesi::host(pointer), 5);
  EXPECT_EQ(mesi::host(elsewhere), 5);
  EXPECT_EQ(mesi::host(none), nullptr);
}

}  // namespace
}  // namespace ballast::test
