// SPDX-License-Identifier: Apache-2.0
// What ends a launch queue is said the same by its launches, in whatever order stop() and waits are called.
#include <memory>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "ending_calls.hpp"
#include "fixture.hpp"

namespace ballast::test {
namespace {

std::vector<std::vector<std::string>> orders() { return orders_of({"stop", "wait", "wait for one"}); }

/// A launch that waits at a gate or fails, and one of the same launch stream behind it, which was not issued.
class ended_launches {
 public:
  explicit ended_launches(bool fails)
      : queue(open_devices("host:1"), kernels(), {.order = "round_robin"}), line(queue.make_launch_stream()) {
    queue.pause();
    first = fails ? line.launch(fault(), 1) : line.launch(wait_at_gate{gate.ref()}, 1);
    behind = line.launch(count_visits{visits.ref()}, 1);
    queue.resume();
  }
  ~ended_launches() { gate.open(); }

  /// What `behind` says, and what the calls throw themselves.
  std::vector<std::string> end(std::string const& call) {
    if (call == "stop") return {said_by([&] { queue.stop(); })};
    if (call == "wait") return {said_by([&] { queue.wait_all(); })};
    of_behind.push_back(said_by([&] { behind.wait(); }));
    return {};
  }

  shared_words gate{1}, visits{1};
  launch_queue queue;
  launch_stream line;
  completion first, behind;
  std::vector<std::string> of_behind;
};

TEST(launch_queue_ending, of_a_lost_device_is_said_by_its_launches_in_every_order) {
  for (auto const& order : orders()) {
    ended_launches all(true);
    auto const lost = said_by([&] { all.first.wait(); });
    EXPECT_TRUE(lost.starts_with("lost: ")) << lost;
    for (auto const& call : order)
      for (auto const& said : all.end(call)) EXPECT_EQ(said, "nothing") << call << " in " << text_of(order);
    for (auto const& said : all.of_behind) EXPECT_EQ(said, lost) << "in " << text_of(order);
    EXPECT_EQ(said_by([&] { all.line.launch(count_visits{all.visits.ref()}, 1); }), lost)
        << "in " << text_of(order);
    auto another = all.queue.make_launch_stream();
    EXPECT_EQ(said_by([&] { another.launch(count_visits{all.visits.ref()}, 1).wait(); }), lost)
        << "in " << text_of(order);
    EXPECT_EQ(all.visits[0], 0u);
  }
}

TEST(launch_queue_ending, by_stop_is_said_by_launches_that_were_not_issued_in_every_order) {
  for (auto const& order : orders()) {
    ended_launches all(false);
    all.line.wait_issued();
    all.queue.pause();
    auto const dropped = all.line.launch(count_visits{all.visits.ref()}, 1);
    all.queue.stop();
    all.gate.open();
    auto const why = said_by([&] { dropped.wait(); });
    EXPECT_TRUE(why.starts_with("stopped: ")) << why;
    for (auto const& call : order)
      for (auto const& said : all.end(call)) EXPECT_EQ(said, "nothing") << call << " in " << text_of(order);
    for (auto const& said : all.of_behind) EXPECT_EQ(said, "nothing") << "in " << text_of(order);
    EXPECT_EQ(said_by([&] { dropped.wait(); }), why) << "in " << text_of(order);
    EXPECT_EQ(said_by([&] { all.first.wait(); }), "nothing") << "in " << text_of(order);
    EXPECT_EQ(all.visits[0], 1u);
  }
}

TEST(launch_queue_ending, that_timed_out_may_be_waited_for_again_in_every_order) {
  for (auto const& order : orders_of({"wait", "wait for one"})) {
    ended_launches all(false);
    for (auto const& call : order)
      EXPECT_EQ(said_by([&] {
                  call == "wait" ? all.queue.wait_all(after_a_while())
                                 : all.first.wait_until(after_a_while());
                }),
                "timed out")
          << call << " in " << text_of(order);
    all.gate.open();
    for (auto const& call : order)
      for (auto const& said : all.end(call)) EXPECT_EQ(said, "nothing") << call << " in " << text_of(order);
    EXPECT_EQ(all.visits[0], 1u);
  }
}

}  // namespace
}  // namespace ballast::test
