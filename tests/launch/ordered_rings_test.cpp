// SPDX-License-Identifier: Apache-2.0
// Launches through rings that resident blocks read; queue_contract_test.cpp has what holds for every order.
#include "ordered_rings.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include "ballast/error.hpp"
#include "fixture.hpp"
#include "held_worker.hpp"
#include "noting_device.hpp"
#if BALLAST_HAVE_CUDA
#  include <cuda_runtime_api.h>
#endif

namespace ballast::test::ordered_rings_test {
using namespace detail;
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

deadline in_a_minute() { return deadline::in(std::chrono::minutes(1)); }

launch_options resident() { return {.order = "resident"}; }

/// Whether it happened within a minute.
bool comes_true(std::function<bool()> const& happened) {
  for (auto const until = in_a_minute(); !happened();) {
    if (until.passed()) return false;
    std::this_thread::yield();
  }
  return true;
}

std::vector<std::uint32_t> counted_to(std::uint32_t launches) {
  std::vector<std::uint32_t> numbers(launches);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

std::vector<std::uint32_t> entries_of(shared_words const& log) {
  auto const words = log.read();
  return {words.begin() + 1, words.begin() + 1 + words[0]};
}

TEST(ring_slots_of_launches, carry_stamps_that_no_earlier_lap_had) {
  for (std::uint64_t const position : {0ull, 1ull, 63ull, 65'535ull, (1ull << 32) - 2, (1ull << 32) + 5})
    for (std::uint64_t lap = 1; lap < 5; ++lap)
      EXPECT_NE(ring_stamp(position), ring_stamp(position + lap * ring_slots)) << position;
  EXPECT_NE(ring_stamp(0), 0u) << "what a cleared slot has";
}

TEST(queue_with_rings, runs_the_launches_of_a_stream_in_order_without_launching_them) {
  constexpr std::uint32_t launches = 1000;
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const log(launches + 1);
  auto line = queue.make_launch_stream();
  for (std::uint32_t i = 0; i < launches; ++i) line.launch(append_to_log{log.ref(), i}, 1);
  queue.wait_all();
  EXPECT_EQ(entries_of(log), counted_to(launches));
  auto const did = queue.statistics();
  EXPECT_EQ(did.resident_kernels, launches);
  EXPECT_EQ(did.kernels, launches);
  EXPECT_GE(did.resident_starts, 1u);
  EXPECT_GE(did.direct_launches, 1u) << "the first one, at least";
}

TEST(queue_with_rings, runs_the_launches_of_more_streams_than_workers_each_once_and_in_order) {
  constexpr std::uint32_t threads = 4, streams_of_thread = 12, launches = 200;
  launch_queue queue(open_devices("host:3"), kernels(), resident());  // two workers
  shared_words const logs(threads * streams_of_thread * (launches + 1));
  auto const log_of = [&](std::uint32_t stream) { return logs.ref().from(stream * (launches + 1)); };
  std::vector<std::thread> producers;
  for (std::uint32_t t = 0; t < threads; ++t)
    producers.emplace_back([&, t] {
      std::vector<launch_stream> lines;
      for (std::uint32_t s = 0; s < streams_of_thread; ++s) lines.push_back(queue.make_launch_stream());
      for (std::uint32_t i = 0; i < launches; ++i)
        for (std::uint32_t s = 0; s < streams_of_thread; ++s)
          lines[s].launch(append_to_log{log_of(t * streams_of_thread + s), i}, 1);
    });
  for (auto& producer : producers) producer.join();
  queue.wait_all();
  auto const expected = counted_to(launches);
  for (std::uint32_t stream = 0; stream < threads * streams_of_thread; ++stream) {
    auto const* const log = log_of(stream).data();
    EXPECT_EQ(std::vector<std::uint32_t>(log + 1, log + 1 + log[0]), expected) << stream;
  }
  EXPECT_EQ(queue.statistics().resident_kernels, threads * streams_of_thread * launches);
}

TEST(queue_with_rings, takes_launches_the_other_ways_where_all_rings_are_in_use) {
  constexpr std::uint32_t streams = max_rings + 44, launches = 3;
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const visits(streams);
  std::vector<launch_stream> lines;
  for (std::uint32_t s = 0; s < streams; ++s) lines.push_back(queue.make_launch_stream());
  for (std::uint32_t i = 0; i < launches; ++i)
    for (std::uint32_t s = 0; s < streams; ++s) lines[s].launch(count_visits{visits.ref().from(s)}, 1);
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(streams, launches));
  EXPECT_EQ(queue.statistics().resident_kernels, max_rings * launches);
  lines.clear();
  auto next = queue.make_launch_stream();
  EXPECT_TRUE(comes_true([&] {  // the rings of those that are gone are free again
    auto const before = queue.statistics().resident_kernels;
    next = queue.make_launch_stream();
    next.launch(count_visits{visits.ref()}, 1).wait();
    return queue.statistics().resident_kernels > before;
  }));
}

TEST(queue_with_rings, keeps_what_a_full_ring_has_no_room_for_until_there_is) {
  constexpr std::uint32_t launches = 5 * ring_slots;
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const gate(1), log(launches + 1);
  auto line = queue.make_launch_stream();
  line.launch(wait_at_gate{gate.ref()}, 1);
  for (std::uint32_t i = 0; i < launches; ++i) line.launch(append_to_log{log.ref(), i}, 1);
  EXPECT_FALSE(line.is_issued());
  EXPECT_EQ(queue.statistics().resident_kernels, ring_slots);
  gate.open();
  queue.wait_all();
  EXPECT_EQ(entries_of(log), counted_to(launches));
}

TEST(queue_with_rings, runs_grids_of_few_blocks_on_one_worker_and_others_elsewhere) {
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const visits(max_ring_blocks + 1);
  auto line = queue.make_launch_stream();
  for (std::uint32_t blocks = 1; blocks <= max_ring_blocks + 1; ++blocks)
    line.launch(count_visits{visits.ref()}, blocks);
  queue.wait_all();
  EXPECT_EQ(visits.read(), (std::vector<std::uint32_t>{5, 4, 3, 2, 1}));
  EXPECT_EQ(queue.statistics().resident_kernels, max_ring_blocks);
}

/// Large grids, kernels of other threads and callables: what a ring does not take.
TEST(queue_with_rings, keeps_the_order_of_a_stream_that_changes_its_way) {
  constexpr std::uint32_t rounds = 30, items = 600;
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const words(items);
  std::vector<std::uint32_t> expected(items);
  auto const scale = [&](std::uint32_t blocks, std::uint32_t factor) {
    for (std::uint32_t i = 0; i < blocks * 100; ++i) expected[i] = expected[i] * factor + 1 + blocks;
  };
  auto line = queue.make_launch_stream();
  for (std::uint32_t round = 0; round < rounds; ++round) {
    line.launch(scale_items{words.ref(), 3, 1}, 2);
    scale(2, 3);
    line.launch(scale_items{words.ref(), 5, 1}, 6);
    scale(6, 5);
    line.launch(scale_items{words.ref(), 7, 1}, 1);
    scale(1, 7);
    line.launch(mix_items{words.ref(), round, {}}, 1);
    std::reverse(expected.begin(), expected.begin() + 100);
    for (std::uint32_t i = 0; i < 100; ++i) expected[i] = 3 * expected[i] + round;
    line.launch([&, round](stream& on) { on.fill(&words[50], static_cast<unsigned char>(round), 40); });
    std::fill_n(expected.begin() + 50, 10, 0x01010101u * round);
  }
  queue.wait_all();
  EXPECT_EQ(words.read(), expected);
  EXPECT_EQ(queue.statistics().resident_kernels, 2 * rounds);
}

TEST(queue_with_rings, begins_what_waits_for_a_ring_once_that_has_come_so_far) {
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const gate(1), visits(1);
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  second.after(first.launch(wait_at_gate{gate.ref()}, 1));
  auto const behind = second.launch(count_visits{visits.ref()}, 1);
  EXPECT_FALSE(second.is_issued());
  EXPECT_FALSE(behind.ready());
  gate.open();
  behind.wait();
  EXPECT_EQ(visits[0], 1u);
}

TEST(queue_with_rings, issues_nothing_while_it_is_paused) {
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  queue.pause();
  auto const held = line.launch(count_visits{visits.ref()}, 1);
  EXPECT_FALSE(line.is_issued());
  queue.resume();
  held.wait_until(in_a_minute());
  EXPECT_EQ(visits[0], 1u);
}

TEST(queue_with_rings, gives_the_error_of_a_launch_to_its_own_launch_stream) {
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const visits(3);
  auto bad = queue.make_launch_stream(), good = queue.make_launch_stream();
  auto const before = bad.launch(count_visits{visits.ref()}, 1);
  auto const failing = bad.launch([](stream&) { throw std::runtime_error("planted"); });
  EXPECT_THAT([&] { failing.wait(); }, ThrowsMessage<std::runtime_error>("planted"));
  before.wait();
  EXPECT_THAT([&] { bad.launch(count_visits{visits.ref().from(1)}, 1); },
              ThrowsMessage<std::runtime_error>("planted"));
  good.launch(count_visits{visits.ref().from(2)}, 1).wait();
  EXPECT_EQ(visits.read(), (std::vector<std::uint32_t>{1, 0, 1}));
}

TEST(queue_with_rings, stopped_midway_ends_what_is_in_its_rings_and_drops_the_rest) {
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const gate(1), visits(1);
  auto line = queue.make_launch_stream();
  line.launch(wait_at_gate{gate.ref()}, 1);
  std::vector<completion> all;
  for (std::uint32_t i = 1; i < 2 * ring_slots; ++i)
    all.push_back(line.launch(count_visits{visits.ref()}, 1));
  queue.stop();
  EXPECT_THAT([&] { all.back().wait(); }, ThrowsMessage<stopped>(HasSubstr("was stopped")));
  EXPECT_THAT([&] { line.launch(count_visits{visits.ref()}, 1); },
              ThrowsMessage<stopped>(HasSubstr("stopped")));
  gate.open();
  all[ring_slots - 2].wait();
  queue.wait_all();
  EXPECT_EQ(visits[0], ring_slots - 1);
  EXPECT_THROW(all[ring_slots - 1].wait(), stopped);
}

TEST(queue_with_rings, that_is_destroyed_ends_what_is_in_flight) {
  auto const device = open_devices("host:2").front();
  auto const owners_before = device.use_count();
  shared_words const visits(1);
  completion last;
  {
    launch_queue queue({device}, kernels(), resident());
    auto line = queue.make_launch_stream();
    for (int i = 0; i < 500; ++i) last = line.launch(count_visits{visits.ref()}, 1);
  }
  EXPECT_TRUE(last.ready());
  EXPECT_EQ(visits[0], 500u);
  EXPECT_EQ(device.use_count(), owners_before) << "it was left behind";
  EXPECT_EQ(device->resident_holders(), "");
}

// Quanta.

TEST(resident_kernel_of_rings, ends_when_it_is_idle_and_goes_on_where_it_ended) {
  constexpr std::uint32_t times = 5, launches = ring_slots / 2 + 3;
  auto const device = first_device().front();
  launch_queue queue({device}, kernels(), resident());
  shared_words const log(times * launches + 1);
  auto line = queue.make_launch_stream();
  for (std::uint32_t i = 0; i < times; ++i) {
    for (std::uint32_t k = 0; k < launches; ++k) line.launch(append_to_log{log.ref(), i * launches + k}, 1);
    queue.wait_all();
    ASSERT_TRUE(comes_true([&] { return device->resident_holders().empty(); }))
        << "it has not given its room back";
    ASSERT_GE(queue.statistics().resident_starts, i + 1);
  }
  EXPECT_EQ(entries_of(log), counted_to(times * launches));
}

TEST(resident_kernel_of_rings, is_started_by_the_thread_that_launches_however_busy_the_dispatcher_is) {
  std::atomic<bool> is_inside = false, may_leave = false;
  launch_queue queue(first_device(), kernels(), resident());
  shared_words const visits(1);
  auto holder = queue.make_launch_stream(), line = queue.make_launch_stream();
  holder.launch([&](stream&) {
    is_inside = true;
    may_leave.wait(false);
  });
  EXPECT_TRUE(comes_true([&] { return is_inside.load(); }));
  line.launch(count_visits{visits.ref()}, 1);
  EXPECT_TRUE(comes_true([&] { return std::atomic_ref(visits[0]).load() == 1; }));
  may_leave = true;
  may_leave.notify_all();
  queue.wait_all();
}

TEST(resident_kernel_of_rings, ends_though_its_rings_are_never_empty) {
  launch_queue queue(open_devices("host:2"), kernels(), resident());  // one worker
  shared_words const visits(2);
  std::vector<launch_stream> lines;
  for (int i = 0; i < 2; ++i) lines.push_back(queue.make_launch_stream());
  std::uint32_t launched = 0;
  EXPECT_TRUE(comes_true([&] {
    for (std::uint32_t i = 0; i < 2; ++i) lines[i].launch(count_visits{visits.ref().from(i)}, 1);
    ++launched;
    return queue.statistics().resident_starts >= 4;
  }));
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(2, launched));
}

/// Producers that feed rings until they are told to stop.
class fed_rings {
 public:
  explicit fed_rings(std::shared_ptr<compute_device> const& device)
      : queue_({device}, kernels(), resident()) {
    for (std::uint32_t p = 0; p < producers; ++p) threads_.emplace_back([this, p] { feed(p); });
  }
  ~fed_rings() { stop(); }
  void stop() {
    over_ = true;
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  launch_queue& queue() { return queue_; }
  std::uint64_t launched() const { return launched_; }
  std::uint64_t visited() const { return std::uint64_t{visits_[0]} + visits_[64]; }

 private:
  static constexpr std::uint32_t producers = 2, streams_of_producer = 4;

  void feed(std::uint32_t producer) {
    std::vector<launch_stream> lines;
    for (std::uint32_t s = 0; s < streams_of_producer; ++s) lines.push_back(queue_.make_launch_stream());
    while (!over_)
      for (auto& line : lines) {
        line.launch(count_visits{visits_.ref().from(64 * producer)}, 1);
        ++launched_;
      }
  }

  shared_words visits_{128};
  launch_queue queue_;
  std::atomic<bool> over_ = false;
  std::atomic<std::uint64_t> launched_ = 0;
  std::vector<std::thread> threads_;
};

#if BALLAST_HAVE_CUDA
void require(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

/// What a framework beside this one does on the GPU; some of it waits for all that runs there.
void call_cuda(int gpu) {
  void* memory = nullptr;
  require(cudaSetDevice(gpu));
  require(cudaMalloc(&memory, 1 << 20));
  require(cudaMemset(memory, 0, 1 << 20));
  require(cudaFree(memory));
  require(cudaDeviceSynchronize());
}
#else
void call_cuda(int) {}
#endif

TEST(resident_kernel_of_rings, lets_foreign_calls_of_cuda_return_while_its_rings_are_fed_for_ever) {
  auto const device = devices().front();
  if (!device->is_cuda()) GTEST_SKIP() << "needs a GPU: cores have no calls that wait for the whole device";
  fed_rings rings(device);
  EXPECT_TRUE(comes_true([&] { return rings.queue().statistics().resident_starts >= 2; }));
  std::atomic<int> returned = 0;
  std::thread caller([&] {
    for (; returned < 20; ++returned) call_cuda(device->spec().index);
  });
  EXPECT_TRUE(comes_true([&] { return returned == 20; })) << "they wait for the kernel";
  rings.stop();  // what waits goes on
  caller.join();
  rings.queue().wait_all();
  EXPECT_EQ(rings.visited(), rings.launched());
  EXPECT_EQ(rings.queue().statistics().resident_kernels, rings.launched());
}

TEST(resident_kernel_of_rings, takes_turns_with_launches_that_go_other_ways) {
  fed_rings rings(first_device().front());
  shared_words const visits(300);
  auto line = rings.queue().make_launch_stream();
  for (int i = 0; i < 20; ++i) line.launch(count_visits{visits.ref()}, 300).wait_until(in_a_minute());
  rings.stop();
  rings.queue().wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(300, 20));
  EXPECT_EQ(rings.visited(), rings.launched());
}

// Room.

class device_without_room final : public noting_device {
 public:
  using noting_device::noting_device;
  std::atomic<bool> has_room = false;
  resident_room claim_resident(resident_request const& request) override {
    if (!has_room) throw no_room("others have it");
    return noting_device::claim_resident(request);
  }
};

TEST(queue_with_rings, runs_what_is_in_them_as_any_launch_while_others_have_the_room) {
  constexpr std::uint32_t streams = 7, launches = 50;
  auto const device = std::make_shared<device_without_room>(open_devices("host:2").front());
  launch_queue queue({device}, kernels(), resident());
  shared_words const visits(streams);
  std::vector<launch_stream> lines;
  for (std::uint32_t s = 0; s < streams; ++s) lines.push_back(queue.make_launch_stream());
  queue.pause();
  for (std::uint32_t s = 0; s < streams; ++s) lines[s].launch(count_visits{visits.ref().from(s)}, 1);
  queue.resume();
  queue.wait_all(in_a_minute());
  for (std::uint32_t i = 0; i < launches; ++i)
    for (std::uint32_t s = 0; s < streams; ++s) lines[s].launch(count_visits{visits.ref().from(s)}, 1);
  queue.wait_all(in_a_minute());
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(streams, launches + 1));
  auto const did = queue.statistics();
  EXPECT_GE(did.resident_kernels, 1u);
  EXPECT_EQ(did.kernels, streams * (launches + 1));
}

TEST(queue_with_rings, goes_on_with_them_once_there_is_room_again) {
  auto const device = std::make_shared<device_without_room>(open_devices("host:2").front());
  launch_queue queue({device}, kernels(), resident());
  shared_words const log(10'001);
  auto line = queue.make_launch_stream();
  std::uint32_t launched = 0;
  auto const launch_some = [&] {
    for (int i = 0; i < 5 && launched < 10'000; ++i) line.launch(append_to_log{log.ref(), launched++}, 1);
    line.last().wait_until(in_a_minute());
    return queue.statistics().resident_kernels;
  };
  (void)launch_some();
  device->has_room = true;
  auto const before = queue.statistics().resident_kernels;
  EXPECT_TRUE(comes_true([&] { return launch_some() > before + 20; }));
  EXPECT_EQ(entries_of(log), counted_to(launched));
}

TEST(resident_kernel_of_rings, cannot_begin_on_held_cores_and_every_deadline_tells_who_holds_them) {
  auto const device = open_devices("host:1").front();
  launch_queue queue({device}, kernels(), resident());
  shared_words const visits(1);
  held_worker worker(device);
  auto line = queue.make_launch_stream();
  auto const late = line.launch(count_visits{visits.ref()}, 1);
  try {
    late.wait_until(deadline::in(std::chrono::milliseconds(1)));
    ADD_FAILURE() << "no deadline passed";
  } catch (timed_out const& why) { EXPECT_THAT(why.state(), HasSubstr("is held by the kernel of the test")); }
  worker.let_go();
  late.wait_until(in_a_minute());
  EXPECT_EQ(visits[0], 1u);
}

class device_that_answers_no_claim final : public noting_device {
 public:
  using noting_device::noting_device;
  resident_room claim_resident(resident_request const&) override { throw error("nobody answers"); }
};

TEST(resident_kernel_of_rings, that_cannot_start_for_another_reason_than_room_fails_its_launches) {
  auto const device = std::make_shared<device_that_answers_no_claim>(open_devices("host:1").front());
  launch_queue queue({device}, kernels(), resident());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  auto const never = line.launch(count_visits{visits.ref()}, 1);
  EXPECT_THAT([&] { never.wait_until(in_a_minute()); }, ThrowsMessage<error>(HasSubstr("nobody answers")));
}

TEST(resident_kernel_of_rings, yields_to_others_though_its_rings_are_never_empty) {
  auto const device = open_devices("host:1").front();
  fed_rings rings(device);
  for (int i = 0; i < 5; ++i) {
    auto const launched = rings.launched();
    ASSERT_TRUE(comes_true([&] { return rings.launched() > launched; }));
    held_worker worker(device);  // throws if it gets no room
    EXPECT_THAT(device->resident_holders(), "the kernel of the test (1 block)");
    worker.let_go();
  }
  rings.stop();
  rings.queue().wait_all(in_a_minute());
  EXPECT_EQ(rings.visited(), rings.launched());
}

TEST(resident_kernel_of_rings, is_named_to_others_that_ask_for_its_room) {
  auto const device = open_devices("host:1").front();
  shared_words const gate(2);
  launch_queue queue({device}, kernels(), resident());
  auto line = queue.make_launch_stream();
  auto const held = line.launch(arrive_at_gate{gate.ref()}, 1);
  ASSERT_TRUE(comes_true([&] { return std::atomic_ref(gate[1]).load() != 0; }));
  EXPECT_THAT([&] { (void)device->claim_resident({.holder = "another", .yields = true}); },
              ThrowsMessage<no_room>(HasSubstr("the resident kernel of set kernels")));
  gate.open();
  held.wait();
}

// Loss.

TEST(queue_with_rings, tells_every_launch_stream_that_its_device_is_lost) {
  launch_queue queue(open_devices("host:2"), kernels(), resident());
  shared_words const visits(1);
  auto line = queue.make_launch_stream(), other = queue.make_launch_stream();
  auto const faulty = line.launch(fault(), 1);
  EXPECT_THROW(faulty.wait_until(in_a_minute()), device_lost);
  EXPECT_THROW(line.launch(count_visits{visits.ref()}, 1).wait(), device_lost);
  EXPECT_THROW(other.launch(count_visits{visits.ref()}, 1).wait(), device_lost);
}

TEST(queue_with_rings, without_a_set_or_with_one_for_jobs_takes_the_other_ways) {
  launch_queue queue(first_device(), resident());
  shared_words const words(1);
  auto line = queue.make_launch_stream();
  line.launch([&](stream& on) { on.fill(&words[0], 1, 4); }).wait();
  EXPECT_EQ(words[0], 0x01010101u);
  EXPECT_EQ(queue.statistics().resident_kernels, 0u);
}

}  // namespace
}  // namespace ballast::test::ordered_rings_test
