// SPDX-License-Identifier: Apache-2.0
// Sequences that several devices share: how they are planned, and that they give what jobs give one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
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
      : random_(seed),
        jobs_(devices, kernels(),
              {.device_bytes = device_bytes,
               .sequences_on = seed % 4 == 3 ? sequence_devices::learned : sequence_devices::all}) {
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
  job_sequence all_{jobs_, "drawn"};
};

std::string devices_to_share() {
  return environment("BALLAST_TEST_DEVICES").value_or("host:1,host:1,host:1");
}

TEST(shared_sequence, drawn_at_random_gives_what_its_jobs_give_one_by_one) {
  auto const devices = open_devices(devices_to_share());
  for (std::uint32_t seed = 0; seed < (sanitized ? 16u : 80u); ++seed) {
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
  for (std::uint32_t seed = 0; seed < (sanitized ? 8u : 40u); ++seed) {
    SCOPED_TRACE(seed);
    random_sequence steps(devices, seed, 3 * elements * sizeof(std::uint32_t));
    for (auto const times : {1u, 3u, 5u}) {
      steps.run(times);
      steps.update_on_host();
    }
    steps.check();
  }
}

/// Jobs that are long enough to try sharing on any device.
class long_sequence {
 public:
  long_sequence(device_list const& devices, job_options options)
      : jobs_(devices, kernels(), (options.device_bytes = enough_device_bytes, options)) {
    fill_with(values_, 1);
    steps_.add({units}, reads(values_, all), writes(sums_), [](auto from, auto to) {
      return add_all{from, to, all_values};
    });
  }

  job_report run(std::uint32_t times) { return report_of(jobs_.submit(steps_, times)); }
  /// The number of devices that run each of the next submissions.
  std::vector<std::size_t> devices_of_next(int submissions) {
    std::vector<std::size_t> found;
    for (; submissions != 0; --submissions) found.push_back(run(3).tasks.size());
    return found;
  }
  job_statistics statistics() const { return jobs_.statistics(); }
  void add_job() {
    steps_.add({units}, updates(sums_), [](auto sums) { return count_visits{sums}; });
  }
  std::vector<std::uint32_t> sums() { return values_of(sums_); }

  static constexpr std::uint32_t units = 64, all_values = 1 << 16;

 private:
  job_scheduler jobs_;
  words values_{jobs_, {all_values}}, sums_{jobs_, {units}};
  job_sequence steps_{jobs_, "long steps"};
};

TEST(shared_sequence, runs_twice_on_one_device_before_all_are_tried) {
  auto const devices = two_devices();
  auto const all = devices[0]->is_cuda() == devices[1]->is_cuda() ? 2u : 1u;
  long_sequence steps(devices, {});
  EXPECT_THAT(steps.devices_of_next(3), testing::ElementsAre(1, 1, all));
  std::vector<std::uint32_t> expected(long_sequence::units);
  std::iota(expected.begin(), expected.end(), long_sequence::all_values);
  EXPECT_EQ(steps.sums(), expected);
  steps.add_job();
  EXPECT_THAT(steps.devices_of_next(3), testing::ElementsAre(1, 1, all)) << "it is another sequence";
}

TEST(shared_sequence, is_tried_on_all_devices_within_one_submission_that_is_long) {
  auto const devices = two_devices();
  bool const is_shared = devices[0]->is_cuda() == devices[1]->is_cuda();
  long_sequence steps(devices, {});
  std::vector<std::uint32_t> expected(long_sequence::units);
  std::iota(expected.begin(), expected.end(), long_sequence::all_values);
  auto const tasks = steps.run(8 + 8 + 1).tasks;
  ASSERT_EQ(tasks.size(), is_shared ? 1u + 1 + 2 : 1u);
  EXPECT_TRUE(!is_shared || (tasks[0].device == tasks[1].device && tasks[2].device != tasks[3].device));
  EXPECT_EQ(steps.sums(), expected);
  EXPECT_EQ(steps.statistics().submitted, 1u);
  EXPECT_EQ(steps.statistics().ended, 1u);
}

/// A long sequence whose launches are counted, on two cores. The first 16 are the repetitions on one device.
class counted_launches {
 public:
  counted_launches(std::uint32_t failing, access_map map, job_options options = {})
      : jobs(open_devices("host:1,host:1"), kernels(),
             (options.device_bytes = enough_device_bytes, std::move(options))) {
    fill_with(values_, 1);
    steps.add({64}, reads(values_, all), writes(sums, std::move(map)),
              [count = launches, failing](auto from, auto to) {
                if (from && ++*count == failing) throw std::runtime_error("a planted failure");
                return add_all{from, to, 1 << 16};
              });
  }

  job_scheduler jobs;
  words sums{jobs, {64}};
  std::shared_ptr<std::atomic<std::uint32_t>> const launches = std::make_shared<std::atomic<std::uint32_t>>();
  job_sequence steps{jobs, "counted"};

 private:
  words values_{jobs, {1 << 16}};
};

TEST(shared_sequence, fails_in_any_part_of_a_submission_and_begins_no_other) {
  for (auto const failing : {4u, 12u, 17u}) {
    SCOPED_TRACE(failing);
    counted_launches all(failing, one_to_one());
    auto const done = all.jobs.submit(all.steps, 500);
    EXPECT_THAT([&] { done.wait(); },
                testing::ThrowsMessage<job_failed>(testing::HasSubstr("a planted failure")));
    EXPECT_THROW(all.sums.read(), job_failed);
    EXPECT_EQ(*all.launches, failing);
    fill_with(all.sums, 3);
    EXPECT_EQ(values_of(all.sums), std::vector<std::uint32_t>(64, 3));
  }
}

TEST(shared_sequence, is_handed_back_when_it_is_stopped_between_its_parts) {
  std::atomic<bool> is_stopped = false;
  access_map const stops_when_divided("stops", unit_overlap::never, [&](map_view const& view) {
    if (view.part.count == view.units / 2) is_stopped = true;
    return region{{view.part.first, view.part.first + view.part.count}};
  });
  counted_launches all(0, stops_when_divided, {.stop_requested = [&] { return is_stopped.load(); }});
  auto const done = all.jobs.submit(all.steps, 500);
  EXPECT_THROW(done.wait(), stopped);
  EXPECT_EQ(*all.launches, 16u);
  EXPECT_EQ(all.jobs.stop().size(), 1u);
  EXPECT_THROW(all.sums.read(), job_failed);
}

TEST(shared_sequence, under_checked_maps_stays_on_one_device) {
  long_sequence steps(open_devices("host:1,host:1"), {.check_maps = true});
  EXPECT_THAT(steps.devices_of_next(4), testing::Each(1));
}

/// The devices of the next runs, "1" for one and "n" for all, whose jobs take these times there.
std::string next_runs(sharing_choice& choice, int runs, double one_ns, double all_ns) {
  std::string found;
  for (; runs != 0; --runs) {
    found += choice.shares_next() ? 'n' : '1';
    choice.learn(choice.shares_next() ? all_ns : one_ns);
  }
  return found;
}

struct chosen_runs {
  std::string why;
  std::size_t devices;
  double one_ns, all_ns;
  std::string expected;
};

TEST(sharing_choice, follows_the_table) {
  std::string const ones(32, '1'), one_4(4, '1'), one_8(8, '1'), all_4(4, 'n'), all_8(8, 'n');
  chosen_runs const table[] = {
      {"one device", 1, 1e6, 1e3, ones},
      {"too short for two devices", 2, 11e3, 1e3, ones},
      {"long enough for two", 2, 12e3, 11e3, "11n" + all_4 + "11" + all_8 + "11" + all_8 + all_8 + "11n"},
      {"too short for four", 4, 47e3, 1e3, ones},
      {"long enough for four", 4, 48e3, 20e3, "11n" + all_4 + "11n"},
      {"loses", 2, 20e3, 40e3, "11nnn" + one_4 + "nn" + one_8 + "nn" + one_8 + one_8 + "nn1"},
      {"ties", 2, 20e3, 20e3, "11nnn" + one_4 + "nn1"},
      {"wins by too little", 2, 20e3, 19.2e3, "11nnn" + one_4 + "nn1"},
      {"no times", 2, 0, 0, ones},
      {"no times of the trial", 2, 20e3, 0, "11nnn" + one_4 + "nn1"}};
  for (auto const& [why, devices, one_ns, all_ns, expected] : table) {
    sharing_choice choice(devices);
    EXPECT_EQ(next_runs(choice, int(expected.size()), one_ns, all_ns), expected) << why;
  }
}

TEST(sharing_choice, tries_at_most_twice_in_256_runs_what_always_loses) {
  sharing_choice choice(2);
  next_runs(choice, 2000, 20e3, 40e3);
  auto const runs = next_runs(choice, 3 * 258, 20e3, 40e3);
  EXPECT_EQ(std::ranges::count(runs, 'n'), 6);
}

TEST(sharing_choice, gives_few_repetitions_to_the_runs_that_it_learns_from) {
  auto const of_next = [](sharing_choice& choice, int runs, double one_ns) {
    std::vector<std::uint32_t> found;
    for (; runs != 0; --runs) {
      found.push_back(choice.next_run(1000));
      choice.learn(choice.shares_next() ? 40e3 : one_ns);
    }
    return found;
  };
  sharing_choice alone(1), with_short_jobs(2), with_long_jobs(2);
  EXPECT_EQ(alone.next_run(1000), 1000u);
  EXPECT_THAT(of_next(with_short_jobs, 3, 5e3), testing::ElementsAre(8, 8, 1000));
  EXPECT_EQ(with_long_jobs.next_run(5), 5u);
  EXPECT_THAT(of_next(with_long_jobs, 7, 20e3), testing::ElementsAre(8, 8, 64, 64, 64, 1000, 1000));
  of_next(with_long_jobs, 30, 20e3);
  EXPECT_THAT(of_next(with_long_jobs, 3, 20e3), testing::ElementsAre(64, 64, 1000));
}

TEST(sharing_choice, lets_the_first_two_runs_of_the_first_trial_be_slow) {
  sharing_choice choice(2);
  EXPECT_EQ(next_runs(choice, 2, 20e3, 0), "11");
  EXPECT_EQ(next_runs(choice, 2, 0, 500e3), "nn");
  EXPECT_EQ(next_runs(choice, 3, 0, 10e3), "nnn");
}

TEST(sharing_choice, tries_again_16_runs_later_if_a_job_takes_another_time) {
  for (double const change : {4.0, 0.5}) {
    sharing_choice choice(2);
    next_runs(choice, 2000, 100e3, 200e3);
    while (choice.shares_next()) next_runs(choice, 1, 100e3, 200e3);
    next_runs(choice, 20, 100e3, 200e3);
    EXPECT_FALSE(choice.shares_next());
    auto const runs = next_runs(choice, 8, change * 100e3, change * 50e3);
    EXPECT_THAT(runs, testing::MatchesRegex("11?n+")) << change;
  }
}

TEST(sharing_choice, ignores_a_single_slow_run) {
  sharing_choice choice(2);
  EXPECT_EQ(next_runs(choice, 24, 20e3, 40e3), "11nnn1111nn11111111nn111");
  choice.learn(200e3);
  EXPECT_FALSE(choice.shares_next());
}

TEST(sharing_choice, ignores_a_slow_run_behind_a_trial_that_has_won) {
  sharing_choice choice(2);
  for (double const job_ns : {20e3, 40e3, 15e3, 60e3}) choice.learn(job_ns);
  EXPECT_TRUE(choice.shares_next());
}

TEST(sharing_choice, takes_a_run_of_unknown_time_for_a_short_one) {
  sharing_choice choice(2);
  for (double const job_ns : {20e3, 0.0, 20e3}) choice.learn(job_ns);
  EXPECT_FALSE(choice.shares_next());
  choice.learn(20e3);
  EXPECT_TRUE(choice.shares_next());
}

TEST(sharing_choice, forgets_the_times_of_an_earlier_trial) {
  sharing_choice choice(2);
  next_runs(choice, 5, 20e3, 19.5e3);
  EXPECT_EQ(next_runs(choice, 20, 30e3, 50e3), "11nn11111111nn111111");
}

TEST(sharing_choice, returns_to_one_device_when_that_becomes_faster) {
  sharing_choice choice(2);
  EXPECT_EQ(next_runs(choice, 12, 40e3, 20e3), "11nnnnn11nnn");
  EXPECT_EQ(next_runs(choice, 24, 5e3, 10e3), "nnnnn1" + std::string(18, '1')) << "too short to try again";
}

TEST(sharing_choice, returns_soon_from_devices_that_were_faster_only_in_their_trial) {
  sharing_choice choice(2);
  EXPECT_EQ(next_runs(choice, 3, 20e3, 15e3), "11n");
  EXPECT_EQ(next_runs(choice, 4, 20e3, 18e3), "nnnn") << "slower, but not than one device";
  EXPECT_EQ(next_runs(choice, 21, 20e3, 40e3), "11nn1" + std::string(16, '1')) << "one is tried, then stays";
}

TEST(sharing_choice, stays_on_one_device_once_a_device_is_lost) {
  sharing_choice choice(2);
  next_runs(choice, 10, 40e3, 20e3);
  EXPECT_TRUE(choice.shares_next());
  choice.refuse();
  EXPECT_EQ(next_runs(choice, 32, 40e3, 20e3), std::string(32, '1'));
}

class sequence_of_two_devices : public testing::Test {
 protected:
  device_list const devices_ = two_devices();
  bool const is_shared_ = devices_[0]->is_cuda() == devices_[1]->is_cuda();
  job_scheduler jobs_{
      devices_, kernels(), {.device_bytes = enough_device_bytes, .sequences_on = sequence_devices::all}};
  word_rows now_{jobs_, {rows_of, columns_of}}, next_{jobs_, {rows_of, columns_of}};
  job_sequence both_{jobs_, "both"};

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
    job_scheduler jobs(open_devices("host:1,host:1"), kernels(),
                       {.device_bytes = enough_device_bytes, .sequences_on = sequence_devices::all});
    words any(jobs, {2}), visits(jobs, {64});
    fill_with(any, 0);
    fill_with(visits, 0);
    job_sequence steps(jobs, "steps");
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
                     {.device_bytes = std::uint64_t(4) * all_rows * columns * 4 + enough_device_bytes,
                      .sequences_on = sequence_devices::all});
  word_rows now(jobs, {all_rows, columns}), next(jobs, {all_rows, columns});
  auto const mixes = [=](auto of, auto result) { return mix_rows{of, result, all_rows, columns}; };
  job_sequence both(jobs, "both");
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
