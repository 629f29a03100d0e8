// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ballast/error.hpp"
#include "job_run/tests/device_sets.hpp"
#include "matmul/command.hpp"
#include "matmul/kernels.hpp"

namespace ballast::matmul {
namespace {

bool is_right_twice(device_list const& devices, job_options const& how, product_shape const& shape,
                    product_kernel kernel) {
  job_scheduler jobs(devices, product_kernels(), how);
  shared_product matrices(jobs, shape);
  for (int repetition = 0; repetition < 2; ++repetition) {
    matrices.fill();
    matrices.submit(kernel);
    auto const found = matrices.read();
    if (!std::ranges::equal(found.c, multiplied(found))) return false;
  }
  return true;
}

TEST(matmul, multiplies_like_the_reference_however_it_is_split) {
  for (auto const& devices : job_run::device_sets())
    for (auto const& how : job_run::split_options()) {
      SCOPED_TRACE(job_run::text_of(devices, how));
      EXPECT_TRUE(is_right_twice(devices, how, {13, 11, 260}, product_kernel::naive));
      EXPECT_TRUE(is_right_twice(devices, how, {700, 9, 130}, product_kernel::tiled));
    }
}

TEST(matmul, keeps_to_its_access_maps) {
  for (auto how : job_run::split_options()) {
    how.check_maps = true;
    SCOPED_TRACE(how.policy);
    EXPECT_TRUE(is_right_twice(open_devices("host:1,host:1"), how, {13, 11, 260}, product_kernel::naive));
    EXPECT_TRUE(is_right_twice(open_devices("host:1,host:1"), how, {700, 9, 130}, product_kernel::tiled));
  }
}

TEST(matmul, multiplies_matrices_of_one_row_or_column_and_of_none) {
  for (auto const kernel : {product_kernel::naive, product_kernel::tiled})
    for (product_shape const& shape :
         {product_shape{1, 1, 1}, {1, 5, 700}, {700, 5, 1}, {0, 5, 5}, {5, 5, 0}, {5, 0, 5}}) {
      SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.inner << " x " << shape.columns);
      EXPECT_TRUE(is_right_twice(test::test_devices(), job_run::options_of_little_memory(), shape, kernel));
    }
}

TEST(matmul, multiplies_in_half_the_memory_of_its_matrices) {
  product_shape const shape{600, 64, 256};
  job_options how;
  how.device_bytes = 4 * (shape.elements_of_a() + shape.elements_of_b() + shape.elements_of_c()) / 2;
  for (auto const& devices : job_run::device_sets())
    EXPECT_TRUE(is_right_twice(devices, how, shape, product_kernel::naive)) << devices.size();
}

TEST(matmul, is_refused_before_it_starts_if_a_row_and_b_do_not_fit_with_the_sizes) {
  job_options how;
  how.device_bytes = 64 * 1024;
  job_scheduler jobs(test::test_devices(), product_kernels(), how);
  shared_product matrices(jobs, {8, 128, 128});
  matrices.fill();
  try {
    matrices.submit(product_kernel::naive);
    FAIL();
  } catch (bad_argument const& problem) {
    EXPECT_EQ(problem.argument(), "device_bytes");
    EXPECT_THAT(problem.what(), testing::HasSubstr("(array 'a' 512, array 'b' 65536, array 'c' 512)"));
  }
  EXPECT_EQ(jobs.statistics().submitted, 0u);
}

TEST(matmul, gives_each_device_its_rows_of_a_once_and_brings_c_back_once) {
  auto how = job_run::options_of_little_memory();
  how.policy = "static";
  auto const devices = test::test_devices();
  auto const done = run(devices, {{64, 32, 48}, product_kernel::naive, how, 1}, [] { return false; });
  auto const& moved = done.runs.back().moved;
  std::uint64_t const a = 64 * 32 * 4, b = 32 * 48 * 4, c = 64 * 48 * 4;
  EXPECT_EQ(moved.from_host + moved.between_devices, a + devices.size() * b);
  EXPECT_EQ(moved.to_host, c);
  EXPECT_EQ(done.runs.back().tasks, devices.size());
}

TEST(matmul, checks_its_result_in_both_ways) {
  auto const small =
      run(test::test_devices(), {{60, 50, 40}, product_kernel::naive, job_run::options_of_little_memory()},
          [] { return false; });
  EXPECT_TRUE(small.found.is_right);
  EXPECT_EQ(small.found.checked, "every element against the sequential program");
  plan large;
  large.options = job_run::options_of_little_memory();
  large.shape = {40, 30, max_fully_checked + 1};
  large.kernel = product_kernel::tiled;
  auto const found = run(test::test_devices(), large, [] { return false; }).found;
  EXPECT_TRUE(found.is_right);
  EXPECT_EQ(found.checked, "Freivalds' test modulo 2^32 with 3 vectors");
}

}  // namespace
}  // namespace ballast::matmul
