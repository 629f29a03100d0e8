// SPDX-License-Identifier: Apache-2.0
// Several servers, each of which has some of the submission rings. On cores the option changes nothing.
#include <latch>
#include <span>
#include <thread>

#include "fixture.hpp"
#include "queue_state.hpp"
#include "row_chain.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// A run in rings of 1024 slots.
served_run run_of(std::vector<served_run::ring> rings, std::uint32_t servers = 1, std::uint32_t most = 4) {
  return {.rings = std::move(rings), .capacity = 1024, .seconds = 1, .servers = servers, .most = most};
}

/// Eight rings, some used.
std::vector<served_run::ring> rings(std::size_t used, std::uint64_t slots, std::uint64_t stalls) {
  std::vector<served_run::ring> all(8);
  std::fill_n(all.begin(), used, served_run::ring{slots, stalls});
  return all;
}

TEST(number_of_servers, is_decided_by_what_the_threads_of_the_last_run_did) {
  std::uint64_t const many = 1 << 20, few = 4096;
  auto uneven = rings(8, many / 4 - 1, 1024);
  uneven[3] = {many, 4096};
  auto two_large = uneven;
  ++two_large[4].slots;
  struct {
    char const* after;
    served_run run;
    std::uint32_t expected;
  } const cases[] = {
      {"no run", {}, 1},
      {"a run without tasks", run_of(rings(0, 0, 0)), 1},
      {"one thread", run_of(rings(1, many, 1024)), 1},
      {"two threads", run_of(rings(2, many, 1024)), 2},
      {"two, one of which stalls", run_of({{many, 1024}, {many, 0}}), 1},
      {"three of four servers", run_of(rings(3, many, 1024), 4), 3},
      {"eight threads", run_of(rings(8, many, 1024)), 4},
      {"eight of four servers", run_of(rings(8, many, 1024), 4), 4},
      {"one of eight does almost all", run_of(uneven), 1},
      {"two of eight do much", run_of(two_large), 2},
      {"too short to tell", run_of(rings(8, few, 15)), 1},
      {"long enough", run_of(rings(8, few, 16)), 4},
      {"stalls are rare", run_of(rings(8, many, 511)), 1},
      {"just enough", run_of(rings(8, many, 512)), 4},
      {"no stalls, one server", run_of(rings(8, 3 * many, 0)), 1},
      {"no stalls, four servers", run_of(rings(8, 3 * many, 0), 4), 4},
      {"a trickle", run_of(rings(8, 2 * many, 0), 4), 1},
      {"one thread of four servers", run_of(rings(1, 100 * many, 0), 4), 1},
      {"a set that creates tasks", run_of(rings(8, many, 1024), 1, 1), 1},
      {"few SMs left", run_of(rings(8, many, 1024), 1, 2), 2},
      {"no server kernel", run_of(rings(8, many, 1024), 0, 0), 1},
  };
  for (auto const& [after, run, expected] : cases) EXPECT_EQ(servers_after(run), expected) << after;
}

struct several_servers : testing::TestWithParam<std::uint32_t> {
  static queue_options options(std::uint32_t capacity = 1024) {
    auto all = test_options();
    all.servers = {GetParam()};
    all.capacity = capacity;
    return all;
  }
};

/// Each of so many threads calls `submit(thread)`, and stays until all have: each has a ring of its own.
template <class Submit>
void by_threads(std::uint32_t threads, Submit const& submit) {
  std::latch submitted(threads);
  std::vector<std::jthread> all;
  for (std::uint32_t t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      submit(t);
      submitted.arrive_and_wait();
    });
}

/// What the statistics report.
std::uint32_t servers_where(std::uint32_t asked) {
  if (!first_device()->is_cuda()) return 0;
  bool const one_by_one = environment("NV_SANITIZER_INJECTION_PORT_BASE") ||
                          environment("CUDA_LAUNCH_BLOCKING").value_or("0") != "0";
  return one_by_one ? 1 : asked;
}

constexpr std::uint32_t submitters = 6;

TEST_P(several_servers, run_what_threads_submit_one_by_one_in_batches_and_as_grids_exactly_once) {
  std::uint32_t const singles = 500, batched = 3'000, grid = 200, each = singles + batched + grid;
  counted_words visits(first_device(), submitters * each);
  auto const tasks = visits_of(visits.ref(), submitters * each);
  task_queue queue(first_device(), kernels(), options());
  by_threads(submitters, [&](std::uint32_t t) {
    auto const mine = std::span(tasks).subspan(std::size_t(t) * each, each);
    for (std::uint32_t i = 0; i < singles; ++i) queue.submit(mine[i]);
    queue.submit(mine.subspan(singles, batched));
    queue.submit(grid_task(task(count_visit{visits.ref()}, {t * each + singles + batched, grid}))).wait();
  });
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_EQ(queue.statistics().claimed, submitters * std::uint64_t(each));
  EXPECT_EQ(queue.statistics().fetched, submitters * std::uint64_t(each));
}

