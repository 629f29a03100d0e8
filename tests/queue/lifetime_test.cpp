// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ballast/balanced_queue.hpp"
#include "captured_log.hpp"
#include "ending_calls.hpp"
#include "fixture.hpp"
#include "spawning_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

using testing::HasSubstr;

/// A queue whose every worker is held at the gate. What it needs is allocated before its kernel runs.
struct held_queue {
  explicit held_queue(std::uint32_t capacity)
      : held(64), queue(first_device(), kernels(), options(capacity)) {
    for (std::uint32_t i = 0; i < queue.workers(); ++i) queue.submit(held.holder(i));
    held.await_inside(queue.workers());
  }
  ~held_queue() { held.open(); }
  static queue_options options(std::uint32_t capacity) {
    auto options = test_options();
    options.capacity = capacity;
    if (first_device()->is_cuda()) options.resident.blocks = 9;
    return options;
  }

  gate held;
  task_queue queue;
};

deadline at_once() { return deadline::in(std::chrono::milliseconds(30)); }

/// On a GPU few workers: each then takes several of the many waiting tasks at once.
queue_options few_workers() {
  auto options = test_options();
  if (first_device()->is_cuda()) options.resident.blocks = 9;
  return options;
}

TEST(mixed_batch, of_plain_and_short_grid_tasks_is_reported_when_all_have_run) {
  std::uint32_t const plain = 50, wide = 3, each = plain + wide, groups = 100, rounds = 10;
  counted_words visits(first_device(), each * groups);
  std::vector<task> tasks;
  for (std::uint32_t first = 0; first < each * groups; first += each) {
    for (std::uint32_t i = 0; i < plain; ++i)
      tasks.push_back(task(count_visit{visits.ref()}, {first + i, 1}));
    tasks.push_back(grid_task(task(count_visit{visits.ref()}, {first + plain, wide})));
  }
  task_queue queue(first_device(), kernels(), few_workers());
  for (std::uint32_t round = 0; round < rounds; ++round) queue.submit(tasks).wait();
  queue.close();
  auto const seen = visits.read();
  EXPECT_EQ(std::ranges::count(seen, rounds), std::ptrdiff_t(seen.size()));
}

TEST(smallest_ring, serves_a_submission_ring_that_alone_has_tasks) {
  std::uint32_t const threads = 8, each = 10;
  counted_words visits(first_device(), threads * each);
  auto options = few_workers();
  options.capacity = 2;
  options.submission_rings = threads;
  task_queue queue(first_device(), kernels(), options);
  // One after another, and each stays until the last: so each has a submission ring of its own.
  std::atomic<std::uint32_t> submitted = 0;
  std::vector<std::jthread> submitters;
  for (std::uint32_t t = 0; t < threads; ++t) {
    submitters.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < each; ++i)
        queue.submit(task(count_visit{visits.ref()}, {t * each + i, 1}));
      queue.wait_all();
      submitted = t + 1;
      submitted.notify_all();
      for (auto seen = t + 1; seen < threads; seen = submitted) submitted.wait(seen);
    });
    submitted.wait(t);
  }
  submitters.clear();
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(full_queue, try_submit_reports_it_and_loses_nothing) {
  counted_words visits(first_device(), 1000);
  held_queue setup(4);
  // The submission ring takes at least its capacity, once the server has told that it fetched the holders.
  std::uint32_t accepted = 0;
  auto const until = deadline::in(std::chrono::minutes(1));
  for (bool taken = true; accepted < 1000 && (taken || (accepted < 4 && !until.passed()));) {
    taken = setup.queue.try_submit(task(count_visit{visits.ref()}, {accepted, 1})).has_value();
    if (taken) ++accepted;
  }
  EXPECT_GE(accepted, 4u);
  EXPECT_LE(accepted, 8u);  // a submission ring and a ring
  setup.held.open();
  setup.queue.close();
  auto const seen = visits.read();
  EXPECT_EQ(std::uint32_t(std::accumulate(seen.begin(), seen.end(), 0u)), accepted);
  EXPECT_EQ(check_visits({seen.begin(), seen.begin() + accepted}), exactly_once);
}

