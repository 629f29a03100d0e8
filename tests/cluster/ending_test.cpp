// SPDX-License-Identifier: Apache-2.0
// What ends a cluster's queue says the same, and hands back the same tasks, in whatever order it is called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cluster_message.hpp"
#include "cluster_thread.hpp"
#include "ending_calls.hpp"
#include "queue_ranks.hpp"

namespace ballast::test {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr std::uint32_t waiting = 100;

std::vector<std::vector<std::string>> orders() { return orders_of({"close", "stop", "wait"}); }

/// One rank with one worker, which a task holds until a test lets it go.
class held_cluster_queue {
 public:
  held_cluster_queue() : queue(alone_, devices_, cluster_kernels(), options_of({})) {
    held.publish(queue, 0);
    all.publish(queue, 0);
    held.hold(queue, 0, {0});
  }
  ~held_cluster_queue() { held.open(); }

  std::uint32_t ran() const { return all.executed_once(0, waiting); }
  /// A task that fails waits behind the held one, and a batch behind both.
  void lose_device() {
    auto const failing = queue.submit(failing_task());
    end = queue.submit(all.batch(0, 0, waiting));
    held.open();
    await("the loss", [&] { return failing.ready(); });
  }

 private:
  cluster alone_;
  device_list devices_ = open_devices("host:1");

 public:
  gates held{1};
  tallied_tasks all{1, waiting};
  cluster_queue queue;
  completion end;
};

TEST(cluster_queue_ending, of_a_lost_device_says_the_same_and_hands_back_the_same_in_every_order) {
  for (auto const& order : orders()) {
    held_cluster_queue one;
    one.lose_device();
    auto const of_batch = said_by([&] { one.end.wait(); });
    auto const all = end(one.queue, order);
    for (auto const& said : all.said) {
      EXPECT_TRUE(said.starts_with("lost: ")) << said << " in " << text_of(order);
      EXPECT_EQ(said, of_batch) << "in " << text_of(order);
    }
    EXPECT_EQ(said_by([&] { one.end.wait(); }), of_batch) << "in " << text_of(order);
    // Some were with the device, of which nobody knows whether they ran.
    EXPECT_GT(all.handed_back, waiting / 2) << "in " << text_of(order);
    EXPECT_LE(all.handed_back + one.ran(), waiting) << "in " << text_of(order);
  }
}

TEST(cluster_queue_ending, hands_back_tasks_of_a_lost_device_that_run_elsewhere) {
  held_cluster_queue one;
  one.lose_device();
  auto const returned = one.queue.stop();
  cluster another;
  cluster_queue queue(another, open_devices("host:1"), cluster_kernels(), options_of({}));
  one.all.publish(queue, 0);
  queue.submit(returned).wait();
  queue.close();
  EXPECT_GE(one.ran(), returned.size());
}

TEST(cluster_queue_ending, without_close_leaves_to_completions_what_the_queue_failed_with) {
  completion end;
  {
    held_cluster_queue one;
    one.lose_device();
    end = one.end;
  }
  EXPECT_THAT(said_by([&] { end.wait(); }), testing::StartsWith("lost: "));
}

TEST(cluster_queue_ending, of_a_stopped_queue_says_the_same_and_hands_back_the_same_in_every_order) {
  for (auto const& order : orders()) {
    held_cluster_queue one;
    one.queue.submit(one.all.batch(0, 0, waiting));
    std::size_t handed_back = 0;
    std::thread stopper([&] { handed_back = one.queue.stop().size(); });
    await("the stop", [&] { return one.queue.describe().find("stopping") != std::string::npos; });
    one.held.open();
    stopper.join();
    auto const all = end(one.queue, order);
    for (auto const& said : all.said) {
      EXPECT_TRUE(said.starts_with("stopped: ")) << said << " in " << text_of(order);
      EXPECT_EQ(said, all.said.front()) << "in " << text_of(order);
    }
    EXPECT_EQ(all.handed_back, 0u) << "in " << text_of(order);
    // Tasks that hold the worker are handed back as well.
    EXPECT_GE(handed_back + one.ran(), waiting) << "in " << text_of(order);
  }
}

TEST(cluster_queue_ending, that_timed_out_may_be_called_again_in_every_order) {
  for (auto const& order : {std::vector<std::string>{"close", "wait"}, {"wait", "close"}, {"wait", "wait"}}) {
    held_cluster_queue one;
    one.queue.submit(one.all.batch(0, 0, waiting));
    for (auto const& call : order)
      EXPECT_EQ(said_by([&] {
                  call == "close" ? one.queue.close(after_a_while()) : one.queue.wait_all(after_a_while());
                }),
                "timed out")
          << call << " in " << text_of(order);
    one.held.open();
    EXPECT_EQ(said_by([&] { one.queue.wait_all(); }), "nothing") << "in " << text_of(order);
    EXPECT_EQ(said_by([&] { one.queue.close(); }), "nothing") << "in " << text_of(order);
    EXPECT_TRUE(one.queue.stop().empty()) << "in " << text_of(order);
    EXPECT_EQ(one.ran(), waiting) << "in " << text_of(order);
  }
}

TEST(cluster_queue_ending, of_a_rank_that_failed_is_said_though_nothing_was_submitted_on_it) {
  queue_case of{.ranks = 2, .policy = "none"};
  for (auto const& order : orders()) {
    std::atomic<bool> has_failed = false;
    ranks_in_process(of).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
      if (rank == 1) return await("the failure", [&] { return has_failed.load(); });
      refusal<device_lost>([&] { queue.submit(failing_task()).wait(); });
      for (auto const& said : end(queue, order).said)
        EXPECT_TRUE(said.starts_with("lost: ")) << said << " in " << text_of(order);
      has_failed = true;
    });
  }
}

