// SPDX-License-Identifier: Apache-2.0
// reduce(), scan() and the warps of a block: on each device with all numbers of threads, and by teams of real
// threads.

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ballast/team_block.hpp"
#include "every_device.hpp"
#include "reduction_kernels.hpp"
#include "reduction_results.hpp"

namespace ballast::test {
namespace {

static_assert(block<detail::host_block<reduce_cases<32>>>);
static_assert(block<team_block<reduce_cases<32>, 7>>);
static_assert(warp<detail::lone_warp>);

using reductions_on = every_device;

TEST_F(reductions_on, every_device_have_the_same_bits_for_any_number_of_threads) {
  for (auto const& device : devices_)
    for (auto const threads : reducing_threads) {
      SCOPED_TRACE(testing::Message() << device->name() << " with " << threads << " threads");
      reduction_results const results(device);
      auto const work = device->make_stream();
      auto const kernel = results.kernel<32>();  // the members are alike
      work->launch(reduce_cases_kernel(threads), reduced_cases, &kernel, sizeof kernel);
      work->synchronize();
      results.expect_right();
    }
}

template <std::uint32_t Threads>
void expect_reduced_by_a_team() {
  SCOPED_TRACE(testing::Message() << Threads << " threads");
  std::vector<reduced> found(reduced_cases);
  run_with_team<Threads>(reduce_cases<32>{array_ref<reduced>(found.data())}, {0, reduced_cases});
  expect_reduced(found);
}

TEST(reductions, of_a_team_have_the_same_bits_for_any_number_of_threads) {
  expect_reduced_by_a_team<1>();
  expect_reduced_by_a_team<2>();
  expect_reduced_by_a_team<7>();
}

TEST(reductions, depend_on_the_order_of_these_fractions) {
  float in_sequence = 0.25f;
  for (std::uint32_t i = 0; i < max_reduced; ++i) in_sequence += reduced_items::fraction(i);
  EXPECT_NE(reduced_alone().back().fractions, in_sequence) << "or a wrong order would not be seen";
}

std::vector<reduced_by_warp> reduced_by_a_warp_alone() {
  std::vector<reduced_by_warp> found(reduced_cases);
  detail::run_blocks<detail::host_block>(warp_cases<32>{array_ref<reduced_by_warp>(found.data())},
                                         {0, reduced_cases}, static_cast<void*>(nullptr));
  return found;
}

void expect_reduced_by_warp(reduced_by_warp const& found, reduced_by_warp const& alone,
                            reduced const& by_block, std::uint32_t n) {
  EXPECT_EQ(found.sum, by_block.sum);
  EXPECT_EQ(found.maps, by_block.maps);
  EXPECT_EQ(found.fractions, alone.fractions);
  EXPECT_NEAR(found.fractions, by_block.fractions, 1e-5f * by_block.fractions);
  EXPECT_TRUE(found.any_right);
  EXPECT_TRUE(found.all_right);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(found.maps_before[i], by_block.maps_before[i]) << i;
}

TEST_F(reductions_on, one_warp_of_a_block_have_the_same_bits_on_every_device) {
  auto const by_block = reduced_alone();
  auto const alone = reduced_by_a_warp_alone();
  for (auto const& device : devices_)
    for (auto const threads : reducing_threads) {
      pinned_buffer<reduced_by_warp> found(device, reduced_cases);
      auto const work = device->make_stream();
      warp_cases<32> const kernel{array_ref<reduced_by_warp>(found.data())};
      work->launch(warp_cases_kernel(threads), reduced_cases, &kernel, sizeof kernel);
      work->synchronize();
      for (std::uint32_t i = 0; i < reduced_cases; ++i) {
        SCOPED_TRACE(testing::Message() << device->name() << ", " << threads << " threads, case " << i);
        EXPECT_EQ(found[i].lanes, device->is_cuda() ? 32u : 1u);
        expect_reduced_by_warp(found[i], alone[i], by_block[i], reduced_items::size_of(i));
      }
    }
}

/// Rows of 0 to 198 elements.
struct sparse_matrix {
  static constexpr std::uint32_t rows = 200;

  explicit sparse_matrix(std::shared_ptr<compute_device> const& on)
      : begin(on, rows + 1), column(on, rows * 198), value(on, rows * 198), x(on, 500), y(on, rows) {
    begin[0] = 0;
    for (std::uint32_t row = 0; row < rows; ++row) begin[row + 1] = begin[row] + row * row % 199;
    for (std::uint32_t i = 0; i < begin[rows]; ++i) {
      column[i] = i * 37 % 500;
      value[i] = reduced_items::fraction(i);
    }
    std::iota(x.span().begin(), x.span().end(), 1.0f);
    for (auto& element : y.span()) element = -1;
  }
  sparse_rows kernel() const {
    return {array_ref<std::uint32_t const>(begin.data()), array_ref<float const>(value.data()),
            array_ref<float const>(x.data()), array_ref<std::uint32_t const>(column.data()),
            array_ref<float>(y.data())};
  }
  void expect_summed() const {
    for (std::uint32_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (auto i = begin[row]; i < begin[row + 1]; ++i) sum += double(value[i]) / double(x[column[i]]);
      ASSERT_NEAR(y[row], sum, 1e-5 * sum) << "row " << row;
    }
  }

  pinned_buffer<std::uint32_t> begin, column;
  pinned_buffer<float> value, x, y;
};

TEST_F(reductions_on, a_warp_for_each_row_sum_the_rows_of_a_sparse_matrix) {
  for (auto const& device : devices_) {
    sparse_matrix const matrix(device);
    auto const kernel = matrix.kernel();
    auto const work = device->make_stream();
    work->launch(sparse_rows_kernel(), matrix.rows / sparse_rows::rows_of_block, &kernel, sizeof kernel);
    work->synchronize();
    matrix.expect_summed();
  }
}

}  // namespace
}  // namespace ballast::test
