// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch_mode.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// A row decides for the facts that its pattern matches, unless a row above it does: y, n or the first letter
/// of a mode or an order; a dot matches everything.
struct row {
  std::string_view pattern;
  launch_way way;
};

bool matches(std::string_view pattern, std::string_view facts) {
  return std::ranges::equal(pattern, facts,
                            [](char wanted, char is) { return wanted == '.' || wanted == is; });
}

/// All texts with one of these letters at each place.
std::vector<std::string> combinations(std::vector<std::string_view> const& letters) {
  std::vector<std::string> all{""};
  for (auto const choices : letters) {
    std::vector<std::string> longer;
    for (auto const& one : all)
      for (char const letter : choices) longer.push_back(one + letter);
    all = std::move(longer);
  }
  return all;
}

/// Facts about a launch, a letter each, as combinations() makes them.
struct invented_launch {
  std::string facts;
  std::size_t last_asked = 0;

  bool is(std::size_t place) {
    last_asked = std::max(last_asked, place);
    return facts[place] == 'y';
  }
  static dispatch_mode mode_of(char letter) {
    return letter == 'q'   ? dispatch_mode::queued
           : letter == 'd' ? dispatch_mode::direct
                           : dispatch_mode::resident;
  }
};

struct invented_new_launch : invented_launch {
  bool may_issue() { return is(0); }
  bool is_awaited() { return is(1); }
  dispatch_mode mode() { return mode_of(facts[2]); }
  bool fits_ring() { return is(3); }
  bool may_enter_ring() { return is(4); }
  direct_dispatch order() {
    return facts[5] == 'n'   ? direct_dispatch::never
           : facts[5] == 'a' ? direct_dispatch::always
                             : direct_dispatch::where_better;
  }
  bool is_in_ring() { return is(6); }
  bool may_be_issued_behind() { return is(7); }
  bool is_alone() { return is(8); }
};

struct invented_oldest_launch : invented_launch {
  dispatch_mode mode() { return mode_of(facts[0]); }
  bool fits_ring() { return is(1); }
  bool may_enter_ring() { return is(2); }
  bool may_issue() { return is(3); }
  bool may_follow() { return is(4); }
  bool lacks_times() { return is(5); }
};

/// Compares the decision with the table for all facts, and finds a use of every row.
void expect_table(std::vector<row> const& table, std::vector<std::string> const& all_facts,
                  std::function<launch_way(std::string const&)> const& decide) {
  std::vector<bool> decided(table.size());
  for (auto const& facts : all_facts) {
    auto const decides =
        std::ranges::find_if(table, [&](row const& one) { return matches(one.pattern, facts); });
    ASSERT_NE(decides, table.end()) << facts;
    decided[std::size_t(decides - table.begin())] = true;
    EXPECT_EQ(decide(facts), decides->way) << facts << " matches " << decides->pattern;
  }
  EXPECT_EQ(std::ranges::find(decided, false), decided.end()) << "a row decides nothing";
}

TEST(launch_way, of_a_new_launch_follows_the_table) {
  using enum launch_way;
  // may_issue, is_awaited, mode, fits_ring, may_enter_ring, order, is_in_ring, may_be_issued_behind, is_alone
  std::vector<row> const table{
      {"n........", plan},    // the queue is paused or stopped, or earlier launches wait
      {"y.ryy....", ring},    //
      {"yy.yy....", ring},    // in any mode, if its thread waits for it
      {"ynryn....", plan},    // behind those that the ring must not overtake
      {".....n...", plan},    //
      {"......y..", plan},    // a ring has its predecessor, for which no stream can wait
      {".......n.", plan},    //
      {".....a...", direct},  //
      {"..d......", direct},  //
      {".y.......", direct},  //
      {"........y", direct},  //
      {".........", plan},
  };
  expect_table(table, combinations({"yn", "yn", "qdr", "yn", "yn", "naw", "yn", "yn", "yn"}),
               [](std::string const& facts) {
                 invented_new_launch launch{{facts}};
                 return way_of_new(launch);
               });
}

TEST(launch_way, of_a_new_launch_asks_whether_it_is_alone_only_where_nothing_else_decides) {
  for (auto const& facts : combinations({"yn", "yn", "qdr", "yn", "yn", "naw", "yn", "yn", "yn"})) {
    invented_new_launch launch{{facts}};
    bool const decided = facts[5] == 'a' || facts[2] == 'd' || facts[1] == 'y';
    auto const way = way_of_new(launch);
    EXPECT_FALSE(decided && launch.last_asked == 8) << facts << " went way " << int(way);
  }
}

TEST(launch_way, of_the_oldest_waiting_launch_follows_the_table) {
  using enum launch_way;
  // mode, fits_ring, may_enter_ring, may_issue, may_follow, lacks_times
  std::vector<row> const table{
      {"ryyy..", ring},  //
      {"ry....", wait},  //
      {"....n.", wait},  // its predecessors are elsewhere, and in flight
      {".....y", wait},  //
      {"......", plan},
  };
  expect_table(table, combinations({"qdr", "yn", "yn", "yn", "yn", "yn"}), [](std::string const& facts) {
    invented_oldest_launch launch{{facts}};
    return way_of_oldest(launch);
  });
}

}  // namespace
}  // namespace ballast::test
