// SPDX-License-Identifier: Apache-2.0
// Sequences that several devices share: how they are planned, and that they give what jobs give one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"
#include "job_fixture.hpp"
#include "noting_device.hpp"
#include "plan/sequence_plan.hpp"
#include "sanitized.hpp"

namespace ballast::test::shared_sequence_test {
using namespace detail;
namespace {

constexpr std::uint32_t rows_of = 40, columns_of = 16, elements = rows_of * columns_of;

/// In turn on three arrays: all that a sequence may do, drawn at random, beside what it gives one by one.
class random_sequence {
 public:
  random_sequence(device_list const& devices, std::uint32_t seed, std::uint64_t device_bytes)
      : random_(seed), jobs_(devices, kernels(), {.device_bytes = device_bytes}) {
    for (auto& array : arrays_) number(array);
    for (auto& words : expected_) std::iota(words.begin(), words.end(), 1u);
    for (std::size_t job = 0, count = 1 + below(4); job < count; ++job) add(below(4), below(3));
  }

  void run(std::uint32_t times) {
    jobs_.submit(all_, times);
    for (; times != 0; --times)
      for (auto const& [kind, array] : what_) expect(kind, array);
  }
  void update_on_host() {
    auto const begin = below(elements - 8);
    for (auto& value : arrays_[1].update({begin, begin + 8})) value += 5;
    for (auto at = begin; at < begin + 8; ++at) expected_[1][at] += 5;
  }
  void check() {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(values_of(arrays_[i]), expected_[i]) << "array " << i;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  void add(std::size_t kind, std::size_t i) {
    what_.emplace_back(kind, i);
    auto& from = arrays_[i];
    auto& to = arrays_[(i + 1) % 3];
    if (kind == 0) all_.add({elements}, updates(from), [](auto on) { return count_visits{on}; });
    if (kind == 1) all_.add({elements}, writes_some(from), [](auto on) { return mark_even{on}; });
    if (kind == 2)
      all_.add({rows_of}, reads(from, neighborhood(1)), writes(to, rows), [](auto of, auto result) {
        return mix_rows{of, result, rows_of, columns_of};
      });
    if (kind == 3)
      all_.add({elements}, reads(from, all), writes(to), [](auto of, auto sums) {
        return add_all{of, sums, elements};
      });
  }
  void expect(std::size_t kind, std::size_t i) {
    auto& from = expected_[i];
    auto& to = expected_[(i + 1) % 3];
    if (kind == 0)
      for (auto& value : from) ++value;
    if (kind == 1)
      for (std::uint32_t at = 0; at < elements; at += 2) from[at] = 1000 + at;
    if (kind == 2) to = mixed(from, rows_of, columns_of);
    if (kind == 3) {
      auto const sum = std::accumulate(from.begin(), from.end(), 0u);
      for (std::uint32_t at = 0; at < elements; ++at) to[at] = sum + at;
    }
  }

  std::mt19937 random_;
  job_scheduler jobs_;
  word_rows arrays_[3] = {word_rows(jobs_, {rows_of, columns_of}), word_rows(jobs_, {rows_of, columns_of}),
                          word_rows(jobs_, {rows_of, columns_of})};
  std::vector<std::uint32_t> expected_[3] = {std::vector<std::uint32_t>(elements),
                                             std::vector<std::uint32_t>(elements),
                                             std::vector<std::uint32_t>(elements)};
  std::vector<std::pair<std::size_t, std::size_t>> what_;
  job_sequence all_{jobs_, "drawn", sequence_devices::all};
};

std::string devices_to_share() {
  return environment("BALLAST_TEST_DEVICES").value_or("host:1,host:1,host:1");
}

TEST(shared_sequence, drawn_at_random_gives_what_its_jobs_give_one_by_one) {
  auto const devices = open_devices(devices_to_share());
  for (std::uint32_t seed = 0; seed < (sanitized ? 12u : 60u); ++seed) {
    SCOPED_TRACE(seed);
    random_sequence steps(devices, seed, enough_device_bytes);
    for (auto const times : {1u, 2u, 3u, 4u, 9u}) {
      steps.run(times);
      if (times % 3 == 0) steps.update_on_host();
    }
    steps.check();
  }
}

TEST(shared_sequence, whose_shares_do_not_fit_beside_each_other_gives_the_same) {
  auto const devices = open_devices(devices_to_share());
  for (std::uint32_t seed = 0; seed < (sanitized ? 6u : 30u); ++seed) {
    SCOPED_TRACE(seed);
    random_sequence steps(devices, seed, 3 * elements * sizeof(std::uint32_t));
    for (auto const times : {1u, 3u, 5u}) {
      steps.run(times);
      steps.update_on_host();
    }
    steps.check();
  }
}

class sequence_of_two_devices : public testing::Test {
 protected:
  device_list const devices_ = two_devices();
  bool const is_shared_ = devices_[0]->is_cuda() == devices_[1]->is_cuda();
  job_scheduler jobs_{devices_, kernels(), {.device_bytes = enough_device_bytes}};
  word_rows now_{jobs_, {rows_of, columns_of}}, next_{jobs_, {rows_of, columns_of}};
  job_sequence both_{jobs_, "both", sequence_devices::all};

