// SPDX-License-Identifier: Apache-2.0
// Which launches the thread of a launch stream issues itself under the default order, and which of those go
// through a ring.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "fixture.hpp"
#include "pretended_gpu.hpp"
#include "read_only_kernels.cuh"

namespace ballast::test {
using namespace detail;
namespace {

constexpr std::chrono::minutes long_enough{1};

device_list one_gpu() { return {std::make_shared<pretended_gpu>()}; }

/// A queue on which a launch of another launch stream is in flight, so that none is alone.
class busy_queue {
 public:
  explicit busy_queue(device_list const& devices, launch_options const& options = {})
      : queue_(devices, kernels(), options), busy_(queue_.make_launch_stream()) {
    busy_.launch(wait_at_gate{gate_.ref()}, 1);
    busy_.wait_issued();
  }
  ~busy_queue() { gate_.open(); }

  launch_stream make_launch_stream() { return queue_.make_launch_stream(); }
  count_visits visit() const { return {visits_.ref()}; }
  std::uint32_t visits() const { return visits_[0]; }
  std::uint64_t direct_launches() const { return queue_.statistics().direct_launches; }

 private:
  shared_words const gate_{1}, visits_{1};
  launch_queue queue_;
  launch_stream busy_;
};

/// How many of ten launches that are waited for one by one the launch stream issued itself.
std::uint64_t issued_of_ten_awaited(device_list const& devices, launch_options const& options = {}) {
  busy_queue queue(devices, options);
  auto line = queue.make_launch_stream();
  for (std::uint32_t i = 0; i < 10; ++i) {
    line.launch(queue.visit(), 1).wait();
    EXPECT_EQ(queue.visits(), i + 1);
  }
  return queue.direct_launches();
}

TEST(launches_that_are_waited_for, are_issued_by_their_own_thread_from_the_third_on) {
  EXPECT_EQ(issued_of_ten_awaited(one_gpu()), 8u);
}

TEST(launches_that_are_waited_for, go_through_the_dispatcher_in_other_orders) {
  for (std::string const order : {"round_robin", "held"})
    EXPECT_EQ(issued_of_ten_awaited(one_gpu(), {.order = order}), 0u) << order;
}

TEST(launches_that_are_waited_for, do_not_pass_those_that_a_key_puts_first) {
  EXPECT_EQ(issued_of_ten_awaited(one_gpu(), {.key = "priority"}), 0u);
}

TEST(launches_that_are_waited_for, go_through_the_dispatcher_on_cores_where_merging_pays_more) {
  EXPECT_EQ(issued_of_ten_awaited(open_devices("host:2")), 0u);
}

TEST(launches_that_are_waited_for, may_be_asked_for_without_sleeping) {
  busy_queue queue(one_gpu());
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 10; ++i) {
    auto const done = line.launch(queue.visit(), 1);
    for (auto const until = clock::now() + long_enough; !done.ready() && clock::now() < until;)
      std::this_thread::yield();
  }
  EXPECT_EQ(queue.visits(), 10u);
  EXPECT_EQ(queue.direct_launches(), 8u);
}

TEST(launches_that_are_waited_for, are_not_those_of_a_burst_whose_last_one_is) {
  busy_queue queue(one_gpu());
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 5; ++i) {
    line.launch(queue.visit(), 1);
    line.launch(queue.visit(), 1).wait();
  }
  EXPECT_EQ(queue.visits(), 10u);
  EXPECT_EQ(queue.direct_launches(), 0u);
}

/// On which kernels say that they took so long.
device_list gpu_of_kernels_that_take(std::uint64_t span_ns) {
  return {std::make_shared<pretended_gpu>(declared_resources{}, span_ns)};
}

