// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ballast/error.hpp"
#include "device_choice.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// A chip of 132 multiprocessors, whose driver rounds up to multiples of 8.
sm_groups of_132(int asked) {
  auto const each = (asked + 7) / 8 * 8;
  return each <= 128 ? sm_groups{each, 132 / each} : sm_groups{};
}

/// The same chip where no group of more than 16 spans two of its clusters, of which seven have room for one.
sm_groups of_seven_clusters(int asked) {
  auto const found = of_132(asked);
  return found.multiprocessors > 16 ? sm_groups{found.multiprocessors, 1} : found;
}

/// Of 108, in twos from 4 on.
sm_groups of_108(int asked) {
  auto const each = std::max(4, (asked + 1) / 2 * 2);
  return each <= 108 ? sm_groups{each, 108 / each} : sm_groups{};
}

part_plan plan_of(std::string const& list, int all = 132,
                  std::function<sm_groups(int)> const& driver = of_132) {
  return plan_parts(parse_devices(list), all, driver);
}

bad_argument refusal_of(std::string const& list, int all = 132,
                        std::function<sm_groups(int)> const& driver = of_132) {
  try {
    plan_of(list, all, driver);
  } catch (bad_argument const& refusal) { return refusal; }
  return {"none", "", ""};
}

TEST(part_plan, gives_equal_parts_a_group_each) {
  auto const plan = plan_of("cuda:0@64,cuda:0@64");
  EXPECT_EQ(plan.multiprocessors_of_group, 64);
  EXPECT_THAT(plan.groups_of_parts, ElementsAre(1u, 1u));
  EXPECT_EQ(plan.groups(), 2u);
}

TEST(part_plan, gives_unequal_parts_several_of_the_largest_groups_that_divide_them) {
  auto const plan = plan_of("cuda:0@32,cuda:0@96");
  EXPECT_EQ(plan.multiprocessors_of_group, 32);
  EXPECT_THAT(plan.groups_of_parts, ElementsAre(1u, 3u));
  EXPECT_THAT(plan_of("cuda:0@40,cuda:0@8,cuda:0@64").groups_of_parts, ElementsAre(5u, 1u, 8u));
}

TEST(part_plan, takes_smaller_groups_where_the_driver_makes_too_few_large_ones) {
  auto const plan = plan_of("cuda:0@64,cuda:0@32", 132, of_seven_clusters);
  EXPECT_EQ(plan.multiprocessors_of_group, 16);
  EXPECT_THAT(plan.groups_of_parts, ElementsAre(4u, 2u));
}

TEST(part_plan, leaves_one_part_as_large_a_group_as_was_asked_for) {
  EXPECT_EQ(plan_of("cuda:0@104", 132, of_seven_clusters).multiprocessors_of_group, 104);
}

TEST(part_plan, refuses_parts_that_do_not_fit_and_says_what_they_want_and_what_there_is) {
  auto const refused = refusal_of("cuda:0@64,cuda:0@96");
  EXPECT_EQ(refused.argument(), "devices");
  EXPECT_EQ(refused.value(), "cuda:0@64,cuda:0@96");
  EXPECT_EQ(refused.legal(),
            "parts of cuda:0 that together have at most 128 of its 132 multiprocessors (these want 160)");
}

TEST(part_plan, refuses_a_size_that_no_part_can_have_with_those_that_one_can) {
  auto const refused = refusal_of("cuda:1@64,cuda:1@12");
  EXPECT_EQ(refused.value(), "cuda:1@12");
  EXPECT_EQ(refused.legal(), "8 to 128 in steps of 8 of this GPU's 132 multiprocessors");
}

TEST(part_plan, refuses_sizes_that_no_group_divides) {
  EXPECT_THAT(plan_of("cuda:0@8,cuda:0@12", 108, of_108).groups_of_parts, ElementsAre(2u, 3u));
  auto const refused = refusal_of("cuda:0@4,cuda:0@6", 108, of_108);
  EXPECT_EQ(refused.value(), "cuda:0@4,cuda:0@6");
  EXPECT_THAT(refused.legal(), HasSubstr("have a divisor among 4 to 108 in steps of 2 of this GPU's 108"));
}

TEST(parts_by_gpu, are_the_places_of_parts_and_of_no_whole_gpu) {
  EXPECT_THAT(parts_by_gpu(parse_devices("cuda:1@8,host:1,cuda:0,cuda:2@8,cuda:1@16")),
              ElementsAre(Pair(1, ElementsAre(0u, 4u)), Pair(2, ElementsAre(3u))));
}

}  // namespace
}  // namespace ballast::test
