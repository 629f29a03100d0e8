// SPDX-License-Identifier: Apache-2.0
#include "plan/job_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "ballast/access_map.hpp"
#include "refused_argument.hpp"

namespace ballast::test::job_order_test {
using namespace detail;
namespace {

constexpr array_id a{1}, b{2};
constexpr job_number first{1}, second{2}, third{3};

byte_runs bytes(std::size_t begin, std::size_t end) { return {region({{begin, end}}), extents{1000}, 1}; }
array_use reads(array_id array, byte_runs what) { return {array, std::move(what), {}}; }
array_use writes(array_id array, byte_runs what) { return {array, {}, std::move(what)}; }

/// One unit that does always the same.
job_order::uses_of_part always(array_use use) {
  return [use](job_part) { return std::vector{use}; };
}

/// A step from one array of so many rows of 10 bytes to another, a row a unit, which reads `halo` more.
struct stencil {
  array_id from, to;
  std::uint32_t rows;
  std::size_t halo = 1;

  std::vector<array_use> operator()(job_part part) const {
    extents const shape{rows, 10};
    auto const touched = [&](access_map const& map) {
      return byte_runs(map.of({part, rows, shape}), shape, 1);
    };
    return {reads(from, touched(neighborhood(halo))), writes(to, touched(ballast::rows))};
  }
};

struct job_order_test : testing::Test {
  std::optional<job_number> blocking_job(job_number job, array_use use) {
    return order.blocking_job(job, std::vector{std::move(use)});
  }

