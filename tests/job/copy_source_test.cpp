// SPDX-License-Identifier: Apache-2.0
#include "arrays/task_planner.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "invented_machine.hpp"
#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::size_t mebibyte = std::size_t(1) << 20;
constexpr place_id host{0}, a{1}, b{2}, c{3};

std::uint32_t at(std::initializer_list<place_id> places) {
  std::uint32_t bits = 0;
  for (auto const place : places) bits |= 1u << place.value();
  return bits;
}

TEST(copy_links, take_10_us_and_the_time_of_the_bytes) {
  EXPECT_EQ(invented_machine(2, 2).ns_of(host, a, 50'000), 11'000);
  EXPECT_EQ(invented_machine(2, 2).ns_of(a, b, 4'000), 10'010);
}

TEST(copy_links, take_what_any_copy_takes_on_them) {
  copy_links const links(2, {{9}, {50, true, 6'000}, {50, true, 2'000}, {}});
  EXPECT_EQ(links.ns_of(host, a, 50'000), 7'000);
  EXPECT_EQ(links.ns_of(a, host, 50'000), 3'000);
}

TEST(copy_links, are_direct_between_the_host_and_a_device) {
  copy_links const links(2, {{9}, {50, true}, {40, false}, {}});
  EXPECT_EQ(links.between(host, a).bytes_per_ns, 50);
  EXPECT_EQ(links.between(a, host).bytes_per_ns, 40);
  EXPECT_TRUE(links.between(a, host).direct);
}

TEST(copy_links, refuse_too_few_and_those_that_carry_nothing) {
  EXPECT_EQ(refused_argument([] { copy_links(2, {{1}, {1}, {1}}); }), "links");
  EXPECT_EQ(refused_argument([] { copy_links(2, {{1}, {1}, {0}, {1}}); }), "links");
  EXPECT_EQ(refused_argument([] {
              copy_links(2, {{1}, {std::numeric_limits<double>::quiet_NaN()}, {1}, {1}});
            }),
            "links");
  EXPECT_EQ(refused_argument([] { copy_links(2, {{0}, {1}, {1}, {0}}); }), "nothing");
}

TEST(copy_links, are_expected_between_host_devices_as_direct) {
  auto const links = expected_links(open_devices("host:1,host:1"));
  EXPECT_EQ(links.places(), 3u);
  for (std::uint32_t from = 0; from < 3; ++from)
    for (std::uint32_t to = 0; to < 3; ++to) EXPECT_TRUE(links.between(place_id(from), place_id(to)).direct);
}

TEST(copy_links, are_expected_to_be_as_fast_as_the_costs_of_the_devices_say) {
  auto const devices = open_devices("host:1,host:1");
  auto const& costs = devices.front()->costs();
  auto const links = expected_links(devices);
  for (auto const& [from, to] : {std::pair(host, a), std::pair(b, host)}) {
    EXPECT_EQ(links.between(from, to).bytes_per_ns, costs.host_bytes_per_ns);
    EXPECT_EQ(links.between(from, to).copy_ns, costs.copy_ns);
  }
  EXPECT_EQ(links.between(a, b).bytes_per_ns, costs.peer_bytes_per_ns);
}

TEST(copy_sources, choose_a_peer_with_a_direct_link_before_the_host) {
  copy_sources const sources(invented_machine(3, 3));
  EXPECT_EQ(sources.choose(at({host, b}), a, mebibyte), b);
}

TEST(copy_sources, choose_the_host_before_a_peer_without_a_direct_link) {
  copy_sources sources(invented_machine(2, 1));
  for (int i = 0; i < 100; ++i) sources.mark_planned(host, a, mebibyte);
  EXPECT_EQ(sources.choose(at({host, b}), a, mebibyte), host);
}

TEST(copy_sources, choose_a_peer_without_a_direct_link_if_nobody_else_has_the_bytes) {
  copy_sources const sources(invented_machine(2, 1));
  EXPECT_EQ(sources.choose(at({b}), a, mebibyte), b);
}

TEST(copy_sources, choose_the_first_of_equals) {
  copy_sources const sources(invented_machine(4, 4));
  EXPECT_EQ(sources.choose(at({b, c}), a, mebibyte), b);
}

TEST(copy_sources, choose_another_peer_while_a_link_has_much_under_way) {
  copy_sources sources(invented_machine(4, 4));
  sources.mark_planned(b, c, 8 * mebibyte);
  EXPECT_EQ(sources.choose(at({host, b, c}), a, mebibyte), c);
}

TEST(copy_sources, choose_a_peer_before_the_host_whatever_is_under_way) {
  copy_sources sources(invented_machine(4, 4));
  for (int i = 0; i < 100; ++i) sources.mark_planned(b, c, 8 * mebibyte);
  EXPECT_EQ(sources.choose(at({host, b}), a, mebibyte), b);
}

/// A host and two places, the link between these being slower than theirs to the host.
copy_links slow_between_peers() { return {3, {{1}, {50}, {50}, {50}, {1}, {25}, {50}, {25}, {1}}}; }

TEST(copy_sources, choose_the_host_before_a_peer_whose_link_is_slower) {
  EXPECT_EQ(copy_sources(slow_between_peers()).choose(at({host, b}), a, mebibyte), host);
}

TEST(copy_sources, choose_a_slower_peer_while_the_link_to_the_host_has_much_under_way) {
  copy_sources sources(slow_between_peers());
  sources.mark_planned(host, a, 100 * mebibyte);
  EXPECT_EQ(sources.choose(at({host, b}), a, mebibyte), b);
  sources.mark_planned(b, a, 1000 * mebibyte);
  EXPECT_EQ(sources.choose(at({host, b}), a, mebibyte), host);
}

TEST(copy_sources, forget_what_was_under_way_when_it_has_ended) {
  copy_sources sources(invented_machine(3, 3));
  for (int i = 0; i < 100; ++i) sources.mark_planned(b, c, 8 * mebibyte + 1);
  for (int i = 0; i < 100; ++i) sources.mark_ended(b, c, 8 * mebibyte + 1);
  EXPECT_EQ(sources.choose(at({b, c}), a, mebibyte), b);
}

TEST(copy_sources, forget_what_was_under_way_to_a_place_when_it_has_ended) {
  copy_sources sources(slow_between_peers());
  for (int i = 0; i < 100; ++i) sources.mark_planned(host, a, mebibyte + 1);
  for (int i = 0; i < 100; ++i) sources.mark_ended(host, a, mebibyte + 1);
  EXPECT_EQ(sources.choose(at({host, b}), a, mebibyte), host);
}

TEST(copy_sources, spread_what_eight_devices_read_over_those_that_have_it) {
  copy_sources sources(invented_machine(8, 8));
  std::uint32_t holders = at({host});
  std::map<place_id, int> copies_from;
  for (std::uint32_t to = 1; to <= 8; ++to) {
    auto const from = sources.choose(holders, place_id(to), 16 * mebibyte);
    sources.mark_planned(from, place_id(to), 16 * mebibyte);
    ++copies_from[from];
    holders |= 1u << to;
  }
  EXPECT_EQ(copies_from[host], 1);
  for (auto const& [from, copies] : copies_from) EXPECT_LE(copies, 1) << from.value();
}

TEST(copy_sources, refuse_who_has_the_bytes_and_bytes_that_nobody_has) {
  copy_sources const sources(invented_machine(2, 2));
  EXPECT_EQ(refused_argument([&] { sources.choose(at({host, a}), a, 1); }), "to");
  EXPECT_EQ(refused_argument([&] { sources.choose(at({host}), c, 1); }), "to");
  EXPECT_EQ(refused_argument([&] { sources.choose(0, a, 1); }), "holders");
  EXPECT_EQ(refused_argument([&] { sources.choose(at({c}), a, 1); }), "holders");
}

}  // namespace
}  // namespace ballast::test