  void add_mix(word_rows& from, word_rows& to) {
    both_.add({rows_of}, reads(from, neighborhood(1)), writes(to, rows), [](auto of, auto result) {
      return mix_rows{of, result, rows_of, columns_of};
    });
  }
};

TEST_F(sequence_of_two_devices, tells_of_both_and_of_what_it_copied_between_them) {
  if (!is_shared_) GTEST_SKIP() << "a GPU and cores share nothing";
  number(now_);
  add_mix(now_, next_);
  add_mix(next_, now_);
  auto const report = report_of(jobs_.submit(both_, 10));
  ASSERT_EQ(report.tasks.size(), 2u);
  EXPECT_NE(report.tasks[0].device, report.tasks[1].device);
  auto const row_bytes = columns_of * sizeof(std::uint32_t);
  EXPECT_EQ(report.moved.between_devices, 2 * 2 * 10 * row_bytes) << "a row each way in a step";
  EXPECT_EQ(jobs_.statistics().moved.between_devices, report.moved.between_devices);
}

TEST_F(sequence_of_two_devices, fails_as_a_whole_if_one_part_of_a_job_fails) {
  number(now_);
  add_mix(now_, next_);
  both_.add({rows_of}, reads(next_, rows), writes(now_, rows), [](auto of, auto result) {
    if (of) throw std::runtime_error("a planted failure");
    return mix_rows{of, result, rows_of, columns_of};
  });
  try {
    jobs_.submit(both_, 5).wait();
    FAIL() << "it ended well";
  } catch (job_failed const& failure) {
    EXPECT_THAT(failure.what(), testing::HasSubstr("a planted failure"));
  }
  EXPECT_THROW(now_.read(), job_failed);
  EXPECT_THROW(next_.read(), job_failed);
  number(now_);
  jobs_.submit({elements}, updates(now_), [](auto all) { return count_visits{all}; });
  EXPECT_EQ(values_of(now_)[3], 5u);
}

TEST_F(sequence_of_two_devices, waits_for_jobs_before_it_and_jobs_behind_it_wait_for_it) {
  number(now_);
  auto expected = values_of(now_);
  add_mix(now_, next_);
  add_mix(next_, now_);
  for (std::uint32_t round = 0; round < 20; ++round) {
    jobs_.submit({elements}, updates(now_), [](auto all) { return count_visits{all}; });
    jobs_.submit(both_, 1 + round % 5);
    for (auto& value : expected) ++value;
    for (std::uint32_t step = 0; step < 2 * (1 + round % 5); ++step)
      expected = mixed(expected, rows_of, columns_of);
  }
  EXPECT_EQ(values_of(now_), expected);
}

TEST(shared_sequence, fails_when_a_device_that_shares_it_is_lost) {
  for (std::uint32_t const faults : {1u, 2u}) {  // of the second device, and of both
    job_scheduler jobs(open_devices("host:1,host:1"), kernels(), {.device_bytes = enough_device_bytes});
    words any(jobs, {2}), visits(jobs, {64});
    fill_with(any, 0);
    fill_with(visits, 0);
    job_sequence steps(jobs, "steps", sequence_devices::all);
    steps.add({64}, updates(visits), [](auto all) { return count_visits{all}; });
    auto const first_ones = [](map_view const& view) {
      return region{{view.part.first, view.part.first + view.part.count}};
    };
    steps.add({faults}, updates(any, access_map("first ones", unit_overlap::never, first_ones)),
              [](auto all) { return fault{all}; });
    EXPECT_THROW(jobs.submit(steps, 3).wait(), job_failed);
    EXPECT_THROW(visits.read(), job_failed);
  }
}

void expect_rows_each_way(std::uint32_t rows_of_device, std::uint32_t columns) {
  auto const devices = open_devices(devices_to_share());
  auto const seams = std::uint32_t(devices.size() - 1), all_rows = (seams + 1) * rows_of_device;
  job_scheduler jobs(devices, kernels(),
                     {.device_bytes = std::uint64_t(4) * all_rows * columns * 4 + enough_device_bytes});
  word_rows now(jobs, {all_rows, columns}), next(jobs, {all_rows, columns});
  auto const mixes = [=](auto of, auto result) { return mix_rows{of, result, all_rows, columns}; };
  job_sequence both(jobs, "both", sequence_devices::all);
  both.add({all_rows}, reads(now, neighborhood(1)), writes(next, rows), mixes);
  both.add({all_rows}, reads(next, neighborhood(1)), writes(now, rows), mixes);
  number(now);
  auto expected = values_of(now);
  for (std::uint32_t step = 0; step < 8; ++step) expected = mixed(expected, all_rows, columns);
  auto const report = report_of(jobs.submit(both, 4));
  EXPECT_EQ(report.moved.between_devices, std::size_t{2} * 2 * 4 * seams * columns * sizeof(std::uint32_t));
  EXPECT_EQ(values_of(now), expected);
}

TEST(shared_sequence, of_parts_with_ends_of_their_own_copies_a_row_each_way) {
  expect_rows_each_way(200, columns_of);
}

TEST(shared_sequence, copies_rows_that_are_too_long_for_a_kernel) { expect_rows_each_way(6, 70'000); }

}  // namespace
}  // namespace ballast::test::shared_sequence_test
