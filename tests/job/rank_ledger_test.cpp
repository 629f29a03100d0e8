// SPDX-License-Identifier: Apache-2.0
#include "ranks/job_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "ballast/error.hpp"

namespace ballast::test::rank_ledger_test {
using namespace detail;
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr array_id field{1}, other_field{2};

byte_runs bytes(std::size_t begin, std::size_t end) {
  return byte_runs(std::vector<byte_range>{{begin, end}});
}
array_use read_of(byte_runs of) { return {field, std::move(of), {}}; }
array_use write_of(byte_runs of) { return {field, {}, std::move(of)}; }

TEST(rank_ledger, exchanges_nothing_that_nobody_has_written) {
  rank_ledger ledger(3);
  ledger.add(field, 30);
  EXPECT_THAT(ledger.step([](std::uint32_t) { return std::vector{read_of(bytes(0, 30))}; }), IsEmpty());
}

TEST(rank_ledger, exchanges_what_a_neighbour_has_written_once) {
  rank_ledger ledger(2);
  ledger.add(field, 20);
  auto const own = [](std::uint32_t rank) { return bytes(10 * rank, 10 * rank + 10); };
  ledger.step([&](std::uint32_t rank) { return std::vector{write_of(own(rank))}; });
  auto const halo = [](std::uint32_t rank) {
    return std::vector{read_of(rank == 0 ? bytes(0, 12) : bytes(8, 20))};
  };
  EXPECT_THAT(ledger.step(halo),
              ElementsAre(rank_exchange{field, 1, 0, {{10, 12}}}, rank_exchange{field, 0, 1, {{8, 10}}}));
  EXPECT_THAT(ledger.step(halo), IsEmpty());
}

TEST(rank_ledger, exchanges_what_was_there_before_the_step_that_writes_it) {
  rank_ledger ledger(2);
  ledger.add(field, 4);
  ledger.step([](std::uint32_t rank) {
    return rank == 0 ? std::vector{write_of(bytes(0, 4))} : std::vector<array_use>();
  });
  auto const update = [](std::uint32_t rank) {
    return rank == 1 ? std::vector{array_use{field, bytes(0, 4), bytes(0, 4)}} : std::vector<array_use>();
  };
  EXPECT_THAT(ledger.step(update), ElementsAre(rank_exchange{field, 0, 1, {{0, 4}}}));
  EXPECT_THAT(ledger.step(update), IsEmpty());
  EXPECT_THAT(ledger.step([](std::uint32_t) { return std::vector{read_of(bytes(0, 4))}; }),
              ElementsAre(rank_exchange{field, 1, 0, {{0, 4}}}));
}

TEST(rank_ledger, knows_that_all_have_what_all_have_written) {
  rank_ledger ledger(4);
  ledger.add(field, 8);
  ledger.step([](std::uint32_t rank) { return std::vector{write_of(bytes(2 * rank, 2 * rank + 2))}; });
  ledger.record_common_write(field, bytes(0, 8));
  EXPECT_THAT(ledger.step([](std::uint32_t) { return std::vector{read_of(bytes(0, 8))}; }), IsEmpty());
}

TEST(rank_ledger, spreads_what_all_read_as_a_tree) {
  rank_ledger ledger(16);
  ledger.add(field, 100);
  ledger.step([](std::uint32_t rank) {
    return rank == 5 ? std::vector{write_of(bytes(0, 100))} : std::vector<array_use>();
  });
  auto const all = ledger.step([](std::uint32_t) { return std::vector{read_of(bytes(0, 100))}; });
  EXPECT_EQ(all.size(), 15u);
  std::vector<int> hops(16, 0), sends(16, 0);
  std::set<std::uint32_t> has{5};
  for (auto const& one : all) {
    EXPECT_TRUE(has.contains(one.from)) << one.from << " sends what it has not";
    EXPECT_TRUE(has.insert(one.to).second) << one.to << " is sent it twice";
    hops[one.to] = hops[one.from] + 1;
    ++sends[one.from];
  }
  EXPECT_LE(std::ranges::max(hops), 4);
  EXPECT_LE(std::ranges::max(sends), 4);
}

TEST(rank_ledger, is_as_before_after_a_map_that_throws) {
  rank_ledger ledger(3);
  ledger.add(field, 4);
  ledger.step([](std::uint32_t rank) {
    return rank == 0 ? std::vector{write_of(bytes(0, 4))} : std::vector<array_use>();
  });
  auto const read = [](std::uint32_t rank) {
    return rank == 1 ? std::vector{read_of(bytes(0, 4))} : std::vector<array_use>();
  };
  EXPECT_THROW(ledger.step([&](std::uint32_t rank) {
    if (rank == 2) throw error("no map");
    return read(rank);
  }),
               error);
  EXPECT_THAT(ledger.step(read), ElementsAre(rank_exchange{field, 0, 1, {{0, 4}}}));
}

TEST(rank_ledger, forgets_an_array_and_no_other) {
  rank_ledger ledger(2);
  ledger.add(field, 4);
  ledger.add(other_field, 4);
  ledger.step([](std::uint32_t rank) {
    return rank == 0 ? std::vector{array_use{other_field, {}, bytes(0, 4)}} : std::vector<array_use>();
  });
  ledger.forget(field);
  EXPECT_THAT(ledger.step([](std::uint32_t) {
    return std::vector{array_use{other_field, bytes(1, 3), {}}};
  }),
              ElementsAre(rank_exchange{other_field, 0, 1, {{1, 3}}}));
}

/// The same, byte by byte.
class byte_holders {
 public:
  byte_holders(std::uint32_t ranks, std::size_t bytes) : holders_(bytes, std::vector<bool>(ranks, true)) {}

