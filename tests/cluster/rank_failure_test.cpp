// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ballast/cluster.hpp"
#include "ballast/job_scheduler.hpp"
#include "queue_ranks.hpp"
#include "ranked_jobs.cuh"

// How a cluster ends when the program of one rank does not end well.
namespace ballast::test::rank_failure_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

using word_rows = shared_array<std::uint32_t, 2>;

/// Ranks that wait for each other at the end, as processes do.
queue_case waiting_ranks(std::uint32_t ranks) {
  queue_case of{.ranks = ranks};
  of.network.ends_together = true;
  of.watch.timeout = generous;
  return of;
}

/// What a rank heard of others that failed.
struct heard {
  std::string what;
  std::vector<std::uint32_t> ranks;
};

heard loss_of(std::exception_ptr const& end) {
  try {
    if (end) std::rethrow_exception(end);
  } catch (rank_lost const& loss) {
    return {loss.what(), loss.ranks()};
  } catch (std::exception const& other) { return {std::string("no rank_lost: ") + other.what(), {}}; }
  return {"nothing", {}};
}

/// What the log warns of while `body` runs.
template <class Body>
std::vector<std::string> warnings_of(Body const& body) {
  std::vector<std::string> warnings;
  set_log_sink([&](log_level level, std::string_view text) {
    if (level == log_level::warning) warnings.emplace_back(text);
  });
  body();
  set_log_sink({});
  return warnings;
}

void await_loss(cluster const& over, std::uint32_t rank) {
  await("the loss", [&] { return !over.lost().empty(); });
  EXPECT_THAT(over.lost(), ElementsAre(rank));
}

/// Makes all ranks wait for each other.
void share_jobs(cluster& over, std::string_view failure = {}) {
  job_scheduler jobs(open_devices("host:1"), ranked_job_kernels(),
                     {.device_bytes = 1 << 20,
                      .timeout = generous,
                      .shutdown_timeout = generous,
                      .ranks = job_peers_of(over)});
  word_rows now(jobs, {30, 4}), next(jobs, {30, 4});
  std::ranges::fill(now.write(), 1u);
  for (int step = 0; step < 6; ++step) {
    if (step == 3 && !failure.empty()) throw std::runtime_error(std::string(failure));
    jobs.submit({.grid = 30}, reads(now, neighborhood(1)), writes(next, rows), [](auto from, auto to) {
      return mix_rows{from, to, 30, 4};
    });
    std::swap(now, next);
  }
  now.read();
}

TEST(rank_failure, is_known_to_all_and_keeps_none_at_the_end) {
  auto const ends = ranks_in_process(waiting_ranks(3)).ends_of([](cluster& over, std::uint32_t rank) {
    if (rank == 1) throw std::runtime_error("out of luck");
    await_loss(over, 1);
  });
  EXPECT_FALSE(ends[0] || ends[2]);
  EXPECT_THAT(loss_of(ends[1]).what, HasSubstr("out of luck"));
}

TEST(rank_failure, ends_jobs_of_the_others_with_its_words) {
  auto const ends = ranks_in_process(waiting_ranks(3)).ends_of([](cluster& over, std::uint32_t rank) {
    if (rank != 1) return share_jobs(over);
    over.fail("no such file: /nonexistent");
    throw std::runtime_error("no such file");
  });
  for (auto const rank : {0, 2}) {
    EXPECT_EQ(loss_of(ends[rank]).what, "rank 1 failed: no such file: /nonexistent");
    EXPECT_THAT(loss_of(ends[rank]).ranks, ElementsAre(1));
  }
}

// The scheduler goes first, and what catches the exception knows more.
TEST(rank_failure, amid_jobs_ends_those_of_others_with_the_words_of_who_caught_the_exception) {
  auto const ends = ranks_in_process(waiting_ranks(2)).ends_of([](cluster& over, std::uint32_t rank) {
    try {
      share_jobs(over, rank == 0 ? "out of luck" : "");
    } catch (std::runtime_error const& failure) {
      if (rank == 0) over.fail(failure.what());
      throw;
    }
  });
  EXPECT_EQ(loss_of(ends[1]).what, "rank 0 failed: out of luck");
  EXPECT_THAT(loss_of(ends[1]).ranks, ElementsAre(0));
}

