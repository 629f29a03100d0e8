// SPDX-License-Identifier: Apache-2.0
#include "arrays/working_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refused_argument.hpp"

namespace ballast::test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t block = memory_alignment;

TEST(arena, takes_memory_for_bytes_at_their_distance_from_an_aligned_one) {
  EXPECT_EQ(memory_of({0, 0}), 0u);
  EXPECT_EQ(memory_of({0, 1}), block);
  EXPECT_EQ(memory_of({255, 257}), 2 * block);
  EXPECT_EQ(memory_of({256, 512}), block);
  EXPECT_EQ(memory_of({300, 300}), 0u);
}

struct arena_test : testing::Test {
  op_id plan(std::uint32_t stream) { return ops.add(op_kind::kernel, {0, stream}); }
  void end(op_id op) {
    ops.mark_issued(op);
    ops.mark_ended(op);
  }

  operations ops;
  arena memory{10 * block + 17, ops};
};

TEST_F(arena_test, has_whole_blocks_only) {
  EXPECT_EQ(memory.bytes(), 10 * block);
  EXPECT_EQ(refused_argument([&] { memory.take(100); }), "bytes");
  EXPECT_EQ(memory.take(10 * block), (byte_range{0, 10 * block}));
}

TEST_F(arena_test, tells_who_takes_memory_what_still_uses_it) {
  auto const old = plan(0), other = plan(1);
  auto const first = *memory.take(2 * block), second = *memory.take(2 * block);
  memory.add_users(first, std::vector{old});
  memory.give_back(first);
  memory.add_users(second, std::vector{other});
  memory.give_back(second);
  auto const both = *memory.take(10 * block);
  EXPECT_THAT(memory.users(both), ElementsAre(old, other));
  EXPECT_THAT(memory.users({0, block}), ElementsAre(old));
  EXPECT_THAT(memory.users({4 * block, 5 * block}), IsEmpty());
}

TEST_F(arena_test, forgets_users_that_have_ended) {
  auto const old = plan(0);
  memory.add_users({0, block}, std::vector{old});
  end(old);
  EXPECT_THAT(memory.users({0, block}), IsEmpty());
}

TEST_F(arena_test, remembers_users_of_memory_that_its_next_owner_did_not_touch) {
  auto const old = plan(0), next = plan(1);
  auto const all = *memory.take(2 * block);
  memory.add_users(all, std::vector{old});
  memory.add_users({0, block}, std::vector{next});
  EXPECT_THAT(memory.users({0, block}), ElementsAre(old, next));
  EXPECT_THAT(memory.users({block, 2 * block}), ElementsAre(old));
}

TEST_F(arena_test, refuses_memory_that_it_does_not_have_and_what_is_free) {
  byte_range const beyond{9 * block, 11 * block};
  EXPECT_EQ(refused_argument([&] { memory.give_back(beyond); }), "memory");
  EXPECT_EQ(refused_argument([&] { memory.add_users(beyond, {}); }), "memory");
  EXPECT_EQ(refused_argument([&] { memory.give_back({0, block}); }), "bytes");
}

}  // namespace
}  // namespace ballast::test
