// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "ballast/error.hpp"
#include "complaint.hpp"
#include "in_process_transport.hpp"
#include "sanitized.hpp"
#include "transport_contract.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using rank_part = std::function<void(transport&)>;

// Runs the part of each rank on a thread of its own, and closes.
void on_each_rank(std::uint32_t ranks, in_process_options const& options, rank_part const& part) {
  std::vector<std::jthread> threads;
  for (auto const& make : in_process_ranks(ranks, options).makers()) {
    threads.emplace_back([make, &part] {
      auto const own = make();
      part(*own);
      EXPECT_NO_THROW(own->close());
    });
  }
}

in_process_options delayed() {
  in_process_options options;
  options.least_delay_ns = 1'000;
  options.most_delay_ns = 200'000;
  options.seed = 7;
  return options;
}

class every_in_process_transport : public testing::TestWithParam<in_process_options> {};
INSTANTIATE_TEST_SUITE_P(at_once_and_delayed, every_in_process_transport,
                         testing::Values(in_process_options{}, delayed()),
                         [](auto const& name) { return name.index == 0 ? "at_once" : "delayed"; });

TEST_P(every_in_process_transport, delivers_all_messages_of_all_ranks_whole_and_in_order) {
  for (std::uint32_t const ranks : {1, 2, 4})
    on_each_rank(ranks, GetParam(), [](transport& own) { all_send_to_all(own, sanitized ? 16 : 80); });
}

TEST_P(every_in_process_transport, places_messages_where_they_are_to_be) {
  for (std::uint32_t const ranks : {1, 2, 4})
    on_each_rank(ranks, GetParam(), placed_messages_come_where_they_are_to_be);
}

TEST_P(every_in_process_transport, sends_to_others_while_one_takes_nothing) {
  std::barrier all(4);
  on_each_rank(4, GetParam(),
               [&](transport& own) { one_takes_nothing(own, [&] { all.arrive_and_wait(); }); });
}

TEST_P(every_in_process_transport, refuses_messages_that_cannot_be_sent) {
  for (std::uint32_t const ranks : {1, 2}) on_each_rank(ranks, GetParam(), wrong_messages_are_refused);
}

TEST_P(every_in_process_transport, closes_when_all_ranks_do) {
  std::uint32_t const ranks = 4;
  std::atomic<std::uint32_t> closing = 0;
  std::vector<std::jthread> threads;
  for (auto const& make : in_process_ranks(ranks, GetParam()).makers()) {
    threads.emplace_back([make, &closing, ranks] {
      auto const own = make();
      ++closing;
      own->close();
      EXPECT_EQ(closing, ranks);
    });
  }
}

TEST(in_process_transport, groups_ranks_by_hosts_of_which_the_last_may_be_smaller) {
  in_process_options options;
  options.host_ranks = 2;
  auto const makers = in_process_ranks(5, options).makers();
  for (auto const& make : makers) place_is_legal(*make());
  auto const fourth = makers[3]()->place(), last = makers[4]()->place();
  EXPECT_EQ(fourth.host_first, 2u);
  EXPECT_EQ(fourth.host_ranks, 2u);
  EXPECT_EQ(last.host_first, 4u);
  EXPECT_EQ(last.host_ranks, 1u);
  EXPECT_EQ(in_process_ranks(5).makers()[4]()->place().host_ranks, 5u);
}

TEST(in_process_transport, has_room_for_so_many_messages_of_each_pair) {
  in_process_options options;
  options.pair_messages = 3;
  auto const makers = in_process_ranks(3, options).makers();
  auto const first = makers[0](), second = makers[1](), third = makers[2]();
  for (std::uint32_t index = 0; index < 3; ++index) first->send(1, message_of(0, 1, index));
  EXPECT_EQ(first->room_for(1), 0u);
  EXPECT_EQ(refused_argument([&] { first->send(1, message_of(0, 1, 3)); }), "to");
  EXPECT_EQ(first->room_for(2), 3u);
  EXPECT_EQ(third->room_for(1), 3u);
  EXPECT_TRUE(second->receive());
  EXPECT_EQ(first->room_for(1), 1u);
}

TEST(in_process_transport, receives_from_each_rank_in_turn) {
  auto const makers = in_process_ranks(3).makers();
  auto const first = makers[0](), second = makers[1](), third = makers[2]();
  for (auto* const from : {second.get(), third.get()})
    for (std::uint32_t index = 0; index < 2; ++index) from->send(0, message_of(1, 0, index));
  for (std::uint32_t const from : {1, 2, 1, 2}) EXPECT_EQ(first->receive()->from, from);
}

TEST(in_process_transport, holds_a_message_back_until_its_time) {
  in_process_options options;
  options.least_delay_ns = options.most_delay_ns = 3'600'000'000'000;
  auto const makers = in_process_ranks(2, options).makers();
  auto const first = makers[0](), second = makers[1]();
  first->send(1, message_of(0, 1, 0));
  EXPECT_FALSE(second->receive());
  EXPECT_EQ(first->room_for(1), options.pair_messages - 1);
}

TEST(in_process_transport, loses_what_comes_from_a_lost_rank_and_goes_to_it) {
  in_process_ranks ranks(3);
  auto const makers = ranks.makers();
  auto const first = makers[0](), second = makers[1](), third = makers[2]();
  auto const all_send = [&] {
    first->send(1, message_of(0, 1, 0));
    second->send(0, message_of(1, 0, 0));
    first->send(2, message_of(0, 2, 0));
  };
  all_send();
  ranks.lose(1);
  all_send();
  EXPECT_FALSE(first->receive());
  EXPECT_FALSE(second->receive());
  EXPECT_TRUE(third->receive());
  EXPECT_TRUE(third->receive());
}

TEST(in_process_transport, says_how_many_ranks_have_closed_when_it_waited_in_vain) {
  in_process_options options;
  options.timeout = clock::duration::zero();
  auto const makers = in_process_ranks(2, options).makers();
  auto const first = makers[0]();
  EXPECT_THAT(complaint([&] { first->close(); }), testing::HasSubstr("1 of 2 ranks have closed"));
}

TEST(in_process_transport, is_refused_what_no_network_is) {
  auto const refused = [](std::uint32_t ranks, in_process_options const& options) {
    return refused_argument([&] { in_process_ranks(ranks, options); });
  };
  in_process_options no_room, negative, reversed;
  no_room.pair_messages = 0;
  negative.least_delay_ns = -1;
  reversed.least_delay_ns = 1;
  EXPECT_EQ(refused(0, {}), "ranks");
  EXPECT_EQ(refused(1, no_room), "pair_messages");
  EXPECT_EQ(refused(1, negative), "most_delay_ns");
  EXPECT_EQ(refused(1, reversed), "most_delay_ns");
}

}  // namespace
}  // namespace ballast::test
