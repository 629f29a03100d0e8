// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "launch_stream.hpp"

namespace ballast::test {
using namespace detail;
namespace {

class launch_inbox_test : public testing::Test {
 protected:
  launch_inbox inbox_;
  launch_stream_table lines_{nullptr, {}, std::chrono::minutes(1)};

  std::vector<std::uint32_t> take_numbers() {
    std::vector<std::uint32_t> numbers;
    for (auto* line = inbox_.take_all(); line != nullptr; line = line->next_in_inbox)
      numbers.push_back(line->number());
    return numbers;
  }
};

TEST_F(launch_inbox_test, hands_out_all_lines_once) {
  EXPECT_TRUE(inbox_.is_empty());
  EXPECT_THAT(take_numbers(), testing::IsEmpty());
  for (int i = 0; i < 3; ++i) inbox_.add(*lines_.add(0));
  EXPECT_FALSE(inbox_.is_empty());
  EXPECT_THAT(take_numbers(), testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_TRUE(inbox_.is_empty());
  EXPECT_THAT(take_numbers(), testing::IsEmpty());
}

TEST_F(launch_inbox_test, takes_a_line_again_that_was_taken_out) {
  auto const line = lines_.add(0), other = lines_.add(0);
  inbox_.add(*line);
  inbox_.add(*other);
  take_numbers();
  inbox_.add(*line);
  EXPECT_THAT(take_numbers(), testing::ElementsAre(0));
}

TEST_F(launch_inbox_test, loses_no_line_that_threads_add_while_another_takes) {
  constexpr std::size_t threads = 4, lines_of_each = 500;
  std::vector<std::thread> adding;
  for (std::size_t i = 0; i < threads; ++i)
    adding.emplace_back([&] {
      for (std::size_t k = 0; k < lines_of_each; ++k) inbox_.add(*lines_.add(0));
    });
  std::multiset<std::uint32_t> seen;
  auto const take = [&] {
    for (auto const number : take_numbers()) seen.insert(number);
  };
  while (seen.size() < threads * lines_of_each / 2) take();
  for (auto& thread : adding) thread.join();
  take();
  EXPECT_EQ(seen.size(), threads * lines_of_each);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size());
}

TEST_F(launch_inbox_test, comes_with_a_table_that_gives_a_forgotten_number_again) {
  auto const first = lines_.add(0), second = lines_.add(3);
  EXPECT_EQ(second->number(), 1u);
  EXPECT_EQ(second->priority(), 3);
  EXPECT_THAT(lines_.all(), testing::ElementsAre(first, second));
  lines_.note(*second);
  EXPECT_THAT(lines_.noted(), testing::ElementsAre(nullptr, second.get()));
  lines_.note(*first);
  lines_.forget(*first);
  EXPECT_THAT(lines_.all(), testing::ElementsAre(second));
  EXPECT_THAT(lines_.noted(), testing::ElementsAre(nullptr, second.get()));
  EXPECT_EQ(lines_.add(0)->number(), 0u);
}

}  // namespace
}  // namespace ballast::test
