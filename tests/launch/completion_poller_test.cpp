// SPDX-License-Identifier: Apache-2.0
#include "completion_poller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// Streams on which nothing runs, and launches of which the test says when they end.
class completion_poller_test : public testing::Test {
 protected:
  static constexpr std::uint32_t streams = 6;

  std::shared_ptr<compute_device> device_ = open_devices("host:1").front();
  dispatch_streams streams_{device_, streams};
  launch_stream_table lines_{nullptr, device_, std::chrono::minutes(1)};
  issue_counts counts_;
  kernel_table table_{*device_, mergeable_kernels(nullptr)};
  launch_plan plan_{make_order_policy("held", "fifo", max_streams), nullptr, {}, table_.costs()};
  completion_poller poller_{streams_, nullptr, plan_, table_, counts_, {}};

  std::shared_ptr<launch_stream_state> issue_to(std::uint32_t place) {
    auto line = lines_.add(0);
    streams_[place].next().clear();
    streams_[place].next().members = {{line.get(), 1}};
    issued(place, {line.get()});
    return line;
  }
  void issued(std::uint32_t place, std::vector<launch_stream_state*> const& lines) {
    streams_[place].mark_issued();
    for (auto* const line : lines) line->mark_issued(place, 1);
    counts_.add_in_flight(lines.size());
  }
  void reach_events() {
    for (std::uint32_t place = 0; place < streams; ++place) streams_[place].on().synchronize();
  }
  std::size_t finished() const {
    return std::size_t(
        std::ranges::count_if(lines_.all(), [](auto const& line) { return line->finished() == 1; }));
  }
};

TEST_F(completion_poller_test, sees_the_end_of_a_launch_by_the_event_that_it_has_recorded_behind_it) {
  auto const line = issue_to(2);
  EXPECT_FALSE(poller_.poll());
  EXPECT_TRUE(poller_.record_events());
  EXPECT_FALSE(poller_.record_events()) << "one is enough";
  reach_events();
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(line->finished(), 1u);
  EXPECT_EQ(counts_.in_flight(), 0u);
  EXPECT_THAT(poller_.completed(), testing::ElementsAre(line.get()));
  EXPECT_EQ(poller_.take_ended(), 1u);
  EXPECT_EQ(poller_.take_ended(), 0u);
  EXPECT_FALSE(poller_.poll());
}

TEST_F(completion_poller_test, records_one_event_behind_all_that_was_issued_to_a_stream_meanwhile) {
  for (int i = 0; i < 3; ++i) issue_to(1);
  EXPECT_TRUE(poller_.record_events());
  reach_events();
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(finished(), 3u);
}

TEST_F(completion_poller_test, records_and_asks_four_events_in_a_round_and_lets_streams_take_turns) {
  for (std::uint32_t place = 0; place < streams; ++place) issue_to(place);
  EXPECT_TRUE(poller_.record_events());
  EXPECT_TRUE(poller_.record_events());
  EXPECT_FALSE(poller_.record_events());
  reach_events();
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(finished(), 4u);
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(finished(), streams);
}

TEST_F(completion_poller_test,
       records_an_event_behind_what_a_launch_stream_issued_itself_if_that_is_watched) {
  auto const watched = lines_.add(0);
  streams_[0].next().clear();
  streams_[0].next().members = {{watched.get(), 1}};
  streams_[0].next().needs_end_only_if_watched = true;
  issued(0, {watched.get()});
  watched->watch(launch_phase::end);
  EXPECT_TRUE(poller_.record_events());
}

TEST_F(completion_poller_test, asks_no_event_of_a_launch_that_reports_its_end) {
  auto const line = lines_.add(0);
  auto& next = streams_[0].next();
  next.clear();
  next.members = {{line.get(), 1}};
  next.reports_end = true;
  auto const end = streams_[0].completion_of_next();
  issued(0, {line.get()});
  EXPECT_FALSE(poller_.record_events());
  EXPECT_FALSE(poller_.poll());
  end.record->number = end.number;
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(line->finished(), 1u);
}

