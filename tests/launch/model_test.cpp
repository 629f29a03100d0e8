// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/launch/merge_policy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

multiprocessor_count const tesla_c1060{30};

/// "A New Method of Co-Scheduling Cuda Kernels", table 1: blocks, level number and time as printed, whose
/// unit is not given.
struct table_1_row {
  std::uint64_t blocks, level;
  double time;
};
constexpr std::array<table_1_row, 11> table_1{{{15, 1, 0.36},
                                               {25, 1, 0.38},
                                               {35, 2, 0.54},
                                               {45, 2, 0.55},
                                               {55, 2, 0.55},
                                               {65, 3, 0.73},
                                               {75, 3, 0.73},
                                               {85, 3, 0.74},
                                               {95, 4, 0.92},
                                               {105, 4, 0.92},
                                               {115, 4, 0.92}}};

TEST(level_number, is_that_of_the_papers_table_1) {
  for (auto const& row : table_1) EXPECT_EQ(level_number(row.blocks, tesla_c1060), row.level) << row.blocks;
}

TEST(level_number, rises_one_block_after_each_multiple_of_the_multiprocessors) {
  for (std::uint64_t const levels : {1, 2, 3, 1000}) {
    EXPECT_EQ(level_number(levels * 132, multiprocessor_count(132)), levels);
    EXPECT_EQ(level_number(levels * 132 + 1, multiprocessor_count(132)), levels + 1);
  }
}

TEST(level_number, of_one_multiprocessor_is_the_number_of_blocks) {
  EXPECT_EQ(level_number(17, multiprocessor_count(1)), 17u);
}

TEST(level_number, does_not_overflow_for_the_most_blocks) {
  auto const most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(level_number(most, multiprocessor_count(1)), most);
}

TEST(level_number, refuses_no_blocks_and_no_multiprocessors) {
  EXPECT_EQ(refused_argument([] { level_number(0, tesla_c1060); }), "blocks");
  EXPECT_EQ(refused_argument([] { level_number(1, multiprocessor_count(0)); }), "multiprocessors");
}

TEST(paper_time, fits_the_papers_table_1_within_four_percent_if_a_start_costs_a_level) {
  for (auto const& row : table_1) {
    std::array const one{row.blocks};
    EXPECT_NEAR(0.1835 * paper_time(one, tesla_c1060), row.time, 0.04 * row.time) << row.blocks;
  }
}

TEST(paper_time, is_four_layers_merged_and_six_in_series_as_in_the_papers_figure_7) {
  // Figure 7 shows two kernels of two levels each, which merged fill three.
  multiprocessor_count const three{3};
  EXPECT_EQ(paper_time(std::array<std::uint64_t, 2>{4, 4}, three), 6.0);
  EXPECT_EQ(paper_time(std::array<std::uint64_t, 1>{8}, three), 4.0);
}

TEST(paper_time, adds_the_cost_of_a_start_for_every_launch) {
  std::array<std::uint64_t, 3> const launches{30, 31, 1};
  EXPECT_EQ(paper_time(launches, tesla_c1060, 0), 4.0);
  EXPECT_EQ(paper_time(launches, tesla_c1060, 0.25), 4.75);
  EXPECT_EQ(paper_time(launches, tesla_c1060, 10), 34.0);
}

TEST(paper_time, of_no_launches_is_zero) { EXPECT_EQ(paper_time({}, tesla_c1060), 0.0); }

TEST(paper_time, refuses_what_is_out_of_range_by_its_name) {
  std::array<std::uint64_t, 2> const launches{1, 0};
  auto const good = std::span(launches).first(1);
  EXPECT_EQ(refused_argument([&] { paper_time(launches, tesla_c1060); }), "blocks");
  EXPECT_EQ(refused_argument([&] { paper_time({}, multiprocessor_count(0)); }), "multiprocessors");
  for (double const start : {-0.1, std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_EQ(refused_argument([&] { paper_time(good, tesla_c1060, start); }), "start_levels") << start;
}

}  // namespace
}  // namespace ballast::test
