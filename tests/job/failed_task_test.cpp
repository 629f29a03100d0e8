// SPDX-License-Identifier: Apache-2.0
// What a task leaves behind that failed.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

bool is_lost(word_rows& array, std::uint32_t row) {
  std::uint64_t const columns = array.size(1);
  try {
    array.read({row * columns, (row + 1) * columns});
    return false;
  } catch (job_failed const&) { return true; }
}

/// Neighbours read rows in common and tasks are large, so that these are launched in pieces.
TEST(failed_task, of_several_pieces_loses_what_each_of_them_was_to_write) {
  std::uint32_t const all_rows = 512, columns = 4;
  job_scheduler jobs(two_devices(), kernels(), {.policy = "static", .device_bytes = enough_device_bytes});
  word_rows now(jobs, {all_rows, columns}), next(jobs, {all_rows, columns});
  number(now);
  fill_with(next, 1);
  auto const done =
      jobs.submit({all_rows}, reads(now, neighborhood(1)), writes(next, rows), [=](auto from, auto to) {
        if (from) throw std::runtime_error("a planted failure");
        return mix_rows{from, to, all_rows, columns};
      });
  EXPECT_THROW(done.wait(), job_failed);
  for (std::uint32_t row = 0; row < all_rows; ++row) EXPECT_TRUE(is_lost(next, row)) << "row " << row;
}

TEST(failed_task, gives_the_memory_of_its_device_to_others) {
  std::uint32_t const size = 1024;  // all of the memory
  job_scheduler jobs(open_devices("host:1"), kernels(),
                     {.policy = "static", .device_bytes = 4096, .shutdown_timeout = {}});
  words broken(jobs, {size}), whole(jobs, {size});
  fill_with(broken, 1);
  fill_with(whole, 1);
  auto const failing = jobs.submit({size}, updates(broken), [](auto all) {
    if (all) throw std::runtime_error("a planted failure");
    return count_visits{all};
  });
  EXPECT_THROW(failing.wait(), job_failed);
  auto const next = jobs.submit({size}, updates(whole), [](auto all) { return count_visits{all}; });
  next.wait_until(deadline::in(std::chrono::minutes(1)));
  EXPECT_EQ(values_of(whole), std::vector<std::uint32_t>(size, 2));
}

}  // namespace
}  // namespace ballast::test
