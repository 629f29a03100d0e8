// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "queue_ranks.hpp"

namespace ballast::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

recording recorded_by(std::uint32_t rank, std::size_t spans = 3) {
  recording mine{{"host:1#0", "host:1#1"}, {}, rank};
  for (std::size_t i = 0; i < spans; ++i)
    mine.spans.push_back({i % 2,
                          rank,
                          "kernel " + std::to_string(i),
                          std::int64_t(i),
                          i + 1,
                          1'000 + 10 * rank,
                          2'000,
                          {{"steals", i}}});
  return mine;
}

TEST(gather_recordings, rank_0_has_the_devices_and_spans_of_all_ranks_and_the_others_nothing) {
  ranks_in_process({.ranks = 3}).on_clusters([](cluster& over, std::uint32_t rank) {
    auto const all = gather_recordings(over, recorded_by(rank));
    if (rank != 0) {
      EXPECT_THAT(all.devices, IsEmpty());
      return;
    }
    EXPECT_THAT(all.devices, ElementsAre("rank 0 host:1#0", "rank 0 host:1#1", "rank 1 host:1#0",
                                         "rank 1 host:1#1", "rank 2 host:1#0", "rank 2 host:1#1"));
    EXPECT_EQ(all.dropped, 0u + 1 + 2);
    ASSERT_EQ(all.spans.size(), 9u);
    for (std::uint32_t from = 0; from < 3; ++from)
      for (std::size_t i = 0; i < 3; ++i) {
        auto got = all.spans[from * 3 + i], sent = recorded_by(from).spans[i];
        EXPECT_EQ(got.end_ns - got.begin_ns, sent.end_ns - sent.begin_ns);
        sent.begin_ns = got.begin_ns;
        sent.end_ns = got.end_ns;
        sent.device += 2 * from;
        EXPECT_EQ(got, sent);
      }
  });
}

// Threads of one process have one clock.
TEST(gather_recordings, times_are_moved_by_less_than_messages_take) {
  ranks_in_process({.ranks = 2}).on_clusters([](cluster& over, std::uint32_t rank) {
    auto const before = clock::now();
    auto const all = gather_recordings(over, recorded_by(rank, 1));
    auto const took = std::chrono::nanoseconds(clock::now() - before).count();
    if (rank != 0) return;
    EXPECT_NEAR(double(all.spans[1].begin_ns), 1'010, double(took));
  });
}

TEST(gather_recordings, what_exceeds_a_message_arrives_whole_and_beside_a_queue_and_again) {
  constexpr std::size_t many = 20'000;
  tallied_tasks tasks(3, 50);
  ranks_in_process ranks({.ranks = 3});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto const queue = ranks.open(over, rank);
    tasks.publish(*queue, rank);
    for (int round = 0; round < 2; ++round) {
      auto const end = queue->submit(tasks.batch(rank, std::uint32_t(25 * round), 25));
      auto const all = gather_recordings(over, recorded_by(rank, many));
      EXPECT_EQ(all.spans.size(), rank == 0 ? 3 * many : 0u);
      end.wait();
    }
    queue->close();
  });
}

TEST(gather_recordings, a_rank_that_is_lost_is_left_out) {
  ranks_in_process ranks({.ranks = 3, .watch = quick_to_lose()});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    if (rank == 1) return ranks.lose(1);
    auto const all = gather_recordings(over, recorded_by(rank));
    EXPECT_EQ(all.spans.size(), rank == 0 ? 6u : 0u);
  });
}

TEST(gather_recordings, who_waits_in_vain_is_told_for_whom) {
  ranks_in_process ranks({.ranks = 3});
  std::atomic<int> waited = 0;
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto const until = deadline::in(std::chrono::milliseconds(20));
    if (rank == 0) {
      EXPECT_THAT(refusal<timed_out>([&] {
                    gather_recordings(over, {{"host:1"}, {}, 0}, until);
                  }),
                  AllOf(HasSubstr("rank 1 has not sent"), HasSubstr("rank 2 has not sent")));
    }
    ++waited;
    await("the others", [&] { return waited == 3; });
  });
}

}  // namespace
}  // namespace ballast::test
