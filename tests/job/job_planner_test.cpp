// SPDX-License-Identifier: Apache-2.0
#include "plan/job_planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "invented_plan.hpp"

namespace ballast::test::job_planner_test {
using namespace detail;
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(job_planner, divides_by_speed_once_it_has_seen_what_unequal_devices_do) {
  invented_plan plan({{.ns_per_unit = 300'000}, {.ns_per_unit = 100'000}});
  auto const from = plan.array(1024, "from"), to = plan.array(1024, "to");
  std::shared_ptr<job_record> job;
  for (int i = 0; i < 10; ++i) {
    job = plan.submit({.grid = 64},
                      {share_of(from, argument_mode::reads), share_of(to, argument_mode::writes)});
    plan.end_all();
    ASSERT_TRUE(has_ended(*job));
  }
  EXPECT_THAT(plan.units_of(*job), ElementsAre(16, 48));
}

/// The kernels of a job of rows of which each reads its neighbours.
std::vector<std::string> kernels_of_stencil(std::size_t gpus, std::uint32_t rows_of, std::uint32_t tasks,
                                            bool check_maps = false) {
  invented_plan plan(std::vector<planned_gpu>(gpus),
                     {.policy = "fixed", .tasks = tasks, .check_maps = check_maps});
  plan.submit({.grid = rows_of}, {{plan.array({rows_of, 1}), neighborhood(1), argument_mode::reads},
                                  {plan.array({rows_of, 1}), rows(), argument_mode::writes}});
  plan.end_all();
  std::erase_if(plan.lines, [](std::string const& line) { return !line.starts_with("job"); });
  return plan.lines;
}

TEST(job_planner, computes_the_rows_first_that_another_device_reads) {
  EXPECT_THAT(kernels_of_stencil(2, 400, 2),
              UnorderedElementsAre("job 1, units 198 to 199, on 0", "job 1, units 0 to 197, on 0",
                                   "job 1, units 200 to 201, on 1", "job 1, units 202 to 399, on 1"));
}

TEST(job_planner, computes_tasks_whole_that_have_no_other_device_or_many_beside_them) {
  EXPECT_THAT(kernels_of_stencil(1, 400, 2),
              UnorderedElementsAre("job 1, units 0 to 199, on 0", "job 1, units 200 to 399, on 0"));
  EXPECT_THAT(kernels_of_stencil(2, 3200, 16), SizeIs(16)) << "each is an eighth of what a device has";
}

TEST(job_planner, computes_tasks_whole_whose_maps_are_checked) {
  EXPECT_THAT(kernels_of_stencil(2, 400, 2, true),
              UnorderedElementsAre("job 1, units 0 to 199, on 0", "job 1, units 200 to 399, on 1"));
}

/// A job of three parts, and a job that reads what it writes.
class job_of_parts : public testing::Test {
 protected:
  class three_parts final : public job_parts {
   public:
    void begin(job_request&) override { --left; }
    void end(std::int64_t ns, bool) override { times_ns.push_back(ns); }
    bool is_last() const override { return left == 0; }

    int left = 3;
    std::vector<std::int64_t> times_ns;
  };

  std::shared_ptr<job_record> submit(argument_mode mode, std::shared_ptr<job_parts> of = nullptr) {
    return plan_.submit({.grid = 1}, {all_of(array_, mode)}, nullptr, std::move(of));
  }

