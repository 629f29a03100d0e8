// SPDX-License-Identifier: Apache-2.0
#include "arrays/working_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "refused_argument.hpp"

namespace ballast::test::working_set_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t block = memory_alignment;
constexpr array_id a{1}, b{2}, c{3};

/// Tells what it was asked to do.
struct scripted_handler : eviction_handler {
  struct what {
    array_id array;
    byte_range bytes;
    bool operator==(what const&) const = default;
  };

  bool is_clean(array_id array, byte_range) const override { return !dirty.contains(array); }
  op_set evict(array_id array, byte_range bytes) override {
    dropped.push_back({array, bytes});
    return users;
  }
  op_set move(array_id array, byte_range bytes, std::size_t, std::size_t, std::span<op_id const>) override {
    moved.push_back({array, bytes});
    return users;
  }

  std::set<array_id> dirty;
  op_set users;
  std::vector<what> dropped, moved;
};
using what = scripted_handler::what;

/// Three arrays of 8 blocks on a device of 10.
struct working_set_test : testing::Test {
  working_set_test() {
    for (auto const array : {a, b, c}) set.add_array(array, 8 * block);
  }
  std::optional<std::vector<resident_bytes>> pin(std::vector<needed_bytes> const& needs) {
    return set.pin(needs, data);
  }
  static needed_bytes blocks(array_id array, std::size_t begin, std::size_t end) {
    return {array, {begin * block, end * block}};
  }
  void use(std::vector<needed_bytes> const& needs) { set.unpin(pin(needs).value()); }

  operations ops;
  scripted_handler data;
  working_set set{10 * block, ops};
};

TEST_F(working_set_test, gives_each_hull_memory_and_finds_it_again) {
  auto const first = pin({blocks(a, 0, 2), blocks(b, 1, 4)}).value();
  EXPECT_EQ(first[0].offset, 0u);
  EXPECT_EQ(first[1].offset, 2 * block);
  auto const again = pin({{b, {block + 40, 2 * block}}}).value();
  EXPECT_EQ(again[0].segment, first[1].segment);
  EXPECT_EQ(again[0].offset, 2 * block + 40);
  EXPECT_EQ(set.residents().size(), 2u);
}

TEST_F(working_set_test, gives_whole_arrays_memory_while_all_fit) {
  set.remove_array(b, {});
  set.remove_array(c, {});
  EXPECT_TRUE(set.has_room_for_all_arrays());
  pin({blocks(a, 2, 3)});
  EXPECT_EQ(set.residents()[0].bytes, (byte_range{0, 8 * block}));
  set.add_array(b, 3 * block);
  EXPECT_FALSE(set.has_room_for_all_arrays());
  EXPECT_EQ(pin({blocks(b, 0, 2)}).value()[0].offset, 8 * block);
}

TEST_F(working_set_test, pins_all_that_a_task_needs_or_changes_nothing) {
  use({blocks(a, 0, 4)});
  pin({blocks(b, 0, 4)});
  EXPECT_EQ(pin({blocks(c, 0, 5), blocks(a, 4, 6)}), std::nullopt);
  EXPECT_THAT(data.dropped, IsEmpty());
  EXPECT_EQ(set.residents().size(), 2u);
}

TEST_F(working_set_test, evicts_what_was_used_longest_ago_and_no_more_than_it_must) {
  use({blocks(a, 0, 3)});
  use({blocks(a, 3, 6)});
  use({blocks(b, 0, 3)});
  use({blocks(a, 0, 3)});
  use({blocks(c, 0, 3)});
  EXPECT_THAT(data.dropped, ElementsAre(what{a, {3 * block, 6 * block}}));
}

TEST_F(working_set_test, evicts_clean_bytes_before_dirty_ones_of_the_same_task) {
  data.dirty = {a};
  use({blocks(a, 0, 4), blocks(b, 0, 4)});
  use({blocks(c, 0, 4)});
  EXPECT_THAT(data.dropped, ElementsAre(what{b, {0, 4 * block}}));
}

TEST_F(working_set_test, evicts_nothing_that_is_pinned_by_any_task) {
  auto const first = pin({blocks(a, 0, 5)}).value(), second = pin({blocks(a, 1, 5)}).value();
  set.unpin(first);
  EXPECT_EQ(pin({blocks(b, 0, 6)}), std::nullopt);
  set.unpin(second);
  EXPECT_TRUE(pin({blocks(b, 0, 6)}));
}

TEST_F(working_set_test, evicts_what_the_task_itself_needs_if_there_is_no_room_beside_it) {
  use({blocks(a, 0, 3)});
  use({blocks(b, 0, 4)});
  use({blocks(c, 0, 3)});
  use({blocks(b, 0, 4), blocks(c, 0, 6)});
  EXPECT_THAT(data.dropped,
              ElementsAre(what{a, {0, 3 * block}}, what{b, {0, 4 * block}}, what{c, {0, 3 * block}}));
}

TEST_F(working_set_test, moves_bytes_that_a_larger_hull_has_in_common_with_others) {
  auto const left = pin({blocks(a, 0, 3)}).value();
  pin({blocks(a, 2, 5)});
  EXPECT_THAT(data.moved, ElementsAre(what{a, {2 * block, 3 * block}}));
  EXPECT_THAT(data.dropped, IsEmpty());
  EXPECT_THAT(set.located(a, {0, 8 * block}), ElementsAre(located_bytes{{0, 2 * block}, 0},
                                                          located_bytes{{2 * block, 5 * block}, 3 * block}));
  EXPECT_EQ(pin({blocks(b, 0, 1)}).value()[0].offset, 2 * block);
}

