// SPDX-License-Identifier: Apache-2.0
// The kernel's blocks alone, one after another and as teams of threads, compared with the reference.

#include "hotspot/heat_step.cuh"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "ballast/team_block.hpp"
#include "hotspot/reference.hpp"

namespace ballast::hotspot {
namespace {

template <class Real>
struct random_plate {
  explicit random_plate(plate const& in_of) : of(in_of), temperature(of.cells()), power(of.cells()) {
    std::mt19937 generator(5);
    for (auto& t : temperature) t = std::uniform_real_distribution<Real>(300, 340)(generator);
    for (auto& p : power) p = std::uniform_real_distribution<Real>(0, Real(0.001))(generator);
  }
  heated_plate<Real> view() const { return {of, factors_of(of), temperature, power}; }
  heat_step<Real> kernel(std::vector<Real>& next) const {
    return {array_ref<Real const>(temperature.data()), array_ref<Real const>(power.data()),
            array_ref(next.data()), of, cell_factors<Real>(factors_of(of))};
  }
  std::uint32_t blocks() const { return heat_step<Real>::blocks_in_a_row(of) * heat_step<Real>::units(of); }

  plate of;
  std::vector<Real> temperature, power;
};

plate const plates[] = {{1, 1}, {1, 2}, {2, 1}, {3, 300}, {8, 256}, {9, 257}, {16, 512}, {17, 513}, {40, 5}};

template <class Real>
class hotspot_kernel : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(hotspot_kernel, precisions);

TYPED_TEST(hotspot_kernel, has_the_references_bits_whatever_the_shape) {
  for (auto const& of : plates) {
    random_plate<TypeParam> const start(of);
    std::vector<TypeParam> next(of.cells());
    detail::run_blocks<detail::host_block>(start.kernel(next), {0, start.blocks()}, nullptr);
    EXPECT_EQ(next, heated(start.view(), 1)) << of.rows << " x " << of.columns;
  }
}

/// Several threads to a block go down columns as on a GPU.
TYPED_TEST(hotspot_kernel, has_the_references_bits_with_several_threads_to_a_block) {
  for (auto const& of : plates) {
    random_plate<TypeParam> const start(of);
    std::vector<TypeParam> next(of.cells());
    run_with_team<4>(start.kernel(next), {0, start.blocks()});
    EXPECT_EQ(next, heated(start.view(), 1)) << of.rows << " x " << of.columns;
  }
}

TYPED_TEST(hotspot_kernel, writes_its_units_rows_and_no_others) {
  random_plate<TypeParam> const start({30, 300});
  std::vector<TypeParam> next(start.of.cells(), -1);
  detail::run_blocks<detail::host_block>(start.kernel(next), {2, 2}, nullptr);
  auto const expected = heated(start.view(), 1);
  for (std::size_t i = 0; i < next.size(); ++i) ASSERT_EQ(next[i], i / 300 / 8 == 1 ? expected[i] : -1) << i;
}

}  // namespace
}  // namespace ballast::hotspot
