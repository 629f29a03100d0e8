// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/coherence_directory.hpp"
#include "coherence_fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using lost_bytes = coherence_fixture;

TEST_F(lost_bytes, what_a_failed_writer_wrote_is_lost_until_it_is_written_again) {
  auto const failed = write(left, {0, 50});
  end(failed, true);
  directory.record_loss(failed, {0, 50}, job_number(7));
  EXPECT_EQ(directory.lost({49, 100}), job_number(7));
  EXPECT_FALSE(directory.lost({50, 100}));
  write(right, {0, 50});
  EXPECT_FALSE(directory.lost({0, 100}));
}

TEST_F(lost_bytes, what_was_planned_to_be_written_since_is_not_lost) {
  auto const failed = write(left, {0, 50});
  write(left, {10, 50});
  end(failed, true);
  directory.record_loss(failed, {0, 50}, job_number(7));
  EXPECT_EQ(directory.lost({0, 10}), job_number(7));
  EXPECT_FALSE(directory.lost({10, 50}));
}

TEST_F(lost_bytes, who_reads_copies_of_a_failed_write_fails_too) {
  auto const failed = write(left, {0, 50});
  auto const copy = arrive(left, right, {0, 50}), reader = read(right, {0, 10});
  end(failed, true);
  end(copy);
  end(reader);
  EXPECT_EQ(ops.at(reader).status, op_status::failed);
}

TEST_F(lost_bytes, who_reads_right_bytes_that_came_in_one_copy_with_wrong_ones_does_not_fail) {
  auto const failed = write(left, {0, 10});
  auto const good = write(left, {10, 50});
  auto const copy = arrive(left, right, {0, 50}), reader = read(right, {10, 50});
  end(failed, true);
  end(good);
  end(copy);
  end(reader);
  EXPECT_EQ(ops.at(reader).status, op_status::ended);
}

TEST_F(lost_bytes, who_reads_bytes_of_a_failed_copy_or_copies_them_on_fails) {
  auto const copy = arrive(host, left, {0, 50}), onward = arrive(left, right, {0, 50});
  auto const reader = read(right, {0, 50});
  end(copy, true);
  end(onward);
  end(reader);
  EXPECT_EQ(ops.at(reader).status, op_status::failed);
}

TEST_F(lost_bytes, who_moves_bytes_of_a_failed_copy_within_their_place_fails) {
  auto const copy = arrive(host, left, {0, 50}), moved = arrive(left, left, {0, 50});
  end(copy, true);
  end(moved);
  EXPECT_EQ(ops.at(moved).status, op_status::failed);
}

TEST_F(lost_bytes, what_a_failed_copy_did_not_bring_is_still_where_it_was) {
  auto const copy = arrive(host, left, {0, 50});
  end(copy, true);
  directory.record_failed_copy(copy, left, {0, 50}, job_number(7));
  EXPECT_THAT(directory.holders({0, 50}), testing::ElementsAre(held_bytes{{0, 50}, 1}));
  EXPECT_FALSE(directory.lost({0, 50}));
}

TEST_F(lost_bytes, what_was_written_or_brought_again_since_a_failed_copy_stays_valid) {
  auto const copy = arrive(host, left, {0, 50});
  write(left, {0, 10});
  directory.record_eviction(left, {10, 20});
  arrive(host, left, {10, 20});
  end(copy, true);
  directory.record_failed_copy(copy, left, {0, 50}, job_number(7));
  EXPECT_THAT(directory.missing(left, {0, 50}), testing::ElementsAre(byte_range{20, 50}));
}

TEST_F(lost_bytes, what_was_evicted_for_a_copy_that_fails_is_lost) {
  end(write(left, {0, 50}));
  auto const copy = arrive(left, host, {0, 50});
  directory.record_eviction(left, {0, 20});
  end(copy, true);
  directory.record_failed_copy(copy, host, {0, 50}, job_number(7));
  EXPECT_EQ(directory.lost({0, 20}), job_number(7));
  EXPECT_FALSE(directory.lost({20, 50}));
  EXPECT_THAT(directory.holders({0, 50}),
              testing::ElementsAre(held_bytes{{0, 20}, 0}, held_bytes{{20, 50}, 2}));
}

TEST_F(lost_bytes, who_overwrites_a_failed_write_does_not_fail) {
  auto const failed = write(left, {0, 50}), next = write(left, {0, 50});
  end(failed, true);
  end(next);
  EXPECT_EQ(ops.at(next).status, op_status::ended);
}

}  // namespace
}  // namespace ballast::test