TEST(full_queue, submit_says_how_much_of_a_batch_it_accepted_by_the_deadline) {
  std::uint32_t const n = 100;
  counted_words visits(first_device(), n);
  held_queue setup(8);
  auto const tasks = visits_of(visits.ref(), n);
  std::size_t accepted = n;
  try {
    setup.queue.submit(tasks, at_once());
    ADD_FAILURE() << "a full queue accepted everything";
  } catch (queue_full const& full) {
    accepted = full.accepted();
    EXPECT_NE(std::string(full.what()).find("of 100 tasks were accepted"), std::string::npos) << full.what();
  }
  EXPECT_LT(accepted, n);
  setup.held.open();
  setup.queue.submit(std::span(tasks).subspan(accepted));
  setup.queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(full_queue, submit_counts_one_task_as_one) {
  EXPECT_STREQ(queue_full({}, 0, 1, "").what(),
               "deadline passed while waiting for room in the queue; 0 of 1 task was accepted");
}

TEST(stalled_queue, tells_its_state_when_a_deadline_passes) {
  held_queue setup(16);
  auto const waiting = setup.queue.submit(setup.held.holder(0));
  try {
    waiting.wait_until(at_once());
    ADD_FAILURE() << "a task behind the gate finished";
  } catch (timed_out const& passed) {
    auto const& state = passed.state();
    EXPECT_NE(state.find(first_device()->name()), std::string::npos) << state;
    EXPECT_NE(state.find("ring 0"), std::string::npos) << state;
    EXPECT_THAT(state, HasSubstr("the oldest that is not finished is number 1\n"));
    EXPECT_THAT(state, HasSubstr(" running a task\noldest task: kernel ballast::test::wait_at_gate, block "));
  }
  setup.held.open();
  waiting.wait();
  setup.queue.close();
}

TEST(stalled_queue, names_the_task_that_does_not_end_and_since_when_it_has_run) {
  gate held(8);
  counted_words visits(first_device(), 2);
  task_queue queue(first_device(), kernels(), few_workers());
  queue.submit(visits_of(visits.ref(), 2)).wait();
  auto const stuck = queue.submit(task(held.kernel(), {3, 5}));
  held.await_inside(1);
  std::string const name =
      "oldest task: kernel ballast::test::wait_at_gate, blocks 3 to 7 of submission 2, in ";
  EXPECT_THAT(queue.describe(), HasSubstr(name));
  for (auto const& call : std::vector<std::function<void()>>{[&] { stuck.wait_until(at_once()); },
                                                             [&] { queue.close(at_once()); }}) {
    try {
      call();
      ADD_FAILURE() << "a task behind the gate finished";
    } catch (timed_out const& passed) {
      EXPECT_THAT(passed.state(), HasSubstr(name));
      EXPECT_THAT(passed.state(), HasSubstr(" for at least "));
    }
  }
  held.open();
  queue.close();
}

TEST(stalled_queue, names_the_submission_of_a_task_whose_place_in_the_ring_is_used_again) {
  gate held(1);
  auto const cores = open_devices("host:2").front();
  counted_words visits(cores, 12);
  auto options = held_queue::options(8);
  options.resident.blocks = 0;
  task_queue queue(cores, kernels(), options);
  queue.submit(held.holder(0));
  held.await_inside(1);
  auto const tasks = visits_of(visits.ref(), 12);  // in fewer batches than places
  for (std::size_t i = 0; i < tasks.size(); i += 2) queue.submit(std::span(tasks).subspan(i, 2)).wait();
  EXPECT_THAT(queue.describe(), HasSubstr("the oldest that is not finished is number 1\n"));
  EXPECT_THAT(queue.describe(), HasSubstr("oldest task: one whose place in the ring is used again"));
  held.open();
  queue.close();
}

void expect_one_task_and_one_newline(std::string const& state) {
  EXPECT_NE(state.find("1 task "), std::string::npos) << state;
  for (auto const* const several : {" 1 tasks", " 1 slots", " 1 submissions", "\n1 blocks", "\n\n"})
    EXPECT_EQ(state.find(several), std::string::npos) << state;
  EXPECT_TRUE(state.ends_with("\n")) << state;
}

TEST(state_of_a_queue, counts_one_as_one_and_ends_in_one_newline) {
  auto const core = open_devices("host:2").front();  // a GPU's server is a block too
  counted_words visits(core, 1);
  task const one(count_visit{visits.ref()}, {0, 1});
  auto options = test_options();
  options.resident.blocks = 1;
  task_queue of_one_device(core, kernels(), options);
  of_one_device.submit(one).wait();
  expect_one_task_and_one_newline(of_one_device.describe());
  of_one_device.close();
  expect_one_task_and_one_newline(of_one_device.describe());

  balanced_options shared;
  shared.queue.resident.blocks = 1;
  balanced_queue of_several({core}, kernels(), shared);
  of_several.submit(one).wait();
  expect_one_task_and_one_newline(of_several.describe());
  EXPECT_THAT(of_several.describe(),
              testing::StartsWith("balanced queue of kernels on " + core->name() +
                                  ": 0 tasks in the backlog, policy rate\nqueue of kernels on "));
  of_several.close();
}

/// Stops a queue whose workers are held before many tasks. Returns how many it handed back: none if the
/// workers had executed all before a GPU's server, which reads the request over PCIe, had seen it.
std::size_t handed_back_by_stop() {
  std::uint32_t const n = 4000;
  counted_words visits(first_device(), n);
  held_queue setup(4096);
  setup.queue.submit(visits_of(visits.ref(), n));
  setup.queue.request_stop();
  setup.held.open();
  bool told = false;
  try {
    setup.queue.wait_all();
  } catch (stopped const&) { told = true; }
  auto const rest = setup.queue.stop();
  EXPECT_EQ(told, !rest.empty());
  auto seen = visits.read();
  for (auto const& one : rest) seen[one.range().first] += 1;
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  setup.queue.start();
  setup.queue.submit(rest);
  setup.queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  return rest.size();
}

TEST(stopped_queue, hands_back_exactly_the_tasks_that_did_not_run) {
  std::size_t handed_back = 0;
  for (int round = 0; round < 100 && handed_back == 0; ++round) handed_back = handed_back_by_stop();
  EXPECT_GT(handed_back, 0u);
}

// So many that on a GPU workers take several at once: what one holds and has not begun is handed back too.
TEST(stopped_queue, hands_back_what_workers_hold_but_have_not_begun) {
  std::uint32_t const n = 4000;
  counted_words visits(first_device(), n);
  auto options = held_queue::options(4096);
  options.resident.blocks = 3;
  if (!first_device()->is_cuda()) options.resident.blocks = 0;
  gate held(1);
  task_queue queue(first_device(), kernels(), options);
  auto tasks = visits_of(visits.ref(), n);
  tasks[n / 2] = held.holder(0);
  queue.submit(tasks);
  held.await_inside(1);
  queue.request_stop();
  held.open();
  auto const rest = queue.stop();
  auto seen = visits.read();
  seen[n / 2] += 1;  // the holder's
  for (auto const& one : rest) seen[one.range().first] += 1;
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  queue.start();
  queue.submit(rest);
  queue.close();
  auto all = visits.read();
  all[n / 2] += 1;
  EXPECT_EQ(check_visits(all), exactly_once);
}

TEST(stopped_queue, has_nothing_to_hand_back_when_it_was_idle) {
  task_queue queue(first_device(), kernels(), held_queue::options(64));
  EXPECT_TRUE(queue.stop().empty());
  EXPECT_FALSE(queue.running());
}

TEST(running_queue, that_is_destroyed_keeps_nothing_and_has_nothing_to_tell_the_log) {
  auto mine = open_devices("host:1").front();
  captured_log log;
  { task_queue const queue(mine, kernels()); }
  EXPECT_EQ(log.lines(), "");
  EXPECT_EQ(mine.use_count(), 1) << "the queue is left behind with all its memory";
}

TEST(idle_queue, ends_at_its_idle_timeout_and_says_so) {
  auto options = held_queue::options(64);
  options.resident.idle_timeout = std::chrono::milliseconds(200);
  counted_words visits(first_device(), 1);
  task_queue queue(first_device(), kernels(), options);
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.running() && !until.passed()) std::this_thread::yield();
  ASSERT_FALSE(queue.running());
  queue.submit(task(count_visit{visits.ref()}));  // accepted: the submission ring has room
  try {
    queue.wait_all();
    ADD_FAILURE() << "a kernel that ended ran a task";
  } catch (stopped const& stopped) {
    EXPECT_NE(std::string(stopped.what()).find("idle_timeout"), std::string::npos) << stopped.what();
  }
  EXPECT_EQ(queue.stop().size(), 1u);
}

