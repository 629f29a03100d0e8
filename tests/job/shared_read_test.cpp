// SPDX-License-Identifier: Apache-2.0
#include "shared_read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "array_ledger.hpp"
#include "invented_machine.hpp"

namespace ballast::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t most = most_bytes_of_copy;
constexpr place_id host{0};

std::vector<place_id> places(std::uint32_t first, std::uint32_t last) {
  std::vector<place_id> found;
  for (auto place = first; place <= last; ++place) found.emplace_back(place);
  return found;
}

std::size_t bytes_from_host(std::vector<shared_copy> const& copies) {
  std::size_t sum = 0;
  for (auto const& copy : copies) sum += copy.from == host ? copy.bytes.size() : 0;
  return sum;
}

/// The ledger refuses a copy whose source is not valid; here no byte may come twice either.
void expect_to_bring_each_byte_once(std::vector<shared_copy> const& copies, byte_range bytes,
                                    std::vector<place_id> const& readers) {
  operations ops;
  array_ledger ledger(bytes.end, 9, ops);
  for (auto const& [from, to, piece] : copies) {
    ASSERT_LE(piece.size(), most);
    ASSERT_THAT(ledger.missing(to, piece), ElementsAre(piece));
    ledger.note_arrival(ops.add(op_kind::copy, {to.value(), 0}), from, to, piece);
  }
  for (auto const reader : readers) EXPECT_THAT(ledger.missing(reader, bytes), IsEmpty());
}

TEST(chunks, are_the_bytes_themselves_up_to_16_mib) {
  EXPECT_THAT(chunks_of(byte_range{5, 5 + most}), ElementsAre(byte_range{5, 5 + most}));
  EXPECT_THAT(chunks_of(byte_range{5, 6 + most}),
              ElementsAre(byte_range{5, 5 + most}, byte_range{5 + most, 6 + most}));
  EXPECT_THAT(chunks_of(byte_range{5, 5}), IsEmpty());
}

TEST(chunks, of_rows_are_whole_rows) {
  pitched_run const rows{7, most / 4, 9, most, 1, 0};
  EXPECT_THAT(chunks_of(rows), ElementsAre(pitched_run{7, most / 4, 4, most, 1, 0},
                                           pitched_run{7 + 4 * most, most / 4, 4, most, 1, 0},
                                           pitched_run{.first = 7 + 8 * most, .length = most / 4}));
}

TEST(chunks, of_rows_that_are_larger_are_parts_of_one) {
  EXPECT_THAT(chunks_of(pitched_run{0, most + 1, 2, 3 * most, 1, 0}),
              ElementsAre(pitched_run{.first = 0, .length = most}, pitched_run{.first = most, .length = 1},
                          pitched_run{.first = 3 * most, .length = most},
                          pitched_run{.first = 4 * most, .length = 1}));
}

TEST(chunks, of_planes_are_whole_planes_or_rows_of_one) {
  pitched_run const small{0, most / 8, 4, most, 3, 8 * most};
  EXPECT_THAT(chunks_of(small), ElementsAre(pitched_run{0, most / 8, 4, most, 2, 8 * most},
                                            pitched_run{16 * most, most / 8, 4, most, 1, 0}));
  pitched_run const large{0, most / 2, 3, most, 2, 8 * most};
  EXPECT_THAT(chunks_of(large), ElementsAre(pitched_run{0, most / 2, 2, most, 1, 0},
                                            pitched_run{.first = 2 * most, .length = most / 2},
                                            pitched_run{8 * most, most / 2, 2, most, 1, 0},
                                            pitched_run{.first = 10 * most, .length = most / 2}));
}

TEST(chunks, of_nothing_are_none) { EXPECT_THAT(chunks_of(pitched_run{}), IsEmpty()); }

class shared_reads : public testing::TestWithParam<std::uint32_t> {};

TEST_P(shared_reads, leave_the_host_once_and_bring_all_bytes_to_all) {
  auto const readers = places(1, GetParam());
  for (auto const size : {std::size_t(0), std::size_t(1), std::size_t(1000), 3 * most + 17, 40 * most}) {
    byte_range const bytes{100, 100 + size};
    auto const copies = shared_read(bytes, readers, invented_machine(8, 8));
    EXPECT_EQ(bytes_from_host(copies), size);
    expect_to_bring_each_byte_once(copies, bytes, readers);
  }
}
INSTANTIATE_TEST_SUITE_P(readers, shared_reads, testing::Values(1, 2, 3, 8));

TEST(shared_read, takes_a_stripe_from_the_host_and_the_others_in_a_ring) {
  auto const copies = shared_read({0, 768}, places(1, 3), invented_machine(3, 3));
  byte_range const first{0, 256}, second{256, 512}, third{512, 768};
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

TEST(shared_read, passes_the_first_chunks_on_before_the_second_ones_come) {
  auto const copies = shared_read({0, 4 * most}, places(1, 2), invented_machine(2, 2));
  ASSERT_EQ(copies.size(), 8u);
  for (int i : {0, 1, 4, 5}) EXPECT_EQ(copies[std::size_t(i)].from, host);
  for (int i : {2, 3, 6, 7}) EXPECT_NE(copies[std::size_t(i)].from, host);
}

TEST(shared_read, takes_all_from_the_host_without_direct_links) {
  auto const copies = shared_read({0, 3 * most}, places(1, 4), invented_machine(4, 1));
  EXPECT_EQ(bytes_from_host(copies), 4 * 3 * most);
  expect_to_bring_each_byte_once(copies, {0, 3 * most}, places(1, 4));
}

TEST(shared_read, leaves_the_host_once_for_each_island) {
  auto const copies = shared_read({0, 3 * most}, places(1, 5), invented_machine(5, 2));
  EXPECT_EQ(bytes_from_host(copies), 3 * 3 * most);
  expect_to_bring_each_byte_once(copies, {0, 3 * most}, places(1, 5));
}

}  // namespace
}  // namespace ballast::test
