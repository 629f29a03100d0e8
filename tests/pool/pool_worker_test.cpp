// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/pool_worker.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "ballast/detail/pool/pool_view.cuh"

namespace ballast::test {
using namespace detail;
namespace {

TEST(pool_worker, counts_the_most_tasks_that_it_had_at_a_time_on_its_stack_and_beside_it) {
  pool_worker me{};
  auto const most_with = [&](std::uint32_t held, std::uint32_t stored_elsewhere) {
    me.end = me.begin + held;
    me.stored_elsewhere = stored_elsewhere;
    me.update_max_stored();
    return me.counts.max_stored;
  };
  EXPECT_EQ(most_with(3, 0), 3u);
  EXPECT_EQ(most_with(2, 4), 6u);
  EXPECT_EQ(most_with(1, 1), 6u);
  EXPECT_EQ(most_with(7, 0), 7u);
}

/// The sums, but of what all share the most that one has seen.
TEST(pool_view, is_told_what_each_worker_has_counted_and_adds_it_up) {
  pool_words words{};
  std::vector<worker_report> reports(2);
  pool_view view;
  view.words = &words;
  view.reports = reports.data();
  for (std::uint32_t number = 0; number < 2; ++number) {
    pool_worker me{};
    me.number = number;
    me.counts = {{1 + number, 3 + number, 5 + number, 7 + number},
                 10 + number,
                 20 + number,
                 30 + number,
                 40 + number,
                 50 + number};
    me.reduced = {60 + number, 70 + number};
    view.report(me);
    EXPECT_EQ(reports[number].run, 1 + number);
    EXPECT_EQ(reports[number].steals_tried, 3 + number);
    EXPECT_EQ(reports[number].steals_won, 5 + number);
    EXPECT_EQ(reports[number].idle_ns, 7 + number);
  }
  EXPECT_EQ(words.totals.created, 21u);
  EXPECT_EQ(words.totals.joins, 41u);
  EXPECT_EQ(words.totals.shared, 61u);
  EXPECT_EQ(words.totals.max_stored, 81u);
  EXPECT_EQ(words.totals.max_in_common, 51u);
  EXPECT_EQ(words.totals.reduced.sum, 121u);
  EXPECT_EQ(words.totals.reduced.max, 71u);
}

}  // namespace
}  // namespace ballast::test