TEST(idle_workers, stay_while_one_task_runs_for_longer_than_idle_timeout) {
  auto options = held_queue::options(64);
  options.resident.idle_timeout = std::chrono::milliseconds(200);
  gate held(1);
  counted_words visits(first_device(), 100);
  task_queue queue(first_device(), kernels(), options);
  if (queue.workers() < 2) GTEST_SKIP() << "one worker has nobody to wait beside it";
  queue.submit(held.holder(0));
  held.await_inside(1);
  std::this_thread::sleep_for(4 * options.resident.idle_timeout);
  queue.submit(visits_of(visits.ref(), 100)).wait();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  held.open();
}

TEST(resident_blocks, leave_room_for_a_kernel_of_the_caller) {
  auto const device = first_device();
  auto options = held_queue::options(64);
  int const cores = device->properties().multiprocessors;
  if (!device->is_cuda() && cores < 2) GTEST_SKIP() << "one core has no half";
  if (device->is_cuda() && environment("CUDA_LAUNCH_BLOCKING") == "1")
    GTEST_SKIP() << "with CUDA_LAUNCH_BLOCKING=1 CUDA starts no kernel before the resident one has ended";
  options.resident.blocks = device->is_cuda() ? 66 : cores / 2;
  gate held(66);
  counted_words visits(device, 100);
  auto const mine = device->make_stream();
  task_queue queue(device, kernels(), options);
  for (std::uint32_t i = 0; i < queue.workers(); ++i) queue.submit(held.holder(i));
  held.await_inside(queue.workers());
  launch(kernels(), *mine, task(count_visit{visits.ref()}, {0, 100}));
  mine->synchronize(deadline::in(std::chrono::minutes(1)));
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
  EXPECT_TRUE(queue.running());
  held.open();
  queue.close();
}

