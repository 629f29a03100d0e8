// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "job_fixture.hpp"
#include "lambdas.hpp"

namespace ballast::test {
namespace {

using step = completion (*)(job_scheduler&, shared_array<std::uint64_t, 2> const&,
                            shared_array<std::uint64_t, 2>&, std::uint64_t);

std::vector<std::uint64_t> after(int steps, step make, device_list const& devices) {
  job_scheduler jobs(devices, {.device_bytes = enough_device_bytes});
  shared_array<std::uint64_t, 2> now(jobs, {200, 33}), next(jobs, {200, 33});
  auto const begin = now.write();
  std::iota(begin.begin(), begin.end(), std::uint64_t(0));
  for (int i = 0; i < steps; ++i, std::swap(now, next)) make(jobs, now, next, std::uint64_t(i + 1));
  auto const end = now.read();
  return {end.begin(), end.end()};
}

TEST(kernel_in_no_set, runs_as_a_job_whether_it_is_a_lambda_or_a_functor_with_the_same_result) {
  auto const devices = open_devices();
  auto const by_lambda = after(40, &submit_lambda, devices);
  EXPECT_EQ(by_lambda, after(40, &submit_functor, devices));
  EXPECT_EQ(by_lambda, after(40, &submit_functor_of_views, devices));
  EXPECT_EQ(by_lambda, after(40, &submit_lambda_of_views, devices));
  EXPECT_EQ(by_lambda, after(40, &submit_lambda, open_devices("host:1,host:1")));
  EXPECT_NE(by_lambda, after(39, &submit_lambda, devices));
}

TEST(kernel_in_no_set, that_is_a_lambda_of_items_is_called_for_each_unit_once_on_any_devices) {
  constexpr std::size_t items = 10'000;
  for (auto const& devices : {open_devices(), open_devices("host:1,host:1")}) {
    job_scheduler jobs(devices, {.device_bytes = enough_device_bytes});
    shared_array<std::uint64_t, 1> from(jobs, {items}), to(jobs, {items});
    for (std::uint64_t value = 7; auto& each : from.write()) each = value++;
    submit_lambda_of_items(jobs, from, to);
    submit_lambda_of_items(jobs, to, from);
    auto const found = from.read();
    for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(found[i], i + 2 * (i + 2 * (i + 7)));
  }
}

TEST(kernel_in_no_set, that_throws_fails_its_job_on_cores) {
  job_scheduler jobs(open_devices("host:1"), {.device_bytes = enough_device_bytes});
  shared_array<std::uint64_t, 2> array(jobs, {1, 4});
  std::ranges::fill(array.write(), 0u);
  auto const job = submit_throwing_lambda(jobs, array);
  EXPECT_THAT([&] { job.wait(); },
              testing::ThrowsMessage<job_failed>(testing::HasSubstr("the lambda fails")));
}

}  // namespace
}  // namespace ballast::test
