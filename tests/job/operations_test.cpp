// SPDX-License-Identifier: Apache-2.0
#include "arrays/operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refused_argument.hpp"

namespace ballast::test::operations_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr op_stream first{0, 0}, second{0, 1}, other_lane{1, 0};

op_id add(operations& ops, op_stream on) { return ops.add(op_kind::kernel, on); }

void end(operations& ops, op_id op, bool failed = false) {
  ops.mark_issued(op);
  ops.mark_ended(op, failed);
}

TEST(operations, keep_of_each_stream_the_newest_that_one_comes_after) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second), c = add(ops, first), d = add(ops, other_lane);
  auto const last = add(ops, second);
  for (auto const earlier : {d, c, a, b, c}) ops.add_dependency(last, earlier);
  EXPECT_THAT(ops.at(last).dependencies, ElementsAre(b, c, d));
}

TEST(operations, come_after_nothing_that_has_ended_nor_after_themselves) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second);
  end(ops, a);
  ops.add_dependency(b, a);
  ops.add_dependency(b, b);
  ops.add_dependency(b, op_id());
  EXPECT_THAT(ops.at(b).dependencies, IsEmpty());
}

TEST(operations, do_not_come_after_newer_ones) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second);
  EXPECT_EQ(refused_argument([&] { ops.add_dependency(a, b); }), "earlier");
}

TEST(operations, take_no_more_dependencies_when_they_were_issued) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second);
  ops.mark_issued(b);
  EXPECT_EQ(refused_argument([&] { ops.add_dependency(b, a); }), "later");
}

TEST(operations, are_issued_once_and_after_those_that_they_wait_for) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second);
  ops.add_dependency(b, a);
  EXPECT_EQ(refused_argument([&] { ops.mark_issued(b); }), "operation");
  ops.mark_issued(a);
  ops.mark_issued(b);
  EXPECT_EQ(refused_argument([&] { ops.mark_issued(b); }), "operation");
}

TEST(operations, end_once_and_only_when_they_were_issued) {
  operations ops;
  auto const a = add(ops, first);
  EXPECT_EQ(refused_argument([&] { ops.mark_ended(a); }), "operation");
  end(ops, a);
  EXPECT_EQ(refused_argument([&] { ops.mark_ended(a); }), "operation");
}

TEST(operations, fail_when_their_data_came_from_a_failed_one_and_so_on) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second), c = add(ops, other_lane);
  ops.add_data_dependency(b, a);
  ops.add_data_dependency(c, b);
  EXPECT_THAT(ops.at(c).dependencies, IsEmpty());
  end(ops, a, true);
  end(ops, b);
  end(ops, c);
  EXPECT_EQ(ops.at(c).status, op_status::failed);
}

TEST(operations, that_only_come_after_a_failed_one_end_well) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second);
  ops.add_dependency(b, a);
  end(ops, a, true);
  end(ops, b);
  EXPECT_EQ(ops.at(b).status, op_status::ended);
}

TEST(operations, that_take_data_from_one_that_has_failed_fail) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, second);
  end(ops, a, true);
  ops.add_data_dependency(b, a);
  EXPECT_TRUE(ops.at(b).has_failed_input);
}

TEST(operations, are_forgotten_up_to_the_first_that_has_not_ended) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, first), c = add(ops, second), d = add(ops, first);
  end(ops, a, true);
  end(ops, c);
  ops.forget_before(d);
  EXPECT_EQ(refused_argument([&] { ops.at(a); }), "operation");
  EXPECT_TRUE(ops.has_ended(a));
  EXPECT_FALSE(ops.has_ended(b));
  EXPECT_EQ(ops.at(c).status, op_status::ended);
  EXPECT_EQ(add(ops, first).value(), d.value() + 1);
}

TEST(operations, are_not_forgotten_from_the_bound_on) {
  operations ops;
  auto const a = add(ops, first), b = add(ops, first);
  end(ops, a);
  end(ops, b);
  ops.forget_before(b);
  EXPECT_EQ(ops.at(b).status, op_status::ended);
}

TEST(operations, that_were_never_planned_are_refused) {
  operations ops;
  EXPECT_EQ(refused_argument([&] { ops.has_ended(op_id(1)); }), "operation");
  EXPECT_EQ(refused_argument([&] { ops.at(op_id()); }), "operation");
  EXPECT_TRUE(ops.has_ended(op_id()));
}

TEST(operations, tell_which_there_are_when_they_refuse_one) {
  operations ops;
  for (int i = 0; i < 3; ++i) add(ops, first);
  end(ops, op_id(1));
  ops.forget_before(op_id(2));
  try {
    ops.at(op_id(9));
    FAIL() << "it was found";
  } catch (bad_argument const& refusal) { EXPECT_EQ(refusal.legal(), "2 to 3"); }
}

}  // namespace
}  // namespace ballast::test::operations_test
