// SPDX-License-Identifier: Apache-2.0
#include "arrays/task_planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "arrays/coherence_directory.hpp"
#include "invented_machine.hpp"

namespace ballast::test::shared_read_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t most = max_copy_bytes, least = min_stripe_bytes;
constexpr place_id host{0};
using ranges = std::vector<byte_range>;

std::vector<place_id> places(std::uint32_t first, std::uint32_t last) {
  std::vector<place_id> found;
  for (auto place = first; place <= last; ++place) found.emplace_back(place);
  return found;
}

std::size_t size_of(ranges const& all) {
  std::size_t sum = 0;
  for (auto const range : all) sum += range.size();
  return sum;
}

std::size_t bytes_from_host(std::vector<shared_copy> const& copies) {
  std::size_t sum = 0;
  for (auto const& copy : copies) sum += copy.from == host ? size_of(copy.bytes) : 0;
  return sum;
}

/// The directory refuses a copy whose source is not valid; here no byte may come twice either.
void expect_to_bring_each_byte_once(std::vector<shared_copy> const& copies, ranges const& bytes,
                                    std::vector<place_id> const& readers) {
  operations ops;
  coherence_directory directory(bytes.back().end, 9, ops);
  for (auto const& [from, to, pieces] : copies) {
    ASSERT_LE(size_of(pieces), most);
    for (auto const piece : pieces) {
      ASSERT_THAT(directory.missing(to, piece), ElementsAre(piece));
      directory.record_arrival(ops.add(op_kind::copy, {to.value(), 0}), from, to, piece);
    }
  }
  for (auto const reader : readers)
    for (auto const range : bytes) EXPECT_THAT(directory.missing(reader, range), IsEmpty());
}

TEST(pieces, are_of_so_many_bytes_and_the_last_may_have_fewer) {
  EXPECT_THAT(pieces_of(ranges{{5, 12}}, 3), ElementsAre(ranges{{5, 8}}, ranges{{8, 11}}, ranges{{11, 12}}));
  EXPECT_THAT(pieces_of(ranges{{5, 8}}, 3), ElementsAre(ranges{{5, 8}}));
  EXPECT_THAT(pieces_of({}, 3), IsEmpty());
}

TEST(pieces, go_on_over_gaps) {
  EXPECT_THAT(pieces_of(ranges{{0, 2}, {10, 11}, {20, 24}}, 4),
              ElementsAre(ranges{{0, 2}, {10, 11}, {20, 21}}, ranges{{21, 24}}));
}

class shared_reads : public testing::TestWithParam<std::uint32_t> {};

TEST_P(shared_reads, leave_the_host_once_and_bring_all_bytes_to_all) {
  auto const readers = places(1, GetParam());
  for (auto const size : {std::size_t(1), std::size_t(1000), 3 * most + 17, 40 * most}) {
    ranges const bytes{{100, 100 + size}};
    auto const copies = shared_read(bytes, readers, invented_machine(8, 8));
    EXPECT_EQ(bytes_from_host(copies), size);
    expect_to_bring_each_byte_once(copies, bytes, readers);
  }
}

TEST_P(shared_reads, leave_the_host_once_also_where_they_have_gaps) {
  auto const readers = places(1, GetParam());
  ranges rows;
  for (std::size_t row = 0; row < 100; ++row) rows.push_back({row * most, row * most + least});
  auto const copies = shared_read(rows, readers, invented_machine(8, 8));
  EXPECT_EQ(bytes_from_host(copies), 100 * least);
  expect_to_bring_each_byte_once(copies, rows, readers);
}
INSTANTIATE_TEST_SUITE_P(readers, shared_reads, testing::Values(1, 2, 3, 8));

TEST(shared_read, of_nothing_is_nothing) {
  EXPECT_THAT(shared_read({}, places(1, 3), invented_machine(3, 3)), IsEmpty());
}

TEST(shared_read, takes_a_stripe_from_the_host_and_the_others_in_a_ring) {
  auto const copies = shared_read(ranges{{0, 3 * least}}, places(1, 3), invented_machine(3, 3));
  ranges const first{{0, least}}, second{{least, 2 * least}}, third{{2 * least, 3 * least}};
  place_id const a{1}, b{2}, c{3};
  EXPECT_EQ(copies, (std::vector<shared_copy>{{host, a, first},
                                              {host, b, second},
                                              {host, c, third},
                                              {b, a, second},
                                              {c, b, third},
                                              {a, c, first},
                                              {c, a, third},
                                              {a, b, first},
                                              {b, c, second}}));
}

TEST(shared_read, of_few_bytes_has_one_stripe_that_goes_from_one_to_all) {
  auto const copies = shared_read(ranges{{0, 100}}, places(1, 3), invented_machine(3, 3));
  ranges const all{{0, 100}};
  place_id const a{1}, b{2}, c{3};
  EXPECT_EQ(copies, (std::vector<shared_copy>{{host, a, all}, {a, c, all}, {a, b, all}}));
}

TEST(shared_read, passes_the_first_chunks_on_before_the_second_ones_come) {
  auto const copies = shared_read(ranges{{0, 4 * most}}, places(1, 2), invented_machine(2, 2));
  ASSERT_EQ(copies.size(), 8u);
  for (int i : {0, 1, 4, 5}) EXPECT_EQ(copies[std::size_t(i)].from, host);
  for (int i : {2, 3, 6, 7}) EXPECT_NE(copies[std::size_t(i)].from, host);
}

TEST(shared_read, takes_all_from_the_host_without_direct_links) {
  auto const copies = shared_read(ranges{{0, 3 * most}}, places(1, 4), invented_machine(4, 1));
  EXPECT_EQ(bytes_from_host(copies), 4 * 3 * most);
  expect_to_bring_each_byte_once(copies, {{0, 3 * most}}, places(1, 4));
}

TEST(shared_read, leaves_the_host_once_for_each_island) {
  auto const copies = shared_read(ranges{{0, 3 * most}}, places(1, 5), invented_machine(5, 2));
  EXPECT_EQ(bytes_from_host(copies), 3 * 3 * most);
  expect_to_bring_each_byte_once(copies, {{0, 3 * most}}, places(1, 5));
}

}  // namespace
}  // namespace ballast::test::shared_read_test