  job_order order;
};

TEST_F(job_order_test, lets_the_oldest_job_plan_anything) {
  order.add(first, {0, 4}, stencil{a, a, 4});
  EXPECT_EQ(order.blocking_job(first, stencil{a, a, 4}({0, 4})), std::nullopt);
}

TEST_F(job_order_test, holds_back_who_reads_what_an_earlier_job_will_write) {
  order.add(first, {0, 1}, always(writes(a, bytes(10, 20))));
  EXPECT_EQ(blocking_job(second, reads(a, bytes(19, 30))), first);
  EXPECT_EQ(blocking_job(second, reads(a, bytes(20, 30))), std::nullopt);
}

TEST_F(job_order_test, holds_back_who_writes_what_an_earlier_job_will_read) {
  order.add(first, {0, 1}, always(reads(a, bytes(10, 20))));
  EXPECT_EQ(blocking_job(second, writes(a, bytes(0, 11))), first);
  EXPECT_EQ(blocking_job(second, writes(a, bytes(0, 10))), std::nullopt);
}

TEST_F(job_order_test, holds_back_who_writes_what_an_earlier_job_will_write) {
  order.add(first, {0, 1}, always(writes(a, bytes(10, 20))));
  EXPECT_EQ(blocking_job(second, writes(a, bytes(0, 100))), first);
}

TEST_F(job_order_test, lets_two_jobs_read_the_same_and_two_arrays_be_written) {
  order.add(first, {0, 1}, always(reads(a, bytes(10, 20))));
  EXPECT_EQ(blocking_job(second, reads(a, bytes(10, 20))), std::nullopt);
  EXPECT_EQ(blocking_job(second, writes(b, bytes(10, 20))), std::nullopt);
}

TEST_F(job_order_test, holds_back_nobody_for_a_later_job) {
  order.add(first, {0, 1}, always(reads(b, bytes(0, 1))));
  order.add(second, {0, 1}, always(writes(a, bytes(0, 100))));
  EXPECT_EQ(blocking_job(first, writes(a, bytes(0, 100))), std::nullopt);
}

TEST_F(job_order_test, looks_at_more_than_hulls) {
  extents const shape{10, 100};
  auto const columns = [&](job_part part) { return byte_runs(slice(1).of({part, 100, shape}), shape, 1); };
  order.add(first, {0, 1}, always(writes(a, columns({0, 50}))));
  EXPECT_EQ(blocking_job(second, reads(a, columns({50, 50}))), std::nullopt);
  EXPECT_EQ(blocking_job(second, reads(a, columns({49, 2}))), first);
}

TEST_F(job_order_test, lets_a_step_of_a_stencil_begin_when_its_neighbours_are_planned) {
  order.add(first, {0, 8}, stencil{a, b, 8});
  stencil const next{b, a, 8};
  order.add(second, {0, 8}, next);
  order.mark_planned(first, {0, 3});
  EXPECT_EQ(order.blocking_job(second, next({0, 2})), std::nullopt);
  EXPECT_EQ(order.blocking_job(second, next({0, 3})), first);
  order.mark_planned(first, {5, 3});
  EXPECT_EQ(order.blocking_job(second, next({6, 2})), std::nullopt);
  EXPECT_EQ(order.blocking_job(second, next({5, 1})), first);
  order.mark_planned(first, {3, 2});
  EXPECT_EQ(order.blocking_job(second, next({0, 8})), std::nullopt);
}

TEST_F(job_order_test, names_the_oldest_blocking_job) {
  order.add(first, {0, 1}, always(writes(a, bytes(0, 10))));
  order.add(second, {0, 1}, always(writes(a, bytes(5, 20))));
  EXPECT_EQ(blocking_job(third, reads(a, bytes(0, 20))), first);
  order.mark_planned(first, {0, 1});
  EXPECT_EQ(blocking_job(third, reads(a, bytes(0, 20))), second);
}

TEST_F(job_order_test, waits_no_more_for_what_was_dropped) {
  order.add(first, {0, 2}, always(writes(a, bytes(0, 10))));
  order.mark_planned(first, {0, 1});
  EXPECT_FALSE(order.is_planned(first));
  order.drop(first);
  EXPECT_TRUE(order.is_planned(first));
  EXPECT_EQ(blocking_job(second, reads(a, bytes(0, 20))), std::nullopt);
}

TEST_F(job_order_test, drops_only_what_writes_nothing_that_an_earlier_job_uses) {
  order.add(first, {0, 1}, always(reads(a, bytes(10, 20))));
  order.add(second, {0, 8}, stencil{b, a, 8});  // unit 1 writes what is read
  order.mark_planned(second, {2, 1});
  EXPECT_EQ(order.drop_behind_earlier(second), (std::vector<job_part>{{3, 5}}));
  EXPECT_FALSE(order.is_planned(second));
  EXPECT_EQ(blocking_job(third, writes(a, bytes(0, 80))), first);
  EXPECT_EQ(blocking_job(third, writes(a, bytes(0, 10))), second);
  EXPECT_EQ(blocking_job(third, reads(a, bytes(30, 80))), std::nullopt);
  order.mark_planned(first, {0, 1});
  EXPECT_EQ(order.drop_behind_earlier(second), (std::vector<job_part>{{0, 2}}));
  EXPECT_TRUE(order.is_planned(second));
}

TEST_F(job_order_test, drops_what_only_reads_what_an_earlier_job_writes) {
  order.add(first, {0, 1}, always(writes(a, bytes(0, 80))));
  order.add(second, {0, 8}, stencil{a, b, 8});
  EXPECT_EQ(order.drop_behind_earlier(second), (std::vector<job_part>{{0, 8}}));
  EXPECT_TRUE(order.is_planned(second));
}

TEST_F(job_order_test, drops_nothing_of_a_job_that_is_planned) {
  order.add(first, {0, 1}, always(writes(a, bytes(0, 10))));
  order.mark_planned(first, {0, 1});
  EXPECT_EQ(order.drop_behind_earlier(first), std::vector<job_part>());
}

TEST_F(job_order_test, asks_what_units_do_once_for_each_range_and_only_if_a_later_job_wants_to_know) {
  std::vector<job_part> asked;
  order.add(first, {0, 8}, [&](job_part part) {
    asked.push_back(part);
    return stencil{a, b, 8}(part);
  });
  order.mark_planned(first, {2, 2});
  EXPECT_EQ(asked, std::vector<job_part>());
  blocking_job(second, reads(a, bytes(0, 1)));
  blocking_job(second, reads(a, bytes(0, 1)));
  EXPECT_EQ(asked, (std::vector<job_part>{{0, 2}, {4, 4}}));
}

TEST_F(job_order_test, refuses_jobs_that_are_not_newer_and_parts_that_are_not_there_or_were_planned) {
  order.add(second, {0, 4}, stencil{a, b, 4});
  EXPECT_EQ(refused_argument([&] { order.add(second, {0, 1}, stencil{a, b, 4}); }), "job");
  EXPECT_EQ(refused_argument([&] { order.add(first, {0, 1}, stencil{a, b, 4}); }), "job");
  EXPECT_EQ(refused_argument([&] { order.mark_planned(first, {0, 1}); }), "part");
  EXPECT_EQ(refused_argument([&] { order.mark_planned(second, {3, 2}); }), "part");
  order.mark_planned(second, {1, 1});
  EXPECT_EQ(refused_argument([&] { order.mark_planned(second, {0, 2}); }), "part");
  order.mark_planned(second, {0, 1});
  order.mark_planned(second, {2, 2});
  EXPECT_TRUE(order.is_planned(second));
}

TEST_F(job_order_test, waits_for_no_units_of_a_job_but_those_that_it_was_given) {
  order.add(first, {2, 3}, stencil{b, a, 8});
  EXPECT_EQ(blocking_job(second, reads(a, bytes(0, 20))), std::nullopt);
  EXPECT_EQ(blocking_job(second, reads(a, bytes(20, 50))), first);
  EXPECT_EQ(blocking_job(second, reads(a, bytes(50, 80))), std::nullopt);
  EXPECT_EQ(refused_argument([&] { order.mark_planned(first, {1, 2}); }), "part");
  order.mark_planned(first, {2, 3});
  EXPECT_TRUE(order.is_planned(first));
}

TEST_F(job_order_test, takes_a_job_without_units_as_planned) {
  order.add(first, {0, 0}, always(writes(a, bytes(0, 10))));
  EXPECT_TRUE(order.is_planned(first));
  order.mark_planned(first, {0, 0});
}

/// Jobs of stencils over two arrays, of which parts are planned at random wherever that is allowed; each unit
/// that is not planned is compared with each byte by brute force.
class random_steps {
 public:
  explicit random_steps(std::uint32_t seed) : engine_(seed) {
    for (std::uint64_t number = 1; number <= 6; ++number) add(job_number(number));
  }

