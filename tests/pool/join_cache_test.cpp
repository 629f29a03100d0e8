// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/pool/join_cache.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "stepped_workers.hpp"

namespace ballast::test::join_cache_test {
using namespace detail;
namespace {

/// A worker whose cache holds the free records 100, 101 and so on.
class join_cache : public testing::Test {
 protected:
  static constexpr std::uint32_t cache_capacity = 64, batch = 4;

  void SetUp() override { view_.joins = make_arena(); }

  void cache(std::uint32_t records) {
    std::iota(caches_.begin(), caches_.begin() + records, 100);
    me_.joins = records;
  }
  std::vector<std::uint32_t> in_cache() const { return {caches_.begin(), caches_.begin() + me_.joins}; }
  std::vector<std::uint32_t> returned() const {
    std::vector<std::uint32_t> all;
    auto const never_waits = [] { return false; };
    for (std::uint32_t record; view_.joins.returned.pop(record, never_waits) == pop_outcome::taken;)
      all.push_back(record);
    return all;
  }
  static std::vector<std::uint32_t> records(std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), first);
    return all;
  }

  stepped_workers workers_{1};
  pool_view& view_ = workers_.view;
  pool_worker& me_ = workers_[0];

 private:
  join_arena make_arena() {
    join_arena arena;
    arena.used = &used_;
    arena.returned = {&words_, slots_.data(), std::uint32_t(slots_.size())};
    arena.caches = caches_.data();
    arena.cache_capacity = cache_capacity;
    arena.batch = batch;
    return arena;
  }

  ring_queue_words words_{};
  std::vector<ring_slot<std::uint32_t>> slots_{64};
  std::vector<std::uint32_t> caches_ = std::vector<std::uint32_t>(cache_capacity + max_joins_taken);
  std::uint32_t used_ = 0;
};

TEST_F(join_cache, returns_the_records_beyond_those_that_it_keeps) {
  cache(8);
  ASSERT_TRUE(return_joins(workers_.worker_group, view_, me_, 3));
  EXPECT_EQ(in_cache(), records(100, 3));
  auto others = returned();
  std::ranges::sort(others);
  EXPECT_EQ(others, records(103, 5));
}

TEST_F(join_cache, has_room_before_tasks_run_for_all_records_that_they_may_free) {
  cache(cache_capacity);
  ASSERT_TRUE(reserve_joins(workers_.worker_group, view_, me_, 1, 1));
  EXPECT_LE(me_.joins + max_joins_taken, cache_capacity);
  auto all = in_cache();
  std::ranges::copy(returned(), std::back_inserter(all));
  std::ranges::sort(all);
  EXPECT_EQ(all, records(100, cache_capacity)) << "each is in the cache or was returned, once";
}

TEST_F(join_cache, has_no_record_left_and_ends_the_run_when_tasks_made_more_joins_than_it_had) {
  cache(2);
  me_.joins_before = 2;
  me_.joins -= 3;
  refill_join_cache(workers_.worker_group, view_, me_);
  count_joins(view_, me_, 3);
  EXPECT_EQ(view_.words->halt, std::uint32_t(pool_halt::too_many_joins));
  EXPECT_EQ(me_.joins, 0u);
  EXPECT_EQ(me_.delta, 1u) << "its continuation counts, though it never runs";
}

TEST_F(join_cache, keeps_its_records_and_ends_the_run_when_tasks_ended_more_joins_than_there_is_room_for) {
  cache(2);
  me_.joins_before = 2;
  me_.joins_ended = max_joins_taken + 1;
  refill_join_cache(workers_.worker_group, view_, me_);
  count_joins(view_, me_, 3);
  EXPECT_EQ(view_.words->halt, std::uint32_t(pool_halt::too_many_joins));
  EXPECT_EQ(in_cache(), records(100, 2));
}

}  // namespace
}  // namespace ballast::test::join_cache_test
