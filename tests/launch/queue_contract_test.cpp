// SPDX-License-Identifier: Apache-2.0
// What holds under every policy: each kernel exactly once, and the order of each launch stream.
#include <numeric>
#include <thread>
#include <tuple>

#include "ballast/detail/launch/merge_policy.hpp"
#include "ballast/detail/launch/order_policy.hpp"
#include "ballast/launch_queue.hpp"
#include "fixture.hpp"

namespace ballast::test::queue_contract_test {
using namespace detail;
namespace {

using policies = std::tuple<std::string, std::string, std::string>;  // order, key, merge

class every_policy : public testing::TestWithParam<policies> {
 protected:
  launch_options options() const {
    auto const& [order, key, merge] = GetParam();
    return {.order = order, .key = key, .merge = merge};
  }
};

std::vector<std::string> names(std::vector<named_policy> const& descriptions) {
  std::vector<std::string> all;
  for (auto const& policy : descriptions) all.emplace_back(policy.name);
  return all;
}

std::string test_name(testing::TestParamInfo<policies> const& info) {
  auto const& [order, key, merge] = info.param;
  return order + "_" + key + "_" + merge;
}

INSTANTIATE_TEST_SUITE_P(, every_policy,
                         testing::Combine(testing::ValuesIn(names(order_policies())),
                                          testing::ValuesIn(names(order_keys())),
                                          testing::ValuesIn(names(merge_policies()))),
                         test_name);

/// A log per launch stream, into which its launches write their numbers.
class logs {
 public:
  logs(std::size_t launch_streams, std::uint32_t launches)
      : stride_(launches + std::size_t{1}), words_(launch_streams * stride_) {}
  append_to_log entry(std::size_t launch_stream, std::uint32_t number) const {
    return {words_.ref().from(launch_stream * stride_), number};
  }
  std::vector<std::uint32_t> of(std::size_t launch_stream) const {
    std::vector<std::uint32_t> log;
    for (std::uint32_t i = 0; i < words_[launch_stream * stride_]; ++i)
      log.push_back(words_[launch_stream * stride_ + 1 + i]);
    return log;
  }

 private:
  std::size_t stride_;
  shared_words words_;
};

std::vector<std::uint32_t> counted_to(std::uint32_t launches) {
  std::vector<std::uint32_t> numbers(launches);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

TEST_P(every_policy, keeps_the_order_of_each_launch_stream_in_bursts_of_many_threads) {
  constexpr std::uint32_t launch_streams = 40, launches = 30;
  launch_queue queue(devices(), kernels(), options());
  logs const written(launch_streams, launches);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t p = t; p < launch_streams; p += 8) {
        auto line = queue.make_launch_stream({.priority = std::int32_t(p % 3)});
        for (std::uint32_t i = 0; i < launches; ++i) line.launch(written.entry(p, i), 1);
      }
    });
  for (auto& thread : threads) thread.join();
  queue.wait_all();
  for (std::uint32_t p = 0; p < launch_streams; ++p) EXPECT_EQ(written.of(p), counted_to(launches)) << p;
  EXPECT_EQ(queue.statistics().kernels, launch_streams * launches);
}

TEST_P(every_policy, runs_each_block_of_each_kernel_exactly_once) {
  launch_queue queue(first_device(), kernels(), options());
  std::vector<std::uint32_t> const grids{1, 7, 300, 2, 1, 50, 3, 64, 5, 1, 1, 20};
  shared_words const visits(std::accumulate(grids.begin(), grids.end(), std::size_t{0}));
  std::vector<launch_stream> lines;
  queue.pause();
  std::size_t first = 0;
  for (auto const grid : grids) {
    lines.push_back(queue.make_launch_stream());
    lines.back().launch(count_visits{visits.ref().from(first)}, grid);
    first += grid;
  }
  queue.resume();
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(first, 1));
}

