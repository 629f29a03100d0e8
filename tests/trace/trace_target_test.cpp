// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ballast/error.hpp"
#include "ballast/trace.hpp"

namespace {

using ballast::recorder;
using ballast::span;
using ballast::trace_target;

TEST(trace_target, records_nothing_without_a_recorder_and_refuses_nothing) {
  trace_target const nowhere;
  EXPECT_FALSE(nowhere);
  nowhere.check(1000);
  nowhere.record(span{.device = 7});
  nowhere.count_dropped(1);
}

TEST(trace_target, counts_devices_from_the_first_that_it_was_given) {
  recorder all({"a", "b", "c"});
  trace_target const target(&all, 1);
  target.record(span{.device = 0, .label = "k"});
  target.from_device(1).record(std::vector{span{.device = 0, .label = "l"}});
  auto const seen = all.snapshot().spans;
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].device, 1u);
  EXPECT_EQ(seen[1].device, 2u);
}

TEST(trace_target, refuses_a_recorder_of_too_few_devices_and_says_how_many_it_needs) {
  recorder two({"a", "b"});
  trace_target(&two).check(2);
  trace_target(&two, 2).check(0);
  for (trace_target const& target : {trace_target(&two, 1), trace_target(&two, 3)}) {
    try {
      target.check(2);
      ADD_FAILURE() << "it has room for one at most";
    } catch (ballast::bad_argument const& refused) {
      EXPECT_EQ(refused.argument(), "trace_to");
      EXPECT_NE(refused.legal().find("at least 2"), std::string::npos) << refused.legal();
    }
  }
}

TEST(trace_target, counts_what_the_recorder_has_no_room_for_or_refuses) {
  recorder one({"a"}, 1);
  trace_target const target(&one);
  target.record(std::vector{span{.label = "kept"}, span{.label = "too many"}});
  target.record(span{.begin_ns = 2, .end_ns = 1});
  target.count_dropped(5);
  EXPECT_EQ(one.size(), 1u);
  EXPECT_EQ(one.dropped(), 7u);
}

TEST(spans_of_copies_and_host_threads, are_no_work_of_their_device) {
  std::vector<span> const all{{.label = "k", .tasks = 1, .begin_ns = 10, .end_ns = 30},
                              {.worker = ballast::detail::first_copy_worker, .label = "copy", .end_ns = 200},
                              {.worker = ballast::detail::first_host_worker, .label = "wait", .end_ns = 100}};
  auto const loads = ballast::device_loads(all, 1);
  EXPECT_EQ(loads[0].busy_ns, 20);
  EXPECT_EQ(loads[0].work_ns, 20);
  EXPECT_EQ(loads[0].tasks, 1u);
}

}  // namespace
