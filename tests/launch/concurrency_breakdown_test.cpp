// SPDX-License-Identifier: Apache-2.0
// The order of launches on a GPU with in-order hardware queues: what is lost in program order, and what other
// orders give back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ballast/launch_queue.hpp"
#include "invented_launch_streams.hpp"

namespace ballast::test {
namespace {

/// How long all submissions take.
std::int64_t time_of(std::string_view order, std::vector<submission> const& submissions,
                     invented_gpu const& gpu) {
  auto const policy = make_order_policy(order);
  auto const runs = invented_launch_streams(submissions, gpu).play(*policy);
  EXPECT_EQ(runs.size(), submissions.size());
  return runs.empty() ? 0 : runs.back().end;
}

/// A Tesla M2090: one hardware queue, 16 multiprocessors, and 16 streams as in the paper.
invented_gpu fermi() { return {1, 16, 16}; }

constexpr std::uint32_t paper_kernels = 128;

/// Kernel i goes to stream (i / in_a_row) % 16, so that many in a row are on the same one.
std::vector<submission> in_rows_of(std::uint32_t in_a_row) {
  std::vector<submission> all;
  for (std::uint32_t i = 0; i < paper_kernels; ++i) all.push_back({.launch_stream = i / in_a_row % 16});
  return all;
}

std::int64_t longest_chain(std::vector<submission> const& submissions) {
  std::map<std::uint32_t, std::int64_t> chains;
  for (auto const& each : submissions) chains[each.launch_stream] += each.duration;
  return std::ranges::max_element(chains, {}, [](auto const& chain) { return chain.second; })->second;
}

/// Launch streams that submit their launches one after another: all of the first, then all of the second.
std::vector<submission> depth_first(std::uint32_t launch_streams, int launches) {
  std::vector<submission> all;
  for (std::uint32_t launch_stream = 0; launch_stream < launch_streams; ++launch_stream)
    for (int i = 0; i < launches; ++i) all.push_back({.launch_stream = launch_stream});
  return all;
}

/// The same with lengths from 25 to 350.
std::vector<submission> mixed_lengths(std::uint32_t launch_streams, int launches) {
  auto all = depth_first(launch_streams, launches);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].duration = static_cast<std::int64_t>(25 + i * 101 % 326);
  return all;
}

TEST(concurrency_breakdown, follows_the_papers_equation_1_exactly) {
  std::array<std::int64_t, 8> const expected_times{8, 65, 86, 97, 103, 107, 110, 113};
  for (std::uint32_t in_a_row = 1; in_a_row <= 8; ++in_a_row) {
    auto const time = time_of("passthrough", in_rows_of(in_a_row), fermi());
    EXPECT_EQ(time, expected_times[in_a_row - 1]) << in_a_row;
    auto const rows = (paper_kernels + in_a_row - 1) / in_a_row;
    double const equation_1 = std::min(16.0, double(paper_kernels) / (paper_kernels - rows + 1));
    EXPECT_EQ(double(paper_kernels) / double(time), equation_1) << in_a_row;
  }
}

TEST(concurrency_breakdown, leaves_hardly_a_speed_up_if_the_listing_is_taken_literally) {
  // As printed, kernel i goes to stream (i / 16) % 16: rows of 16, of which the last and the next first
  // overlap.
  EXPECT_EQ(time_of("passthrough", in_rows_of(16), fermi()), paper_kernels - 8 + 1);
}

TEST(concurrency_breakdown, is_undone_by_the_papers_consumer_and_by_holding_launches) {
  for (std::uint32_t in_a_row = 1; in_a_row <= 8; ++in_a_row)
    for (auto const order : {"round_robin", "held"}) {
      auto const kernels = in_rows_of(in_a_row);
      EXPECT_EQ(time_of(order, kernels, fermi()), longest_chain(kernels)) << order << ' ' << in_a_row;
    }
}

TEST(concurrency_breakdown, shrinks_with_the_hardware_queues) {
  // N chains of L kernels on C queues: each queue runs its ceil(N / C) chains so that only ends and begins
  // overlap.
  std::int64_t const chains = 64, length = 8;
  for (std::int64_t const queues : {1, 3, 8, 32, 64}) {
    invented_gpu const gpu(std::size_t(queues), 132, 64);
    auto const kernels = depth_first(chains, length);
    auto const chains_of_a_queue = (chains + queues - 1) / queues;
    EXPECT_EQ(time_of("passthrough", kernels, gpu), chains_of_a_queue * (length - 1) + 1) << queues;
    EXPECT_EQ(time_of("round_robin", kernels, gpu), length) << queues;
    EXPECT_EQ(time_of("held", kernels, gpu), length) << queues;
  }
}

TEST(concurrency_breakdown, of_unequal_kernels_is_undone_by_holding_but_only_in_part_by_turns) {
  auto const kernels = mixed_lengths(64, 8);
  for (std::size_t const queues : {1, 8}) {
    invented_gpu const gpu(queues, 132, 64);
    auto const program_order = time_of("passthrough", kernels, gpu);
    auto const in_turn = time_of("round_robin", kernels, gpu);
    EXPECT_LT(in_turn, program_order);
    EXPECT_LT(longest_chain(kernels), in_turn);
    EXPECT_EQ(time_of("held", kernels, gpu), longest_chain(kernels));
  }
}

TEST(concurrency_breakdown, does_not_happen_with_a_hardware_queue_for_every_stream) {
  auto const kernels = mixed_lengths(64, 8);
  invented_gpu const gpu(64, 132, 64);
  for (auto const& order : order_policies())
    EXPECT_EQ(time_of(order.name, kernels, gpu), longest_chain(kernels)) << order.name;
}

}  // namespace
}  // namespace ballast::test