TEST_P(every_policy, gives_the_results_of_separate_launches_for_kernels_of_all_kinds) {
  constexpr std::uint32_t launch_streams = 24, rounds = 6;
  launch_queue queue(devices(), kernels(), options());
  shared_words const items(launch_streams * 400);
  for (std::uint32_t i = 0; i < launch_streams * 400; ++i) items[i] = i;
  auto expected = items.read();
  std::vector<launch_stream> lines;
  for (std::uint32_t p = 0; p < launch_streams; ++p) lines.push_back(queue.make_launch_stream());
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint32_t p = 0; p < launch_streams; ++p) {
      auto const mine = items.ref().from(p * 400);
      auto* const values = expected.data() + p * 400;
      std::uint32_t const blocks = 1 + (p + round) % 4;
      if ((p + round) % 3 == 0) {
        lines[p].launch(mix_items{mine, p, {}}, blocks);
        for (std::uint32_t b = 0; b < blocks; ++b) std::reverse(values + b * 100, values + (b + 1) * 100);
        for (std::uint32_t i = 0; i < blocks * 100; ++i) values[i] = 3 * values[i] + p;
      } else if ((p + round) % 3 == 1) {
        lines[p].launch(scale_items{mine, 7 + p, round}, blocks);
        for (std::uint32_t i = 0; i < blocks * 100; ++i)
          values[i] = std::uint32_t(values[i] * std::uint64_t{7 + p} + round + blocks);
      } else {
        lines[p].launch(
            [mine, round](stream& on) { on.fill(mine.data(), static_cast<unsigned char>(round), 40); });
        std::fill_n(values, 10, 0x01010101u * round);
      }
    }
  queue.wait_all();
  EXPECT_EQ(items.read(), expected);
}

TEST_P(every_policy, lets_launches_wait_for_those_of_other_launch_streams) {
  launch_queue queue(devices(), kernels(), options());
  constexpr std::uint32_t steps = 25;
  shared_words const log(1 + 3 * steps);
  std::vector<launch_stream> lines;
  for (int i = 0; i < 3; ++i) lines.push_back(queue.make_launch_stream());
  completion last;
  for (std::uint32_t step = 0; step < steps; ++step)
    for (std::uint32_t p = 0; p < 3; ++p) {
      lines[p].after(last);
      last = lines[p].launch(append_to_log{log.ref(), 3 * step + p}, 1);
    }
  last.wait();
  auto const words = log.read();
  EXPECT_EQ(std::vector<std::uint32_t>(words.begin() + 1, words.end()), counted_to(3 * steps));
}

TEST_P(every_policy, carries_out_what_launch_streams_left_behind_that_are_gone) {
  launch_queue queue(first_device(), kernels(), options());
  shared_words const visits(200);
  for (std::uint32_t i = 0; i < 200; ++i)
    queue.make_launch_stream().launch(count_visits{visits.ref().from(i)}, 1);
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(200, 1));
}

TEST_P(every_policy, runs_a_trickle_of_launches_whose_ends_are_awaited) {
  launch_queue queue(first_device(), kernels(), options());
  logs const written(1, 50);
  auto line = queue.make_launch_stream();
  for (std::uint32_t i = 0; i < 50; ++i) {
    line.launch(written.entry(0, i), 1).wait();
    ASSERT_EQ(written.of(0).size(), i + 1);
  }
  EXPECT_EQ(written.of(0), counted_to(50));
}

TEST_P(every_policy, takes_more_launch_streams_than_streams_and_than_kernels_of_a_launch) {
  constexpr std::uint32_t launch_streams = 256, launches = 4;
  auto few = options();
  few.streams = 3;
  launch_queue queue(first_device(), kernels(), few);
  logs const written(launch_streams, launches);
  std::vector<launch_stream> lines;
  queue.pause();
  for (std::uint32_t p = 0; p < launch_streams; ++p) {
    lines.push_back(queue.make_launch_stream());
    for (std::uint32_t i = 0; i < launches; ++i) lines[p].launch(written.entry(p, i), 1);
  }
  queue.resume();
  queue.wait_all();
  for (std::uint32_t p = 0; p < launch_streams; ++p) EXPECT_EQ(written.of(p), counted_to(launches)) << p;
}

}  // namespace
}  // namespace ballast::test::queue_contract_test
