// SPDX-License-Identifier: Apache-2.0
#include "ballast/completion.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

#include "fixture.hpp"
#include "launch_stream.hpp"

namespace ballast::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(completion_of_a_launch, calls_its_continuation_when_the_launch_has_ended) {
  launch_queue queue(devices(), kernels());
  shared_words const gate(1), visits(3);
  auto line = queue.make_launch_stream();
  line.launch(wait_at_gate{gate.ref()}, 1);
  std::vector<std::uint32_t> seen;
  auto const after = line.launch(count_visits{visits.ref()}, 3).then([&] { seen = visits.read(); });
  EXPECT_FALSE(after.ready());
  gate.open();
  after.wait();
  EXPECT_EQ(seen, std::vector<std::uint32_t>(3, 1));
}

TEST(completion_of_a_launch, has_continuations_that_launch) {
  launch_queue queue(devices(), kernels());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  completion inner;
  line.launch(count_visits{visits.ref()}, 1)
      .then([&] { inner = line.launch(count_visits{visits.ref()}, 1); })
      .wait();
  inner.wait();
  EXPECT_EQ(visits[0], 2u);
}

TEST(completion_of_a_launch, is_told_to_many_continuations_of_many_launch_streams) {
  constexpr int lines = 8, launches = 200;
  launch_queue queue(devices(), kernels());
  shared_words const visits(lines);
  int calls = 0;
  std::vector<launch_stream> streams;
  std::vector<completion> all;
  for (int i = 0; i < lines; ++i) streams.push_back(queue.make_launch_stream());
  for (int round = 0; round < launches; ++round)
    for (int i = 0; i < lines; ++i)
      all.push_back(streams[i].launch(count_visits{visits.ref().from(i)}, 1).then([&] { ++calls; }));
  when_all(all).wait();
  EXPECT_EQ(calls, lines * launches);
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(lines, launches));
}

TEST(completion_of_a_launch, goes_on_with_the_failure_to_who_comes_after) {
  launch_queue queue(first_device(), kernels());
  shared_words const visits(1);
  auto bad = queue.make_launch_stream(), good = queue.make_launch_stream();
  auto const failing = bad.launch([](stream&) { throw std::runtime_error("planted"); });
  auto const after = failing.then([] { FAIL() << "was called"; });
  EXPECT_THAT([&] { after.wait(); }, ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_TRUE(failing.ready());
  good.after(after);
  auto const behind = good.launch(count_visits{visits.ref()}, 1);
  EXPECT_THAT([&] { behind.wait(); }, ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_EQ(visits[0], 0u);
}

TEST(launch_stream, begins_after_work_that_is_no_launch) {
  launch_queue queue(devices(), kernels());
  shared_words const gate(1), visits(1);
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  auto const prepared = first.launch(wait_at_gate{gate.ref()}, 1).then([&] { visits[0] = 10; });
  second.after(prepared);
  second.after(completion());
  auto const last = second.launch(count_visits{visits.ref()}, 1);
  EXPECT_FALSE(last.ready());
  gate.open();
  last.wait();
  EXPECT_EQ(visits[0], 11u);
}

TEST(completion_of_a_launch, may_not_be_waited_for_in_a_continuation_nor_may_the_queue) {
  launch_queue queue(first_device(), kernels());
  shared_words const gate(1);
  auto line = queue.make_launch_stream();
  auto const held = line.launch(wait_at_gate{gate.ref()}, 1);
  // They keep the exceptions while the test reads them: TSan does not know how libstdc++ counts their owners.
  auto const waits = completion().then([&] { held.wait(); });
  auto const waits_for_all = completion().then([&] { queue.wait_all(); });
  EXPECT_THAT([&] { waits.wait(); }, ThrowsMessage<error>(HasSubstr("in a continuation")));
  EXPECT_THAT([&] { waits_for_all.wait(); }, ThrowsMessage<error>(HasSubstr("in a continuation")));
  gate.open();
  held.wait();
}

TEST(completion_of_a_launch, has_its_continuation_called_when_the_queue_is_gone) {
  shared_words const visits(1);
  completion after;
  {
    launch_queue queue(first_device(), kernels());
    after = queue.make_launch_stream().launch(count_visits{visits.ref()}, 1).then([] {});
  }
  after.wait();
  EXPECT_EQ(visits[0], 1u);
}

/// A launch stream two of whose launches are known to completions, and one of which was issued.
struct half_issued {
  std::shared_ptr<compute_device> device = open_devices("host:1").front();
  detail::launch_stream_table lines{nullptr, device, std::chrono::minutes(1)};
  std::shared_ptr<detail::launch_stream_state> line = lines.add(0);
  completion first{line, {.first = 1}}, second{line, {.first = 2}};

  half_issued() { line->mark_issued(0, 1); }
  void fail(bool is_lost) { line->fail(std::make_exception_ptr(std::runtime_error("planted")), is_lost); }
};

TEST(completion_of_a_launch, is_ready_no_sooner_because_the_next_launch_could_not_be_issued) {
  half_issued launches;
  launches.fail(false);
  EXPECT_FALSE(launches.first.ready()) << "it runs";
  EXPECT_TRUE(launches.second.ready());
  EXPECT_THROW(launches.second.wait(), std::runtime_error);
  launches.line->mark_finished(1);
  EXPECT_TRUE(launches.first.ready());
  EXPECT_NO_THROW(launches.first.wait());
}

TEST(completion_of_a_launch, is_ready_with_the_loss_of_its_device_though_it_was_issued) {
  half_issued launches;
  launches.fail(true);
  EXPECT_TRUE(launches.first.ready());
  EXPECT_THROW(launches.first.wait(), std::runtime_error);
  EXPECT_TRUE(launches.second.ready());
}

}  // namespace
}  // namespace ballast::test