TEST(rank_failure, amid_jobs_is_told_though_nobody_knows_why) {
  auto const ends = ranks_in_process(waiting_ranks(3)).ends_of([](cluster& over, std::uint32_t rank) {
    share_jobs(over, rank == 2 ? "out of luck" : "");
  });
  EXPECT_THAT(loss_of(ends[0]).what, HasSubstr("rank 2 failed: an exception ended its program"));
  EXPECT_THAT(loss_of(ends[1]).what, HasSubstr("rank 2 failed: an exception ended its program"));
}

TEST(rank_failure, amid_jobs_is_told_though_the_program_goes_on) {
  std::atomic<int> ended = 0;
  ranks_in_process(waiting_ranks(2)).on_clusters([&](cluster& over, std::uint32_t rank) {
    try {
      share_jobs(over, rank == 0 ? "out of luck" : "");
    } catch (std::exception const&) {
      auto const what = loss_of(std::current_exception()).what;
      EXPECT_THAT(what, HasSubstr(rank == 0 ? "out of luck" : "rank 0 failed: an exception"));
    }
    ++ended;
    await("the other rank", [&] { return ended == 2; });
  });
}

TEST(rank_failure, is_among_the_words_of_lost_tasks) {
  gates of_ranks(2);
  auto const ends = ranks_in_process(waiting_ranks(2)).ends_of([&](cluster& over, std::uint32_t rank) {
    cluster_queue queue(over, open_devices("host:1"), cluster_kernels(), options_of({}));
    of_ranks.publish(queue, rank);
    if (rank == 1) {
      await("a task", [&] { return of_ranks.begun(1) > 0; });
      over.fail("out of luck");
      of_ranks.open(1);
      EXPECT_THAT(refusal<error>([&] { queue.close(); }), HasSubstr("this rank has failed: out of luck"));
      return;
    }
    of_ranks.hold(queue, 0, {0, 1});
    await_loss(over, 1);
    of_ranks.open(0);
    queue.close();
  });
  EXPECT_FALSE(ends[1]);
  EXPECT_THAT(loss_of(ends[0]).what,
              AllOf(HasSubstr("on rank 1, which is lost"), EndsWith("rank 1 failed: out of luck")));
  EXPECT_THAT(loss_of(ends[0]).ranks, ElementsAre(1));
}

TEST(rank_failure, of_a_device_is_told_with_its_cause) {
  std::atomic<bool> has_heard = false;
  ranks_in_process(waiting_ranks(2)).on_queues([&](cluster_queue& queue, std::uint32_t rank) {
    if (rank == 0) {
      auto const end = queue.submit(failing_task());
      refusal<device_lost>([&] { end.wait(); });
      await("the other rank", [&] { return has_heard.load(); });
      return;
    }
    await("the failure", [&] { return queue.describe().find("rank 0 is lost") != std::string::npos; });
    EXPECT_THAT(queue.describe(), HasSubstr("rank 0 failed: device host:1"));
    has_heard = true;
    refusal<rank_lost>([&] { queue.publish(&rank, sizeof rank); });
    queue.close();
  });
}

TEST(rank_failure, is_told_where_the_first_rank_is_needed) {
  std::uint32_t words[2] = {};
  auto const ends = ranks_in_process(waiting_ranks(2)).ends_of([&](cluster& over, std::uint32_t rank) {
    if (rank == 1) {
      auto const why = refusal<rank_lost>([&] { gather_recordings(over, {}); });
      EXPECT_THAT(why,
                  AllOf(HasSubstr("gathers what was recorded"), HasSubstr("rank 0 failed: out of luck")));
      cluster_queue queue(over, open_devices("host:1"), cluster_kernels(), options_of({}));
      queue.publish(&words[rank], sizeof(std::uint32_t));
    }
    over.fail("out of luck");
  });
  EXPECT_THAT(loss_of(ends[1]).what,
              AllOf(HasSubstr("rank 0 is lost"), EndsWith("rank 0 failed: out of luck")));
}

