// SPDX-License-Identifier: Apache-2.0
// Which neighbouring tasks become one launch, and what becomes of them.
#include "split/task_join.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "invented_plan.hpp"
#include "job_fixture.hpp"
#include "run/device_executor.hpp"

namespace ballast::test::task_join_test {
using namespace detail;
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(joinable_length, is_what_the_launches_before_say) {
  joinable_length length(20'000);
  EXPECT_FALSE(length.has_room_for(1, 0)) << "nothing is known";
  length.note(2, 0, 10'000);
  EXPECT_TRUE(length.has_room_for(4, 0));
  EXPECT_FALSE(length.has_room_for(5, 0));
  for (int i = 0; i < 20; ++i) length.note(4, 0, 10'000);  // most of it does not grow with the units
  EXPECT_TRUE(length.has_room_for(7, 0));
  EXPECT_FALSE(length.has_room_for(9, 0));
  length.note(8, 0, 80'000);
  EXPECT_FALSE(length.has_room_for(4, 0)) << "one took too long";
}

/// Two streams tell four ends each at one look.
TEST(joinable_length, is_that_of_several_whose_ends_were_seen_together) {
  joinable_length of_short(20'000), of_long(20'000);
  for (int i = 0; i < 8; ++i) {
    of_short.note(1, 100, i % 4 == 0 ? 27'000 : 0);
    of_long.note(1, 100, i % 2 == 0 ? 100'000 : 0);
  }
  EXPECT_TRUE(of_short.has_room_for(100, 100));
  EXPECT_FALSE(of_long.has_room_for(100, 100));
}

TEST(joinable_length, counts_what_runs_at_once_as_one) {
  joinable_length length(20'000);
  length.note(1, 100, 10'000);
  EXPECT_TRUE(length.has_room_for(200, 100));
  EXPECT_FALSE(length.has_room_for(201, 100));
}

TEST(parts, adjoin_on_either_side) {
  EXPECT_TRUE(adjoin({0, 4}, {4, 2}));
  EXPECT_TRUE(adjoin({4, 2}, {0, 4}));
  EXPECT_FALSE(adjoin({0, 4}, {5, 2}));
  EXPECT_EQ(range_of_both({4, 2}, {0, 4}), (job_part{0, 6}));
}

TEST(launches, are_joined_where_no_argument_needs_two_addresses) {
  task_extent first{.part = {0, 2}, .arrays = {std::nullopt, 0x40}};
  EXPECT_TRUE(first.can_take({{2, 1}, {std::nullopt, 0x40}}));
  EXPECT_TRUE(first.can_take({{2, 1}, {0x80, std::nullopt}})) << "each uses what the other does not";
  EXPECT_FALSE(first.can_take({{2, 1}, {std::nullopt, 0x44}}));
  EXPECT_FALSE(first.can_take({{3, 1}, {std::nullopt, 0x40}})) << "the parts do not adjoin";
  first.take({{2, 1}, {0x80, std::nullopt}});
  EXPECT_EQ(first.part, (job_part{0, 3}));
  EXPECT_FALSE(first.can_take({{3, 1}, {0x84, 0x40}})) << "the second task's array is at 0x80";
  EXPECT_EQ(pointers_to(first.arrays),
            (std::vector{reinterpret_cast<void*>(0x80), reinterpret_cast<void*>(0x40)}));
}

TEST(launches, take_an_array_at_address_0_for_an_array) {
  task_extent first{.part = {0, 1}, .arrays = {0}};
  EXPECT_FALSE(first.can_take({{1, 1}, {0x80}}));
  EXPECT_TRUE(first.can_take({{1, 1}, {0}}));
  first.arrays = {std::nullopt};
  first.take({{1, 1}, {0}});
  EXPECT_FALSE(first.can_take({{2, 1}, {0x80}}));
}

constexpr op_stream own_stream{0, 1}, other_stream{0, 2}, copies{0, 0};

/// What waits in a stream, in the order of its operations.
class waiting_tasks {
 public:
  std::shared_ptr<operation_progress> progress(op_stream on) {
    return std::make_shared<operation_progress>(op_id(++newest_), on, backend::cuda);
  }
  device_operation& add(progress_list dependencies = {}) {
    auto& added = waiting_.emplace_back();
    added.progress = progress(own_stream);
    added.dependencies = std::move(dependencies);
    added.extent.part = {std::uint32_t(waiting_.size()) - 1, 1};
    added.may_be_joined = waiting_.size() > 1;
    return added;
  }
  std::size_t joined() const { return count_joined(waiting_); }

 private:
  std::uint64_t newest_ = 0;
  std::deque<device_operation> waiting_;
};

TEST(count_joined, takes_all_that_nothing_is_between) {
  waiting_tasks tasks;
  tasks.add();
  EXPECT_EQ(tasks.joined(), 1u);
  tasks.add(), tasks.add();
  EXPECT_EQ(tasks.joined(), 3u);
  tasks.add().may_be_joined = false;
  tasks.add();
  EXPECT_EQ(tasks.joined(), 3u) << "of another job";
}

/// The planner saw that the third adjoins the two before it, of which the one between was issued since.
TEST(count_joined, stops_where_what_lies_between_was_issued) {
  waiting_tasks tasks;
  tasks.add().extent.part = {20, 10};
  tasks.add().extent.part = {0, 10};
  EXPECT_EQ(tasks.joined(), 1u);
}

TEST(count_joined, stops_before_a_copy_that_is_not_over) {
  waiting_tasks tasks;
  auto const copy = tasks.progress(copies);
  tasks.add(), tasks.add(), tasks.add({copy});
  copy->mark_issued(nullptr);
  EXPECT_EQ(tasks.joined(), 2u) << "the first two would wait for it";
  copy->mark_ended(1);
  EXPECT_EQ(tasks.joined(), 3u);
}

TEST(count_joined, goes_on_behind_what_the_first_waits_for_too) {
  waiting_tasks tasks;
  auto const earlier = tasks.progress(own_stream);
  auto const older = tasks.progress(other_stream), newer = tasks.progress(other_stream);
  tasks.add({newer});
  tasks.add({earlier});
  tasks.add({older});
  EXPECT_EQ(tasks.joined(), 3u);
}

TEST(count_joined, stops_before_what_comes_after_one_of_them) {
  waiting_tasks tasks;
  tasks.add();
  auto const writer = tasks.add().progress;
  tasks.add(), tasks.add({writer}), tasks.add();
  EXPECT_EQ(tasks.joined(), 3u);
}

TEST(count_joined, leaves_alone_what_fails_without_being_tried) {
  waiting_tasks tasks;
  auto const failed = tasks.progress(copies);
  failed->mark_failed();
  failed->mark_ended(1);
  tasks.add(), tasks.add(), tasks.add({failed}).data_dependencies = {failed};
  EXPECT_EQ(tasks.joined(), 2u) << "it would not be launched, and they are";
}

/// Three tasks of 2, 1 and 3 units in a stream of CPU cores.
class joined_tasks : public testing::Test {
 protected:
  explicit joined_tasks(std::function<void(stream&, job_part)> const& enqueue = {},
                        progress_list const& sources_of_first = {}) {
    std::uint32_t first = 4;
    for (std::uint32_t const units : {2, 1, 3}) {
      device_operation task;
      task.progress = std::make_shared<operation_progress>(op_id(++newest_), own_stream, backend::host);
      task.is_timed = true;
      task.enqueue = [this, enqueue](stream& on, task_extent const& of) {
        launched_.push_back(of.part);
        arrays_ = of.arrays;
        if (enqueue) enqueue(on, of.part);
      };
      task.extent.part = {first, units};
      task.extent.arrays = {newest_ == 3 ? array_address(0x40) : std::nullopt,
                            newest_ == 2 ? array_address(0x80) : std::nullopt, std::nullopt};
      task.may_be_joined = newest_ != 1;
      if (newest_ == 1) task.data_dependencies = sources_of_first;
      first += units;
      queue_.add(std::move(task));
    }
  }
  std::vector<ended_operation> ends() {
    auto const origin = device_->make_stream();
    std::shared_ptr<event> const at = origin->record();
    origin->synchronize();
    core_clock const clock(at, 0);
    std::vector<ended_operation> found;
    auto const until = deadline::in(std::chrono::minutes(1));
    while (found.size() < 3 && !until.passed())
      if (auto end = queue_.next_end(clock)) found.push_back(std::move(*end));
    return found;
  }

  std::shared_ptr<compute_device> const device_ = open_devices("host:1").front();
  event_count wake_event_;
  std::uint64_t newest_ = 0;
  std::vector<job_part> launched_;
  std::vector<array_address> arrays_;  ///< of the newest launch
  stream_queue queue_{*device_, 0, wake_event_};
};

TEST_F(joined_tasks, are_launched_once_and_end_one_by_one_with_shares_of_its_time) {
  EXPECT_EQ(queue_.issue_next().size(), 3u);
  EXPECT_TRUE(queue_.issue_next().empty());
  EXPECT_THAT(launched_, ElementsAre(job_part{4, 6}));
  EXPECT_THAT(arrays_, ElementsAre(0x40, 0x80, std::nullopt)) << "any task's that uses the array";
  auto const ends_of_all = ends();
  ASSERT_EQ(ends_of_all.size(), 3u);
  EXPECT_TRUE(queue_.is_empty());
  auto const all = ends_of_all.front().joined;
  ASSERT_TRUE(all);
  EXPECT_EQ(all->part, (job_part{4, 6}));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    auto const& end = ends_of_all[i];
    EXPECT_EQ(end.op, op_id(i + 1));
    EXPECT_FALSE(end.failure);
    EXPECT_EQ(end.begin_ns, i == 0 ? all->begin_ns : ends_of_all[i - 1].end_ns);
    sum += end.end_ns - end.begin_ns;
  }
  EXPECT_EQ(ends_of_all[0].end_ns, all->begin_ns + (all->end_ns - all->begin_ns) * 2 / 6);
  EXPECT_EQ(sum, all->end_ns - all->begin_ns);
}

class joined_visits : public joined_tasks {
 protected:
  joined_visits() : joined_tasks([this](stream& on, job_part part) { launch(on, part); }) {
    std::fill_n(visits_.data(), visits_.size(), 0u);
  }
  void launch(stream& on, job_part part) {
    auto const all = kernels().kernels();
    auto const of_visits = std::ranges::find(all, key_of<count_visits>, &listed_kernel::key);
    job_grid const grid = 12;
    launch_task(count_visits{array_ref<std::uint32_t>(visits_.data())}, {{}, grid, part, &of_visits->code},
                on);
  }

  pinned_buffer<std::uint32_t> visits_{device_, 12};
};

TEST_F(joined_visits, run_each_block_of_theirs_once) {
  queue_.issue_next();
  EXPECT_EQ(ends().size(), 3u);
  EXPECT_EQ(launched_.size(), 1u);
  EXPECT_THAT(std::vector(visits_.data(), visits_.data() + 12),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0));
}

class joined_tasks_that_fail : public joined_tasks {
 protected:
  joined_tasks_that_fail()
      : joined_tasks([](stream&, job_part) { throw std::runtime_error("a planted failure"); }) {}
};

TEST_F(joined_tasks_that_fail, fail_all_of_them_with_the_part_of_all) {
  for (auto const& issued : queue_.issue_next()) EXPECT_TRUE(issued->has_failed());
  auto const ends_of_all = ends();
  ASSERT_EQ(ends_of_all.size(), 3u);
  for (auto const& end : ends_of_all) {
    EXPECT_TRUE(end.failure);
    ASSERT_TRUE(end.joined);
    EXPECT_EQ(end.joined->part, (job_part{4, 6}));
  }
}

class joined_tasks_of_a_failed_source : public joined_tasks {
 protected:
  joined_tasks_of_a_failed_source() : joined_tasks({}, {failed()}) {}
  static std::shared_ptr<operation_progress> failed() {
    auto source = std::make_shared<operation_progress>(op_id(100), copies, backend::host);
    source->mark_failed();
    source->mark_ended(1);
    return source;
  }
};

TEST_F(joined_tasks_of_a_failed_source, are_launched_without_the_one_that_takes_data_of_it) {
  EXPECT_EQ(queue_.issue_next().size(), 1u);
  EXPECT_EQ(queue_.issue_next().size(), 2u);
  EXPECT_THAT(launched_, ElementsAre(job_part{6, 4}));
  auto const ends_of_all = ends();
  ASSERT_EQ(ends_of_all.size(), 3u);
  EXPECT_TRUE(ends_of_all[0].failure);
  EXPECT_FALSE(ends_of_all[0].joined);
  EXPECT_FALSE(ends_of_all[1].failure);
  EXPECT_EQ(ends_of_all[2].joined->part, (job_part{6, 4}));
}

/// A device with eight tasks at a time, on which nothing is issued before the test says so.
struct planned_tasks : testing::Test {
  std::shared_ptr<job_record> submit(std::vector<job_argument> arguments) {
    return plan.submit({.grid = 8, .tasks = 8}, std::move(arguments));
  }
  std::vector<job_argument> each_own() {
    return {share_of(from, argument_mode::reads), share_of(to, argument_mode::writes)};
  }
  /// How many lines say so that were planned since the last call.
  std::size_t joined() {
    auto const lines = std::exchange(plan.lines, {});
    return std::size_t(
        std::ranges::count_if(lines, [](auto const& line) { return line.ends_with("joined"); }));
  }

  invented_plan plan{{{.ns_per_unit = 1000}}, {.policy = "master_worker", .in_flight = 8}};
  std::shared_ptr<array_state> const from = plan.array(1024), to = plan.array(1024);
};

TEST_F(planned_tasks, may_be_joined_once_they_are_known_to_be_short) {
  plan.nothing_is_issued = true;
  submit(each_own());
  EXPECT_EQ(joined(), 0u) << "how long they take is not known, and each has a copy";
  plan.end_all();
  submit(each_own());
  EXPECT_EQ(joined(), 7u);
}

TEST_F(planned_tasks, are_not_joined_to_what_was_issued) {
  for (int i = 0; i < 2; ++i) {
    submit(each_own());
    plan.end_all();
  }
  EXPECT_EQ(joined(), 0u);
}

TEST_F(planned_tasks, are_not_joined_across_a_copy) {
  plan.nothing_is_issued = true;
  submit(each_own());
  plan.end_all();
  plan.planner.record_host_write(*from, {512, 640}, host_place);  // the fifth task's
  joined();
  submit(each_own());
  EXPECT_EQ(joined(), 6u);
}

TEST_F(planned_tasks, are_not_joined_to_another_jobs) {
  plan.nothing_is_issued = true;
  auto const one = [&](std::uint32_t tasks) {
    plan.submit({.grid = tasks, .tasks = tasks}, {});
    plan.end_all();
  };
  one(1), one(2), one(2);
  joined();
  plan.submit({.grid = 2, .tasks = 2}, {});
  plan.submit({.grid = 2, .tasks = 2}, {});
  EXPECT_EQ(joined(), 2u) << "one of each";
}

TEST_F(planned_tasks, are_not_joined_when_they_take_long) {
  invented_plan slow({{.ns_per_unit = 15'000}}, {.policy = "master_worker", .in_flight = 8});
  slow.nothing_is_issued = true;
  slow.submit({.grid = 8, .tasks = 8}, {});
  slow.end_all();
  slow.submit({.grid = 8, .tasks = 8}, {});
  for (auto const& line : slow.lines) EXPECT_FALSE(line.ends_with("joined")) << line;
}

TEST_F(planned_tasks, fail_a_job_with_the_part_of_all_that_were_joined) {
  auto const job = submit(each_own());
  plan.end_next();
  plan.joined = ended_operation::joined_launch{.part = {1, 3}};
  while (plan.end_next(std::make_exception_ptr(std::runtime_error("a planted failure")))) {}
  try {
    job->end->wait({.first = job->number.value()}, deadline::in(std::chrono::seconds(0)));
    ADD_FAILURE() << "the job did not fail";
  } catch (job_failed const& failed) { EXPECT_EQ(failed.part(), (job_part{1, 3})); }
}

/// Tasks of jobs behind it wait until it is opened.
class held_executor {
 public:
  held_executor(job_scheduler& jobs, words& any) {
    auto const wait = opened_.get_future().share();
    done_ = jobs.submit({.grid = 1, .policy = "static"}, updates(any), [wait](auto all) {
      if (wait.wait_for(std::chrono::minutes(1)) != std::future_status::ready)
        throw std::runtime_error("nobody opened it");
      return count_visits{all};
    });
  }
  void open() {
    opened_.set_value();
    done_.wait();
  }

 private:
  std::promise<void> opened_;
  completion done_;
};

/// How many are joined depends on how long they take. The factory is called once for each launch.
TEST(jobs_of_short_tasks, run_each_block_once_and_report_each_task) {
  constexpr std::uint32_t rounds = 20;
  job_scheduler jobs(open_devices("host:1"), kernels(),
                     {.policy = "master_worker", .in_flight = 32, .device_bytes = enough_device_bytes});
  words visits(jobs, {16}), other(jobs, {1});
  fill_with(visits, 0), fill_with(other, 0);
  std::atomic<std::uint32_t> launches = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    held_executor held(jobs, other);
    auto const done = jobs.submit({.grid = 16, .tasks = 8}, updates(visits), [&](auto all) {
      ++launches;
      return count_visits{all};
    });
    held.open();
    auto const report = report_of(done);
    std::vector<std::uint32_t> first_units;
    for (auto const& task : report.tasks) {
      EXPECT_EQ(task.part.count, 2u);
      EXPECT_LE(task.begin_ns, task.end_ns);
      first_units.push_back(task.part.first);
    }
    EXPECT_THAT(first_units, UnorderedElementsAre(0, 2, 4, 6, 8, 10, 12, 14));
  }
  EXPECT_THAT(values_of(visits), Each(rounds));
  EXPECT_LE(launches, 8 * rounds);
}

/// Of 16 units the first four, four in the middle or the last four use nothing of the array, which lies where
/// each device's memory begins.
class jobs_with_idle_units : public testing::TestWithParam<std::string> {
 protected:
  void submit(std::uint32_t first_idle, std::string const& policy) {
    auto const end = first_idle + 4;
    jobs_.submit({.grid = 16, .policy = policy, .tasks = 8}, updates(visits_, own_beside(first_idle, end)),
                 [=](auto all) {
                   return count_beside{all, first_idle, end};
                 });
    for (std::uint32_t unit = 0; unit < 16; ++unit)
      if (unit < first_idle || unit >= end) ++expected_[unit];
  }

  job_scheduler jobs_{
      open_devices(GetParam()), kernels(), {.in_flight = 32, .device_bytes = enough_device_bytes}};
  words visits_{jobs_, {16}}, other_{jobs_, {1}};
  std::vector<std::uint32_t> expected_ = std::vector<std::uint32_t>(16);
};

TEST_P(jobs_with_idle_units, run_each_block_once_joined_or_not) {
  fill_with(visits_, 0), fill_with(other_, 0);
  for (auto const& policy : policy_names())
    for (std::uint32_t round = 0; round < 6; ++round)
      for (std::uint32_t const first_idle : {0, 4, 12}) {
        std::optional<held_executor> held;
        if (round % 2 == 1) held.emplace(jobs_, other_);
        submit(first_idle, policy);
        if (held) held->open();
      }
  EXPECT_EQ(values_of(visits_), expected_);
}

INSTANTIATE_TEST_SUITE_P(devices, jobs_with_idle_units, testing::ValuesIn(device_sets()));

}  // namespace
}  // namespace ballast::test::task_join_test
