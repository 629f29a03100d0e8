// SPDX-License-Identifier: Apache-2.0
#include "ranks/exchange_port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "plan/job_failed.hpp"

namespace ballast::test::exchange_port_test {
using namespace detail;
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Ranks whose messages wait until the test lets them through; of one pair they stay in order.
class pending_network {
 public:
  explicit pending_network(std::uint32_t ranks) : listeners(ranks, nullptr) {}

  /// Lets through one message, or one step; returns whether anything arrived.
  bool deliver(std::uint32_t from, std::uint32_t to) {
    if (listeners[from] != nullptr) listeners[from]->step();
    bool const is_placed = !holds_placed && place(from, to);
    auto& waiting = pairs[{from, to}];
    if (waiting.empty()) return is_placed;
    auto const message = std::move(waiting.front());
    waiting.pop_front();
    EXPECT_LE(message.size(), job_peers::max_message_bytes);
    message_bytes += message.size();
    if (listeners[to] != nullptr)
      listeners[to]->receive(from, std::span(message).subspan(job_peers::reserved_bytes));
    return true;
  }
  /// Until two rounds let nothing through: what a step of the first has left then moves in the second.
  void deliver_all() {
    for (int round = 0, idle = 0; round < 1000 && idle < 2; ++round) idle = deliver_round() ? 0 : idle + 1;
  }
  bool deliver_round() {
    bool any = false;
    for (std::uint32_t from = 0; from < listeners.size(); ++from)
      for (std::uint32_t to = 0; to < listeners.size(); ++to)
        if (from != to && deliver(from, to)) any = true;
    return any;
  }

  /// The first that was posted and sent.
  bool place(std::uint32_t from, std::uint32_t to) {
    auto const is_here = [&](placed_receive const& one) {
      return one.from == from && !placed[{from, to, one.tag}].empty();
    };
    auto const come = std::ranges::find_if(posted[to], is_here);
    if (come == posted[to].end()) return false;
    auto const what = *come;
    posted[to].erase(come);
    auto& sent = placed[{from, to, what.tag}];
    EXPECT_EQ(what.into.size(), sent.front().size());
    std::ranges::copy(sent.front(), what.into.begin());
    sent.pop_front();
    if (listeners[to] != nullptr) listeners[to]->hear_of_placed(what.number);
    return true;
  }

  std::vector<peer_listener*> listeners;
  std::map<std::uint32_t, std::deque<placed_receive>> posted;  ///< by rank
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<std::vector<std::byte>>>
      placed;
  std::uint32_t placed_room = 3, tags = 0;
  std::size_t message_bytes = 0;  ///< of all
  bool can_post = true, holds_placed = false;
  std::set<std::uint32_t> used_tags;
  std::vector<std::string> causes;  ///< of those that closed before the end
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::vector<std::byte>>> pairs;
};

class pending_peers final : public job_peers {
 public:
  pending_peers(pending_network& network, std::uint32_t rank) : network_(network), rank_(rank) {}

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t ranks() const override { return std::uint32_t(network_.listeners.size()); }
  void open(peer_listener& listener) override { network_.listeners[rank_] = &listener; }
  void close(bool is_over, std::string_view why) override {
    if (!is_over) network_.causes.emplace_back(why);
    network_.listeners[rank_]->step();
    network_.listeners[rank_] = nullptr;
  }
  void wake() override {}
  void send(std::uint32_t to, std::vector<std::byte> message) override {
    network_.pairs[{rank_, to}].push_back(std::move(message));
  }
  std::size_t waiting() const override {
    std::size_t sum = 0;
    for (auto const& [pair, messages] : network_.pairs)
      if (pair.first == rank_) sum += messages.size();
    return sum;
  }
  bool can_post() const override { return network_.can_post; }
  std::uint32_t next_tag() override {
    network_.used_tags.insert(network_.tags);
    return network_.tags++;
  }
  void free_tag(std::uint32_t tag) override { EXPECT_EQ(network_.used_tags.erase(tag), 1u); }
  void post(placed_receive what) override { network_.posted[rank_].push_back(std::move(what)); }
  std::uint32_t placed_room_for(std::uint32_t to) const override {
    std::size_t waiting = 0;
    for (auto const& [way, messages] : network_.placed)
      if (std::get<0>(way) == rank_ && std::get<1>(way) == to) waiting += messages.size();
    return network_.placed_room - std::uint32_t(waiting);
  }
  void send_placed(std::uint32_t to, std::uint32_t tag, std::span<std::byte const> bytes) override {
    EXPECT_GT(placed_room_for(to), 0u);
    EXPECT_LE(bytes.size(), max_placed_bytes);
    network_.placed[{rank_, to, tag}].emplace_back(bytes.begin(), bytes.end());
  }