TEST_F(completion_poller_test, finishes_kernels_of_a_merged_launch_one_by_one_and_each_once) {
  auto const first = lines_.add(0), second = lines_.add(0);
  auto& next = streams_[0].next();
  next.clear();
  next.members = {{first.get(), 1}, {second.get(), 1}};
  next.reports_end = next.reports_each = true;
  auto const end = streams_[0].completion_of_next();
  issued(0, {first.get(), second.get()});
  end.ends->end[1] = kernel_end::of(end.number, 1).word;
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(second->finished(), 1u);
  EXPECT_EQ(first->finished(), 0u);
  EXPECT_FALSE(poller_.poll());
  end.record->number = end.number;
  EXPECT_TRUE(poller_.poll());
  EXPECT_EQ(first->finished(), 1u);
  EXPECT_EQ(second->finished(), 1u);
  EXPECT_EQ(counts_.in_flight(), 0u);
}

TEST_F(completion_poller_test, learns_from_the_ends_of_the_kernels_of_a_merged_launch) {
  auto const two_cores = open_devices("host:2").front();
  mergeable_kernels const listed(&kernels());
  kernel_table table(*two_cores, listed);
  completion_poller poller(streams_, nullptr, plan_, table, counts_, {});
  auto const first = lines_.add(0), second = lines_.add(0);
  auto const& kernel = listed.kernels().front();
  auto& next = streams_[0].next();
  next.clear();
  next.members = {{first.get(), 1}, {second.get(), 1}};
  next.facts.assign(2, table.facts(kernel, 1, 0));
  next.reports_end = next.is_timed = next.reports_each = true;
  auto const end = streams_[0].completion_of_next();
  issued(0, {first.get(), second.get()});
  end.ends->end[0] = kernel_end::of(end.number, 300).word;
  end.ends->end[1] = kernel_end::of(end.number, 500).word;
  end.record->span_ns = 900;
  end.record->number = end.number;
  EXPECT_TRUE(poller.poll());
  EXPECT_EQ(table.block_ns(kernel), 500) << "not the 900 of the whole launch";
}

TEST_F(completion_poller_test, tells_the_plan_that_a_launchs_predecessor_has_ended) {
  auto const line = issue_to(0);
  offered_launch offered;
  offered.order = {.launch_stream = line->number()};
  offered.order.predecessor_on = 0;
  plan_.offer(offered);
  std::vector<std::uint32_t> const in_flight(streams, 0);
  EXPECT_EQ(plan_.next(in_flight), nullptr);
  poller_.record_events();
  reach_events();
  poller_.poll();
  EXPECT_NE(plan_.next(in_flight), nullptr);
}

/// What is awaited goes through a ring in every dispatch mode, and says nothing of how well rings do.
TEST_F(completion_poller_test,
       counts_what_has_ended_in_a_ring_for_the_choice_of_a_mode_unless_it_was_awaited) {
  mergeable_kernels const listed(&kernels());
  shared_words const visits(1);
  event_count wake_event;
  auto const rings =
      ordered_rings::make(open_devices("host:3").front(), listed, ring_use::all, wake_event, false);
  ASSERT_NE(rings, nullptr);
  completion_poller poller(streams_, rings.get(), plan_, table_, counts_, {});
  auto const line = lines_.add(0);
  submission work;
  work.set_kernel(*listed.find(key_of<count_visits>), count_visits{visits.ref()}, 1);
  std::uint64_t launched = 0;
  for (bool const is_awaited : {true, false, true}) {
    ASSERT_TRUE(rings->takes(*line, work));
    ASSERT_TRUE(rings->put(*line, work, is_awaited));
    ++launched;
    while (line->finished() < launched) {
      rings->keep_running();
      poller.poll();
    }
    EXPECT_EQ(poller.take_ended(), is_awaited ? 0u : 1u);
  }
  EXPECT_EQ(visits[0], 3u);
}

}  // namespace
}  // namespace ballast::test
