// SPDX-License-Identifier: Apache-2.0
#include "run/operation_dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "job_journal.hpp"

namespace ballast::test::operation_dispatcher_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Copies of an array between the host and two devices, which nobody carries out.
struct operation_dispatcher_test : testing::Test {
  op_id plan(place_id from, place_id to) {
    auto const device = (to == host_place ? from : to).value() - 1;
    auto const op = ops.add(op_kind::copy, stream_of(device, device_stream::copy_in));
    array->directory.record_arrival(op, from, to, {0, 64});
    planned_copy copy{op, from, to};
    copy.add({0, 64});
    dispatcher.take(copy_work{array, std::move(copy), job_number(7), {{.row_bytes = 64}}});
    return op;
  }
  /// The operations whose ends count now, in their order; the failed ones are kept apart.
  op_set report(std::uint32_t device, std::vector<ended_operation> const& ends) {
    op_set counted;
    dispatcher.handle_ends(device, ends, [&](auto const& work, auto on, auto const& end, bool has_failed) {
      EXPECT_EQ(std::get<copy_work>(work).what.op, end.op);
      EXPECT_EQ(on, ops.at(end.op).on.executor);
      counted.push_back(end.op);
      if (has_failed) failed.push_back(end.op);
    });
    return counted;
  }
  static ended_operation failure_of(op_id op) {
    return {.op = op, .failure = std::make_exception_ptr(error("an invented failure"))};
  }

  operations ops;
  std::vector<std::byte> memory = std::vector<std::byte>(64);
  std::shared_ptr<array_state> const array = std::make_shared<array_state>(
      3, ops, array_id(1), "", extents{64}, 1, adopted_copy{memory.data()}, nullptr);
  std::vector<std::pair<std::uint32_t, device_operation>> submitted;
  op_set failed;
  operation_dispatcher dispatcher{ops,
                                  {{.kind = backend::cuda}, {.kind = backend::cuda}},
                                  job_options{},
                                  [this](std::uint32_t device, device_operation work) {
                                    submitted.emplace_back(device, std::move(work));
                                  }};

  static constexpr place_id left{1}, right{2};
};

TEST_F(operation_dispatcher_test, gives_an_executor_the_progress_of_what_has_not_ended) {
  auto const first = plan(host_place, left), second = plan(left, right);
  ASSERT_EQ(submitted.size(), 2u);
  EXPECT_EQ(submitted[0].first, 0u);
  EXPECT_THAT(submitted[0].second.dependencies, IsEmpty());
  EXPECT_EQ(submitted[1].first, 1u);
  EXPECT_THAT(submitted[1].second.dependencies, ElementsAre(submitted[0].second.progress));
  EXPECT_THAT(submitted[1].second.data_dependencies, ElementsAre(submitted[0].second.progress));
  EXPECT_EQ(submitted[0].second.progress->op(), first);
  EXPECT_EQ(ops.at(second).status, op_status::issued);
}

TEST_F(operation_dispatcher_test, waits_for_nothing_that_has_ended) {
  auto const first = plan(host_place, left);
  EXPECT_THAT(report(0, {{first}}), ElementsAre(first));
  plan(left, right);
  EXPECT_THAT(submitted.back().second.dependencies, IsEmpty());
}

TEST_F(operation_dispatcher_test, counts_an_end_once_those_of_all_that_it_comes_after_count) {
  auto const first = plan(host_place, left), second = plan(left, right);
  EXPECT_THAT(report(1, {{second}}), IsEmpty());
  EXPECT_EQ(dispatcher.unfinished(), 2u);
  EXPECT_THAT(report(0, {{first}}), ElementsAre(first, second));
  EXPECT_EQ(dispatcher.unfinished(), 0u);
}