TEST_F(working_set_test, forgets_pins_of_what_was_moved_away) {
  auto const inner = pin({blocks(a, 1, 2)}).value();
  auto const outer = pin({blocks(a, 0, 3)}).value();
  set.unpin(inner);
  EXPECT_EQ(pin({blocks(b, 0, 8)}), std::nullopt);
  set.unpin(outer);
  EXPECT_TRUE(pin({blocks(b, 0, 8)}));
}

TEST_F(working_set_test, tells_who_takes_memory_what_used_it) {
  use({blocks(a, 0, 8)});
  data.users = {ops.add(op_kind::kernel, {0, 0})};
  EXPECT_THAT(pin({blocks(b, 0, 1)}).value()[0].dependencies, IsEmpty());
  EXPECT_THAT(pin({blocks(c, 0, 3)}).value()[0].dependencies, ElementsAre(data.users[0]));
}

TEST_F(working_set_test, tells_it_too_who_finds_the_memory_before_that_has_ended) {
  use({blocks(a, 0, 8)});
  data.users = {ops.add(op_kind::kernel, {0, 0})};
  pin({blocks(c, 0, 3)});
  EXPECT_THAT(pin({blocks(c, 1, 2)}).value()[0].dependencies, ElementsAre(data.users[0]));
  ops.mark_issued(data.users[0]);
  ops.mark_ended(data.users[0]);
  EXPECT_THAT(pin({blocks(c, 1, 2)}).value()[0].dependencies, IsEmpty());
}

TEST_F(working_set_test, knows_users_of_a_block_in_which_moved_bytes_lay_beside_others) {
  use({{a, {0, 3 * block + 100}}});
  auto const move = ops.add(op_kind::copy, {0, 0});
  data.users = {move};
  pin({{a, {3 * block + 50, 5 * block}}});
  data.users.clear();
  set.evict_unpinned(data);
  EXPECT_EQ(data.dropped.back(), (what{a, {0, 3 * block + 50}}));
  EXPECT_THAT(pin({blocks(b, 0, 3)}).value()[0].dependencies, IsEmpty());
  EXPECT_THAT(pin({blocks(c, 0, 1)}).value()[0].dependencies, ElementsAre(move));
}

TEST_F(working_set_test, evicts_all_that_is_not_pinned_on_request) {
  use({blocks(a, 0, 2)});
  pin({blocks(b, 0, 2)});
  set.evict_unpinned(data);
  EXPECT_THAT(data.dropped, ElementsAre(what{a, {0, 2 * block}}));
}

TEST_F(working_set_test, has_the_memory_of_a_removed_array_again_after_those_that_use_it) {
  auto const user = ops.add(op_kind::kernel, {0, 0});
  use({blocks(a, 0, 8)});
  set.remove_array(a, std::vector{user});
  EXPECT_THAT(pin({blocks(b, 0, 8)}).value()[0].dependencies, ElementsAre(user));
  EXPECT_THAT(data.dropped, IsEmpty());
}

TEST_F(working_set_test, gives_no_memory_for_no_bytes) {
  auto const none = pin({{a, {}}}).value();
  EXPECT_EQ(none[0].segment, segment_id());
  EXPECT_THAT(set.residents(), IsEmpty());
  set.unpin(none);
}

TEST_F(working_set_test, has_no_memory_for_an_adopted_array_and_finds_each_byte_where_the_caller_has_it) {
  constexpr array_id adopted{4};
  set.add_adopted_array(adopted, 100 * block);
  auto const pinned = pin({blocks(adopted, 30, 90), blocks(a, 0, 8)}).value();
  EXPECT_EQ(pinned[0].offset, 30 * block);
  EXPECT_EQ(pinned[0].segment, segment_id());
  EXPECT_EQ(pinned[1].offset, 0u);
  EXPECT_EQ(set.residents().size(), 1u);
  EXPECT_THAT(set.located(adopted, {70, 5 * block}), ElementsAre(located_bytes{{70, 5 * block}, 70}));
  set.unpin(pinned);
  use({blocks(b, 0, 8)});
  set.evict_unpinned(data);
  EXPECT_THAT(data.dropped, ElementsAre(what{a, {0, 8 * block}}, what{b, {0, 8 * block}}));
  EXPECT_EQ(refused_argument([&] { pin({blocks(adopted, 0, 101)}); }), "needs");
  EXPECT_EQ(refused_argument([&] { set.add_array(adopted, 1); }), "array");
  set.remove_array(adopted, {});
  EXPECT_EQ(refused_argument([&] { pin({blocks(adopted, 0, 1)}); }), "needs");
}

TEST_F(working_set_test, has_room_for_all_arrays_whatever_adopted_ones_need) {
  for (auto const array : {b, c}) set.remove_array(array, {});
  set.add_adopted_array(b, 100 * block);
  EXPECT_TRUE(set.has_room_for_all_arrays());
}

TEST_F(working_set_test, refuses_arrays_that_it_does_not_know_and_bytes_beyond_them) {
  EXPECT_EQ(refused_argument([&] { pin({blocks(array_id(9), 0, 1)}); }), "needs");
  EXPECT_EQ(refused_argument([&] { pin({blocks(a, 0, 9)}); }), "needs");
  EXPECT_EQ(refused_argument([&] { pin({blocks(a, 0, 1), blocks(a, 2, 3)}); }), "needs");
  EXPECT_EQ(refused_argument([&] { set.add_array(a, 1); }), "array");
  EXPECT_EQ(refused_argument([&] { set.remove_array(array_id(9), {}); }), "array");
}

}  // namespace
}  // namespace ballast::test::working_set_test
