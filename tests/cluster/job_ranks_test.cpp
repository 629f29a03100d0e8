// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <latch>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ballast/arguments.hpp"
#include "ballast/cluster.hpp"
#include "ballast/detail/job/split_policy.hpp"
#include "ballast/job_scheduler.hpp"
#include "queue_ranks.hpp"
#include "ranked_jobs.cuh"
#include "refused_argument.hpp"
#include "sanitized.hpp"

namespace ballast::test::job_ranks_test {

using namespace detail;
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;

using words = shared_array<std::uint32_t>;
using word_rows = shared_array<std::uint32_t, 2>;

/// BALLAST_TEST_DEVICES on each rank, or else these cores.
std::string devices_or(std::string const& cores) {
  return environment("BALLAST_TEST_DEVICES").value_or(cores);
}

struct jobs_case {
  std::uint32_t ranks = 2;
  std::string devices = devices_or("host:1");
  job_options jobs = {.device_bytes = 1 << 20, .timeout = generous, .shutdown_timeout = generous};
  detail::in_process_options network = {};
  cluster_options watch = {};
};

/// Runs the same program on all ranks.
template <class Program>
void on_schedulers(jobs_case const& of, Program const& program) {
  ranks_in_process ranks({.ranks = of.ranks, .network = of.network, .watch = of.watch});
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    auto options = of.jobs;
    options.ranks = job_peers_of(over);
    job_scheduler jobs(open_devices(of.devices), ranked_job_kernels(), options);
    program(jobs, rank);
  });
}

void blend(job_scheduler& jobs, word_rows& now, word_rows& next) {
  auto const rows_of = std::uint32_t(now.size(0)), columns = std::uint32_t(now.size(1));

  jobs.submit({.grid = rows_of}, reads(now, neighborhood(1)), writes(next, rows), [=](auto from, auto to) {
    return mix_rows{from, to, rows_of, columns};
  });
  std::swap(now, next);
}

void add_to_each(job_scheduler& jobs, words& all, words& sums) {
  auto const count = std::uint32_t(all.size());
  jobs.submit({.grid = std::uint32_t(sums.size())}, reads(all, ballast::all()), updates(sums),
              [=](auto from, auto to) {
                return add_all_to_each{from, to, count};
              });
}

template <class Array>
std::vector<std::uint32_t> values_of(Array const& array) {
  auto const all = array.read();
  return {all.begin(), all.end()};
}

