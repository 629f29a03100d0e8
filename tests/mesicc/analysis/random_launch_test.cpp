// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "analysis/analyse_launch.hpp"
#include "model/expression_text.hpp"
#include "random_launch.hpp"
#include "range_check.hpp"

namespace ballast::mesicc {
namespace {

std::string first_wrong(launch_model const& model, launch_plan const& plan) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    std::vector<std::int64_t> const scalars(model.scalars.size(), 2 * seed - 2);
    auto const result = check_ranges(plan, interpreted_launch(model, plan.cut, scalars, seed));
    if (!result.wrong.empty()) return result.wrong;
  }
  return "";
}

/// To be read when a test fails.
std::string text_of(launch_model const& model) {
  auto const names = names_in_messages(model);
  std::string text;
  for (auto const& one : model.loops)
    text += "loop " + one.name + " from " + text_of(one.first, names) + " to " + text_of(one.bound, names) +
            " by " + std::to_string(one.step) + "\n";
  for (auto const& one : model.accesses) {
    for (int const place : one.loops) text += model.loops[std::size_t(place)].name + " ";
    for (auto const& guard : one.guards) text += "if (" + text_of(guard, names) + ") ";
    text +=
        (one.kind == access_kind::read ? "read " : "write ") + model.arrays[std::size_t(one.array)].parameter;
    for (auto const& index : one.index) text += "[" + text_of(index, names) + "]";
    text += "\n";
  }
  return text;
}

bool is_accepted_rightly(std::uint32_t seed) {
  random_launch const random(seed);
  auto const found = analyse(random.model(), {.operations = 20'000});
  if (!found.plan) return false;
  EXPECT_EQ(first_wrong(random.model(), *found.plan), "")
      << "seed " << seed << "\n"
      << text_of(random.model()) << found.plan->explanation;
  return true;
}

TEST(random_launches, touch_nothing_that_their_plans_do_not_tell) {
  char const* const more = std::getenv("BALLAST_RANDOM_LAUNCHES");
  auto const last = more == nullptr ? 300u : std::uint32_t(std::atoi(more));
  std::uint32_t accepted = 0;
  for (std::uint32_t seed = 1; seed <= last && !HasFailure(); ++seed)
    accepted += is_accepted_rightly(seed) ? 1 : 0;
  EXPECT_GT(accepted, last / 4);
}

TEST(random_launches, that_were_once_planned_wrongly_are_not) {
  for (std::uint32_t const seed : {12, 3216}) is_accepted_rightly(seed);
}

}  // namespace
}  // namespace ballast::mesicc
