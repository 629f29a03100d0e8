// SPDX-License-Identifier: Apache-2.0
// docs/cluster.md and docs/jobs-over-ranks.md show this.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ballast/cluster.hpp"
#include "ballast/job_scheduler.hpp"
#include "ballast/trace.hpp"
#include "queue_ranks.hpp"
#include "ranked_jobs.cuh"
#include "scratch_folder.hpp"

namespace ballast::test::guide_test {
namespace {

constexpr std::uint32_t height = 24, width = 10;

queue_case waiting_pair() {
  queue_case of{.ranks = 2};
  of.network.ends_together = true;
  of.watch.timeout = generous;
  return of;
}

std::vector<std::uint32_t> on_rank_0_of(cluster& ranks) {
  std::vector<std::uint32_t> result;
  auto const& kernels = ranked_job_kernels;
  auto const print = [&](auto const& all) { result.assign(all.begin(), all.end()); };
  ballast::job_scheduler jobs(ballast::open_devices("host:1"), kernels(),
                              {.device_bytes = 1 << 20, .ranks = ballast::job_peers_of(ranks)});
  ballast::shared_array<std::uint32_t, 2> now(jobs, {height, width}), next(jobs, {height, width});
  std::ranges::fill(now.write(ballast::own_elements), 20);  // each rank its own rows
  for (int step = 0; step < 10; ++step) {
    jobs.submit({height}, reads(now, ballast::neighborhood(1)), writes(next, ballast::rows),
                [](auto from, auto to) {
                  return mix_rows{from, to, height, width};
                });
    std::swap(now, next);  // a row goes to each neighbour, and one comes from each
  }
  auto const all = now.read_on(0);  // empty on the others
  if (jobs.rank() == 0) print(all);
  return result;
}

TEST(guide_to_jobs_over_ranks, has_the_bits_of_one_rank) {
  std::vector<std::uint32_t> expected(height * width, 20);
  for (int step = 0; step < 10; ++step)
    for (auto& value : expected) value *= 3 + 5 + 7;
  ranks_in_process({.ranks = 3}).on_clusters([&](cluster& ranks, std::uint32_t rank) {
    EXPECT_EQ(on_rank_0_of(ranks), rank == 0 ? expected : std::vector<std::uint32_t>());
  });
}

TEST(guide_to_cluster, brings_all_spans_to_rank_0) {
  scratch_folder const folder;
  auto const file = folder.file("run.json");
  ranks_in_process({.ranks = 2}).on_clusters([&](cluster& ranks, std::uint32_t) {
    ballast::recorder recorder({"host:1"});  // on each rank, with the names of its devices
    recorder.record(span{.label = "step", .begin_ns = 1, .end_ns = 2});
    auto const all = ballast::gather_recordings(ranks, recorder.snapshot());  // collective; rank 0 has all
    if (ranks.rank() == 0) ballast::save_chrome_trace(file, all);
  });
  EXPECT_NE(content_of(file).find("rank 1 host:1"), std::string::npos);
}

TEST(guide_to_cluster, has_a_rank_that_fails_say_why) {
  auto const ends = ranks_in_process(waiting_pair()).ends_of([](cluster& ranks, std::uint32_t rank) {
    auto const run = [&](cluster& over) {
      if (rank == 1) throw std::runtime_error("no disk");
      on_rank_0_of(over);
    };
    try {
      run(ranks);
    } catch (std::exception const& failure) {
      ranks.fail(failure.what());  // the others' rank_lost says "rank 1 failed: ..."
      throw;
    }
  });
  ASSERT_TRUE(ends[0]);
  try {
    std::rethrow_exception(ends[0]);
  } catch (std::exception const& loss) {
    EXPECT_THAT(loss.what(), testing::HasSubstr("rank 1 failed: no disk"));
  }
}

}  // namespace
}  // namespace ballast::test::guide_test
