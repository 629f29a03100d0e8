// SPDX-License-Identifier: Apache-2.0
#include "dispatch_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// A stream in which nothing runs and which therefore reads no record.
class dispatch_stream_test : public testing::Test {
 protected:
  std::atomic<std::uint32_t> in_flight_ = 0;
  dispatch_stream stream_{devices().front()->make_stream(), nullptr, nullptr, nullptr, in_flight_};

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

TEST_F(dispatch_stream_test, holds_the_graph_of_a_launch_until_that_has_ended) {
  auto graph = std::make_shared<int const>();
  std::weak_ptr<int const> const watched = graph;
  issue(false);
  stream_.attach_graph(std::move(graph));
  EXPECT_TRUE(stream_.carries_graph());
  EXPECT_FALSE(watched.expired());
  stream_.mark_ended();
  EXPECT_FALSE(stream_.carries_graph());
  EXPECT_TRUE(watched.expired());
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

}  // namespace
}  // namespace ballast::test
