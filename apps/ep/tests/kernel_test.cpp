// SPDX-License-Identifier: Apache-2.0
// Batches, random numbers and the kernel's blocks alone, compared with the sequential program.

#include <gtest/gtest.h>

#include <vector>

#include "ballast/team_block.hpp"
#include "ep/class.hpp"
#include "ep/gaussian_pairs.cuh"
#include "ep/reference.hpp"

namespace ballast::ep {
namespace {

struct results {
  explicit results(batches const& of)
      : cut(of), sx(blocks()), sy(blocks()), counts(std::size_t(blocks()) * annuli) {}

  gaussian_pairs kernel() {
    return {array_ref(sx.data()), array_ref(sy.data()), array_ref(counts.data()), cut.count(),
            cut.pairs_of_each()};
  }
  std::uint32_t blocks() const { return gaussian_pairs::blocks_for(cut.count()); }
  tally sum() const { return sum_of(sx, sy, counts); }

  batches cut;
  std::vector<double> sx, sy;
  std::vector<std::uint32_t> counts;
};

tally found_by_blocks(std::uint32_t log2_pairs) {
  results all{batches(log2_pairs)};
  gaussian_pairs::scratch scratch;
  detail::run_blocks<detail::host_block>(all.kernel(), {0, all.blocks()}, &scratch);
  return all.sum();
}

TEST(ep_batches, are_about_four_million_of_256_to_65536_pairs) {
  struct {
    std::uint32_t log2_pairs, log2_count, log2_of_each;
  } const known[] = {{0, 0, 0},   {7, 0, 7},   {9, 1, 8},    {24, 16, 8},
                     {28, 20, 8}, {30, 22, 8}, {36, 22, 14}, {40, 24, 16}};
  for (auto const& [pairs, count, of_each] : known) {
    EXPECT_EQ(batches(pairs).log2_count, count) << pairs;
    EXPECT_EQ(batches(pairs).log2_pairs_of_each, of_each) << pairs;
  }
}

TEST(ep_random_numbers, are_the_same_wherever_they_begin) {
  auto from_start = random_numbers::from(0);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    auto jumped = random_numbers::from(k);
    ASSERT_EQ(from_start.next(), jumped.next()) << k;
  }
}

TEST(ep_random_numbers, are_the_whole_number_by_two_to_the_46) {
  auto numbers = random_numbers::from(0);
  EXPECT_EQ(numbers.next(), double(271828183ull * 1220703125 % (1ull << 46)) / double(1ull << 46));
}

TEST(ep_random_numbers, come_back_after_their_period_of_two_to_the_44) {
  auto first = random_numbers::from(5), again = random_numbers::from((1ull << 44) + 5);
  EXPECT_EQ(first.next(), again.next());
}

TEST(ep_kernel, finds_the_same_as_the_sequential_program) {
  for (std::uint32_t const log2_pairs : {0u, 5u, 8u, 9u, 16u, 20u}) {
    auto const found = found_by_blocks(log2_pairs), expected = run_sequentially(log2_pairs);
    EXPECT_EQ(found.counts, expected.counts) << log2_pairs;
    EXPECT_NEAR(found.sx, expected.sx, 1e-12 * double(expected.pairs())) << log2_pairs;
    EXPECT_NEAR(found.sy, expected.sy, 1e-12 * double(expected.pairs())) << log2_pairs;
  }
}

TEST(ep_kernel, finds_the_same_bits_with_several_threads_to_a_block) {
  results alone{batches(15)}, together{batches(15)};
  gaussian_pairs::scratch scratch;
  detail::run_blocks<detail::host_block>(alone.kernel(), {0, alone.blocks()}, &scratch);
  run_with_team<4>(together.kernel(), {0, together.blocks()});
  EXPECT_EQ(alone.sx, together.sx);
  EXPECT_EQ(alone.sy, together.sy);
  EXPECT_EQ(alone.counts, together.counts);
}

TEST(ep_kernel, finds_what_is_known_of_class_S) {
  EXPECT_TRUE(is_right(found_by_blocks(24), class_named("S")));
}

TEST(ep_reference, finds_what_is_known_of_class_S) {
  EXPECT_TRUE(is_right(run_sequentially(24), class_named("S")));
}

}  // namespace
}  // namespace ballast::ep