TEST_F(operation_dispatcher_test, counts_no_end_before_an_older_one_of_its_stream) {
  auto const first = plan(host_place, left), second = plan(left, right);
  auto const third = ops.add(op_kind::copy, stream_of(1, device_stream::copy_in));
  dispatcher.take(copy_work{array, {third, host_place, right}, {}, {}});
  EXPECT_THAT(report(1, {{second}, {third}}), IsEmpty());
  EXPECT_THAT(report(0, {{first}}), ElementsAre(first, second, third));
}

TEST_F(operation_dispatcher_test, has_what_takes_data_of_a_failed_operation_fail_too) {
  auto const first = plan(host_place, left), second = plan(left, right);
  report(1, {{second}});
  report(0, {failure_of(first)});
  EXPECT_THAT(failed, ElementsAre(first, second));
}

TEST_F(operation_dispatcher_test, names_the_oldest_operation_that_has_not_ended) {
  EXPECT_FALSE(dispatcher.oldest());
  auto const first = plan(host_place, left), second = plan(left, right);
  EXPECT_EQ(dispatcher.oldest()->op, first);
  report(0, {{first}});
  EXPECT_EQ(dispatcher.oldest()->op, second);
  EXPECT_EQ(dispatcher.oldest()->device, 1u);
  EXPECT_FALSE(dispatcher.oldest()->is_kernel);
  EXPECT_FALSE(dispatcher.oldest()->is_issued);
}

TEST_F(operation_dispatcher_test, shows_a_watcher_what_it_handed_over_and_what_has_ended) {
  job_journal const journal(dispatcher);
  auto const first = plan(host_place, left);
  report(0, {failure_of(first)});
  auto const lines = journal.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].job, 7u);
  EXPECT_EQ(lines[1].operation, first.value());
  EXPECT_EQ(lines[1].happened, journal_line::what::failed);
}

TEST_F(operation_dispatcher_test, gives_back_all_that_it_forgets) {
  plan(host_place, left), plan(left, right);
  EXPECT_EQ(dispatcher.forget_all().size(), 2u);
  EXPECT_EQ(dispatcher.unfinished(), 0u);
}

TEST_F(operation_dispatcher_test, times_copies_for_a_recorder_alone) {
  plan(host_place, left);
  EXPECT_FALSE(submitted.back().second.is_timed);
  recorder spans({"left", "right"});
  operation_dispatcher traced(
      ops, {{}, {}}, {.trace_to = &spans},
      [this](std::uint32_t on, device_operation work) { submitted.emplace_back(on, std::move(work)); });
  auto const op = ops.add(op_kind::copy, stream_of(0, device_stream::copy_in));
  traced.take(copy_work{array, {op, host_place, left}, {}, {}});
  EXPECT_TRUE(submitted.back().second.is_timed);
}

TEST_F(operation_dispatcher_test, copies_rows_between_the_places_memory) {
  auto const device = open_devices("host:1").front();
  device_buffer<std::byte> there(device, 64);
  operation_dispatcher on_cores(
      ops, {{.memory = there.data()}, {}}, job_options{},
      [this](std::uint32_t on, device_operation work) { submitted.emplace_back(on, std::move(work)); });
  auto const op = ops.add(op_kind::copy, stream_of(0, device_stream::copy_in));
  for (std::size_t i = 0; i < 64; ++i) memory[i] = std::byte(i);
  std::vector<row_copy> rows{
      {.to = 32, .from = 8, .row_bytes = 2, .rows = 3, .to_pitch = 4, .from_pitch = 16},
      {.to = 0, .from = 60, .row_bytes = 4}};
  on_cores.take(copy_work{array, {op, host_place, left}, {}, std::move(rows)});
  auto const on = device->make_stream();
  submitted.back().second.enqueue(*on, {});
  on->synchronize();
  auto const at = [&](std::size_t i) { return int(there.data()[i]); };
  EXPECT_THAT((std::vector{at(0), at(3), at(32), at(33), at(36), at(37), at(40), at(41)}),
              ElementsAre(60, 63, 8, 9, 24, 25, 40, 41));
}

}  // namespace
}  // namespace ballast::test::operation_dispatcher_test
