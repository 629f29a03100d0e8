// SPDX-License-Identifier: Apache-2.0
// The kernels' blocks alone, one after another and as teams of threads, compared with the reference.

#include <gtest/gtest.h>

#include "ballast/team_block.hpp"
#include "matmul/product_kernels.cuh"
#include "matmul/reference.hpp"

namespace ballast::matmul {
namespace {

struct matrices {
  explicit matrices(product_shape const& of)
      : shape(of), a(of.elements_of_a()), b(of.elements_of_b()), c(of.elements_of_c(), -1) {
    fill_a(shape, a);
    fill_b(shape, b);
  }
  product view() const { return {shape, a, b, c}; }

  product_shape shape;
  std::vector<std::int32_t> a, b, c;
};

template <class K>
K kernel_of(matrices& of) {
  return {array_ref<std::int32_t const>(of.a.data()), array_ref<std::int32_t const>(of.b.data()),
          array_ref(of.c.data()), of.shape};
}

template <class K>
std::uint32_t blocks_of(product_shape const& shape) {
  return K::blocks_in_a_row(shape) * K::units(shape);
}

product_shape const shapes[] = {{1, 1, 1},     {3, 5, 7},      {1, 300, 257},  {130, 17, 129},
                                {64, 64, 256}, {129, 16, 256}, {200, 33, 300}, {5, 0, 9}};

template <class K>
class matmul_kernels : public testing::Test {};
using both_kernels = testing::Types<naive_product, tiled_product>;
TYPED_TEST_SUITE(matmul_kernels, both_kernels);

TYPED_TEST(matmul_kernels, multiply_like_the_reference_whatever_the_shape) {
  for (auto const& shape : shapes) {
    SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.inner << " x " << shape.columns);
    matrices of(shape);
    scratch_of<TypeParam> scratch;
    detail::run_blocks<detail::host_block>(kernel_of<TypeParam>(of), {0, blocks_of<TypeParam>(shape)},
                                           &scratch);
    EXPECT_EQ(of.c, multiplied(of.view()));
  }
}

TYPED_TEST(matmul_kernels, multiply_likewise_with_several_threads_to_a_block) {
  matrices of({130, 20, 260});
  run_with_team<4>(kernel_of<TypeParam>(of), {0, blocks_of<TypeParam>(of.shape)});
  EXPECT_EQ(of.c, multiplied(of.view()));
}

TYPED_TEST(matmul_kernels, write_their_units_rows_and_no_others) {
  matrices of({300, 8, 300});
  auto const across = TypeParam::blocks_in_a_row(of.shape);
  scratch_of<TypeParam> scratch;
  detail::run_blocks<detail::host_block>(kernel_of<TypeParam>(of), {across, across}, &scratch);
  auto const expected = multiplied(of.view());
  for (std::size_t i = 0; i < of.c.size(); ++i) {
    bool const is_of_unit = i / 300 / TypeParam::rows_of_unit == 1;
    ASSERT_EQ(of.c[i], is_of_unit ? expected[i] : -1) << i;
  }
}

}  // namespace
}  // namespace ballast::matmul