TEST(timed_queue, says_when_the_tasks_of_a_completion_ran) {
  counted_words visits(first_device(), 64);
  auto options = held_queue::options(64);
  options.times = true;
  task_queue queue(first_device(), kernels(), options);
  auto const first = queue.submit(task(work_then_count{visits.ref(), 1000}, {0, 8}));
  first.wait();
  std::vector<task> tasks;
  for (std::uint32_t i = 8; i < 64; ++i)
    tasks.emplace_back(work_then_count{visits.ref(), 1000}, block_range{i, 1});
  auto const second = queue.submit(tasks);
  second.wait();
  auto const a = queue.execution_of(first), b = queue.execution_of(second);
  EXPECT_LE(a.first_begin_ns, a.last_end_ns);
  EXPECT_LE(a.last_end_ns, b.first_begin_ns);
  EXPECT_LE(b.first_begin_ns, b.last_end_ns);
  EXPECT_EQ(a.work_ns, a.last_end_ns - a.first_begin_ns);  // one task
  EXPECT_THROW(queue.execution_of(queue.submit(std::vector<task>())), error);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(traced_queue, records_each_task_once_and_counts_what_it_dropped) {
  std::uint32_t const n = 100;
  counted_words visits(first_device(), n);
  auto options = held_queue::options(64);
  options.trace_depth = 2;
  task_queue queue(first_device(), kernels(), options);
  queue.submit(visits_of(visits.ref(), n));
  queue.close();
  auto const spans = queue.task_spans();
  EXPECT_EQ(spans.size() + queue.statistics().trace_dropped, n);
  EXPECT_LE(spans.size(), 2u * (queue.workers() + 1));
  EXPECT_FALSE(spans.empty());
  for (auto const& span : spans) {
    EXPECT_LE(span.begin_ns, span.end_ns);
    EXPECT_EQ(span.range.count, 1u);
  }
}

// Last, since on a GPU the fault ends the process's use of the device: see also faulted_queue_test.
TEST(faulted_queue, throws_device_lost_and_never_hangs) {
  auto const device = first_device();
  if (device->is_cuda())
    GTEST_SKIP()
        << "a trap ends every later test of this process; run alone with --gtest_also_run_disabled_tests";
  auto const mine = open_devices(device->name().substr(0, device->name().find('#'))).front();
  task_queue queue(mine, kernels(), held_queue::options(64));
  auto const doomed = queue.submit(task(fail{}));
  EXPECT_THROW(doomed.wait(), device_lost);
  EXPECT_THROW(queue.submit(task(fail{})), device_lost);
}

/// What is said of the task, which throws after this many others, one a submission, on a core of its own.
std::string said_of_fault(kernel_set const& set, task const& doomed, std::uint32_t others) {
  auto const core = open_devices("host:1").front();
  counted_words visits(core, others);
  auto options = held_queue::options(8);
  options.resident.blocks = 0;
  task_queue queue(core, set, options);
  for (std::uint32_t i = 0; i < others; ++i) queue.submit(task(count_visit{visits.ref()}, {i, 1})).wait();
  return said_by([&] { queue.submit(doomed).wait(); });
}

TEST(faulted_queue, names_the_kernel_that_threw_its_list_and_the_block) {
  EXPECT_THAT(said_of_fault(kernels(), task(fail{}), 0),
              HasSubstr("kernel ballast::test::fail of set kernels, block 0 of submission 1, threw: planted "
                        "fault; "));
}

TEST(faulted_queue, names_the_blocks_of_the_task_that_threw_and_its_submission) {
  EXPECT_THAT(said_of_fault(kernels(), task(fail{}, {12, 4}), 2),
              HasSubstr(", block 12 of blocks 12 to 15 of submission 3, threw"));
  EXPECT_THAT(said_of_fault(kernels(), grid_task(task(fail{}, {12, 4})), 2),
              HasSubstr(", block 12 of submission 3, threw"));
}

TEST(faulted_queue, counts_submissions_over_all_turns_of_its_ring) {
  EXPECT_THAT(said_of_fault(kernels(), task(fail{}), 300), HasSubstr("block 0 of submission 301, threw"));
}

TEST(faulted_queue, whose_tasks_may_create_tasks_names_block_and_submission_too) {
  EXPECT_THAT(
      said_of_fault(spawning_kernels(), task(fail{}, {7, 1}), 300),
      HasSubstr("kernel ballast::test::fail of set spawning_kernels, block 7 of submission 301, threw"));
}

TEST(faulted_queue, over_several_devices_names_block_and_submission_too) {
  balanced_queue queue(open_devices("host:1,host:1"), kernels());
  EXPECT_THAT(
      said_by([&] {
        queue.submit(task(fail{}, {12, 4}));
        queue.wait_all();
      }),
      HasSubstr("kernel ballast::test::fail of set kernels, block 12 of blocks 12 to 15 of submission 1, "
                "threw"));
}

struct in_no_list {
  static constexpr int threads = 64;
  template <class Block>
  BALLAST_HD void operator()(Block&) const {}
};

TEST(task_queue, names_the_kernel_that_is_not_in_its_list) {
  task_queue queue(first_device(), kernels(), few_workers());
  try {
    queue.submit(task(in_no_list{}));
    FAIL() << "the kernel was taken";
  } catch (bad_argument const& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("in_no_list"), std::string::npos) << refusal.what();
    EXPECT_NE(std::string(refusal.what()).find("kernels"), std::string::npos) << refusal.what();
  }
}

TEST(faulted_queue, DISABLED_throws_device_lost_on_a_gpu_and_never_hangs) {
  task_queue queue(first_device(), kernels(), held_queue::options(64));
  auto const doomed = queue.submit(task(fail{}));
  EXPECT_THROW(doomed.wait(), device_lost);
  EXPECT_THROW(queue.wait_all(), device_lost);
}

}  // namespace
}  // namespace ballast::test
