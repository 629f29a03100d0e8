// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "ballast/error.hpp"
#include "invented_plan.hpp"
#include "plan/host_access.hpp"

namespace ballast::test::exchange_plan_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A rank with one device, whose jobs have one task of eight units each.
struct exchange_plan_test : testing::Test {
  exchange_plan_test() { plan.is_one_of_ranks = true; }

  std::shared_ptr<job_record> submit(std::shared_ptr<array_state> const& of, argument_mode mode,
                                     job_part own = {0, 8}) {
    return plan.submit({.grid = 8}, {share_of(of, mode)}, &own);
  }
  void receive(std::shared_ptr<array_state> const& of) { exchange(of, false); }
  void send(std::shared_ptr<array_state> const& of) { exchange(of, true); }

  invented_plan plan{{planned_gpu{}}, {.policy = "static", .tasks = 1, .in_flight = 2}};
  std::shared_ptr<array_state> const a = plan.array(64), b = plan.array(64);

 private:
  void exchange(std::shared_ptr<array_state> const& of, bool is_sent) {
    plan.exchanges.add(of->id, {.id = {}, .is_sent = is_sent, .peer = 1, .bytes = {{0, 64}}});
    plan.advance();
  }
};

TEST_F(exchange_plan_test, plans_an_exchange_at_once_that_nothing_is_before) {
  receive(a);
  EXPECT_THAT(plan.lines, ElementsAre("64 bytes from rank 1"));
  EXPECT_EQ(plan.exchanges.unfinished(), 1u);
  plan.end_all();
  EXPECT_EQ(plan.exchanges.unfinished(), 0u);
}

TEST_F(exchange_plan_test, lets_a_job_read_what_it_receives) {
  receive(a);
  submit(a, argument_mode::reads);
  EXPECT_THAT(plan.lines,
              ElementsAre("64 bytes from rank 1", "64 bytes from 0 to 1", "job 2, units 0 to 7, on 0"));
}

TEST_F(exchange_plan_test, copies_to_the_host_what_it_sends) {
  submit(a, argument_mode::writes);
  send(a);
  EXPECT_THAT(plan.lines,
              ElementsAre("job 1, units 0 to 7, on 0", "64 bytes from 1 to 0", "64 bytes to rank 1"));
}

TEST_F(exchange_plan_test, counts_the_bytes_of_both_directions) {
  receive(a);
  receive(b);
  send(a);
  EXPECT_EQ(plan.exchanges.received(), 128u);
  EXPECT_EQ(plan.exchanges.sent(), 64u);
}

TEST_F(exchange_plan_test, plans_no_job_before_the_exchanges_that_wait_before_it) {
  auto access = std::make_unique<host_access>(plan.planner, a, host_use::write, index_range{0, 64});
  receive(a);
  submit(b, argument_mode::writes);
  EXPECT_THAT(plan.lines, IsEmpty());
  access.reset();
  plan.advance();
  EXPECT_THAT(plan.lines, ElementsAre("64 bytes from rank 1", "job 3, units 0 to 7, on 0"));
}

TEST_F(exchange_plan_test, plans_no_exchange_before_an_older_job_even_of_another_array) {
  submit(a, argument_mode::writes);
  submit(a, argument_mode::updates);
  submit(a, argument_mode::updates);
  receive(b);
  EXPECT_THAT(plan.lines, ElementsAre("job 1, units 0 to 7, on 0", "job 2, units 0 to 7, on 0"));
  plan.end_next();
  EXPECT_THAT(plan.lines, ElementsAre("job 1, units 0 to 7, on 0", "job 2, units 0 to 7, on 0",
                                      "job 3, units 0 to 7, on 0", "64 bytes from rank 1"));
}

TEST_F(exchange_plan_test, plans_no_job_past_one_that_waits) {
  host_access const access(plan.planner, a, host_use::write, {0, 64});
  submit(a, argument_mode::reads);
  submit(b, argument_mode::writes);
  EXPECT_THAT(plan.lines, IsEmpty());
}

TEST_F(exchange_plan_test, plans_the_units_of_its_rank_and_waits_for_no_others) {
  submit(a, argument_mode::writes, {4, 4});
  submit(a, argument_mode::reads, {4, 4});
  submit(a, argument_mode::writes, {0, 0});
  EXPECT_THAT(plan.lines, ElementsAre("job 1, units 4 to 7, on 0", "job 2, units 4 to 7, on 0"));
  plan.end_all();
  EXPECT_THAT(plan.planner.jobs(), IsEmpty());
}

TEST_F(exchange_plan_test, sends_nothing_of_an_array_whose_bytes_are_lost) {
  submit(a, argument_mode::writes);
  plan.end_next(std::make_exception_ptr(error("invented")));
  send(a);
  EXPECT_EQ(plan.lines.size(), 1u);
  EXPECT_EQ(plan.exchanges.unfinished(), 0u);
}

TEST_F(exchange_plan_test, exchanges_nothing_of_an_array_that_is_gone) {
  auto gone = plan.array(64);
  auto const id = gone->id;
  gone.reset();
  plan.planner.arrays().forget(id);
  plan.exchanges.add(id, {.id = {}, .is_sent = true, .peer = 1, .bytes = {{0, 64}}});
  EXPECT_EQ(plan.exchanges.unfinished(), 0u);
}

TEST_F(exchange_plan_test, that_is_abandoned_drops_what_waits_and_leaves_what_is_planned_to_end) {
  receive(b);
  auto access = std::make_unique<host_access>(plan.planner, a, host_use::write, index_range{0, 64});
  receive(a);
  auto const job = submit(a, argument_mode::reads);
  plan.exchanges.abandon(std::make_exception_ptr(error("a rank has gone")));
  EXPECT_EQ(plan.exchanges.unfinished(), 1u);
  access.reset();
  plan.end_all();
  EXPECT_EQ(plan.exchanges.unfinished(), 0u);
  EXPECT_TRUE(job->failure);
  EXPECT_TRUE(host_access(plan.planner, a, host_use::write, {0, 64}).has_come());
  EXPECT_THAT(plan.lines, ElementsAre("64 bytes from rank 1"));
}

}  // namespace
}  // namespace ballast::test::exchange_plan_test