TEST(rank_failure, counts_once_and_is_told_in_few_bytes) {
  ranks_in_process(waiting_ranks(2)).on_clusters([](cluster& over, std::uint32_t rank) {
    if (rank == 1) {
      over.fail(std::string(100'000, 'x'));
      over.fail("once more");
      EXPECT_THAT(refusal<error>([&] { gather_recordings(over, {}); }), HasSubstr("this rank has failed"));
      return;
    }
    await_loss(over, 1);
    auto const queue =
        std::make_unique<cluster_queue>(over, open_devices("host:1"), cluster_kernels(), options_of({}));
    EXPECT_THAT(queue->describe(), HasSubstr("rank 1 failed: xxx"));
    EXPECT_THAT(queue->describe(), SizeIs(testing::Lt(5000u)));
    queue->close();
  });
}

TEST(rank_failure, has_words_also_if_nobody_gave_it_any) {
  ranks_in_process(waiting_ranks(2)).on_clusters([](cluster& over, std::uint32_t rank) {
    if (rank == 1) return over.fail("");
    await_loss(over, 1);
    EXPECT_THAT(refusal<rank_lost>([&] { share_jobs(over); }), HasSubstr("an exception ended its program"));
  });
}

TEST(rank_failure, is_not_to_be_expected_too_soon) {
  EXPECT_EQ(
      refusal<bad_argument>([] { in_process_clusters(2, {.lost_after = std::chrono::milliseconds(1)}); }),
      "lost_after is 1 ms; legal is at least three heartbeats of 1 s");
  EXPECT_EQ(
      refusal<bad_argument>([] { in_process_clusters(2, {.heartbeat = std::chrono::microseconds(10)}); }),
      "heartbeat is 10 us; legal is at least 1 ms");
}

// What a queue alone says of it ends with the queue.
TEST(rank_failure, is_what_a_rank_that_returns_without_close_has_for_the_cluster_too) {
  ranks_in_process(waiting_ranks(3)).on_clusters([](cluster& over, std::uint32_t rank) {
    cluster_queue queue(over, open_devices("host:1"), cluster_kernels(), options_of({}));
    if (rank == 2) return;
    await_loss(over, 2);
    EXPECT_THAT(queue.describe(), HasSubstr("rank 2 failed: its queue went without close()"));
    queue.close();
  });
}

TEST(rank_failure, after_close_is_noticed_at_the_end_of_the_cluster) {
  auto of = waiting_ranks(3);
  of.watch.heartbeat = quick_to_lose().heartbeat;
  of.watch.lost_after = quick_to_lose().lost_after;
  ranks_in_process ranks(of);
  auto const warnings = warnings_of([&] {
    ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
      ranks.open(over, rank)->close();
      if (rank == 2) ranks.lose(2);
    });
  });
  EXPECT_THAT(warnings, Contains(HasSubstr("the end of a cluster waits for nobody: rank 2 is lost")));
}

TEST(rank_failure, is_not_what_a_rank_has_that_is_busy_while_others_end) {
  auto of = waiting_ranks(3);
  of.watch.heartbeat = quick_to_lose().heartbeat;
  of.watch.lost_after = quick_to_lose().lost_after;
  auto const warnings = warnings_of([&] {
    ranks_in_process(of).on_clusters([](cluster&, std::uint32_t rank) {
      if (rank == 0) std::this_thread::sleep_for(2 * quick_to_lose().lost_after);
    });
  });
  EXPECT_THAT(warnings, testing::IsEmpty());
}

}  // namespace
}  // namespace ballast::test::rank_failure_test
