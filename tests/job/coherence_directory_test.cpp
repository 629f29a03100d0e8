// SPDX-License-Identifier: Apache-2.0
#include "arrays/coherence_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coherence_fixture.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using coherence_directory_test = coherence_fixture;

TEST_F(coherence_directory_test, begins_with_all_bytes_at_the_host) {
  EXPECT_THAT(directory.missing(host, {0, 100}), IsEmpty());
  EXPECT_THAT(directory.missing(left, {10, 100}), ElementsAre(byte_range{10, 100}));
  EXPECT_THAT(directory.holders({0, 100}), ElementsAre(held_bytes{{0, 100}, 1}));
}

TEST_F(coherence_directory_test, may_begin_with_all_bytes_at_a_device) {
  coherence_directory const there(100, 3, ops, right);
  EXPECT_THAT(there.missing(right, {0, 100}), IsEmpty());
  EXPECT_THAT(there.holders({0, 100}), ElementsAre(held_bytes{{0, 100}, 4}));
  EXPECT_EQ(refused_argument([&] { coherence_directory(1, 3, ops, place_id(3)); }), "place");
}

TEST_F(coherence_directory_test, counts_what_arrived_as_there_and_leaves_the_rest_missing) {
  arrive(host, left, {20, 30});
  arrive(host, left, {30, 40});
  arrive(host, right, {35, 50});
  EXPECT_THAT(directory.missing(left, {0, 100}), ElementsAre(byte_range{0, 20}, byte_range{40, 100}));
  EXPECT_THAT(directory.holders({10, 45}), ElementsAre(held_bytes{{10, 20}, 1}, held_bytes{{20, 35}, 3},
                                                       held_bytes{{35, 40}, 7}, held_bytes{{40, 45}, 5}));
}

TEST_F(coherence_directory_test, moves_one_row_of_halo_and_no_more_after_a_neighbour_wrote) {
  arrive(host, left, {0, 60});
  write(right, {50, 100});
  EXPECT_THAT(directory.missing(left, {0, 60}), ElementsAre(byte_range{50, 60}));
  EXPECT_THAT(directory.holders({50, 60}), ElementsAre(held_bytes{{50, 60}, 4}));
}

TEST_F(coherence_directory_test, a_reader_comes_after_the_copy_that_brings_its_bytes) {
  auto const copy = arrive(host, left, {0, 50});
  EXPECT_THAT(after(read(left, {40, 50})), ElementsAre(copy));
  EXPECT_THAT(after(read(host, {0, 50})), IsEmpty());
}

TEST_F(coherence_directory_test, readers_do_not_come_after_each_other_and_a_writer_after_all) {
  auto const a = read(host, {0, 20}), b = read(host, {10, 30}), c = read(host, {40, 50});
  EXPECT_THAT(after(b), IsEmpty());
  EXPECT_THAT(after(write(host, {0, 40})), ElementsAre(a, b));
  EXPECT_THAT(after(write(host, {45, 50})), ElementsAre(c));
}

TEST_F(coherence_directory_test, a_writer_comes_after_the_writer_before_where_they_meet) {
  auto const a = write(left, {0, 50});
  EXPECT_THAT(after(write(left, {49, 60})), ElementsAre(a));
  EXPECT_THAT(after(write(left, {60, 70})), IsEmpty());
}

TEST_F(coherence_directory_test, a_writer_elsewhere_waits_for_nobody_at_another_place) {
  write(left, {0, 50});
  EXPECT_THAT(after(write(right, {0, 50})), IsEmpty());
}

TEST_F(coherence_directory_test, a_copy_comes_after_readers_of_what_it_overwrites_though_that_was_invalid) {
  auto const reader = read(host, {0, 50});
  auto const writer = write(left, {0, 50});
  EXPECT_THAT(after(arrive(left, host, {0, 50})), ElementsAre(reader, writer));
}

