// SPDX-License-Identifier: Apache-2.0
#include "report/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ballast/error.hpp"

namespace {

using ballast::bad_argument;
using ballast::compare_records;
using ballast::run_record;
using ballast::tendency;
using ballast::tendency_of;
using ballast::verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

run_record record_of(std::vector<ballast::sample_series> series) {
  run_record record;
  record.benchmark = "md/solutions";
  record.source = {"abc", true};
  record.machine.name = "2x-nvidia-h200";
  record.devices = {"cuda:0"};
  record.policies = {{"feed", "rate"}};
  record.parameters = {{"atoms", 4096}};
  record.series = std::move(series);
  record.answer = {true, "forces bitwise equal"};
  return record;
}

/// The verdict on one series, at a threshold of 5 %.
verdict outcome_of(std::string const& unit, std::vector<double> a, std::vector<double> b) {
  auto const both =
      compare_records(record_of({{"one", unit, std::move(a)}}), record_of({{"one", unit, std::move(b)}}));
  return both.series.at(0).outcome;
}

TEST(report_comparison, knows_by_the_unit_what_is_better) {
  for (char const* const unit : {"s", "ns", "us", "µs", "ms", "cycles", "ns/task", "s/step"}) {
    EXPECT_EQ(tendency_of(unit), tendency::smaller_is_better) << unit;
  }
  for (char const* const unit : {"tasks/s", "B/s", "blocks/cycle", "1/ms"}) {
    EXPECT_EQ(tendency_of(unit), tendency::larger_is_better) << unit;
  }
  for (char const* const unit : {"1", "", "B", "blocks/SM", "seconds of fame"}) {
    EXPECT_EQ(tendency_of(unit), tendency::neither) << unit;
  }
}

TEST(report_comparison, judges_a_change_by_the_direction_of_the_unit) {
  EXPECT_EQ(outcome_of("s", {1.0}, {2.0}), verdict::worse);
  EXPECT_EQ(outcome_of("s", {2.0}, {1.0}), verdict::better);
  EXPECT_EQ(outcome_of("tasks/s", {1.0}, {2.0}), verdict::better);
  EXPECT_EQ(outcome_of("tasks/s", {2.0}, {1.0}), verdict::worse);
  EXPECT_EQ(outcome_of("1", {1.0}, {2.0}), verdict::changed);
  EXPECT_EQ(outcome_of("1", {2.0}, {2.0}), verdict::same);
}

TEST(report_comparison, counts_a_change_only_beyond_the_threshold) {
  EXPECT_EQ(outcome_of("s", {100.0}, {105.0}), verdict::same);
  EXPECT_EQ(outcome_of("s", {100.0}, {105.5}), verdict::worse);
  EXPECT_EQ(outcome_of("s", {100.0}, {94.5}), verdict::better);
  auto const a = record_of({{"one", "s", {100.0}}}), b = record_of({{"one", "s", {105.5}}});
  EXPECT_EQ(compare_records(a, b, 6).series.at(0).outcome, verdict::same);
  EXPECT_EQ(compare_records(a, b, 0).series.at(0).outcome, verdict::worse);
}

TEST(report_comparison, counts_a_change_only_if_the_quartile_ranges_do_not_overlap) {
  EXPECT_EQ(outcome_of("s", {1, 2, 3, 4, 5}, {3, 4, 5, 6, 7}), verdict::same);   // [2, 4] and [4, 6] touch
  EXPECT_EQ(outcome_of("s", {1, 2, 3, 4, 5}, {4, 5, 6, 7, 8}), verdict::worse);  // [2, 4] and [5, 7]
  EXPECT_EQ(outcome_of("s", {4, 5, 6, 7, 8}, {1, 2, 3, 4, 5}), verdict::better);
  EXPECT_EQ(outcome_of("s", {5}, {1, 2, 6, 8, 9}), verdict::same);  // within
}

TEST(report_comparison, tells_the_change_of_the_median_in_percent) {
  auto const change = [](double from, double to) {
    return compare_records(record_of({{"one", "1", {from}}}), record_of({{"one", "1", {to}}}))
        .series.at(0)
        .change_percent;
  };
  EXPECT_DOUBLE_EQ(change(4, 5), 25);
  EXPECT_DOUBLE_EQ(change(4, 3), -25);
  EXPECT_DOUBLE_EQ(change(-4, -5), -25);
  EXPECT_EQ(change(0, 0), 0);
  EXPECT_EQ(change(0, -1), -std::numeric_limits<double>::infinity());
}

TEST(report_comparison, lists_what_only_one_record_has) {
  auto const both = compare_records(record_of({{"x", "s", {1}}, {"old", "s", {1}}, {"y", "s", {1}}}),
                                    record_of({{"y", "s", {1}}, {"new", "s", {9}}, {"x", "s", {1}}}));
  ASSERT_EQ(both.series.size(), 2u);
  EXPECT_EQ(both.series[0].name, "x");
  EXPECT_EQ(both.series[1].name, "y");
  EXPECT_THAT(both.only_in_a, ElementsAre("old"));
  EXPECT_THAT(both.only_in_b, ElementsAre("new"));
  EXPECT_FALSE(both.worse);
}

TEST(report_comparison, is_worse_if_one_series_is_or_the_answer_of_b_was_not_verified) {
  auto const a = record_of({{"x", "s", {1}}, {"y", "s", {1}}});
  EXPECT_TRUE(compare_records(a, record_of({{"x", "s", {0.5}}, {"y", "s", {2}}})).worse);
  EXPECT_FALSE(compare_records(a, record_of({{"x", "s", {0.5}}, {"y", "s", {1}}})).worse);
  auto unverified = a;
  unverified.answer = {false, "nobody looked"};
  EXPECT_TRUE(compare_records(a, unverified).worse);
  EXPECT_FALSE(compare_records(unverified, a).worse);
}

TEST(report_comparison, has_no_doubts_if_like_is_compared_with_like) {
  auto const a = record_of({{"x", "s", {1}}});
  EXPECT_THAT(compare_records(a, a).doubts, IsEmpty());
}

TEST(report_comparison, takes_costs_that_are_not_told_for_the_defaults) {
  auto const a = record_of({{"x", "s", {1}}});
  auto b = a;
  b.policies.emplace_back("costs", "defaults");
  EXPECT_THAT(compare_records(a, b).doubts, IsEmpty());
  EXPECT_THAT(compare_records(b, a).doubts, IsEmpty());
  b.policies.back().second = "2026-11-26";
  EXPECT_THAT(compare_records(a, b).doubts,
              ElementsAre("policy costs: \"defaults\" in A, \"2026-11-26\" in B"));
}

TEST(report_comparison, doubts_records_of_other_machines_settings_and_sources) {
  auto const a = record_of({{"x", "s", {1}}});
  auto b = a;
  b.machine.name = "1x-nvidia-h200";
  b.devices = {"cuda:0", "cuda:1"};
  b.policies = {{"feed", "fixed"}};
  b.parameters = {{"atoms", 8192}, {"steps", 1}};
  b.source.clean = false;
  b.answer = {false, "nobody looked"};
  EXPECT_THAT(
      compare_records(a, b).doubts,
      ElementsAre("the answer of B was not verified (nobody looked)", "B was built from a changed tree",
                  "machine: 2x-nvidia-h200 in A, 1x-nvidia-h200 in B",
                  "devices: [\"cuda:0\"] in A, [\"cuda:0\",\"cuda:1\"] in B",
                  "policy feed: \"rate\" in A, \"fixed\" in B", "parameter atoms: 4096 in A, 8192 in B",
                  "parameter steps: nothing in A, 1 in B"));
  b = a;
  b.source = {};
  EXPECT_THAT(compare_records(b, a).doubts, ElementsAre("which source A was built from is not known"));
}

TEST(report_comparison, refuses_what_cannot_be_compared) {
  auto const a = record_of({{"x", "s", {1}}});
  auto b = a;
  b.benchmark = "queue/throughput";
  EXPECT_THROW(compare_records(a, b), bad_argument);
  EXPECT_THROW(compare_records(a, record_of({{"x", "ns", {1}}})), bad_argument);
  EXPECT_THROW(compare_records(a, a, -1), bad_argument);
  EXPECT_THROW(compare_records(a, a, std::nan("")), bad_argument);
}

TEST(report_comparison, has_a_word_for_each_verdict) {
  EXPECT_EQ(verdict_text(verdict::same), "same");
  EXPECT_EQ(verdict_text(verdict::better), "better");
  EXPECT_EQ(verdict_text(verdict::worse), "worse");
  EXPECT_EQ(verdict_text(verdict::changed), "changed");
}

}  // namespace