 private:
  pending_network& network_;
  std::uint32_t const rank_;
};

/// A rank with memory of its own.
class port_of_rank {
 public:
  port_of_rank(pending_network& network, std::uint32_t rank, std::size_t bytes)
      : memory(bytes),
        port(
            std::make_shared<pending_peers>(network, rank),
            [this](std::shared_ptr<operation_progress> const& of) { ended.push_back(of->op().value()); },
            [this](std::exception_ptr const& why) { failures.push_back(cause_of(why)); }) {}

  void begin(exchange_id id, bool is_sent, std::uint32_t peer, std::vector<byte_range> bytes,
             std::uint64_t op) {
    port.begin({id, is_sent, peer, std::move(bytes)}, memory.data(), owner,
               std::make_shared<operation_progress>(op_id(op), op_stream{}, backend::host));
  }

  std::vector<std::byte> memory;
  std::shared_ptr<void const> owner;  ///< null: the memory is a caller's
  std::vector<std::uint64_t> ended;
  std::vector<std::string> failures;
  exchange_port port;
};

std::vector<std::unique_ptr<port_of_rank>> ports(pending_network& network, std::size_t bytes) {
  std::vector<std::unique_ptr<port_of_rank>> all;
  for (std::uint32_t rank = 0; rank < network.listeners.size(); ++rank)
    all.push_back(std::make_unique<port_of_rank>(network, rank, bytes));
  return all;
}

TEST(exchange_port, sends_bytes_when_they_are_there_and_wanted_whatever_comes_first) {
  for (bool const sender_first : {true, false}) {
    pending_network network(2);
    auto const all = ports(network, 100);
    all[0]->memory.assign(100, std::byte(7));
    auto const send = [&] { all[0]->begin({1, 0}, true, 1, {{10, 20}, {50, 51}}, 3); };
    auto const receive = [&] { all[1]->begin({1, 0}, false, 0, {{10, 20}, {50, 51}}, 4); };
    sender_first ? send() : receive();
    network.deliver_all();
    EXPECT_THAT(all[0]->ended, IsEmpty());
    EXPECT_THAT(all[1]->ended, IsEmpty());
    sender_first ? receive() : send();
    network.deliver_all();
    EXPECT_THAT(all[0]->ended, ElementsAre(3));
    EXPECT_THAT(all[1]->ended, ElementsAre(4));
    std::vector<std::byte> expected(100);
    std::fill_n(expected.begin() + 10, 10, std::byte(7));
    expected[50] = std::byte(7);
    EXPECT_EQ(all[1]->memory, expected);
  }
}

TEST(exchange_port, gives_the_times_of_a_step_once_when_all_ranks_have_told_theirs) {
  pending_network network(2);
  auto const all = ports(network, 1);
  all[0]->port.tell_time(5, {10, 20});
  network.deliver_all();
  for (auto const& one : all) EXPECT_FALSE(one->port.take_times(5));
  EXPECT_EQ(all[0]->port.missing_times(5), "rank 1 has not told its time\n");
  all[1]->port.tell_time(5, {30, 40});
  network.deliver_all();
  for (auto const& one : all) {
    EXPECT_FALSE(one->port.take_times(6));
    auto const times = one->port.take_times(5);
    ASSERT_TRUE(times);
    ASSERT_EQ(times->size(), 2u);
    EXPECT_EQ(times->front().units, 10u);
    EXPECT_EQ(times->front().ns, 20u);
    EXPECT_EQ(times->back().units, 30u);
    EXPECT_EQ(times->back().ns, 40u);
    EXPECT_FALSE(one->port.take_times(5)) << "they were taken";
  }
}

TEST(exchange_port, carries_more_than_a_message_holds_beside_smaller_ones) {
  pending_network network(2);
  auto const all = ports(network, 1 << 20);
  std::mt19937 random(1);
  for (auto& byte : all[0]->memory) byte = std::byte(random());
  all[0]->begin({1, 0}, true, 1, {{0, 300'000}, {400'000, 1 << 20}}, 1);
  all[0]->begin({1, 1}, true, 1, {{300'000, 300'010}}, 2);
  all[1]->begin({1, 0}, false, 0, {{0, 300'000}, {400'000, 1 << 20}}, 1);
  all[1]->begin({1, 1}, false, 0, {{300'000, 300'010}}, 2);
  network.deliver_all();
  EXPECT_THAT(all[1]->ended, UnorderedElementsAre(1, 2));
  auto expected = all[0]->memory;
  std::fill(expected.begin() + 300'010, expected.begin() + 400'000, std::byte(0));
  EXPECT_EQ(all[1]->memory, expected);
}

TEST(exchange_port, has_long_ranges_placed_where_they_are_to_be) {
  pending_network network(2);
  auto const all = ports(network, 4 << 20);
  std::mt19937 random(1);
  for (auto& byte : all[0]->memory) byte = std::byte(random());
  auto const owner = std::make_shared<int>();
  all[1]->owner = owner;
  std::vector<byte_range> const first{{0, 65'000}, {400'000, 3 << 20}}, second{{3 << 20, 4 << 20}};
  all[1]->begin({1, 0}, false, 0, first, 1);
  all[1]->begin({1, 1}, false, 0, second, 2);
  network.deliver(1, 0);
  EXPECT_GT(owner.use_count(), 3) << "what is posted keeps its memory";
  all[0]->begin({1, 1}, true, 1, second, 2);
  all[0]->begin({1, 0}, true, 1, first, 1);
  network.deliver_all();
  EXPECT_THAT(all[0]->ended, UnorderedElementsAre(1, 2));
  EXPECT_THAT(all[1]->ended, UnorderedElementsAre(1, 2));
  EXPECT_LT(network.message_bytes, 1000u);
  EXPECT_EQ(owner.use_count(), 2) << "nothing is kept when all has come";
  EXPECT_THAT(network.used_tags, IsEmpty());
  auto expected = all[0]->memory;
  std::fill(expected.begin() + 65'000, expected.begin() + 400'000, std::byte(0));
  EXPECT_EQ(all[1]->memory, expected);
}

TEST(exchange_port, takes_no_end_of_a_rank_for_a_difference_while_what_it_sent_is_on_its_way) {
  pending_network network(2);
  network.placed_room = 8;
  auto const all = ports(network, 1 << 20);
  all[0]->memory.assign(1 << 20, std::byte(7));
  all[1]->owner = std::make_shared<int>();
  all[1]->begin({1, 0}, false, 0, {{0, 1 << 20}}, 1);
  all[0]->begin({1, 0}, true, 1, {{0, 1 << 20}}, 2);
  network.holds_placed = true;
  network.deliver_all();
  EXPECT_THAT(all[0]->ended, ElementsAre(2));
  all[1]->port.hear_of_end(0);
  EXPECT_THAT(all[1]->failures, IsEmpty());
  EXPECT_THAT(all[1]->ended, IsEmpty());
  network.holds_placed = false;
  network.deliver_all();
  EXPECT_THAT(all[1]->ended, ElementsAre(1));
  EXPECT_EQ(all[1]->memory, all[0]->memory);
}

TEST(exchange_port, posts_memory_for_a_thousand_messages_and_has_the_rest_sent_by_others) {
  constexpr std::uint32_t placed = 32, exchanges = placed + 2;
  pending_network network(2);
  auto const all = ports(network, 8 << 20);
  all[1]->owner = std::make_shared<int>();
  for (std::uint32_t i = 0; i < exchanges; ++i) all[1]->begin({1, i}, false, 0, {{0, 8 << 20}}, i);
  for (std::uint32_t i = 0; i < exchanges; ++i) network.deliver(1, 0);
  EXPECT_EQ(network.posted[1].size(), 1024u);
  EXPECT_EQ(network.tags, placed);
  all[0]->begin({1, exchanges - 1}, true, 1, {{0, 8 << 20}}, 1);
  network.deliver_all();
  EXPECT_THAT(all[1]->ended, ElementsAre(exchanges - 1));
}

TEST(exchange_port, places_nothing_in_memory_that_nobody_keeps_in_short_ranges_or_after_a_failure) {
  for (int const why : {0, 1, 2}) {
    pending_network network(2);
    auto const all = ports(network, 1 << 20);
    all[0]->memory.assign(1 << 20, std::byte(7));
    if (why != 0) all[1]->owner = std::make_shared<int>();
    std::vector<byte_range> bytes{{0, 1 << 20}};
    if (why == 1) bytes = {{0, 60'000}, {100'000, 170'000}};
    network.can_post = why != 2;
    all[0]->begin({1, 0}, true, 1, bytes, 1);
    all[1]->begin({1, 0}, false, 0, bytes, 2);
    network.deliver_all();
    EXPECT_THAT(all[1]->ended, ElementsAre(2));
    EXPECT_EQ(network.tags, 0u);
    EXPECT_EQ(all[1]->memory[50'000], std::byte(7));
  }
}

TEST(exchange_port, ends_each_exchange_once_in_any_order_of_events) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    auto const below = [&](std::uint64_t end) { return std::size_t(random() % end); };
    pending_network network(3);
    auto const all = ports(network, 3000);
    std::vector<std::function<void()>> events;
    for (std::uint32_t index = 0; index < 30; ++index) {
      auto const from = std::uint32_t(below(3)), to = std::uint32_t((from + 1 + below(2)) % 3);
      byte_range const bytes{100 * index, 100 * index + 1 + below(100)};
      for (auto byte = bytes.begin; byte < bytes.end; ++byte) all[from]->memory[byte] = std::byte(index + 1);
      events.push_back([&, from, to, bytes, index] {
        all[from]->begin({5, index}, true, to, {bytes}, index);
      });
      events.push_back([&, from, to, bytes, index] {
        all[to]->begin({5, index}, false, from, {bytes}, index);
      });
    }
    std::shuffle(events.begin(), events.end(), random);
    for (auto const& event : events) {
      event();
      for (auto i = below(4); i > 0; --i) network.deliver(std::uint32_t(below(3)), std::uint32_t(below(3)));
    }
    network.deliver_all();
    std::vector<int> ends(30);
    for (auto const& one : all)
      for (auto const op : one->ended) ++ends[op];
    EXPECT_THAT(ends, testing::Each(2)) << "seed " << seed;
    for (auto const& one : all) EXPECT_THAT(one->failures, IsEmpty());
  }
}

TEST(exchange_port, says_which_step_of_the_rank_before_is_another) {
  pending_network network(3);
  auto const all = ports(network, 1);
  for (auto const& one : all) one->port.note_step("the first");
  all[0]->port.note_step("a job");
  all[1]->port.note_step("a job");
  all[2]->port.note_step("a read");
  network.deliver_all();
  EXPECT_THAT(all[1]->failures, IsEmpty());
  EXPECT_THAT(all[2]->failures, ElementsAre(AllOf(HasSubstr("here and on rank 1"),
                                                  HasSubstr("step 2 is a read here, and a job"))));
  EXPECT_THAT(all[0]->failures, ElementsAre(HasSubstr("step 2 is a job here, and a read there")));
}

TEST(exchange_port, says_so_too_of_a_step_that_the_rank_before_did_first) {
  pending_network network(2);
  auto const all = ports(network, 1);
  all[0]->port.note_step("a job");
  network.deliver_all();
  all[1]->port.note_step("a read");
  network.deliver_all();
  EXPECT_THAT(all[1]->failures, ElementsAre(HasSubstr("step 1 is a read here, and a job there")));
}

TEST(exchange_port, leaves_it_to_its_peers_to_say_that_a_rank_has_failed) {
  pending_network network(2);
  auto const all = ports(network, 8);
  all[1]->begin({1, 0}, false, 0, {{0, 8}}, 1);
  network.deliver_all();
  all[0]->port.close(false, "no more");
  network.deliver_all();
  EXPECT_THAT(all[1]->failures, IsEmpty());
  EXPECT_EQ(network.causes, std::vector<std::string>{"no more"});
}

TEST(exchange_port, says_who_ended_although_something_was_to_come_from_it) {
  pending_network network(2);
  auto const all = ports(network, 8);
  all[1]->begin({1, 0}, false, 0, {{0, 8}}, 1);
  network.deliver_all();
  all[0]->port.close(true);
  network.deliver_all();
  EXPECT_THAT(all[1]->failures, ElementsAre(HasSubstr("rank 0 has ended its scheduler")));
}

TEST(exchange_port, fails_once_with_a_rank_that_is_lost) {
  pending_network network(2);
  auto const all = ports(network, 8);
  for (int i = 0; i < 2; ++i) network.listeners[0]->fail(std::make_exception_ptr(error("rank 1 is lost")));
  EXPECT_THAT(all[0]->failures, ElementsAre("rank 1 is lost"));
}

}  // namespace
}  // namespace ballast::test::exchange_port_test