void lose(cluster& over, std::uint32_t rank) {
  auto const hold = over.thread().lock();
  over.thread().lose(rank, "it was cut off");
}

/// Has another rank hear that no rank has a task any more.
void say_that_all_is_over(cluster& over, std::uint32_t to) {
  constexpr std::uint16_t first_channel = 1;
  constexpr auto end = std::uint8_t(detail::cluster_message::kind::end);
  auto const hold = over.thread().lock();
  over.thread().send(to, {first_channel, end}, {});
}

/// Rank 1 ends its queue in this order once `give_up(cluster)` on rank 0 has had it fail. `fail(queue)` on
/// rank 1 begins, says so, and waits for that.
template <class GiveUp, class Fail>
void end_given_up(std::vector<std::string> const& order, gates& of_ranks, GiveUp const& give_up,
                  Fail const& fail) {
  std::atomic<bool> has_begun = false, has_ended = false;
  ranks_in_process ranks({.ranks = 2, .policy = "none"});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto const queue = ranks.open(over, rank);
    of_ranks.publish(*queue, rank);
    if (rank == 0) {
      await("rank 1", [&] { return has_begun.load(); });
      give_up(over);
      return await("the end of rank 1", [&] { return has_ended.load(); });
    }
    fail(*queue, has_begun);
    EXPECT_THAT(end(*queue, order).said, Each(HasSubstr("go on without it"))) << "in " << text_of(order);
    has_ended = true;
  });
}

TEST(cluster_queue_ending, of_a_rank_that_the_others_gave_up_is_said_though_it_has_no_tasks) {
  for (auto const& order : orders()) {
    gates of_ranks(2);
    end_given_up(
        order, of_ranks, [](cluster& over) { lose(over, 1); },
        [](cluster_queue& queue, std::atomic<bool>& has_begun) {
          has_begun = true;
          await("the failure", [&] { return queue.describe().find("for lost") != std::string::npos; });
        });
  }
}

// It did not hear that it is taken for lost, only that the others have ended.
TEST(cluster_queue_ending, of_a_rank_whose_others_are_over_is_said_in_every_order) {
  for (auto const& order : orders()) {
    gates of_ranks(2);
    end_given_up(
        order, of_ranks, [](cluster& over) { say_that_all_is_over(over, 1); },
        [&](cluster_queue& queue, std::atomic<bool>& has_begun) {
          auto const held = queue.submit(of_ranks.one(1));
          has_begun = true;
          refusal<error>([&] { held.wait(); });
          of_ranks.open();
        });
  }
}

// A task of a rank that is lost keeps a device busy of which the queue needs nothing any more.
TEST(cluster_queue_ending, asks_the_devices_at_each_close) {
  gates of_ranks(2);
  std::atomic<bool> are_held = false, has_ended = false;
  ranks_in_process ranks({.ranks = 2});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto const queue = ranks.open(over, rank);
    of_ranks.publish(*queue, rank);
    if (rank == 0) {
      of_ranks.hold(*queue, 0, {0, 1});
      are_held = true;
      await("the end of rank 1", [&] { return has_ended.load(); });
      return of_ranks.open();
    }
    await("held workers", [&] { return are_held.load(); });
    lose(over, 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(said_by([&] { queue->close(after_a_while()); }), "timed out");
    of_ranks.open(1);
    EXPECT_EQ(said_by([&] { queue->close(); }), "nothing");
    has_ended = true;
  });
}

}  // namespace
}  // namespace ballast::test