std::vector<std::uint32_t> numbered(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

std::vector<std::uint32_t> blended(job_scheduler& jobs, std::size_t rows, std::size_t columns, int steps) {
  word_rows now(jobs, {rows, columns}), next(jobs, {rows, columns});
  std::ranges::copy(numbered(now.size()), now.write().begin());
  for (int i = 0; i < steps; ++i) blend(jobs, now, next);
  return values_of(now);
}

std::vector<std::uint32_t> blended_alone(std::size_t rows, std::size_t columns, int steps) {
  job_scheduler jobs(open_devices(devices_or("host:1")), ranked_job_kernels(), {.device_bytes = 1 << 20});
  return blended(jobs, rows, columns, steps);
}

TEST(job_ranks, compute_the_same_on_one_rank_and_on_several) {
  auto const expected = blended_alone(37, 10, 9);
  for (std::uint32_t const ranks : {1u, 2u, 3u, 5u, 8u})
    on_schedulers({.ranks = ranks}, [&](job_scheduler& jobs, std::uint32_t rank) {
      EXPECT_EQ(blended(jobs, 37, 10, 9), expected) << "rank " << rank << " of " << ranks;
    });
}

TEST(job_ranks, bring_home_more_than_goes_in_one_exchange) {
  constexpr std::size_t rows_of_rank = 2300, columns = 1024;  // some 9 MiB
  on_schedulers({.ranks = 3}, [&](job_scheduler& jobs, std::uint32_t rank) {
    word_rows all(jobs, {3 * rows_of_rank, columns});
    auto const first = std::uint32_t(all.own().begin);
    auto const own = all.write(own_elements);
    std::iota(own.begin(), own.end(), first);
    auto const home = all.read_on(0);
    EXPECT_EQ(home.size(), rank == 0 ? all.size() : 0);
    bool is_right = true;
    for (std::size_t i = 0; i < home.size(); ++i) is_right = is_right && home[i] == i;
    EXPECT_TRUE(is_right);
    EXPECT_EQ(jobs.statistics().received, rank == 0 ? 2 * rows_of_rank * columns * sizeof(std::uint32_t) : 0);
  });
}

TEST(job_ranks, compute_the_same_whatever_the_policy_and_the_devices_of_a_rank) {
  auto const expected = blended_alone(64, 8, 6);
  for (auto const& policy : split_policies()) {
    jobs_case of{.devices = devices_or("host:1,host:1/2")};
    of.jobs.policy = policy.name;
    on_schedulers(of, [&](job_scheduler& jobs, std::uint32_t rank) {
      EXPECT_EQ(blended(jobs, 64, 8, 6), expected) << "rank " << rank << ", " << policy.name;
    });
  }
}

TEST(job_ranks, may_be_more_than_there_are_units) {
  auto const expected = blended_alone(3, 5, 4);
  on_schedulers({.ranks = 5}, [&](job_scheduler& jobs, std::uint32_t rank) {
    EXPECT_EQ(blended(jobs, 3, 5, 4), expected) << "rank " << rank;
  });
}

TEST(job_ranks, compute_the_same_however_late_messages_are) {
  auto const expected = blended_alone(32, 4, 8);
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    on_schedulers({.ranks = 3, .network = {.most_delay_ns = 300'000, .seed = seed}},
                  [&](job_scheduler& jobs, std::uint32_t rank) {
                    EXPECT_EQ(blended(jobs, 32, 4, 8), expected) << "rank " << rank << ", seed " << seed;
                  });
}

TEST(job_ranks, exchange_rows_at_their_borders_and_nothing_else) {
  constexpr int steps = 5;
  constexpr std::size_t columns = 16, row = columns * sizeof(std::uint32_t);
  jobs_case even{.ranks = 3};
  even.jobs.policy = "static";
  on_schedulers(even, [&](job_scheduler& jobs, std::uint32_t rank) {
    word_rows now(jobs, {30, columns}), next(jobs, {30, columns});
    std::ranges::fill(now.write(own_elements), rank);
    for (int i = 0; i < steps; ++i) blend(jobs, now, next);
    jobs.wait_all();
    auto const neighbours = rank == 1 ? 2u : 1u;
    EXPECT_EQ(jobs.statistics().sent, steps * neighbours * row) << "rank " << rank;
    EXPECT_EQ(jobs.statistics().received, steps * neighbours * row) << "rank " << rank;
  });
}

TEST(job_ranks, exchange_nothing_that_all_of_them_have_written) {
  on_schedulers({.ranks = 2}, [&](job_scheduler& jobs, std::uint32_t) {
    words all(jobs, {100}), sums(jobs, {10});
    std::ranges::copy(numbered(100), all.write().begin());
    std::ranges::fill(sums.write(), 1u);
    add_to_each(jobs, all, sums);
    jobs.wait_all();
    EXPECT_EQ(jobs.statistics().received, 0u);
    EXPECT_EQ(values_of(sums).size(), 10u);
    EXPECT_EQ(jobs.statistics().received, 5 * sizeof(std::uint32_t));
  });
}

TEST(job_ranks, send_on_what_they_were_sent_where_all_read_it) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t const ranks : {1u, 4u})
    on_schedulers({.ranks = ranks}, [&](job_scheduler& jobs, std::uint32_t rank) {
      words all(jobs, {40'000}), sums(jobs, {8});
      std::ranges::copy(numbered(all.size()), all.write().begin());
      std::ranges::fill(sums.write(), 1u);
      for (int i = 0; i < 3; ++i) {
        add_to_each(jobs, sums, all);  // so that each rank has its part of what all are to read
        add_to_each(jobs, all, sums);
      }
      auto const found = values_of(sums);
      if (ranks == 1) expected = found;
      EXPECT_EQ(found, expected) << "rank " << rank;
    });
}

TEST(job_ranks, have_own_elements_that_nobody_else_writes) {
  on_schedulers({.ranks = 3}, [&](job_scheduler& jobs, std::uint32_t rank) {
    words numbers(jobs, {10});
    auto const own = numbers.own();
    auto const mine = numbers.write(own_elements);
    EXPECT_EQ(mine.size(), own.end - own.begin);
    std::iota(mine.begin(), mine.end(), std::uint32_t(own.begin));
    auto const again = numbers.read(own_elements);
    EXPECT_TRUE(std::ranges::equal(again, mine)) << "rank " << rank;
    std::vector<std::uint32_t> all(10);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(values_of(numbers), all) << "rank " << rank;
  });
}

TEST(job_ranks, send_what_one_of_them_reads_to_no_other) {
  auto const expected = blended_alone(30, 4, 3);
  jobs_case even{.ranks = 3};
  even.jobs.policy = "static";
  on_schedulers(even, [&](job_scheduler& jobs, std::uint32_t rank) {
    word_rows now(jobs, {30, 4}), next(jobs, {30, 4});
    std::ranges::copy(numbered(now.size()), now.write().begin());
    for (int i = 0; i < 3; ++i) blend(jobs, now, next);
    auto const before = jobs.statistics();
    auto const read = now.read_on(1);
    EXPECT_EQ(std::vector(read.begin(), read.end()), rank == 1 ? expected : std::vector<std::uint32_t>());
    auto const after = jobs.statistics();
    EXPECT_EQ(after.received - before.received, rank == 1 ? 20 * 16u : 0u) << "rank " << rank;
    EXPECT_EQ(after.sent - before.sent, rank == 1 ? 0u : 10 * 16u) << "rank " << rank;
  });
}

TEST(job_ranks, have_all_elements_also_after_one_of_them_had_them_alone) {
  auto const expected = blended_alone(12, 4, 1);
  on_schedulers({.ranks = 2}, [&](job_scheduler& jobs, std::uint32_t rank) {
    word_rows now(jobs, {12, 4}), next(jobs, {12, 4});
    std::ranges::copy(numbered(now.size()), now.write().begin());
    blend(jobs, now, next);
    EXPECT_EQ(now.read_on(0).size(), rank == 0 ? 48u : 0u);
    EXPECT_EQ(now(11, 3), expected[47]) << "rank " << rank;  // a step of all ranks, on both
    blend(jobs, now, next);
    now.read_on(1);
    for (auto& value : now.update()) value += 1;
    EXPECT_EQ(now.read_on(1, {5, 7}).size(), rank == 1 ? 2u : 0u);
  });
}

TEST(job_ranks, all_have_the_elements_of_an_array_that_one_of_them_owns) {
  on_schedulers({.ranks = 2}, [&](job_scheduler& jobs, std::uint32_t) {
    word_rows one_row(jobs, {1, 3});
    std::ranges::fill(one_row.write(own_elements), 5u);
    one_row.read(own_elements);
    EXPECT_EQ(one_row(0, 2), 5u);
  });
}

TEST(job_ranks, read_the_own_elements_of_one_of_them) {
  on_schedulers({.ranks = 3}, [&](job_scheduler& jobs, std::uint32_t rank) {
    words numbers(jobs, {9});
    for (auto& value : numbers.write(own_elements)) value = rank;
    auto const read = numbers.read_on(2, own_elements);
    EXPECT_EQ(std::vector(read.begin(), read.end()), std::vector<std::uint32_t>(rank == 2 ? 3 : 0, 2));
    EXPECT_EQ(jobs.statistics().received, 0u);
  });
}

struct refused_by_map {};

void add_what_is_mapped(job_scheduler& jobs, words& from, words& to, access_map const& of_from) {
  jobs.submit({.grid = 4}, reads(from, of_from), updates(to), [=](auto read, auto written) {
    return add_all_to_each{read, written, 1};
  });
}

/// The ranks compare their times before a site's third job. The second rank submits none, and waits for none.
TEST(job_ranks, refuse_a_job_before_they_compare_their_times_for_it) {
  std::latch is_refused(1);
  on_schedulers({.ranks = 2}, [&](job_scheduler& jobs, std::uint32_t rank) {
    words from(jobs, {4}), to(jobs, {4});
    for (int i = 0; i < 2; ++i) add_what_is_mapped(jobs, from, to, all());
    auto const refuse = [](map_view const&) -> region { throw refused_by_map(); };
    if (rank == 0) {
      EXPECT_THROW(add_what_is_mapped(jobs, from, to, refuse), refused_by_map);
      is_refused.count_down();
    }
    is_refused.wait();
  });
}

TEST(job_ranks, refuse_a_rank_that_there_is_not) {
  on_schedulers({.ranks = 2}, [&](job_scheduler& jobs, std::uint32_t) {
    words numbers(jobs, {9});
    EXPECT_EQ(refused_argument([&] { numbers.read_on(2); }), "rank");
  });
  job_scheduler alone(open_devices("host:1"), ranked_job_kernels(), {.device_bytes = 1 << 20});
  words numbers(alone, {9});
  numbers.write();
  EXPECT_EQ(numbers.read_on(0).size(), 9u);
  EXPECT_EQ(refused_argument([&] { numbers.read_on(1); }), "rank");
}

TEST(job_ranks, bring_results_home_to_memory_that_each_has_adopted) {
  auto const expected = blended_alone(12, 4, 1);
  on_schedulers({.ranks = 3}, [&](job_scheduler& jobs, std::uint32_t rank) {
    auto mine = numbered(48);
    std::vector<std::uint32_t> blended_here(48);
    word_rows now(jobs, adopt(std::span(mine), {12, 4})), next(jobs, adopt(std::span(blended_here), {12, 4}));
    blend(jobs, now, next);  // which swaps them
    now.release();
    next.release();
    EXPECT_EQ(blended_here, expected) << "rank " << rank;
    EXPECT_EQ(mine, numbered(48)) << "rank " << rank;
  });
}

TEST(job_ranks, own_every_element_where_there_is_no_other) {
  job_scheduler jobs(open_devices(devices_or("host:1")), ranked_job_kernels(), {.device_bytes = 1 << 20});
  words numbers(jobs, {10});
  EXPECT_EQ(numbers.own(), (index_range{0, 10}));
  EXPECT_EQ(numbers.write(own_elements).size(), 10u);
}

/// What a program found: all elements in the end, and of each step in which this rank alone read an array the
/// sum of that.
struct findings {
  std::vector<std::uint32_t> elements;
  std::map<int, std::uint32_t> sums;
};

/// Jobs and accesses that follow from a seed, and from nothing else.
findings random_program(job_scheduler& jobs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto const below = [&](std::uint64_t end) { return std::size_t(random() % end); };
  std::vector<word_rows> fields;
  std::vector<words> lines;
  for (int i = 0; i < 3; ++i) {
    std::ranges::copy(numbered(24 * 5),
                      fields.emplace_back(jobs, std::array<std::size_t, 2>{24, 5}).write().begin());
    std::ranges::copy(numbered(17), lines.emplace_back(jobs, std::array<std::size_t, 1>{17}).write().begin());
  }
  findings found;
  for (int step = 0; step < 40; ++step) {
    auto const one = below(3), other = (one + 1 + below(2)) % 3;
    switch (below(7)) {
      case 0:
        add_to_each(jobs, lines[one], lines[other]);
        break;
      case 1: {
        auto const begin = below(17), end = begin + 1 + below(17 - begin);
        for (auto& value : lines[one].update({begin, end})) value = value * 3 + std::uint32_t(step);
        break;
      }
      case 2:
        for (auto& value : fields[one].update(own_elements)) value += 7;
        break;
      case 3: {
        auto const reader = std::uint32_t(below(60)) % jobs.ranks();
        auto const alone = fields[one].read_on(reader);
        if (jobs.rank() == reader) found.sums[step] = std::reduce(alone.begin(), alone.end());
        break;
      }
      default:
        blend(jobs, fields[one], fields[other]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    std::ranges::copy(values_of(fields[std::size_t(i)]), std::back_inserter(found.elements));
    std::ranges::copy(values_of(lines[std::size_t(i)]), std::back_inserter(found.elements));
  }
  return found;
}

TEST(job_ranks, compute_what_one_rank_does_for_random_programs) {
  for (std::uint64_t seed = 0; seed < (sanitized ? 4u : 12u); ++seed) {
    job_scheduler alone(open_devices(devices_or("host:1")), ranked_job_kernels(), {.device_bytes = 1 << 20});
    auto const expected = random_program(alone, seed);
    jobs_case of{.ranks = 2 + std::uint32_t(seed % 3),
                 .devices = devices_or(seed % 2 == 0 ? "host:1" : "host:1,host:1")};
    of.jobs.device_bytes = seed % 4 == 3 ? 4096 : 1 << 20;
    of.network = {.most_delay_ns = seed % 3 == 0 ? 50'000 : 0, .seed = seed};
    on_schedulers(of, [&](job_scheduler& jobs, std::uint32_t rank) {
      auto const found = random_program(jobs, seed);
      EXPECT_EQ(found.elements, expected.elements) << "rank " << rank << ", seed " << seed;
      for (auto const& [step, sum] : found.sums)
        EXPECT_EQ(sum, expected.sums.at(step)) << "rank " << rank << ", seed " << seed << ", step " << step;
    });
  }
}

/// What each rank's program ends with.
template <class Program>
std::vector<std::string> failures(jobs_case const& of, Program const& program) {
  std::vector<std::string> all(of.ranks);
  on_schedulers(of, [&](job_scheduler& jobs, std::uint32_t rank) {
    try {
      program(jobs, rank);
    } catch (error const& failure) { all[rank] = failure.what(); }
  });
  return all;
}

TEST(job_ranks, all_fail_with_the_job_that_failed_on_one) {
  auto const all = failures({.ranks = 3}, [](job_scheduler& jobs, std::uint32_t rank) {
    words from(jobs, {12}), to(jobs, {12});
    std::ranges::fill(from.write(), 1u);
    jobs.submit({.grid = 12, .name = "breaks"}, reads(from, ballast::all()), updates(to),
                [=](auto read, auto written) {
                  if (rank == 1) throw std::runtime_error("out of luck");
                  return add_all_to_each{read, written, 12};
                })
        .wait();
    to.read();
  });
  EXPECT_THAT(all[1], AllOf(HasSubstr("'breaks'"), HasSubstr("out of luck")));
  EXPECT_THAT(all[0], AllOf(HasSubstr("rank 1 failed"), HasSubstr("'breaks'"), HasSubstr("out of luck")));
  EXPECT_THAT(all[2], AllOf(HasSubstr("rank 1 failed"), HasSubstr("'breaks'"), HasSubstr("out of luck")));
}

TEST(job_ranks, accept_nothing_after_a_failure) {
  auto const all = failures({.ranks = 2}, [](job_scheduler& jobs, std::uint32_t rank) {
    words from(jobs, {4}), to(jobs, {4});
    auto const job = jobs.submit({.grid = 4}, reads(from), updates(to), [=](auto read, auto written) {
      if (rank == 0) throw std::runtime_error("out of luck");
      return add_all_to_each{read, written, 1};
    });
    await("the failure", [&] {
      try {
        to.read();
        return false;
      } catch (error const&) { return true; }
    });
    jobs.submit({.grid = 4}, reads(from), updates(to), [=](auto read, auto written) {
      return add_all_to_each{read, written, 1};
    });
  });
  EXPECT_THAT(all, Each(HasSubstr("out of luck")));
}

TEST(job_ranks, give_back_memory_that_was_adopted_after_a_failure) {
  jobs_case of{.ranks = 2};
  of.jobs.timeout = std::chrono::minutes(10);  // which nothing here may wait for
  on_schedulers(of, [](job_scheduler& jobs, std::uint32_t rank) {
    auto mine = numbered(12);
    words from(jobs, {12}), to(jobs, adopt(std::span(mine)));
    auto const run = [&] {  // the failure of rank 1 may come at any time
      from.write();
      jobs.submit({.grid = 12}, reads(from), updates(to),
                  [=](auto read, auto written) {
                    if (rank == 1) throw std::runtime_error("out of luck");
                    return add_all_to_each{read, written, 1};
                  })
          .wait();
      to.read();
    };
    EXPECT_THROW(run(), error);
  });
}

TEST(job_ranks, name_the_first_step_that_differs) {
  auto const all = failures({.ranks = 3}, [](job_scheduler& jobs, std::uint32_t rank) {
    word_rows now(jobs, {9, 4}, "now"), next(jobs, {9, 4}, "next");
    words sums(jobs, {9}, "sums"), terms(jobs, {5}, "terms");
    std::ranges::fill(now.write(), 1u);
    if (rank == 2)
      add_to_each(jobs, terms, sums);
    else
      blend(jobs, now, next);
    for (int i = 0; i < 5; ++i) blend(jobs, now, next);
    now.read();
  });
  EXPECT_THAT(all, Each(HasSubstr("the ranks run different programs")));
  EXPECT_THAT(all,
              Contains(AllOf(HasSubstr("step 6 is"), HasSubstr("mix_rows"), HasSubstr("add_all_to_each"))));
}

TEST(job_ranks, name_accesses_of_other_elements) {
  auto const all = failures({.ranks = 2}, [](job_scheduler& jobs, std::uint32_t rank) {
    words numbers(jobs, {9}, "numbers");
    numbers.write();
    numbers.update({rank, 9});
    jobs.wait_all();
    await("the failure", [&] {
      numbers.read();
      return false;
    });
  });
  EXPECT_THAT(all, Each(AllOf(HasSubstr("an update of elements 0 to 9 of array 'numbers'"),
                              HasSubstr("an update of elements 1 to 9 of array 'numbers'"))));
}

TEST(job_ranks, fail_when_one_of_them_is_lost) {
  ranks_in_process ranks({.ranks = 3, .watch = quick_to_lose()});
  std::vector<std::string> all(3);
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    job_scheduler jobs(open_devices(devices_or("host:1")), ranked_job_kernels(),
                       {.device_bytes = 1 << 20,
                        .timeout = generous,
                        .shutdown_timeout = generous,
                        .ranks = job_peers_of(over)});
    word_rows now(jobs, {30, 4}), next(jobs, {30, 4});
    std::ranges::fill(now.write(), 1u);
    blend(jobs, now, next);
    now.read();
    if (rank == 2) ranks.lose(2);
    try {
      blend(jobs, now, next);
      now.read();
    } catch (error const& failure) { all[rank] = failure.what(); }
  });
  EXPECT_THAT(all[0], HasSubstr("rank 2 is lost: nothing was heard of it for 1 s"));
  EXPECT_THAT(all[1], HasSubstr("rank 2 is lost: nothing was heard of it for 1 s"));
  EXPECT_THAT(all[2], HasSubstr("lost"));
}

TEST(job_ranks, say_which_rank_ended_before_the_others) {
  ranks_in_process ranks({.ranks = 2});
  std::string found;
  std::latch has_failed(1);
  ranks.on_clusters([&](cluster& over, std::uint32_t rank) {
    {
      job_scheduler jobs(open_devices(devices_or("host:1")), ranked_job_kernels(),
                         {.device_bytes = 1 << 20, .timeout = generous, .ranks = job_peers_of(over)});
      word_rows now(jobs, {8, 4}), next(jobs, {8, 4});
      std::ranges::fill(now.write(), 1u);
      blend(jobs, now, next);
      try {
        if (rank == 1) blend(jobs, now, next), now.read();
      } catch (error const& failure) { found = failure.what(); }
    }
    if (rank == 1) has_failed.count_down();
    has_failed.wait();  // a rank that has left its cluster answers no more
  });
  EXPECT_THAT(found, AllOf(HasSubstr("the ranks run different programs"), HasSubstr("rank 0 has ended")));
}

TEST(job_ranks, refuse_peers_that_another_scheduler_has) {
  ranks_in_process ranks({.ranks = 2});
  ranks.on_clusters([&](cluster& over, std::uint32_t) {
    job_options const options{.device_bytes = 1 << 20, .ranks = job_peers_of(over)};
    job_scheduler first(open_devices(devices_or("host:1")), options);
    EXPECT_THAT(refusal<error>([&] { job_scheduler second(open_devices(devices_or("host:1")), options); }),
                HasSubstr("peers of one job scheduler were given to a second one"));
  });
}

TEST(job_ranks, may_have_several_schedulers_at_a_time) {
  auto const expected = blended_alone(20, 3, 4);
  ranks_in_process ranks({.ranks = 2});
  ranks.on_clusters([&](cluster& over, std::uint32_t) {
    job_scheduler first(open_devices(devices_or("host:1")), ranked_job_kernels(),
                        {.device_bytes = 1 << 20, .ranks = job_peers_of(over)});
    job_scheduler second(open_devices(devices_or("host:1")), ranked_job_kernels(),
                         {.device_bytes = 1 << 20, .ranks = job_peers_of(over)});
    EXPECT_EQ(blended(second, 20, 3, 4), expected);
    EXPECT_EQ(blended(first, 20, 3, 4), expected);
  });
}

}  // namespace
}  // namespace ballast::test::job_ranks_test