TEST_F(coherence_directory_test, a_writer_comes_after_the_copy_that_reads_what_it_overwrites) {
  auto const copy = arrive(host, left, {0, 50});
  EXPECT_THAT(after(write(host, {20, 30})), ElementsAre(copy));
}

TEST_F(coherence_directory_test, an_operation_that_reads_and_writes_comes_after_others_only) {
  auto const reader = read(host, {0, 50}), both = plan();
  directory.record_read(both, host, {0, 50});
  directory.record_write(both, host, {0, 50});
  EXPECT_THAT(after(both), ElementsAre(reader));
  EXPECT_THAT(after(read(host, {0, 10})), ElementsAre(both));
}

TEST_F(coherence_directory_test, nothing_comes_after_what_has_ended) {
  end(write(left, {0, 50}));
  EXPECT_THAT(after(read(left, {0, 50})), IsEmpty());
  EXPECT_THAT(after(arrive(left, right, {0, 50})), IsEmpty());
}

TEST_F(coherence_directory_test, bytes_written_are_valid_nowhere_else) {
  arrive(host, left, {0, 100});
  arrive(host, right, {0, 100});
  write(left, {30, 40});
  EXPECT_THAT(directory.missing(host, {0, 100}), ElementsAre(byte_range{30, 40}));
  EXPECT_THAT(directory.missing(right, {0, 100}), ElementsAre(byte_range{30, 40}));
  EXPECT_THAT(directory.missing(left, {0, 100}), IsEmpty());
}

TEST_F(coherence_directory_test, evicting_tells_who_still_touches_the_memory) {
  auto const copy = arrive(host, left, {0, 100});
  auto const reader = read(left, {50, 60});
  EXPECT_THAT(directory.record_eviction(left, {0, 100}), ElementsAre(copy, reader));
  EXPECT_THAT(directory.missing(left, {0, 100}), ElementsAre(byte_range{0, 100}));
}

TEST_F(coherence_directory_test, refuses_to_evict_the_only_copy_and_changes_nothing) {
  arrive(host, left, {0, 100});
  write(left, {30, 40});
  EXPECT_EQ(refused_argument([&] { directory.record_eviction(left, {20, 50}); }), "bytes");
  EXPECT_THAT(directory.missing(left, {0, 100}), IsEmpty());
  directory.record_eviction(left, {20, 30});
  EXPECT_THAT(directory.missing(left, {0, 100}), ElementsAre(byte_range{20, 30}));
}

TEST_F(coherence_directory_test, refuses_to_read_or_copy_what_is_not_valid_there) {
  EXPECT_EQ(refused_argument([&] { read(left, {0, 10}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { arrive(left, right, {0, 10}); }), "bytes");
  EXPECT_THAT(directory.missing(right, {0, 10}), ElementsAre(byte_range{0, 10}));
}

TEST_F(coherence_directory_test, refuses_bytes_and_places_that_there_are_not) {
  EXPECT_EQ(refused_argument([&] { directory.missing(host, {90, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { write(host, {100, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { read(host, {90, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { arrive(host, left, {90, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { directory.holders({90, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { directory.users(host, {90, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { directory.writers(host, {90, 101}); }), "bytes");
  EXPECT_EQ(refused_argument([&] { directory.missing(place_id(3), {0, 1}); }), "place");
  EXPECT_EQ(refused_argument([&] { coherence_directory(1, 0, ops); }), "places");
  EXPECT_EQ(refused_argument([&] { coherence_directory(1, 33, ops); }), "places");
  EXPECT_EQ(refused_argument([&] { coherence_directory(1, 32, ops); }), "nothing");
}

TEST_F(coherence_directory_test, of_no_bytes_has_nothing_missing) {
  coherence_directory nothing(0, 2, ops);
  nothing.record_write(plan(), left, {0, 0});
  EXPECT_THAT(nothing.missing(left, {0, 0}), IsEmpty());
  EXPECT_THAT(nothing.holders({0, 0}), IsEmpty());
  EXPECT_FALSE(nothing.lost({0, 0}));
}

}  // namespace
}  // namespace ballast::test