  void run() {
    for (int step = 0; step < 400; ++step) try_one();
  }
  int planned = 0, held_back = 0;

 private:
  static constexpr std::uint32_t rows = 9;
  struct one_job {
    job_number number;
    stencil does;
    std::set<std::uint32_t> left;
  };

  void add(job_number number) {
    stencil const does{array_id(drawn(1, 2)), array_id(drawn(1, 2)), rows, drawn(0, 2)};
    order_.add(number, {0, rows}, does);
    jobs_.push_back({number, does, {}});
    for (std::uint32_t unit = 0; unit < rows; ++unit) jobs_.back().left.insert(unit);
  }
  void try_one() {
    auto& job = jobs_[drawn(0, jobs_.size() - 1)];
    auto const part = any_part(job);
    if (part.count == 0) return;
    auto const blocking_job = order_.blocking_job(job.number, job.does(part));
    ASSERT_EQ(blocking_job, by_brute_force(job, part));
    if (blocking_job) return void(++held_back);
    ++planned;
    order_.mark_planned(job.number, part);
    for (std::uint32_t i = 0; i < part.count; ++i) job.left.erase(part.first + i);
  }
  job_part any_part(one_job const& job) {
    job_part part{std::uint32_t(drawn(0, rows - 1)), 0};
    auto const most = drawn(1, 4);
    while (part.count < most && job.left.contains(part.first + part.count)) ++part.count;
    return part;
  }
  std::optional<job_number> by_brute_force(one_job const& job, job_part part) const {
    for (auto const& earlier : jobs_)
      if (earlier.number < job.number)
        for (auto const unit : earlier.left)
          if (meet(touched(job, part), touched(earlier, {unit, 1}))) return earlier.number;
    return std::nullopt;
  }
  /// Of each array and byte whether it is written.
  using touched_bytes = std::set<std::tuple<array_id, std::size_t, bool>>;
  static touched_bytes touched(one_job const& job, job_part part) {
    touched_bytes found;
    auto const add = [&](array_id array, byte_runs const& runs, bool written) {
      runs.for_each_interval([&](byte_range interval) {
        for (auto byte = interval.begin; byte < interval.end; ++byte) found.emplace(array, byte, written);
      });
    };
    for (auto const& use : job.does(part)) {
      add(use.array, use.read, false);
      add(use.array, use.written, true);
    }
    return found;
  }
  static bool meet(touched_bytes const& one, touched_bytes const& other) {
    for (auto const& [array, byte, written] : one)
      if (other.contains({array, byte, true}) || (written && other.contains({array, byte, false})))
        return true;
    return false;
  }
  std::size_t drawn(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(engine_);
  }

  std::mt19937 engine_;
  job_order order_;
  std::vector<one_job> jobs_;
};

TEST(job_order, says_of_random_jobs_what_comparing_all_bytes_says) {
  int planned = 0, held_back = 0;
  for (std::uint32_t seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    random_steps steps(seed);
    steps.run();
    if (testing::Test::HasFatalFailure()) return;
    planned += steps.planned;
    held_back += steps.held_back;
  }
  EXPECT_GT(planned, 200);
  EXPECT_GT(held_back, 200);
}

}  // namespace
}  // namespace ballast::test::job_order_test
