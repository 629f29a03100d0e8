// SPDX-License-Identifier: Apache-2.0
// Bad arguments, launches that fail, devices that are lost, queues that stop.
#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ballast/error.hpp"
#include "captured_log.hpp"
#include "fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

bool is_refused(std::function<void()> const& call) {
  try {
    call();
    return false;
  } catch (error const&) { return true; }
}

struct unlisted {
  static constexpr int threads = 64;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

TEST(launch_queue, refuses_options_outside_their_ranges_by_name) {
  auto const with = [](launch_options const& options) {
    return refused_argument([&] { launch_queue(first_device(), kernels(), options); });
  };
  EXPECT_EQ(with({.order = "best"}), "order");
  EXPECT_EQ(with({.key = "best"}), "key");
  EXPECT_EQ(with({.merge = "best"}), "merge");
  EXPECT_EQ(with({.streams = 129}), "streams");
  EXPECT_EQ(with({.max_waiting = 0}), "max_waiting");
  EXPECT_EQ(refused_argument([] { launch_queue({}, kernels()); }), "devices");
  EXPECT_EQ(refused_argument([] { launch_queue({nullptr}, kernels()); }), "devices");
}

TEST(launch_queue, refuses_launches_that_can_not_be_and_goes_on) {
  launch_queue queue(first_device(), kernels());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  EXPECT_EQ(refused_argument([&] { line.launch(unlisted(), 1); }), "kernel");
  EXPECT_THAT([&] { line.launch(unlisted(), 1); }, ThrowsMessage<bad_argument>(HasSubstr("unlisted")));
  EXPECT_EQ(refused_argument([&] { line.launch(count_visits{visits.ref()}, 0); }), "grid");
  EXPECT_EQ(refused_argument([&] { queue.make_launch_stream_on(1); }), "device");
  line.launch(count_visits{visits.ref()}, 1).wait();
  EXPECT_EQ(visits[0], 1u);
}

TEST(launch_queue, without_a_list_takes_callables_only) {
  launch_queue queue(first_device());
  shared_words const words(1);
  auto line = queue.make_launch_stream();
  EXPECT_EQ(refused_argument([&] { line.launch(count_visits{words.ref()}, 1); }), "kernel");
  line.launch([&](stream& on) { on.fill(words.ref().data(), 1, 4); }).wait();
  EXPECT_EQ(words[0], 0x01010101u);
}

void plain_kernel_stand_in(int) {}

TEST(launch_queue, refuses_plain_kernels_on_cores_with_what_to_use_instead) {
  if (devices().front()->is_cuda()) GTEST_SKIP() << "GPUs have them";
  launch_queue queue(first_device(), kernels());
  auto line = queue.make_launch_stream();
  EXPECT_THAT([&] { line.launch(&plain_kernel_stand_in, 1, 32, 5); },
              ThrowsMessage<bad_argument>(HasSubstr("a ballast kernel or a callable")));
}

TEST(launch_queue, gives_the_error_of_a_launch_to_its_own_launch_stream_and_goes_on_with_the_others) {
  launch_queue queue(first_device(), kernels());
  shared_words const visits(4);
  auto bad = queue.make_launch_stream(), good = queue.make_launch_stream();
  queue.pause();
  auto const before = bad.launch(count_visits{visits.ref()}, 1);
  auto const failing = bad.launch([](stream&) { throw std::runtime_error("planted"); });
  auto const behind = bad.launch(count_visits{visits.ref().from(1)}, 1);
  auto const other = good.launch(count_visits{visits.ref().from(2)}, 1);
  queue.resume();
  before.wait();
  other.wait();
  EXPECT_THAT([&] { failing.wait(); }, ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_THAT([&] { behind.wait(); }, ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_THAT([&] { bad.launch(count_visits{visits.ref()}, 1); },
              ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_FALSE(bad.is_issued());
  queue.wait_all();
  good.launch(count_visits{visits.ref().from(3)}, 1).wait();
  EXPECT_EQ(visits.read(), (std::vector<std::uint32_t>{1, 0, 1, 1}));
}

TEST(launch_queue, does_not_carry_out_what_waits_for_a_launch_that_failed) {
  launch_queue queue(devices(), kernels());
  shared_words const visits(1);
  auto bad = queue.make_launch_stream(), waiting = queue.make_launch_stream();
  auto const failing = bad.launch([](stream&) { throw std::runtime_error("planted"); });
  waiting.after(failing);
  auto const behind = waiting.launch(count_visits{visits.ref()}, 1);
  EXPECT_THAT([&] { behind.wait(); }, ThrowsMessage<std::runtime_error>("planted"));
  EXPECT_EQ(visits[0], 0u);
}

TEST(launch_queue, ends_waits_at_their_deadline_with_the_state) {
  launch_queue queue(first_device(), kernels());
  shared_words const gate(1);
  auto line = queue.make_launch_stream();
  auto const held = line.launch(wait_at_gate{gate.ref()}, 1);
  auto const behind = line.launch(count_visits{gate.ref()}, 1);
  auto const soon = [] { return deadline::in(std::chrono::milliseconds(20)); };
  EXPECT_THROW(held.wait_until(soon()), timed_out);
  EXPECT_THROW(queue.wait_all(soon()), timed_out);
  EXPECT_FALSE(behind.ready());
  try {
    behind.wait_until(soon());
  } catch (timed_out const& late) {
    EXPECT_THAT(late.state(),
                StartsWith("launch queue of " + kernels().name() + " on " + first_device().front()->name() +
                           ", launch stream 0: 2 launches submitted, "));
    EXPECT_THAT(late.state(),
                ContainsRegex("\noldest launch: number 1 of launch stream 0, (not )?issued and not "
                              "finished for at least [0-9.]+ s\n"));
  }
  gate.open();
  behind.wait();
}

TEST(launch_queue, names_the_oldest_launch_of_all_its_streams_at_a_deadline) {
  launch_queue queue(first_device(), kernels());
  shared_words const gate(1), visits(1);
  std::vector<launch_stream> lines;
  for (int i = 0; i < 10; ++i) lines.push_back(queue.make_launch_stream());
  lines[1].launch(count_visits{visits.ref()}, 1).wait();
  auto const held = lines[1].launch(wait_at_gate{gate.ref()}, 1);
  EXPECT_THROW(held.wait_until(deadline::in(std::chrono::milliseconds(20))), timed_out);
  for (auto& line : lines) line.after(held), line.launch(count_visits{visits.ref()}, 1);
  try {
    queue.wait_all(deadline::in(std::chrono::milliseconds(20)));
    ADD_FAILURE() << "nobody has opened the gate";
  } catch (timed_out const& late) {
    EXPECT_THAT(late.state(),
                StartsWith("launch queue of " + kernels().name() + " on " + first_device().front()->name() +
                           ": 11 unfinished launches of 10 launch streams, "));
    EXPECT_THAT(late.state(), HasSubstr("\nlaunch stream 1: 3 launches submitted, "));
    EXPECT_THAT(late.state(),
                HasSubstr("\nand 2 launch streams\noldest launch: number 2 of launch stream 1, "));
  }
  gate.open();
  queue.wait_all();
  EXPECT_EQ(visits[0], 11u);
}

TEST(launch_queue, sleeps_in_launch_while_too_many_wait) {
  launch_queue queue(first_device(), kernels(), {.max_waiting = 3, .timeout = std::chrono::milliseconds(20)});
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  queue.pause();
  for (int i = 0; i < 3; ++i) line.launch(count_visits{visits.ref()}, 1);
  EXPECT_THROW(line.launch(count_visits{visits.ref()}, 1), timed_out);
  queue.resume();
  queue.wait_all();
  line.launch(count_visits{visits.ref()}, 1);
  queue.wait_all();
  EXPECT_EQ(visits[0], 4u);
}

TEST(launch_queue, stopped_midway_tells_what_was_not_carried_out) {
  launch_queue queue(first_device(), kernels(), {.streams = 1});
  shared_words const gate(1), visits(1);
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  auto const running = first.launch(wait_at_gate{gate.ref()}, 1);
  first.wait_issued();
  queue.pause();
  auto const dropped = second.launch(count_visits{visits.ref()}, 1);
  queue.stop();
  EXPECT_THAT([&] { dropped.wait(); }, ThrowsMessage<error>(HasSubstr("was stopped")));
  gate.open();
  running.wait();
  EXPECT_THAT([&] { second.launch(count_visits{visits.ref()}, 1); },
              ThrowsMessage<error>(HasSubstr("was stopped")));
  auto late = queue.make_launch_stream();
  EXPECT_THAT([&] { late.launch(count_visits{visits.ref()}, 1).wait(); },
              ThrowsMessage<error>(HasSubstr("was stopped")));
  EXPECT_EQ(visits[0], 0u);
}

TEST(launch_queue, stopped_while_a_launch_waits_for_space_in_its_stream_drops_that_one_too) {
  launch_queue queue(first_device(), kernels(), {.order = "round_robin", .merge = "none", .streams = 1});
  shared_words const gate(1), visits(1);
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  first.launch(wait_at_gate{gate.ref()}, 1);
  std::vector<completion> launches;
  for (int i = 0; i < 100; ++i) launches.push_back(second.launch(count_visits{visits.ref()}, 1));
  EXPECT_THROW(second.wait_issued(deadline::in(std::chrono::milliseconds(20))), timed_out);
  queue.stop();
  gate.open();
  std::uint32_t dropped = 0;
  for (auto const& one : launches) dropped += is_refused([&] { one.wait(); });
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(visits[0] + dropped, 100u);
}

TEST(launch_queue, that_was_stopped_lets_no_launch_stream_issue_itself) {
  std::atomic<bool> held = false, released = false;  // until the queue's thread is gone
  launch_queue queue(first_device(), kernels(), {.order = "passthrough"});
  shared_words const visits(1);
  auto busy = queue.make_launch_stream(), late = queue.make_launch_stream();
  queue.pause();  // so that the queue's thread calls what follows
  busy.launch([&](stream&) {
    held = true;
    while (!released) std::this_thread::yield();
  });
  queue.resume();
  while (!held) std::this_thread::yield();
  queue.stop();
  EXPECT_THAT([&] { late.launch(count_visits{visits.ref()}, 1); },
              ThrowsMessage<error>(HasSubstr("was stopped")));
  released = true;
  EXPECT_EQ(visits[0], 0u);
}

/// An event that is first not reached, and cannot be when the thread which issues asks again: what it does
/// then comes after the look at new launches.
class asked_event final : public event {
 public:
  explicit asked_event(std::function<void()> when_asked) : when_asked_(std::move(when_asked)) {}
  bool reached() override {
    if (++asked_ < 5) return false;  // twice for each look at its launch, and a new one is looked at twice
    when_asked_();
    throw std::runtime_error("a planted failure");
  }
  std::chrono::nanoseconds since(event const&) const override { return {}; }

 private:
  std::function<void()> when_asked_;
  int asked_ = 0;
};

/// The last look before the thread sleeps has passed the new launches by, finds nothing else, and nobody
/// rings because the thread is awake.
TEST(launch_queue, carries_out_what_was_launched_between_the_last_look_and_the_sleep) {
  launch_queue queue(first_device(), {.order = "round_robin"});
  auto asking = queue.make_launch_stream(), late = queue.make_launch_stream();
  std::optional<completion> launched;
  std::atomic<bool> has_asked = false;
  asking.after(std::make_shared<asked_event>([&] {
    launched = late.launch([](stream&) {});
    has_asked = true;
  }));
  asking.launch([](stream&) {});
  while (!has_asked) std::this_thread::yield();
  launched->wait_until(deadline::in(std::chrono::minutes(1)));
}

/// The thread that issues is held, so that nobody else tells the launch stream.
TEST(launch_queue, that_was_stopped_refuses_the_very_next_call_of_its_launch_streams) {
  std::atomic<bool> is_inside = false, may_leave = false;
  launch_queue queue(first_device(), {.order = "round_robin"});
  auto holder = queue.make_launch_stream(), line = queue.make_launch_stream();
  holder.launch([&](stream&) {
    is_inside = true;
    may_leave.wait(false);
  });
  while (!is_inside) std::this_thread::yield();
  queue.stop();
  auto const nothing = [](stream&) {};
  EXPECT_THAT([&] { line.after(holder.last()); }, ThrowsMessage<error>(HasSubstr("queue was stopped")));
  EXPECT_THAT([&] { line.launch(nothing); }, ThrowsMessage<error>(HasSubstr("queue was stopped")));
  may_leave = true;
  may_leave.notify_all();
}

TEST(launch_queue, that_is_gone_is_named_by_its_launch_streams_at_once) {
  std::optional<launch_queue> queue(std::in_place, first_device());
  auto line = queue->make_launch_stream();
  queue.reset();
  EXPECT_THAT([&] { line.launch([](stream&) {}); },
              ThrowsMessage<error>(HasSubstr("the launch queue of this launch stream is gone")));
}

TEST(launch_queue, tells_the_log_of_an_order_that_nothing_was_launched_in) {
  launch_queue queue(first_device());
  auto before = queue.make_launch_stream();
  auto const first = before.launch([](stream&) {});
  captured_log log;
  {
    auto behind = queue.make_launch_stream();
    behind.after(first);
    behind.launch([](stream&) {});
  }
  EXPECT_EQ(log.lines(), "");
  queue.make_launch_stream().after(first);
  EXPECT_THAT(log.lines(), HasSubstr("nothing was launched behind its last after()"));
}

TEST(launch_queue, that_is_destroyed_while_paused_drops_what_waits) {
  shared_words const visits(1);
  auto queue = std::make_unique<launch_queue>(first_device(), kernels());
  auto line = queue->make_launch_stream();
  queue->pause();
  auto const dropped = line.launch(count_visits{visits.ref()}, 1);
  queue.reset();
  EXPECT_THROW(dropped.wait(), error);
  EXPECT_THROW(line.launch(count_visits{visits.ref()}, 1), error);
  EXPECT_EQ(visits[0], 0u);
}

/// Its thread may learn that it is stopped only together with that it ends.
TEST(launch_queue, that_is_destroyed_after_its_launch_streams_tells_completions_what_it_drops) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    completion dropped;
    {
      launch_queue queue(first_device(), {.order = "round_robin"});
      auto line = queue.make_launch_stream();
      queue.pause();
      dropped = line.launch([](stream&) {});
    }
    EXPECT_THAT([&] { dropped.wait_until(deadline::in(std::chrono::seconds(0))); },
                ThrowsMessage<error>(testing::AnyOf(HasSubstr("queue has ended"), HasSubstr("is gone"))));
  }
}

TEST(launch_queue, that_is_destroyed_carries_out_what_was_submitted) {
  shared_words const visits(100);
  {
    launch_queue queue(devices(), kernels());
    auto one = queue.make_launch_stream(), other = queue.make_launch_stream();
    for (std::uint32_t i = 0; i < 100; ++i)
      (i % 2 == 0 ? one : other).launch(count_visits{visits.ref().from(i)}, 1);
  }
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(100, 1));
}

TEST(launch_queue, tells_the_end_of_what_was_in_flight_when_it_was_destroyed) {
  shared_words const gate(1);
  auto queue = std::make_unique<launch_queue>(first_device(), kernels());
  auto line = queue->make_launch_stream();
  auto const held = line.launch(wait_at_gate{gate.ref()}, 1);
  line.wait_issued();
  queue->pause();
  {
    auto const gone = std::move(line);
    std::thread opens([&] { gate.open(); });
    queue.reset();
    opens.join();
  }
  held.wait_until(deadline::in(std::chrono::seconds(30)));
  EXPECT_TRUE(held.ready());
}

struct throws_when_copied {
  bool armed = false;
  throws_when_copied() = default;
  throws_when_copied(throws_when_copied const& other) : armed(other.armed) {
    if (armed) throw std::runtime_error("planted");
  }
  void operator()(stream&) const {}
};

TEST(launch_queue, keeps_what_a_launch_waits_for_if_it_can_not_be_submitted) {
  launch_queue queue(first_device(), kernels(), {.order = "held"});
  shared_words const gate(1), visits(1);
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  second.after(first.launch(wait_at_gate{gate.ref()}, 1));
  throws_when_copied work;
  work.armed = true;
  EXPECT_THROW(second.launch(work), std::runtime_error);
  auto const behind = second.launch(count_visits{visits.ref()}, 1);
  EXPECT_THROW(second.wait_issued(deadline::in(std::chrono::milliseconds(20))), timed_out);
  gate.open();
  behind.wait();
}

TEST(launch_queue, keeps_what_the_next_launch_of_a_launch_stream_waits_for_when_that_is_moved) {
  launch_queue queue(first_device(), kernels(), {.order = "held"});
  shared_words const gate(1), visits(1);
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  auto moved = queue.make_launch_stream();
  second.after(first.launch(wait_at_gate{gate.ref()}, 1));
  moved = std::move(second);
  auto const behind = moved.launch(count_visits{visits.ref()}, 1);
  EXPECT_THROW(moved.wait_issued(deadline::in(std::chrono::milliseconds(20))), timed_out);
  gate.open();
  behind.wait();
}

TEST(launch_queue, takes_the_loss_of_another_device_for_an_error_of_the_launch_that_tells_it) {
  launch_queue queue(first_device(), kernels());
  shared_words const visits(1);
  auto bad = queue.make_launch_stream(), good = queue.make_launch_stream();
  auto const failing = bad.launch([](stream&) { throw device_lost("another", "planted"); });
  EXPECT_THROW(failing.wait(), device_lost);
  good.launch(count_visits{visits.ref()}, 1).wait();
  EXPECT_EQ(visits[0], 1u);
}

TEST(launch_queue, merges_unfiltered_whatever_is_known_of_the_kernels) {
  launch_queue queue(first_device(), kernels(), {.filter_merges = false});
  auto const grid = 4 * 32 * std::uint32_t(first_device().front()->properties().multiprocessors);  // fills it
  shared_words const visits(grid + 1);
  std::vector<launch_stream> lines;
  for (int i = 0; i < 3; ++i) lines.push_back(queue.make_launch_stream());
  for (std::uint32_t round = 0; round < 6; ++round) {
    queue.pause();
    for (auto& line : lines) line.launch(count_visits{visits.ref()}, grid);
    queue.resume();
    queue.wait_all();
  }
  EXPECT_EQ(visits[0], 18u);
  EXPECT_EQ(visits[grid - 1], 18u);
}

constexpr kernel_code planted_fault{
    .name = "a planted fault",
    .host_function = [](void const*, host_block_context&) { throw std::runtime_error("planted"); },
    .threads = 32};

bool is_lost(compute_device& device) {
  try {
    device.check();
    return false;
  } catch (device_lost const&) { return true; }
}

// Loses the device to the process on a GPU, so the GPU's runs in a process of its own.
void lose_a_device() {
  auto const lost = open_devices(devices().front()->is_cuda() ? "cuda:0" : "host:1");
  launch_queue queue(lost, kernels());
  shared_words const visits(1);
  auto line = queue.make_launch_stream(), other = queue.make_launch_stream();
  queue.pause();
  auto const faulty = line.launch(fault(), 1);
  auto const behind = line.launch(count_visits{visits.ref()}, 1);
  queue.resume();
  EXPECT_THROW(faulty.wait(), device_lost);
  EXPECT_THROW(behind.wait(), device_lost);
  EXPECT_THROW(other.launch(count_visits{visits.ref()}, 1).wait(), device_lost);
}

/// What the launch throws is not what happened to the device meanwhile.
TEST(launch_queue, tells_the_loss_of_its_device_rather_than_what_a_launch_threw_on_the_lost_one) {
  auto const mine = open_devices("host:1").front();
  launch_queue queue({mine}, {.order = "round_robin"});
  auto line = queue.make_launch_stream();
  auto const failing = line.launch([&](stream& on) {
    on.launch(planted_fault, 1, nullptr, 0);
    auto const until = deadline::in(std::chrono::minutes(1));
    while (!is_lost(*mine) && !until.passed()) std::this_thread::yield();
    throw std::runtime_error("what a launch threw");
  });
  EXPECT_THROW(failing.wait(), device_lost);
}

TEST(launch_queue, tells_every_launch_stream_that_its_device_is_lost) {
  if (devices().front()->is_cuda()) GTEST_SKIP() << "see below";
  lose_a_device();
}

TEST(launch_queue, DISABLED_tells_every_launch_stream_on_a_gpu_that_is_lost) { lose_a_device(); }

}  // namespace
}  // namespace ballast::test
