// SPDX-License-Identifier: Apache-2.0
// Schedulers and arrays whose memory is a resource's.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"
#include "noting_resource.hpp"

namespace ballast::test::memory_resource_test {
using namespace detail;
namespace {

constexpr auto list = "host:1,host:1";
constexpr std::uint32_t size = 64;

struct memory_resource_of_jobs : testing::Test {
  job_options const options{.policy = "static", .device_bytes = 4096};
  std::shared_ptr<noting_resource> resource = std::make_shared<noting_resource>(list);
  device_list devices = open_devices(list, {.memory = resource});

  void expect_all_is_back() const {
    EXPECT_TRUE(resource->lent().empty());
    EXPECT_EQ(resource->wrong_returns(), 0u);
  }
};

TEST_F(memory_resource_of_jobs, has_the_memory_of_arrays_and_gets_all_of_it_back) {
  {
    job_scheduler jobs(devices, kernels(), options);
    EXPECT_EQ(resource->lent().size(), 2u) << "one piece on each device";
    words array(jobs, {size});
    EXPECT_EQ(resource->lent().count(array.address()), 1u);
    fill_with(array, 1);
    jobs.submit({size}, updates(array), [](auto all) { return count_visits{all}; });
    EXPECT_EQ(values_of(array), std::vector<std::uint32_t>(size, 2));
    EXPECT_EQ(resource->loans(), 3u) << "a job allocates nothing";
  }
  expect_all_is_back();
}

TEST_F(memory_resource_of_jobs, gets_all_back_where_jobs_failed_and_a_device_was_lost) {
  {
    job_scheduler jobs(devices, kernels(), options);
    words array(jobs, {size}), any(jobs, {1});
    fill_with(array, 1);
    fill_with(any, 1);
    auto const failing = jobs.submit({size}, updates(array), [](auto all) {
      if (all) throw std::runtime_error("a planted failure");
      return count_visits{all};
    });
    EXPECT_THROW(failing.wait(), job_failed);
    EXPECT_THROW(jobs.submit({1}, updates(any), [](auto all) { return fault{all}; }).wait(), job_failed);
  }
  expect_all_is_back();
}

TEST_F(memory_resource_of_jobs,
       that_refuses_an_array_leaves_the_scheduler_and_the_other_arrays_as_they_were) {
  {
    job_scheduler jobs(devices, kernels(), options);
    words array(jobs, {size});
    fill_with(array, 1);
    resource->before_each = [] { throw std::bad_alloc(); };
    EXPECT_THROW(words(jobs, {size}), error);
    jobs.submit({size}, updates(array), [](auto all) { return count_visits{all}; });
    EXPECT_EQ(values_of(array), std::vector<std::uint32_t>(size, 2));
  }
  expect_all_is_back();
}

TEST_F(memory_resource_of_jobs, that_refuses_a_device_gets_back_what_the_one_before_had) {
  resource->before_each = [this] {
    if (resource->loans() == 1) throw std::bad_alloc();
  };
  EXPECT_THROW(job_scheduler(devices, kernels(), options), error);
  EXPECT_EQ(resource->loans(), 1u);
  expect_all_is_back();
}

}  // namespace
}  // namespace ballast::test::memory_resource_test
