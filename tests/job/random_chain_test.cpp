// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "job_fixture.hpp"
#include "sanitized.hpp"

namespace ballast::test::random_chain_test {
using namespace detail;
namespace {

constexpr std::uint32_t rows_of = 40, columns_of = 16, elements = rows_of * columns_of;

/// Jobs and accesses of the host, drawn at random, on arrays of which two do not fit on a device together;
/// beside each array is what it has to be. With an odd seed one of them adopted memory of the last device.
class random_chain {
 public:
  random_chain(device_list const& devices, std::uint32_t seed, bool check_maps = false)
      : random_(seed),
        jobs_(devices, kernels(), {.device_bytes = 4096, .check_maps = check_maps}),
        adopted_(devices.back(), elements) {
    if (seed % 2 == 1) arrays_[1] = {jobs_, adopt(*devices.back(), adopted_.data(), {rows_of, columns_of})};
    for (auto& array : arrays_) number(array);
    for (auto& words : expected_) std::iota(words.begin(), words.end(), 1u);
  }

  void step() {
    switch (below(8)) {
      case 0:
        count(below(3));
        break;
      case 1:
        mark(below(3));
        break;
      case 2:
        mix(below(3));
        break;
      case 3:
        add(below(3));
        break;
      case 4:
        update_on_host(below(3));
        break;
      case 5:
        read_on_host(below(3));
        break;
      case 6:
        count_some(below(3));
        break;
      default:
        std::swap(arrays_[0], arrays_[2]), std::swap(expected_[0], expected_[2]);
    }
  }
  void check() {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values_of(arrays_[i]), expected_[i]);
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  job_setup setup(std::uint32_t blocks) {
    return {
        .grid = blocks, .policy = policies_[below(policies_.size())], .tasks = std::uint32_t(1 + below(9))};
  }
  std::pair<std::size_t, std::size_t> range() {
    auto const begin = below(elements);
    return {begin, begin + 1 + below(elements - begin)};
  }

  void count(std::size_t i) {
    jobs_.submit(setup(elements), updates(arrays_[i]), [](auto all) { return count_visits{all}; });
    for (auto& value : expected_[i]) ++value;
  }
  /// Some tasks use nothing of the array.
  void count_some(std::size_t i) {
    auto const [begin, past] = range();
    auto const first = std::uint32_t(begin), end = std::uint32_t(past);
    jobs_.submit(setup(elements), updates(arrays_[i], own_beside(first, end)), [=](auto all) {
      return count_beside{all, first, end};
    });
    for (std::uint32_t at = 0; at < elements; ++at) expected_[i][at] += at < first || at >= end ? 1 : 0;
  }
  void mark(std::size_t i) {
    jobs_.submit(setup(elements), writes_some(arrays_[i]), [](auto all) { return mark_even{all}; });
    for (std::uint32_t at = 0; at < elements; at += 2) expected_[i][at] = 1000 + at;
  }
  /// The array changes places with the next one.
  void mix(std::size_t i) {
    auto const to = (i + 1) % 3;
    submit_mix(jobs_, arrays_[i], arrays_[to], setup(rows_of));
    expected_[to] = mixed(expected_[i], rows_of, columns_of);
    std::swap(expected_[i], expected_[to]);
  }
  void add(std::size_t i) {
    auto const to = (i + 1) % 3;
    jobs_.submit(setup(elements), reads(arrays_[i], all), writes(arrays_[to]), [](auto from, auto sums) {
      return add_all{from, sums, elements};
    });
    auto const sum = std::accumulate(expected_[i].begin(), expected_[i].end(), 0u);
    for (std::uint32_t at = 0; at < elements; ++at) expected_[to][at] = sum + at;
  }
  void update_on_host(std::size_t i) {
    auto const [begin, end] = range();
    for (auto& value : arrays_[i].update({begin, end})) value += 7;
    for (auto at = begin; at < end; ++at) expected_[i][at] += 7;
  }
  void read_on_host(std::size_t i) {
    auto const [begin, end] = range();
    EXPECT_TRUE(std::ranges::equal(arrays_[i].read({begin, end}),
                                   std::span(expected_[i]).subspan(begin, end - begin)));
  }

  std::mt19937 random_;
  std::vector<std::string> const policies_ = policy_names();
  job_scheduler jobs_;
  device_buffer<std::uint32_t> const adopted_;
  std::array<word_rows, 3> arrays_{word_rows(jobs_, {rows_of, columns_of}),
                                   word_rows(jobs_, {rows_of, columns_of}),
                                   word_rows(jobs_, {rows_of, columns_of})};
  std::array<std::vector<std::uint32_t>, 3> expected_{std::vector<std::uint32_t>(elements),
                                                      std::vector<std::uint32_t>(elements),
                                                      std::vector<std::uint32_t>(elements)};
};

class chain : public testing::TestWithParam<std::string> {};

TEST_P(chain, of_random_jobs_gives_what_one_thread_gives) {
  for (std::uint32_t seed = 0; seed < (sanitized ? 2u : 4u); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_chain drawn(open_devices(GetParam()), seed);
    for (int step = 0; step < 40; ++step) drawn.step();
    drawn.check();
  }
}

TEST(chain_with_checked_maps, of_random_jobs_gives_the_same) {
  random_chain drawn(open_devices("host:1,host:1/2,host:1"), 7, true);
  for (int step = 0; step < 40; ++step) drawn.step();
  drawn.check();
}

INSTANTIATE_TEST_SUITE_P(devices, chain, testing::ValuesIn(device_sets()));

}  // namespace
}  // namespace ballast::test::random_chain_test
