// SPDX-License-Identifier: Apache-2.0
// The lists by which records of joins come home from other devices, in every order in which threads can take
// turns.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ballast/detail/pool/join_cache.cuh"
#include "explorer.hpp"

namespace ballast::test::homing_list_test {
using namespace detail;
namespace {

constexpr std::uint32_t records = 3;

struct shared {
  homing_words words;
  join_record of_device[records];
};
using exploration = explorer<shared>;
using list = homing_list<explored_atomic>;

list list_in(shared& memory) { return {&memory.words, memory.of_device}; }

exploration::program add(std::vector<std::uint32_t> const& all) {
  return [=](shared& memory) {
    for (auto const record : all) list_in(memory).add(record);
    return exploration::taken{};
  };
}

/// Waits until it has taken so many.
exploration::program take_all(std::size_t count) {
  return [=](shared& memory) {
    exploration::taken taken;
    auto const keep = [&](std::uint32_t record) { taken.push_back(record); };
    while (taken.size() < count)
      if (list_in(memory).take(records, keep) == 0) running_thread->wait();
    return taken;
  };
}

/// Takes two at most, and what it has taken first comes home again. Without the list's turns it takes them as
/// if it were alone.
exploration::program take_two_and_add_one(bool takes_turns) {
  return [=](shared& memory) {
    exploration::taken taken;
    auto const keep = [&](std::uint32_t record) { taken.push_back(record); };
    std::uint32_t record = 0;
    if (takes_turns)
      list_in(memory).take(2, keep);
    else
      while (taken.size() < 2 && list_in(memory).take_newest(record)) keep(record);
    if (taken.empty()) return taken;
    list_in(memory).add(std::uint32_t(taken.front()));
    taken.erase(taken.begin());
    return taken;
  };
}

exploration::program take_one(bool takes_turns) {
  return [=](shared& memory) {
    exploration::taken taken;
    std::uint32_t record = 0;
    if (takes_turns)
      list_in(memory).take(1, [&](std::uint32_t one) { taken.push_back(one); });
    else if (list_in(memory).take_newest(record))
      taken.push_back(record);
    return taken;
  };
}

/// Each of the first `count` records was taken once, or is in the list once.
exploration::report explored(std::vector<std::uint32_t> const& listed,
                             std::vector<exploration::program> programs, std::uint32_t count) {
  shared start{};
  for (auto const record : listed) list_in(start).add(record);
  auto const each_once = [=](shared& memory, exploration::taken all) {
    for (std::uint32_t next = memory.words.newest; next != 0 && all.size() <= records;
         next = memory.of_device[next - 1].next)
      all.push_back(next - 1);
    std::ranges::sort(all);
    exploration::taken expected;
    for (std::uint32_t record = 0; record < count; ++record) expected.push_back(record);
    return all == expected && memory.words.is_held == 0;
  };
  return exploration(start, std::move(programs), each_once).explore();
}

TEST(homing_list, brings_each_record_that_two_devices_add_home_once) {
  EXPECT_TRUE(always_right(explored({}, {add({0}), add({1}), take_all(2)}, 2)));
}

TEST(homing_list, loses_none_of_several_that_each_device_adds) {
  EXPECT_TRUE(always_right(explored({}, {add({0, 1}), add({2}), take_all(3)}, 3)));
}

TEST(homing_list, gives_a_record_to_one_of_those_that_take) {
  EXPECT_TRUE(always_right(explored({0, 1}, {add({2}), take_one(true), take_two_and_add_one(true)}, 3)));
}

TEST(homing_list, goes_wrong_if_two_take_at_a_time) {
  EXPECT_NE(explored({0, 1}, {take_one(false), take_two_and_add_one(false)}, 2).failures, 0u);
}

}  // namespace
}  // namespace ballast::test::homing_list_test