TEST_P(several_servers, share_the_smallest_ring) {
  std::uint32_t const each = 200;
  counted_words visits(first_device(), submitters * each);
  auto const tasks = visits_of(visits.ref(), submitters * each);
  task_queue queue(first_device(), kernels(), options(2));
  by_threads(submitters, [&](std::uint32_t t) {
    queue.submit(std::span(tasks).subspan(std::size_t(t) * each, each));
    queue.wait_all();
  });
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(several_servers, may_be_more_than_there_are_submission_rings) {
  std::uint32_t const n = 5'000;
  counted_words visits(first_device(), n);
  auto few = options();
  few.submission_rings = 1;
  task_queue queue(first_device(), kernels(), few);
  queue.submit(visits_of(visits.ref(), n));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

// The first task of each thread is held, so that the stop finds the others in every ring.
TEST_P(several_servers, hand_back_at_a_stop_what_did_not_run_and_start_again) {
  std::uint32_t const each = 2'000;
  counted_words visits(first_device(), submitters * each);
  auto const tasks = visits_of(visits.ref(), submitters * each);
  auto later = options(4096);
  later.start_at_once = false;
  task_queue queue(first_device(), kernels(), later);
  gate held(queue.workers());
  queue.start();
  for (std::uint32_t i = 0; i < queue.workers(); ++i) queue.submit(held.holder(i));
  held.await_inside(queue.workers_of_run());
  by_threads(submitters, [&](std::uint32_t t) {
    queue.submit(std::span(tasks).subspan(std::size_t(t) * each, each / 2));
    queue.submit(grid_task(task(count_visit{visits.ref()}, {t * each + each / 2, each / 2})));
  });
  queue.request_stop();
  held.open();
  auto const rest = queue.stop();
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

// Held workers leave tasks in every ring when a run is stopped.
TEST(servers, whose_number_changes_with_each_run_run_what_stops_left_exactly_once) {
  std::uint32_t const each = 600, runs = 7;
  counted_words visits(first_device(), runs * submitters * each);
  auto const tasks = visits_of(visits.ref(), runs * submitters * each);
  auto later = test_options();
  later.servers = {1, 4, 2, 1, 3};
  later.capacity = 256;
  later.start_at_once = false;
  task_queue queue(first_device(), kernels(), later);
  std::vector<std::unique_ptr<gate>> gates;
  for (std::uint32_t run = 0; run < runs; ++run) gates.push_back(std::make_unique<gate>(queue.workers()));
  std::vector<task> rest;
  for (std::uint32_t run = 0; run < runs; ++run) {
    queue.start();
    EXPECT_EQ(queue.statistics().servers, servers_where(later.servers[run % later.servers.size()]));
    queue.submit(rest);
    queue.wait_all();
    for (std::uint32_t i = 0; i < queue.workers_of_run(); ++i) queue.submit(gates[run]->holder(i));
    gates[run]->await_inside(queue.workers_of_run());
    by_threads(submitters, [&](std::uint32_t t) {
      auto const first = (run * submitters + t) * each;
      queue.submit(std::span(tasks).subspan(first, 50));
      queue.submit(grid_task(task(count_visit{visits.ref()}, {first + 50, each - 200})));
      queue.submit(std::span(tasks).subspan(first + each - 150, 150));
    });
    queue.request_stop();
    gates[run]->open();
    rest = queue.stop();
  }
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(servers, are_at_first_one_and_stay_one_where_few_tasks_come) {
  counted_words visits(first_device(), submitters);
  auto unset = test_options();
  unset.servers = {};
  unset.start_at_once = false;
  task_queue queue(first_device(), kernels(), unset);
  for (std::uint32_t run = 0; run < 3; ++run) {
    queue.start();
    EXPECT_EQ(queue.statistics().servers, servers_where(1));
    by_threads(submitters, [&](std::uint32_t t) { queue.submit(task(count_visit{visits.ref()}, {t, 1})); });
    queue.close();
  }
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(submitters, 3));
}

TEST_P(several_servers, keep_the_order_of_batches_that_wait_for_others) {
  std::vector<row_chain> chains;
  for (std::uint32_t t = 0; t < submitters; ++t) chains.emplace_back(16);
  task_queue queue(first_device(), kernels(), options(64));
  by_threads(submitters, [&](std::uint32_t t) {
    chains[t].submit(queue, 60);
    chains[t].submit_grids(queue, 5);
    chains[t].submit(queue, 60).wait();
  });
  queue.close();
  for (auto const& chain : chains) EXPECT_TRUE(chain.is_right());
}

// Pauses of unlike lengths, in which servers other than the first rest on a GPU.
TEST_P(several_servers, run_what_comes_after_pauses) {
  std::uint32_t const pauses = 10, each = 20;
  counted_words visits(first_device(), submitters * pauses * each);
  auto const tasks = visits_of(visits.ref(), submitters * pauses * each);
  task_queue queue(first_device(), kernels(), options());
  by_threads(submitters, [&](std::uint32_t t) {
    for (std::uint32_t pause = 0; pause < pauses; ++pause) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2 + t));
      queue.submit(std::span(tasks).subspan((std::size_t(t) * pauses + pause) * each, each)).wait();
    }
  });
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST_P(several_servers, end_together_at_the_idle_timeout) {
  auto idle = options();
  idle.resident.idle_timeout = std::chrono::milliseconds(100);
  task_queue queue(first_device(), kernels(), idle);
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.running() && !until.passed()) std::this_thread::yield();
  EXPECT_FALSE(queue.running());
  EXPECT_TRUE(queue.stop().empty());
}

INSTANTIATE_TEST_SUITE_P(servers, several_servers, testing::Values(1, 2, 3, 4),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ballast::test
