// SPDX-License-Identifier: Apache-2.0
#include "dispatch_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// A stream in which nothing runs: whoever reads a record writes it first.
class dispatch_stream_test : public testing::Test {
 protected:
  std::atomic<std::uint32_t> in_flight_ = 0;
  std::vector<completion_record> records_{dispatch_stream::max_in_flight};
  std::vector<kernel_completions> ends_{dispatch_stream::max_in_flight};
  dispatch_stream stream_{devices().front()->make_stream(), nullptr, records_.data(), ends_.data(),
                          in_flight_};

  launch_in_flight& issue(bool reports_end, bool reports_each = false) {
    auto& next = stream_.next();
    next.clear();
    next.reports_end = reports_end;
    next.reports_each = reports_each;
    stream_.mark_issued();
    return next;
  }
};

TEST_F(dispatch_stream_test, records_an_event_behind_the_newest_launch_once_and_only_if_it_reports_no_end) {
  auto const& silent = issue(false);
  stream_.record_event();
  auto const* const recorded = silent.end_event.get();
  EXPECT_NE(recorded, nullptr);
  stream_.record_event();
  EXPECT_EQ(silent.end_event.get(), recorded);
  auto const& telling = issue(true);
  stream_.record_event();
  EXPECT_EQ(telling.end_event, nullptr);
}

TEST_F(dispatch_stream_test, names_the_oldest_launch_in_flight_if_that_reports_the_ends_of_its_kernels) {
  EXPECT_EQ(stream_.oldest_reporting_each(), nullptr);
  auto const& each = issue(true, true);
  issue(true);
  EXPECT_EQ(stream_.oldest_reporting_each(), &each);
  stream_.mark_ended();
  EXPECT_EQ(stream_.oldest_reporting_each(), nullptr);
}

TEST_F(dispatch_stream_test,
       says_of_no_launch_or_kernel_that_it_took_no_time_nor_of_a_kernel_more_than_its_launch) {
  auto const end = stream_.completion_of_next();
  issue(true, true);
  end.record->span_ns = 0;
  end.ends->end[0] = kernel_end::of(end.number, 0).word;
  EXPECT_EQ(stream_.span_ns_of_ended(), 1);
  EXPECT_EQ(stream_.span_ns_of_kernel(0), 1);
  end.record->span_ns = 50;
  end.ends->end[0] = kernel_end::of(end.number, 20).word;
  end.ends->end[1] = kernel_end::of(end.number, std::uint64_t(-3)).word;
  EXPECT_EQ(stream_.span_ns_of_ended(), 50);
  EXPECT_EQ(stream_.span_ns_of_kernel(0), 20);
  EXPECT_EQ(stream_.span_ns_of_kernel(1), 50);
}

/// As a launch is that the device refuses.
TEST_F(dispatch_stream_test, takes_nothing_from_what_was_said_of_a_launch_that_was_not_issued) {
  auto const& issued = issue(false);
  stream_.next().reports_end = true;
  EXPECT_EQ(stream_.ended(), nullptr);
  EXPECT_FALSE(stream_.is_known_by_event());
  stream_.next().clear();
  stream_.record_event();
  stream_.on().synchronize();
  EXPECT_EQ(stream_.ended(), &issued);
}

/// Of three streams.
class stream_loads_test : public testing::Test {
 protected:
  dispatch_streams streams_{devices().front(), 3};
  stream_loads loads_{streams_};

  void issue_to(std::uint32_t place) {
    streams_[place].next().clear();
    streams_[place].mark_issued();
  }
};

TEST_F(stream_loads_test, counts_what_is_in_flight_on_each_stream) {
  EXPECT_FALSE(streams_.is_anything_in_flight());
  EXPECT_TRUE(streams_.is_at_rest());
  issue_to(0);
  issue_to(2);
  issue_to(2);
  EXPECT_TRUE(streams_.is_anything_in_flight());
  EXPECT_THAT(loads_.look(), testing::ElementsAre(1, 0, 2));
  EXPECT_EQ(loads_.emptiest(), 1u);
}

TEST_F(stream_loads_test, sees_that_an_empty_stream_became_busy_since_it_looked) {
  issue_to(0);
  loads_.look();
  EXPECT_FALSE(loads_.became_busy(1));
  issue_to(0);
  issue_to(1);
  EXPECT_FALSE(loads_.became_busy(0)) << "it was not empty";
  EXPECT_TRUE(loads_.became_busy(1));
  EXPECT_EQ(loads_.emptiest(), 2u) << "what it saw counts";
}

}  // namespace
}  // namespace ballast::test
