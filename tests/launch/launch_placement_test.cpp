// SPDX-License-Identifier: Apache-2.0
#include "launch_placement.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace ballast::test {
using namespace detail;
namespace {

using place = std::optional<predecessor_stream>;

place const anywhere(std::in_place, std::nullopt);

class invented_moment final : public event {
 public:
  explicit invented_moment(bool reached) : reached_(reached) {}
  bool reached() override { return reached_; }
  std::chrono::nanoseconds since(event const&) const override { return {}; }

 private:
  bool reached_;
};

/// Lines of a queue, and one of another.
class launch_placement_test : public testing::Test {
 protected:
  static constexpr launch_placement::rules everything{.waits_on_device = true, .follows_others = true};

  launch_stream_table lines_{nullptr, {}, std::chrono::minutes(1)};
  launch_stream_table others_{nullptr, {}, std::chrono::minutes(1)};
  std::shared_ptr<launch_stream_state> line_ = lines_.add(0), before_ = lines_.add(0), third_ = lines_.add(0);
  std::shared_ptr<launch_stream_state> elsewhere_ = others_.add(0);
  detail::submission work_;

  void comes_behind(std::vector<dependency> const& all) { work_.set_dependencies(all); }
  place find(launch_placement::rules const& rules, bool merges = true) const {
    return launch_placement(lines_.fence(), rules).find_predecessor(*line_, work_, merges);
  }
};

TEST_F(launch_placement_test, is_free_without_predecessors) { EXPECT_EQ(find({}), anywhere); }

TEST_F(launch_placement_test, is_behind_the_lines_own_launches_in_flight) {
  line_->mark_issued(5, 1);
  EXPECT_EQ(find({}), place(5));
  line_->mark_finished(1);
  EXPECT_EQ(find({}), anywhere) << "they have ended";
}

TEST_F(launch_placement_test, is_behind_a_launch_of_another_line_only_where_that_is_allowed) {
  before_->mark_issued(3, 1);
  comes_behind({{before_, 1, nullptr}});
  EXPECT_FALSE(find({}));
  EXPECT_EQ(find(everything), place(3));
  before_->mark_finished(1);
  EXPECT_EQ(find({}), anywhere) << "it has ended";
}

TEST_F(launch_placement_test, waits_for_launches_in_rings_before_it_goes_elsewhere) {
  line_->mark_issued(launch_stream_state::in_ring, 1);
  EXPECT_FALSE(find(everything)) << "its own";
  line_->mark_finished(1);
  EXPECT_EQ(find(everything), anywhere);
  before_->mark_issued(launch_stream_state::in_ring, 1);
  comes_behind({{before_, 1, nullptr}});
  for (bool const merges : {true, false})
    EXPECT_FALSE(find(everything, merges)) << "no stream can wait for a ring";
  EXPECT_FALSE(launch_placement(lines_.fence(), everything).can_wait_on_device(work_));
  before_->mark_finished(1);
  EXPECT_EQ(find(everything), anywhere);
}

TEST_F(launch_placement_test, waits_for_launches_that_are_not_issued) {
  before_->mark_issued(3, 1);
  comes_behind({{before_, 2, nullptr}});
  for (bool const merges : {true, false}) EXPECT_FALSE(find(everything, merges));
}

TEST_F(launch_placement_test, is_behind_launches_of_several_lines_only_on_one_stream) {
  line_->mark_issued(3, 1);
  before_->mark_issued(3, 1);
  third_->mark_issued(3, 1);
  comes_behind({{before_, 1, nullptr}, {third_, 1, nullptr}});
  EXPECT_EQ(find(everything), place(3));
  third_->mark_issued(4, 1);
  EXPECT_FALSE(find(everything));
  EXPECT_EQ(find(everything, false), place(3)) << "its stream waits for the other";
}

TEST_F(launch_placement_test, waits_for_launches_of_other_queues_and_for_moments) {
  elsewhere_->mark_issued(0, 1);
  comes_behind({{elsewhere_, 1, nullptr}});
  EXPECT_FALSE(find(everything, false));
  elsewhere_->mark_finished(1);
  EXPECT_TRUE(find(everything));
  comes_behind({{nullptr, 0, std::make_shared<invented_moment>(false)}});
  EXPECT_FALSE(find(everything, false));
  comes_behind({{nullptr, 0, std::make_shared<invented_moment>(true)}});
  EXPECT_TRUE(find({}));
}

TEST_F(launch_placement_test, lets_a_stream_wait_only_for_what_was_issued_here) {
  auto const may_wait = [&](launch_placement::rules const& rules) {
    return launch_placement(lines_.fence(), rules).can_wait_on_device(work_);
  };
  before_->mark_issued(3, 1);
  comes_behind({{before_, 1, nullptr}});
  EXPECT_TRUE(may_wait(everything));
  EXPECT_FALSE(may_wait({.follows_others = true}));
  comes_behind({{before_, 2, nullptr}});
  EXPECT_FALSE(may_wait(everything));
  elsewhere_->mark_issued(3, 1);
  comes_behind({{elsewhere_, 1, nullptr}});
  EXPECT_FALSE(may_wait(everything));
}

TEST_F(launch_placement_test, throws_what_made_a_dependency_impossible_and_lets_no_stream_wait_for_it) {
  comes_behind({{before_, 1, nullptr}});
  before_->fail(std::make_exception_ptr(std::runtime_error("planted")), false);
  EXPECT_THROW(find({}), std::runtime_error);
  EXPECT_FALSE(launch_placement(lines_.fence(), everything).can_wait_on_device(work_));
}

TEST_F(launch_placement_test, may_change_once_all_that_the_oldest_launch_comes_behind_has_ended) {
  EXPECT_TRUE(launch_placement::may_change_stream(*line_)) << "no launch waits";
  line_->mark_issued(5, 1);
  EXPECT_FALSE(launch_placement::may_change_stream(*line_));
  line_->mark_finished(1);
  before_->mark_issued(3, 1);
  line_->chain().next().set_dependencies({{before_, 1, nullptr}});
  line_->chain().commit();
  EXPECT_FALSE(launch_placement::may_change_stream(*line_));
  before_->mark_finished(1);
  EXPECT_TRUE(launch_placement::may_change_stream(*line_));
}

}  // namespace
}  // namespace ballast::test
