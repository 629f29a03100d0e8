// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "ep/command.hpp"
#include "ep/kernels.hpp"
#include "ep/reference.hpp"
#include "ep/shared_pairs.hpp"
#include "job_run/tests/device_sets.hpp"
#include "sanitized.hpp"

namespace ballast::ep {
namespace {

tally found_by(device_list const& devices, job_options const& how, std::uint32_t log2_pairs) {
  job_scheduler jobs(devices, pair_kernels(), how);
  shared_pairs pairs(jobs, log2_pairs);
  pairs.submit();
  return pairs.read();
}

bool are_of_one_kind(device_list const& devices) {
  return std::ranges::all_of(devices,
                             [&](auto const& one) { return one->is_cuda() == devices[0]->is_cuda(); });
}

/// A GPU's log may differ in its last bits from the host's.
void expect_equal(tally const& found, tally const& expected, device_list const& devices) {
  EXPECT_EQ(found.counts, expected.counts);
  if (are_of_one_kind(devices)) {
    EXPECT_EQ(found, expected);
    return;
  }
  auto const tolerance = 1e-12 * double(expected.pairs());
  EXPECT_NEAR(found.sx, expected.sx, tolerance);
  EXPECT_NEAR(found.sy, expected.sy, tolerance);
}

TEST(ep, finds_the_same_bits_however_it_is_split) {
  constexpr std::uint32_t log2_pairs = 18;
  auto const one_task =
      found_by({test::test_devices().front()}, job_run::options_of_little_memory(), log2_pairs);
  EXPECT_EQ(one_task.counts, run_sequentially(log2_pairs).counts);
  for (auto const& devices : job_run::device_sets())
    for (auto const& how : job_run::split_options()) {
      SCOPED_TRACE(job_run::text_of(devices, how));
      expect_equal(found_by(devices, how, log2_pairs), one_task, devices);
    }
}

TEST(ep, keeps_to_its_access_maps) {
  constexpr std::uint32_t log2_pairs = 16;
  for (auto how : job_run::split_options()) {
    how.check_maps = true;
    EXPECT_EQ(found_by(open_devices("host:1,host:1"), how, log2_pairs).counts,
              run_sequentially(log2_pairs).counts)
        << how.policy;
  }
}

TEST(ep, finds_the_same_in_batches_that_fill_no_block) {
  for (std::uint32_t const log2_pairs : {0u, 1u, 8u, 10u})
    EXPECT_EQ(found_by(test::test_devices(), job_run::options_of_little_memory(), log2_pairs).counts,
              run_sequentially(log2_pairs).counts);
}

TEST(ep, finds_what_is_known_of_class_S) {
  if (test::sanitized) GTEST_SKIP() << "16 million pairs take too long with a sanitizer";
  auto const done = run(test::test_devices(), {class_named("S")}, [] { return false; });
  EXPECT_TRUE(done.summary.found.is_right);
  EXPECT_EQ(done.found.counts, *class_named("S").counts);
}

TEST(ep, says_so_if_the_result_is_not_that_of_the_class) {
  auto other = class_named("S");
  other.log2_pairs = 10;
  EXPECT_FALSE(run(test::test_devices(), {other, job_run::options_of_little_memory()}, [] {
                 return false;
               }).summary.found.is_right);
}

TEST(ep, moves_nothing_but_its_results) {
  auto other = class_named("S");
  other.log2_pairs = 17;  // 512 batches, 4 blocks
  auto const moved =
      run(test::test_devices(), {other, job_run::options_of_little_memory()}, [] { return false; })
          .summary.runs.back()
          .moved;
  EXPECT_EQ(moved.from_host + moved.between_devices, 0u);
  EXPECT_EQ(moved.to_host, 4 * (2 * sizeof(double) + annuli * sizeof(std::uint32_t)));
}

}  // namespace
}  // namespace ballast::ep
