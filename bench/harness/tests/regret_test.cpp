// SPDX-License-Identifier: Apache-2.0
#include "harness/regret.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace ballast::bench {
namespace {

/// A way that takes these seconds, one after another.
rival way_of(std::string name, std::vector<double> seconds) {
  return {std::move(name), [seconds, next = std::size_t(0)]() mutable { return seconds.at(next++); }};
}

class regrets_of_a_session : public testing::Test {
 protected:
  double derived(std::string const& name) const {
    for (auto const& [known, value] : now_.record().derived)
      if (known == name) return std::stod(value.text());
    ADD_FAILURE() << "no figure is called " << name;
    return 0;
  }

  session now_{"regret", open_devices("host:1"), false};
  regrets all_{now_};
};

TEST_F(regrets_of_a_session, are_how_much_longer_the_medians_of_the_default_are_than_the_best_by_name) {
  all_.measure("load", {way_of("default", {6, 90, 5}), way_of("slow", {9, 9, 9}), way_of("fast", {4, 1, 70})},
               0, 3);
  EXPECT_DOUBLE_EQ(derived("regret, load"), 6.0 / 4.0 - 1);
}

TEST_F(regrets_of_a_session, are_negative_where_the_default_is_the_fastest) {
  all_.measure("load", {way_of("default", {1}), way_of("other", {2})}, 0, 1);
  EXPECT_DOUBLE_EQ(derived("regret, load"), -0.5);
}

TEST_F(regrets_of_a_session, do_not_count_what_warms_up) {
  all_.measure("load", {way_of("default", {100, 3}), way_of("other", {1, 2})}, 1, 1);
  EXPECT_DOUBLE_EQ(derived("regret, load"), 0.5);
  EXPECT_DOUBLE_EQ(now_.median_of("default, load"), 3);
  EXPECT_DOUBLE_EQ(now_.median_of("other, load"), 2);
}

TEST_F(regrets_of_a_session, run_the_ways_in_turn) {
  std::string order;
  auto const noted = [&](std::string name) {
    return rival{name, [&order, name] {
                   order += name;
                   return 1.0;
                 }};
  };
  all_.measure("load", {noted("a"), noted("b"), noted("c")}, 1, 2);
  EXPECT_EQ(order, "abcabcabc");
}

TEST_F(regrets_of_a_session, leave_out_a_way_that_cannot_be_the_best_once_it_has_shown_that) {
  all_.measure(
      "load", {way_of("default", {1, 1, 1}), way_of("hopeless", {11}), way_of("only slow", {9, 8, 7})}, 1, 2);
  EXPECT_DOUBLE_EQ(now_.median_of("hopeless, load"), 11);
  EXPECT_DOUBLE_EQ(now_.median_of("only slow, load"), 7.5);
}

TEST_F(regrets_of_a_session, go_on_with_a_way_that_took_many_times_the_best_but_no_second) {
  all_.measure("load", {way_of("default", {0.01, 0.02}), way_of("other", {0.5, 0.01})}, 0, 2);
  EXPECT_DOUBLE_EQ(now_.median_of("other, load"), 0.255);
}

TEST_F(regrets_of_a_session, of_several_loads_have_a_median_and_a_worst) {
  for (auto const& [load, of_default] : std::map<std::string, double>{{"x", 3}, {"y", 1}, {"z", 1.5}})
    all_.measure(load, {way_of("default", {of_default}), way_of("other", {1})}, 0, 1);
  all_.derive();
  EXPECT_DOUBLE_EQ(derived("median regret"), 0.5);
  EXPECT_DOUBLE_EQ(derived("worst regret"), 2);
}

TEST(rivals, are_the_default_and_every_other_policy_by_its_name) {
  struct named {
    std::string name;
  };
  std::vector<std::string> asked;
  auto const rivals = rivals_of("b", std::vector<named>{{"a"}, {"b"}, {"c"}}, [&](std::string const& name) {
    asked.push_back(name);
    return 1.0;
  });
  std::vector<std::string> names;
  for (auto const& way : rivals) {
    names.push_back(way.name);
    way.seconds();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"default", "a", "c"}));
  EXPECT_EQ(asked, (std::vector<std::string>{"b", "a", "c"}));
}

}  // namespace
}  // namespace ballast::bench
