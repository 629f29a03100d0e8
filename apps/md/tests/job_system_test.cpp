// SPDX-License-Identifier: Apache-2.0
// The solution jobs gives S1's results, bit by bit, on one rank or several.
#include "md/job_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "ballast/cluster.hpp"
#include "ballast/job_scheduler.hpp"
#include "complaint.hpp"
#include "folder_test.hpp"
#include "md/checkpoint.hpp"
#include "md/comparison.hpp"
#include "md/trajectory.hpp"
#include "sanitized.hpp"
#include "systems.hpp"
#include "test_devices.hpp"

namespace ballast::md {
namespace {

using test::complaint;
using test::of_one_kind;
using test::scratch_folder;
using test::test_devices;

/// Runs the program once for each rank, as a thread of this process: program(peers, rank).
template <class Program>
void on_ranks(std::uint32_t ranks, Program const& program) {
  auto clusters = in_process_clusters(ranks);
  std::vector<std::jthread> threads;
  for (auto& one : clusters)
    threads.emplace_back([&program, mine = std::move(one)]() mutable {
      auto const rank = mine.rank();
      EXPECT_EQ(complaint([&] { program(job_peers_of(mine), rank); }), "") << "rank " << rank;
    });
}

checkpoint point_after(int steps, solution which, physics const& what, beginning const& from,
                       job_options const& jobs = {}) {
  moved_system const moved(which, test_devices(), what, from.state.size(), {}, jobs);
  simulation run(*moved.system, *moved.by, what, from);
  for (int i = 0; i < steps; ++i) run.step();
  moved.by->leave();
  EXPECT_TRUE(what.all_pairs || run.rebuilds() > 0) << "the test shows less than it should";
  return run.point();
}

struct job_way {
  char const* name;
  bool single, all_pairs;
  boundary edges;
};

class md_jobs : public testing::TestWithParam<job_way> {
 protected:
  void SetUp() override {
    if (!of_one_kind(test_devices())) GTEST_SKIP() << "CPU cores and GPUs round differently";
  }
  static physics what() {
    auto what = shifted(8, GetParam().single);
    what.all_pairs = GetParam().all_pairs;
    what.field.edges = GetParam().edges;
    return what;
  }
  /// Atoms in every cell; one is so fast that it decides when the cells are rebuilt.
  static beginning from() {
    beginning from{shaken_lattice(9), 0, std::nullopt};
    draw_velocities(from.state, 300, 7);
    from.state.velocity[5] = {0.06, 0, 0};
    return from;
  }
  static constexpr int steps = 25;
};

TEST_P(md_jobs, give_the_bits_of_s1_on_one_rank_and_on_several) {
  auto const expected = point_after(steps, solution::s1, what(), from());
  for (std::uint32_t const ranks : {1u, 2u, 3u})
    on_ranks(ranks, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t rank) {
      EXPECT_EQ(point_after(steps, solution::jobs, what(), from(), {.ranks = peers}), expected)
          << "rank " << rank << " of " << ranks;
    });
}

TEST_P(md_jobs, keep_to_their_access_maps) {
  for (auto const& device : test_devices())
    if (device->is_cuda()) GTEST_SKIP() << "maps are checked on CPU cores";
  auto const expected = point_after(steps, solution::s1, what(), from());
  EXPECT_EQ(point_after(steps, solution::jobs, what(), from(),
                        {.policy = "master_worker", .tasks = 64, .check_maps = true}),
            expected);
}

INSTANTIATE_TEST_SUITE_P(ways, md_jobs,
                         testing::Values(job_way{"single_cells_open", true, false, boundary::open},
                                         job_way{"double_cells_periodic", false, false, boundary::periodic},
                                         job_way{"single_cells_periodic", true, false, boundary::periodic},
                                         job_way{"single_all_pairs_open", true, true, boundary::open},
                                         job_way{"double_all_pairs_periodic", false, true,
                                                 boundary::periodic}),
                         [](auto const& each) { return std::string(each.param.name); });

TEST(md_jobs_on_ranks, give_the_same_bits_by_every_policy) {
  auto const what = shifted(8);
  auto const from = warm(700, 300);
  auto const expected = point_after(25, solution::jobs, what, from);
  for (auto const& policy : split_policies())
    on_ranks(2, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t) {
      EXPECT_EQ(
          point_after(25, solution::jobs, what, from, {.policy = std::string(policy.name), .ranks = peers}),
          expected)
          << policy.name;
    });
}

TEST(md_jobs_on_ranks, may_be_more_ranks_than_there_are_blocks) {
  auto what = shifted(8);
  what.all_pairs = true;
  auto const from = warm(100, 100);
  auto const expected = point_after(3, solution::jobs, what, from);
  on_ranks(3, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t) {
    EXPECT_EQ(point_after(3, solution::jobs, what, from, {.ranks = peers}), expected);
  });
}

comparison_plan plan_of_jobs(std::size_t atoms, std::int64_t steps,
                             std::shared_ptr<detail::job_peers> const& peers) {
  auto plan = plan_of(atoms, steps);
  plan.solutions = {solution::jobs};
  plan.jobs.ranks = peers;
  return plan;
}

using md_files_of_ranks = test::folder_test;

TEST_F(md_files_of_ranks, are_written_by_the_first_as_by_one_alone) {
  auto const files_in = [](scratch_folder const& in) {
    return output_files{in.file("c"), in.file("t.xyz"), 4, 4};
  };
  scratch_folder const alone;
  auto plan = plan_of_jobs(300, 10, nullptr);
  plan.files = files_in(alone);
  compare_solutions(test_devices(), plan);
  on_ranks(2, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t) {
    auto together = plan_of_jobs(300, 10, peers);
    together.files = files_in(folder);
    auto const result = compare_solutions(test_devices(), together);
    EXPECT_EQ(result.ranks, 2u);
    EXPECT_GT(result.bytes_sent, 0u);
  });
  EXPECT_EQ(read_checkpoint(folder.file("c")), read_checkpoint(alone.file("c")));
  EXPECT_EQ(read_frames(folder.file("t.xyz")), read_frames(alone.file("t.xyz")));
}

TEST(md_jobs_on_ranks, end_after_the_same_step_when_one_is_asked_to_stop) {
  on_ranks(2, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t rank) {
    comparison_observer observer;
    observer.stepped = [rank](std::int64_t done, std::int64_t) {
      if (rank == 1 && done == 3) request_stop();
    };
    auto const result = compare_solutions(test_devices(), plan_of_jobs(300, 1000, peers), observer);
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.steps, 3);
  });
  clear_stop();
}

TEST(md_jobs_on_ranks, hear_what_any_of_them_says) {
  on_ranks(3, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t rank) {
    auto const system = make_job_system(test_devices(), shifted(8), 100, {.ranks = peers});
    EXPECT_FALSE(system->is_so_on_any_rank(false));
    EXPECT_TRUE(system->is_so_on_any_rank(rank == 1));
    EXPECT_FALSE(system->is_so_on_any_rank(false));
  });
}

TEST(md_jobs_on_ranks, are_all_that_ranks_run_together) {
  on_ranks(2, [&](std::shared_ptr<detail::job_peers> const& peers, std::uint32_t) {
    auto plan = plan_of_jobs(100, 1, peers);
    plan.solutions.push_back(solution::tq);
    EXPECT_THAT(complaint([&] { compare_solutions(test_devices(), plan); }),
                testing::HasSubstr("legal is jobs where several ranks run them"));
  });
}

}  // namespace
}  // namespace ballast::md
