// SPDX-License-Identifier: Apache-2.0
#include "plan/job_units.hpp"

#include <gtest/gtest.h>

#include "ballast/error.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Of bands of 10 bytes a unit, with 5 more on either side that are within the job.
struct bands {
  std::uint32_t units;

  std::size_t operator()(job_part part) const {
    return part.count * 10 + (part.first > 0 ? 5 : 0) + (part.first + part.count < units ? 5 : 0);
  }
};

/// The truth, by trying every part.
std::uint32_t by_trying_all(std::uint32_t units, std::size_t limit, memory_of_part const& memory) {
  std::uint32_t most = 0;
  for (std::uint32_t count = 1; count <= units; ++count)
    for (std::uint32_t first = 0; first + count <= units; ++first) {
      if (memory({first, count}) > limit) return most;
      if (first + count == units) most = count;
    }
  return most;
}

TEST(max_units, are_all_if_three_such_jobs_fit) { EXPECT_EQ(max_units(40, 1200, bands{40}), 40u); }

TEST(max_units, are_known_by_one_question_if_three_such_jobs_fit) {
  int asked = 0;
  auto const counted = [&](job_part part) { return ++asked, bands{40}(part); };
  EXPECT_EQ(max_units(40, 1200, counted), 40u);
  EXPECT_EQ(asked, 1);
}

TEST(max_units, let_three_parts_fit_else_two_else_one) {
  EXPECT_EQ(max_units(40, 180, bands{40}), 5u);
  EXPECT_EQ(max_units(40, 59, bands{40}), 1u);
  EXPECT_EQ(max_units(40, 40, bands{40}), 1u);
  EXPECT_EQ(max_units(40, 39, bands{40}), 2u);
  EXPECT_EQ(max_units(40, 20, bands{40}), 1u);
}

TEST(max_units, are_none_if_one_does_not_fit) { EXPECT_EQ(max_units(40, 19, bands{40}), 0u); }

TEST(max_units, fit_wherever_they_lie) {
  auto const with_a_large_one = [](job_part part) -> std::size_t {
    return part.count * 10 + (part.first <= 777 && 777 < part.first + part.count ? 500 : 0);
  };
  EXPECT_EQ(max_units(1000, 3 * 600, with_a_large_one), 10u);
  EXPECT_EQ(max_units(1000, 3 * 400, with_a_large_one), 10u);
}

TEST(max_units, are_never_too_many_and_at_most_an_eighth_too_few) {
  bands const memory{500};
  for (std::size_t limit = 20; limit < 5000; limit += 37) {
    auto const found = max_units(500, 3 * limit, memory), truth = by_trying_all(500, limit, memory);
    EXPECT_LE(found, truth) << limit;
    EXPECT_GE(found + found / 8 + 1, truth) << limit;
  }
}

TEST(max_units, of_no_units_are_none) { EXPECT_EQ(max_units(0, 10, bands{0}), 0u); }

TEST(first_unit_over, is_the_first_that_alone_needs_more) {
  auto const growing = [](job_part part) -> std::size_t { return part.first + part.count; };
  EXPECT_EQ(first_unit_over(7, 20, growing), 7u);
  EXPECT_EQ(first_unit_over(20, 20, growing), std::nullopt);
  EXPECT_EQ(first_unit_over(39, 40, bands{40}), std::nullopt);
}

TEST(throw_unit_too_large, tells_the_sizes_and_the_limit) {
  std::vector<memory_of_array> const arrays{{"a", 134217728}, {"b", 268435456}, {"c", 0}};
  try {
    throw_unit_too_large("mul", 5, "cuda:0", arrays, 201326592);
  } catch (bad_argument const& refusal) {
    EXPECT_STREQ(
        refusal.what(),
        "device_bytes is 201326592; legal is at least 402653184: unit 5 of job 'mul' needs 402653184 "
        "bytes on cuda:0 (a 134217728, b 268435456, c 0)");
  }
}

}  // namespace
}  // namespace ballast::test