  invented_plan plan_{{planned_gpu{.ns_per_unit = 500}}};
  std::shared_ptr<array_state> const array_ = plan_.array(64);
  std::shared_ptr<three_parts> const parts_ = std::make_shared<three_parts>();
  std::shared_ptr<job_record> const job_ = submit(argument_mode::writes, parts_);
  std::shared_ptr<job_record> const reader_ = submit(argument_mode::reads);
  std::string const part_ = "job 1, units 0 to 0, on 0", read_ = "job 2, units 0 to 0, on 0";
};

TEST_F(job_of_parts, begins_each_once_the_one_before_has_ended_and_is_one_job) {
  EXPECT_THAT(plan_.lines, ElementsAre(part_));
  plan_.end_next();
  EXPECT_THAT(plan_.lines, ElementsAre(part_, part_));
  plan_.end_next();
  EXPECT_THAT(plan_.lines, ElementsAre(part_, part_, part_, read_));
  EXPECT_FALSE(has_ended(*job_));
  plan_.end_all();
  EXPECT_TRUE(has_ended(*job_) && has_ended(*reader_));
  EXPECT_EQ(failure_text(*job_) + failure_text(*reader_), "");
  EXPECT_THAT(parts_->times_ns, ElementsAre(500, 500, 500));
  EXPECT_THAT(job_->report.tasks, SizeIs(3));
  EXPECT_EQ(job_->report.end_ns - job_->report.begin_ns, 1500);
  EXPECT_EQ(plan_.planner.statistics().submitted, 2u);
}

TEST_F(job_of_parts, chooses_its_first_part_only_once_older_jobs_let_it_begin) {
  auto const later = std::make_shared<three_parts>();
  submit(argument_mode::updates, later);
  EXPECT_EQ(later->left, 3);
  plan_.end_all();
  EXPECT_EQ(later->left, 0);
}

TEST_F(job_of_parts, counts_the_copies_before_a_part_as_its_time) {
  plan_.end_all();
  auto const reading = std::make_shared<three_parts>();
  plan_.submit({.grid = 1}, {all_of(plan_.array(1 << 20), argument_mode::reads)}, nullptr, reading);
  plan_.end_all();
  EXPECT_GT(reading->times_ns.at(0), 1000);
  EXPECT_EQ(reading->times_ns.at(1), 500);
}

TEST_F(job_of_parts, fails_with_one_of_them_and_begins_no_more) {
  plan_.end_next();
  plan_.end_next(std::make_exception_ptr(error("a planted failure")));
  EXPECT_THAT(plan_.lines, ElementsAre(part_, part_));
  EXPECT_THAT(failure_text(*job_), HasSubstr("a planted failure"));
  EXPECT_THAT(failure_text(*reader_), HasSubstr("number 1"));
  EXPECT_EQ(parts_->left, 1);
}

TEST_F(job_of_parts, is_stopped_between_two_of_them) {
  plan_.planner.stop_jobs();
  EXPECT_FALSE(has_ended(*job_));
  plan_.end_next();
  EXPECT_THAT(plan_.lines, ElementsAre(part_));
  EXPECT_THROW(failure_text(*job_), stopped);
  EXPECT_THAT(plan_.planner.take_stopped(), SizeIs(2));
  EXPECT_EQ(parts_->left, 2);
}

TEST(job_planner, records_copies_on_lines_of_their_own_with_array_way_and_bytes) {
  recorder spans({"gpu 0", "gpu 1"});
  invented_plan plan({{}, {}}, {.policy = "static", .trace_to = &spans});
  auto const from = plan.array(128'000, "field"), to = plan.array(64);
  plan.submit({.grid = 64}, {share_of(from, argument_mode::reads), share_of(to, argument_mode::writes)});
  plan.end_all();
  plan.submit({.grid = 1}, {all_of(from, argument_mode::reads)});
  plan.end_all();
  auto all = spans.snapshot().spans;
  auto const loads = device_loads(all, 2);
  std::erase_if(all, [](span const& one) { return one.worker < first_copy_worker; });
  EXPECT_EQ(loads[0].work_ns, 32'000 + 1000);
  EXPECT_EQ(loads[1].work_ns, 32'000);
  auto const copy = [](std::size_t device, std::string const& way, std::int64_t job, std::int64_t begin_ns,
                       std::int64_t end_ns) {
    return span{.device = device,
                .worker = first_copy_worker,
                .label = "array 'field': " + way,
                .step = job,
                .begin_ns = begin_ns,
                .end_ns = end_ns,
                .counts = {{"bytes", 64'000}}};
  };
  EXPECT_THAT(all, ElementsAre(copy(0, "host to gpu 0", 1, 0, 11'280), copy(1, "host to gpu 1", 1, 0, 11'280),
                               copy(0, "gpu 1 to gpu 0", 2, 43'280, 53'440)));
}

TEST(job_planner, plans_the_same_from_the_same_events) {
  auto const planned = [](std::string const& policy) {
    invented_plan plan({{.ns_per_unit = 300'000}, {.ns_per_unit = 100'000}}, {.policy = policy});
    auto const from = plan.array(1024), to = plan.array(1024);
    for (int i = 0; i < 5; ++i) {
      plan.submit({.grid = 64}, {share_of(from, argument_mode::reads), share_of(to, argument_mode::writes)});
      plan.end_next();
    }
    plan.end_all();
    return plan.lines;
  };
  for (auto const& policy : split_policies()) {
    SCOPED_TRACE(std::string(policy.name));
    auto const once = planned(std::string(policy.name));
    EXPECT_THAT(once, Not(IsEmpty()));
    EXPECT_EQ(once, planned(std::string(policy.name)));
  }
}

TEST(job_planner, has_the_next_task_on_whichever_device_has_room) {
  invented_plan plan({{.ns_per_unit = 300'000}, {.ns_per_unit = 100'000}},
                     {.policy = "master_worker", .tasks = 4, .in_flight = 1});
  auto const array = plan.array(64);
  plan.submit({.grid = 64}, {share_of(array, argument_mode::writes)});
  EXPECT_THAT(plan.lines, ElementsAre("job 1, units 0 to 15, on 0", "job 1, units 16 to 31, on 1"));
  plan.end_next();
  EXPECT_EQ(plan.lines.back(), "job 1, units 32 to 47, on 1");
}

TEST(job_planner, evicts_an_array_to_the_host_when_the_next_one_does_not_fit_beside_it) {
  invented_plan plan({planned_gpu{.bytes = 4096}});
  auto const first = plan.array(3072), second = plan.array(3072);
  plan.submit({.grid = 1}, {all_of(first, argument_mode::writes)});
  plan.submit({.grid = 1}, {all_of(second, argument_mode::writes)});
  EXPECT_THAT(plan.lines, ElementsAre("job 1, units 0 to 0, on 0")) << "the first is still at work on it";
  plan.end_next();
  EXPECT_THAT(plan.lines, ElementsAre("job 1, units 0 to 0, on 0", "3072 bytes from 1 to 0",
                                      "job 2, units 0 to 0, on 0"));
  EXPECT_THAT(plan.ops.at(plan.ops.newest()).dependencies, Contains(op_id(plan.ops.newest().value() - 1)));
  plan.end_all();
  EXPECT_EQ(plan.planner.statistics().moved.to_host, 3072u);
  EXPECT_EQ(plan.planner.statistics().ended, 2u);
}

TEST(job_planner, drops_what_the_host_has_too_without_a_copy) {
  invented_plan plan({planned_gpu{.bytes = 4096}});
  auto const first = plan.array(3072), second = plan.array(3072);
  plan.submit({.grid = 1}, {all_of(first, argument_mode::reads)});
  plan.end_all();
  plan.submit({.grid = 1}, {all_of(second, argument_mode::writes)});
  EXPECT_THAT(plan.lines, ElementsAre("3072 bytes from 0 to 1", "job 1, units 0 to 0, on 0",
                                      "job 2, units 0 to 0, on 0"));
}

TEST(job_planner, holds_a_job_back_while_tasks_that_write_what_it_reads_are_to_be_planned) {
  invented_plan plan({{}, {}}, {.policy = "master_worker", .tasks = 4, .in_flight = 1});
  auto const array = plan.array(64);
  plan.submit({.grid = 64}, {share_of(array, argument_mode::writes)});
  auto const reader = plan.submit({.grid = 1, .tasks = 1}, {all_of(array, argument_mode::reads)});
  plan.end_next();
  EXPECT_THAT(plan.lines, Not(Contains(HasSubstr("job 2"))));
  plan.end_all();
  EXPECT_EQ(plan.lines.back().substr(0, 5), "job 2");
  EXPECT_TRUE(has_ended(*reader));
  EXPECT_EQ(failure_text(*reader), "");
}

TEST(job_planner, plans_a_job_of_other_arrays_past_one_that_waits) {
  invented_plan plan({planned_gpu{}});
  auto const array = plan.array(64), other = plan.array(64);
  auto const all_bytes = byte_runs(region({{0, 64}}), array->shape, 1);
  auto const access = plan.planner.take_turn({array->id, {}, all_bytes});
  plan.submit({.grid = 1}, {all_of(array, argument_mode::writes)});
  plan.submit({.grid = 1}, {all_of(other, argument_mode::writes)});
  EXPECT_THAT(plan.lines, ElementsAre("job 3, units 0 to 0, on 0"));
  plan.planner.end_turn(access);
  plan.planner.advance();
  EXPECT_THAT(plan.lines, ElementsAre("job 3, units 0 to 0, on 0", "job 2, units 0 to 0, on 0"));
}

TEST(job_planner, has_a_reader_follow_the_kernel_that_writes_what_it_reads) {
  invented_plan plan({planned_gpu{}});
  auto const array = plan.array(64);
  plan.submit({.grid = 1}, {all_of(array, argument_mode::writes)});
  auto const writer = plan.ops.newest();
  plan.submit({.grid = 1}, {all_of(array, argument_mode::reads)});
  EXPECT_THAT(plan.ops.at(plan.ops.newest()).dependencies, ElementsAre(writer));
}

TEST(job_planner, copies_rows_that_follow_each_other_evenly_in_one_go) {
  invented_plan plan({planned_gpu{}, planned_gpu{}}, {.policy = "static"});
  auto const array = plan.array(extents{8, 16});
  plan.submit({.grid = 2}, {{array, slice(1), argument_mode::reads}});
  ASSERT_THAT(plan.lines, Contains("64 bytes from 0 to 2"));
  ASSERT_EQ(plan.rows.size(), 1u);
  auto const& right_half = plan.rows.front();
  EXPECT_EQ(right_half.from, 8u);
  EXPECT_EQ(right_half.row_bytes, 8u);
  EXPECT_EQ(right_half.rows, 8u);
  EXPECT_EQ(right_half.from_pitch, 16u);
  EXPECT_EQ(right_half.to_pitch, 16u);
}

struct loss_of_a_device : testing::Test {
  /// What is under way on device 0 ends with its loss; all else ends well.
  void lose_device_0() {
    while (!plan.under_way().empty() && !plan.planner.is_lost(0))
      plan.end_next(std::make_exception_ptr(device_lost("gpu 0", "an invented loss")));
  }

  invented_plan plan{{{}, {}}, {.policy = "static"}};
  std::shared_ptr<array_state> const array = plan.array(64), other = plan.array(64);
};

TEST_F(loss_of_a_device, fails_the_job_that_had_a_task_there) {
  auto const job = plan.submit({.grid = 2}, {share_of(array, argument_mode::writes)});
  lose_device_0();
  plan.end_all();
  EXPECT_TRUE(plan.planner.is_lost(0));
  ASSERT_TRUE(has_ended(*job));
  EXPECT_THAT(failure_text(*job), HasSubstr("on gpu 0"));
}

TEST_F(loss_of_a_device, leaves_the_jobs_that_begin_after_to_the_others) {
  plan.submit({.grid = 2}, {share_of(array, argument_mode::writes)});
  lose_device_0();
  plan.end_all();
  auto const next = plan.submit({.grid = 2}, {share_of(other, argument_mode::writes)});
  plan.end_all();
  EXPECT_EQ(failure_text(*next), "");
  EXPECT_THAT(plan.units_of(*next), ElementsAre(0, 2));
}

TEST_F(loss_of_a_device, fails_who_reads_what_no_other_place_has) {
  plan.submit({.grid = 2}, {share_of(other, argument_mode::writes)});
  plan.end_all();
  plan.submit({.grid = 2}, {share_of(array, argument_mode::writes)});
  lose_device_0();
  plan.end_all();
  auto const reader = plan.submit({.grid = 2}, {share_of(other, argument_mode::reads)});
  plan.end_all();
  EXPECT_THAT(failure_text(*reader), HasSubstr("that a lost device had"));
}

TEST_F(loss_of_a_device, leaves_no_device_to_the_next_job_if_it_was_the_last) {
  invented_plan alone({planned_gpu{}});
  auto const only = alone.array(64);
  alone.submit({.grid = 1}, {all_of(only, argument_mode::writes)});
  alone.end_next(std::make_exception_ptr(device_lost("gpu 0", "an invented loss")));
  auto const next = alone.submit({.grid = 1}, {all_of(only, argument_mode::writes)});
  EXPECT_THAT(failure_text(*next), HasSubstr("no device that is not lost can run it"));
}

TEST(job_planner, fails_the_readers_of_what_a_failed_job_was_to_write_and_no_others) {
  invented_plan plan({planned_gpu{}});
  auto const array = plan.array(64), other = plan.array(64);
  auto const failed = plan.submit({.grid = 1, .name = "writer"}, {all_of(array, argument_mode::writes)});
  auto const reader = plan.submit({.grid = 1}, {all_of(array, argument_mode::reads)});
  auto const stranger = plan.submit({.grid = 1}, {all_of(other, argument_mode::updates)});
  plan.end_next(std::make_exception_ptr(error("an invented failure")));
  plan.end_all();
  EXPECT_THAT(failure_text(*failed), HasSubstr("an invented failure"));
  EXPECT_NE(failure_text(*reader), "");
  EXPECT_EQ(failure_text(*stranger), "");
  EXPECT_EQ(plan.planner.statistics().failed, 2u);
}

TEST(job_planner, that_stops_fails_what_has_not_ended_and_plans_no_more) {
  invented_plan plan({{}, {}}, {.policy = "master_worker", .tasks = 4, .in_flight = 1});
  auto const array = plan.array(64);
  auto const job = plan.submit({.grid = 64}, {share_of(array, argument_mode::writes)});
  plan.planner.stop();
  plan.end_all();
  EXPECT_EQ(plan.lines.size(), 2u);
  plan.planner.complete_all_jobs();
  EXPECT_THAT(failure_text(*job), HasSubstr("had not ended when its scheduler went"));
}

}  // namespace
}  // namespace ballast::test::job_planner_test