  /// Checks that an exchange brings what its rank lacks from one that has it.
  void receive(rank_exchange const& one) {
    for (auto const range : one.bytes)
      for (auto byte = range.begin; byte < range.end; ++byte) {
        EXPECT_TRUE(holders_[byte][one.from]) << "byte " << byte << " is not on rank " << one.from;
        EXPECT_FALSE(holders_[byte][one.to]) << "byte " << byte << " is on rank " << one.to << " already";
        holders_[byte][one.to] = true;
      }
  }
  bool has(std::uint32_t rank, byte_runs const& of) const {
    bool all = true;
    of.for_each_interval([&](byte_range range) {
      for (auto byte = range.begin; byte < range.end; ++byte) all = all && holders_[byte][rank];
    });
    return all;
  }
  void write(std::uint32_t rank, byte_runs const& of) {
    of.for_each_interval([&](byte_range range) {
      for (auto byte = range.begin; byte < range.end; ++byte) {
        holders_[byte].assign(holders_[byte].size(), false);
        holders_[byte][rank] = true;
      }
    });
  }

 private:
  std::vector<std::vector<bool>> holders_;
};

TEST(rank_ledger, brings_what_is_read_from_who_has_it_in_random_steps) {
  constexpr std::size_t size = 64;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    auto const below = [&](std::uint64_t end) { return std::size_t(random() % end); };
    auto const ranks = std::uint32_t(2 + below(6));
    rank_ledger ledger(ranks);
    byte_holders model(ranks, size);
    ledger.add(field, size);
    for (int step = 0; step < 30; ++step) {
      std::vector<std::vector<array_use>> uses(ranks);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        auto const begin = below(size), first = size / ranks * rank;
        uses[rank].push_back(read_of(bytes(begin, begin + 1 + below(size - begin))));
        if (below(2) == 0) uses[rank].push_back(write_of(bytes(first, first + 1 + below(size / ranks))));
      }
      for (auto const& one : ledger.step([&](std::uint32_t rank) { return uses[rank]; })) model.receive(one);
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        EXPECT_TRUE(model.has(rank, uses[rank].front().read)) << "rank " << rank << ", seed " << seed;
      for (std::uint32_t rank = 0; rank < ranks; ++rank)
        for (auto const& use : uses[rank]) model.write(rank, use.written);
    }
  }
}

}  // namespace
}  // namespace ballast::test::rank_ledger_test