TEST(short_kernels_that_are_waited_for, go_through_a_ring_from_the_third_on) {
  launch_queue queue(gpu_of_kernels_that_take(5'000), kernels());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(queue.statistics().resident_kernels, 0u);
    line.launch(count_visits{visits.ref()}, 1).wait();
  }
  EXPECT_EQ(queue.statistics().resident_kernels, 1u);
  for (std::uint32_t i = 3; i < 200; ++i) {
    line.launch(count_visits{visits.ref()}, 1).wait();
    EXPECT_EQ(visits[0], i + 1);
  }
}

TEST(short_kernels_that_are_waited_for, go_through_a_ring_if_they_are_short_when_one_block_runs_their_grid) {
  launch_queue queue(gpu_of_kernels_that_take(40'000), kernels());
  shared_words const visits(4);
  auto line = queue.make_launch_stream();
  auto const go_through_ring = [&](std::uint32_t blocks) {
    auto const before = queue.statistics().resident_kernels;
    for (int i = 0; i < 10; ++i) line.launch(count_visits{visits.ref()}, blocks).wait();
    return queue.statistics().resident_kernels != before;
  };
  EXPECT_TRUE(go_through_ring(2));
  EXPECT_FALSE(go_through_ring(3)) << "120 us";
}

TEST(long_kernels_that_are_waited_for, go_through_no_ring) {
  launch_queue queue(gpu_of_kernels_that_take(101'000), kernels());
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 20; ++i) line.launch(count_visits{visits.ref()}, 1).wait();
  EXPECT_EQ(visits[0], 20u);
  EXPECT_EQ(queue.statistics().resident_kernels, 0u);
}

/// The first launch that has left the ring tells how long the kernel takes now.
TEST(long_kernels_that_are_waited_for, leave_the_ring_that_they_went_through_while_they_were_short) {
  launch_queue queue(gpu_of_kernels_that_take(5'000), kernels());
  shared_words const gate(1);
  auto line = queue.make_launch_stream();
  auto const launch_held = [&](std::chrono::milliseconds held) {
    std::atomic_ref(gate[0]).store(0);
    auto const before = queue.statistics().resident_kernels;
    auto const done = line.launch(wait_at_gate{gate.ref()}, 1);
    std::this_thread::sleep_for(held);
    gate.open();
    done.wait();
    return queue.statistics().resident_kernels != before;
  };
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(launch_held(std::chrono::milliseconds(0)));
  EXPECT_TRUE(launch_held(std::chrono::milliseconds(1)));
  EXPECT_FALSE(launch_held(std::chrono::milliseconds(0)));
  EXPECT_TRUE(launch_held(std::chrono::milliseconds(0)));
}

TEST(launches_of_a_thread_that_no_longer_waits, follow_those_in_its_ring_in_order) {
  constexpr std::uint32_t rounds = 20, awaited = 5, together = 20;  // fewer than are tried in another mode
  launch_queue queue(gpu_of_kernels_that_take(5'000), kernels());
  shared_words const log(rounds * (awaited + together) + 1);
  auto line = queue.make_launch_stream();
  std::uint32_t launched = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t i = 0; i < awaited; ++i) line.launch(append_to_log{log.ref(), launched++}, 1).wait();
    for (std::uint32_t i = 0; i < together; ++i) line.launch(append_to_log{log.ref(), launched++}, 1);
    line.last().wait();
  }
  auto const words = log.read();
  ASSERT_EQ(words[0], launched);
  for (std::uint32_t i = 0; i < launched; ++i) EXPECT_EQ(words[1 + i], i);
  auto const through_rings = queue.statistics().resident_kernels;
  EXPECT_GT(through_rings, 0u);
  EXPECT_LT(through_rings, launched - rounds * (together - 1))
      << "the first of a burst is not known to be one";
}

constexpr std::uint32_t lines_tried = 4, rounds_tried = 60, launches_of_round = 25;  // of each launch stream

/// Launches without waiting on new queues until rings have been tried by one of them: a mode loses its window
/// when the machine has other things to do. Calls launch(lines, i) for the i-th launch of each launch stream,
/// and check(queue) once all have ended. Every third round is launched while the queue is paused.
template <class Launch, class Check>
void launch_while_rings_are_tried(device_list const& devices, Launch launch, Check check) {
  bool tried = false;
  for (auto const until = clock::now() + long_enough; !tried && clock::now() < until;) {
    launch_queue queue(devices, kernels());
    std::vector<launch_stream> lines;
    for (std::uint32_t i = 0; i < lines_tried; ++i) lines.push_back(queue.make_launch_stream());
    for (std::uint32_t round = 0; round < rounds_tried; ++round) {
      tried |= queue.statistics().dispatch_modes.front() == "resident";
      if (round % 3 == 0) queue.pause();
      for (std::uint32_t i = 0; i < launches_of_round; ++i) launch(lines, round * launches_of_round + i);
      queue.resume();
      queue.wait_all();
    }
    check(queue);
  }
  EXPECT_TRUE(tried);
}

/// Now and then a launch waits for one of another launch stream.
TEST(short_kernels_that_nobody_waits_for, go_through_rings_in_order_while_these_are_tried) {
  constexpr std::uint32_t launches = rounds_tried * launches_of_round;
  shared_words const logs(lines_tried * (1 + launches));
  auto const log_of = [&](std::size_t line) { return logs.ref().from(line * (1 + launches)); };
  std::uint64_t through_rings = 0;
  launch_while_rings_are_tried(
      gpu_of_kernels_that_take(5'000),
      [&](std::vector<launch_stream>& lines, std::uint32_t i) {
        for (std::uint32_t line = 0; line < lines_tried; ++line) {
          if (i == 0) log_of(line)[0] = 0;
          if (line != 0 && i % 7 == line) lines[line].after(lines[line - 1].last());
          lines[line].launch(append_to_log{log_of(line), i}, 1);
        }
      },
      [&](launch_queue const& queue) {
        for (std::uint32_t line = 0; line < lines_tried; ++line) {
          auto const* const log = log_of(line).data();
          ASSERT_EQ(log[0], launches);
          for (std::uint32_t i = 0; i < launches; ++i) ASSERT_EQ(log[1 + i], i) << line;
        }
        through_rings = queue.statistics().resident_kernels;
      });
  EXPECT_GT(through_rings, 0u);
}

TEST(long_kernels_that_nobody_waits_for, go_through_no_ring_whatever_is_tried) {
  shared_words const visits(1);
  launch_while_rings_are_tried(
      gpu_of_kernels_that_take(300'000),
      [&](std::vector<launch_stream>& lines, std::uint32_t i) {
        if (i == 0) visits[0] = 0;
        for (auto& line : lines) line.launch(count_visits{visits.ref()}, 1);
      },
      [&](launch_queue const& queue) {
        EXPECT_EQ(visits[0], lines_tried * rounds_tried * launches_of_round);
        EXPECT_EQ(queue.statistics().resident_kernels, 0u);
      });
}

/// Else threads that wait find none, once as many others as there are rings have tried them.
TEST(rings_that_were_tried, are_given_back_by_launch_streams_that_go_on_without) {
  auto const devices = gpu_of_kernels_that_take(5'000);
  auto const rings = std::uint32_t(std::max(2, devices.front()->properties().multiprocessors / 2));
  bool found = false;
  for (auto const until = clock::now() + long_enough; !found && clock::now() < until;) {
    shared_words const visits(1);
    launch_queue queue(devices, kernels());
    std::vector<launch_stream> lines;
    for (std::uint32_t i = 0; i < rings + 2; ++i) lines.push_back(queue.make_launch_stream());
    auto const mode = [&] { return queue.statistics().dispatch_modes.front(); };
    bool tried = false;
    for (int round = 0; round < 1000 && !(tried && mode() != "resident"); ++round) {
      tried |= mode() == "resident";
      for (int i = 0; i < 25; ++i)
        for (auto& line : lines) line.launch(count_visits{visits.ref()}, 1);
      queue.wait_all();
    }
    for (int i = 0; i < 2; ++i)
      for (auto& line : lines) line.launch(count_visits{visits.ref()}, 1);
    queue.wait_all();
    if (!tried || mode() == "resident") continue;
    auto line = queue.make_launch_stream();
    auto const before = queue.statistics().resident_kernels;
    for (int i = 0; i < 10; ++i) line.launch(count_visits{visits.ref()}, 1).wait();
    found = queue.statistics().resident_kernels > before;
  }
  EXPECT_TRUE(found);
}

/// Else who waits next finds none.
TEST(rings_of_threads_that_wait, are_given_back_by_one_that_launches_what_is_too_large_for_a_ring) {
  auto const devices = gpu_of_kernels_that_take(5'000);
  auto const rings = std::size_t(std::max(2, devices.front()->properties().multiprocessors / 2));
  launch_queue queue(devices, kernels());
  shared_words const visits(64);
  auto const gets_ring = [&](launch_stream& line) {
    auto const before = queue.statistics().resident_kernels;
    for (int i = 0; i < 100 && queue.statistics().resident_kernels == before; ++i)
      line.launch(count_visits{visits.ref()}, 1).wait();
    return queue.statistics().resident_kernels != before;
  };
  std::vector<launch_stream> lines;
  for (std::size_t i = 0; i < rings; ++i) {
    lines.push_back(queue.make_launch_stream());
    EXPECT_TRUE(gets_ring(lines.back()));
  }
  lines.front().launch(count_visits{visits.ref()}, 64).wait();
  auto next = queue.make_launch_stream();
  EXPECT_TRUE(gets_ring(next));
}

TEST(short_kernels_that_are_waited_for, go_through_no_ring_where_the_options_say_so) {
  launch_queue queue(gpu_of_kernels_that_take(5'000), kernels(), {.rings = false});
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 10; ++i) line.launch(count_visits{visits.ref()}, 1).wait();
  EXPECT_EQ(visits[0], 10u);
  auto const did = queue.statistics();
  EXPECT_EQ(did.resident_kernels, 0u);
  EXPECT_GE(did.direct_launches, 8u);
}

/// CUDA lets a kernel read by the read-only path what nobody writes while the kernel runs. A block that stays
/// is still there when others write it.
TEST(short_kernels_that_are_waited_for,
     see_by_the_read_only_path_what_was_written_before_they_were_launched) {
  auto const device = devices().front();
  launch_queue queue({device}, read_only_kernels());
  device_buffer<std::uint32_t> word(device, 1);
  shared_words const copied(1);
  auto writer = queue.make_launch_stream(), reader = queue.make_launch_stream();
  array_ref<std::uint32_t> const ref(word.data());
  for (std::uint32_t i = 1; i <= 3000; ++i) {
    if (i % 3 == 0)
      writer.launch([&, i](stream& on) { on.fill(word.data(), static_cast<unsigned char>(i), 4); }).wait();
    else
      writer.launch(set_word{ref, i}, 1).wait();
    reader.launch(copy_unchanging_word{array_ref<std::uint32_t const>(word.data()), copied.ref()}, 1).wait();
    ASSERT_EQ(copied[0], i % 3 == 0 ? (i & 0xff) * 0x01010101u : i) << i;
  }
  if (device->is_cuda()) { EXPECT_GT(queue.statistics().resident_kernels, 2000u); }
}

TEST(a_queue_made_beside_a_resident_kernel, has_no_rings_unless_they_were_asked_for) {
  auto const gpu = gpu_of_kernels_that_take(5'000);
  auto const room = gpu.front()->claim_resident({.holder = "the test"});
  launch_queue queue(gpu, kernels());
  EXPECT_THAT([&] { launch_queue(gpu, kernels(), {.order = "resident"}); },
              testing::ThrowsMessage<no_room>(testing::HasSubstr("the test")));
  gpu.front()->release_resident(room);
  shared_words const visits(1);
  auto line = queue.make_launch_stream();
  for (int i = 0; i < 10; ++i) line.launch(count_visits{visits.ref()}, 1).wait();
  EXPECT_EQ(visits[0], 10u);
  EXPECT_EQ(queue.statistics().resident_kernels, 0u);
}

/// How many of twelve launches were issued by their threads, if the launch streams take turns and each finds
/// the device idle.
std::uint64_t issued_of_twelve_on_an_idle_device(std::size_t launch_streams) {
  launch_queue queue(one_gpu(), kernels());
  shared_words const visits(1);
  std::vector<launch_stream> lines;
  for (std::size_t i = 0; i < launch_streams; ++i) lines.push_back(queue.make_launch_stream());
  std::uint64_t issued = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    lines[i % launch_streams].launch(count_visits{visits.ref()}, 1);
    queue.wait_all();
    issued = queue.statistics().direct_launches;  // also: the dispatcher has seen all of the end
  }
  EXPECT_EQ(visits[0], 12u);
  return issued;
}

TEST(a_launch_stream_alone, issues_its_launches_itself_once_it_is_known_to_be) {
  EXPECT_EQ(issued_of_twelve_on_an_idle_device(1), 11u);
  EXPECT_EQ(issued_of_twelve_on_an_idle_device(2), 0u) << "neither is alone";
}

TEST(launch_streams_that_begin_together, go_as_one_launch) {
  launch_queue queue(one_gpu(), kernels());
  shared_words const visits(8);
  std::promise<void> entered, all_wait;
  auto first = queue.make_launch_stream();
  first.launch([&](stream&) {  // the dispatcher looks at nothing else meanwhile, and nothing is in flight
    entered.set_value();
    all_wait.get_future().wait_for(long_enough);
  });
  ASSERT_EQ(entered.get_future().wait_for(long_enough), std::future_status::ready);
  std::vector<launch_stream> lines;
  for (std::uint32_t i = 0; i < 8; ++i)
    lines.emplace_back(queue.make_launch_stream()).launch(count_visits{visits.ref().from(i)}, 1);
  all_wait.set_value();
  queue.wait_all();
  EXPECT_EQ(visits.read(), std::vector<std::uint32_t>(8, 1));
  auto const did = queue.statistics();
  EXPECT_EQ(did.direct_launches, 0u);
  EXPECT_EQ(did.launches, 2u);
  EXPECT_EQ(did.merged_kernels, 8u);
}

TEST(launches_that_are_waited_for, are_issued_to_another_stream_where_their_own_is_in_use) {
  busy_queue queue(one_gpu(), {.rings = false, .streams = 2});
  auto const between = queue.make_launch_stream();
  auto line = queue.make_launch_stream();  // has the same stream as the one that is busy
  for (int i = 0; i < 10; ++i) line.launch(queue.visit(), 1).wait();
  EXPECT_EQ(queue.direct_launches(), 8u);
}

/// The dispatcher's thread has issued the first launch stream's launch, and then is held at the issue of the
/// second one's.
TEST(a_launch_stream, is_not_alone_while_another_one_waits_for_the_dispatcher) {
  launch_queue queue(open_devices("host:2"));
  auto first = queue.make_launch_stream(), second = queue.make_launch_stream();
  std::promise<void> entered, opened;
  queue.pause();
  first.launch([](stream&) {});
  second.launch([&](stream&) {
    entered.set_value();
    opened.get_future().wait_for(long_enough);
  });
  queue.resume();
  ASSERT_EQ(entered.get_future().wait_for(long_enough), std::future_status::ready);
  first.launch([](stream&) {});
  EXPECT_FALSE(first.is_issued()) << "it would pass the other's";
  opened.set_value();
  queue.wait_all();
  EXPECT_EQ(queue.statistics().direct_launches, 0u);
}

}  // namespace
}  // namespace ballast::test
