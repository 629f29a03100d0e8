// SPDX-License-Identifier: Apache-2.0
// Rings that do not lie on their queue's device. What every queue promises, contract_test.cpp asks of a ring
// on the host too.

#include <thread>

#include "fixture.hpp"

namespace ballast::test {
using namespace detail;
namespace {

/// The second device of the list if the first can address its memory, else null.
std::shared_ptr<compute_device> peer_of_first() {
  if (devices().size() < 2 || !first_device()->enable_peer_access(*devices()[1])) return nullptr;
  return devices()[1];
}

/// Made closed, since memory is allocated before any kernel runs. On GPUs the blocks fill the chip, so that
/// no other kernel could run there.
queue_options options_with(ring_home const& home) {
  auto options = test_options();
  options.ring = home;
  options.resident.spared_multiprocessors = 0;
  options.start_at_once = false;
  return options;
}

void await_fetched(task_queue const& queue, std::uint64_t tasks) {
  auto const until = deadline::in(std::chrono::minutes(1));
  while (queue.statistics().fetched < tasks && !until.passed()) std::this_thread::yield();
  ASSERT_GE(queue.statistics().fetched, tasks);
}

/// Stops a queue whose workers are all held while tasks wait in the ring; what is handed back runs later.
void expect_a_stop_to_hand_back_the_ring(ring_home const& home) {
  std::uint32_t const n = 500;
  counted_words visits(first_device(), n);
  auto options = options_with(home);
  if (first_device()->is_cuda()) options.resident.blocks = 9;
  gate first(64), second(64);
  task_queue queue(first_device(), kernels(), options);
  queue.start();
  for (std::uint32_t i = 0; i < queue.workers(); ++i) queue.submit(first.holder(i));
  first.await_inside(queue.workers());
  // On a host device it is a worker between two tasks that fills the ring, with more than one.
  std::vector<task> tasks;
  for (std::uint32_t i = 0; i < queue.workers(); ++i) tasks.push_back(second.holder(i));
  for (auto const& visit : visits_of(visits.ref(), n)) tasks.push_back(visit);
  queue.submit(tasks);
  first.open();
  second.await_inside(queue.workers());
  await_fetched(queue, 2 * queue.workers() + 10);
  queue.request_stop();
  second.open();
  auto const rest = queue.stop();
  auto seen = visits.read();
  for (auto const& one : rest) seen[one.range().first] += 1;
  EXPECT_EQ(check_visits(seen), exactly_once) << rest.size() << " handed back";
  EXPECT_FALSE(rest.empty());
  queue.start();
  queue.submit(rest);
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

TEST(ring_on_the_host, hands_back_after_a_stop_what_it_held) {
  expect_a_stop_to_hand_back_the_ring(ring_home::host());
}

TEST(ring_on_a_peer, hands_back_after_a_stop_what_it_held) {
  auto const peer = peer_of_first();
  if (peer == nullptr) GTEST_SKIP() << "needs a second device whose memory the first can address";
  expect_a_stop_to_hand_back_the_ring(ring_home::peer(peer));
}

TEST(ring_on_a_peer, gives_each_task_exactly_once_while_a_kernel_fills_the_peer) {
  auto const peer = peer_of_first();
  if (peer == nullptr || !peer->enable_peer_access(*first_device()))
    GTEST_SKIP() << "needs two devices that can address each other's memory";
  std::uint32_t const n = 20'000, runs = 2;
  counted_words on_first(first_device(), n), on_peer(peer, n);
  task_queue here(first_device(), kernels(), options_with(ring_home::peer(peer)));
  task_queue there(peer, kernels(), options_with(ring_home::peer(first_device())));
  for (std::uint32_t run = 0; run < runs; ++run) {
    here.start();
    there.start();  // clears its ring, which lies where the other kernel runs
    here.submit(visits_of(on_first.ref(), n));
    there.submit(visits_of(on_peer.ref(), n));
    here.close();
    there.close();
  }
  EXPECT_EQ(on_first.read(), std::vector<std::uint32_t>(n, runs));
  EXPECT_EQ(on_peer.read(), std::vector<std::uint32_t>(n, runs));
}

TEST(ring_home, is_refused_where_the_device_cannot_address_it) {
  EXPECT_THROW(ring_home::peer(nullptr), bad_argument);
  if (!first_device()->is_cuda()) GTEST_SKIP() << "a host device addresses the memory of every other";
  auto const cores = open_devices("host:1").front();
  try {
    task_queue queue(first_device(), kernels(), options_with(ring_home::peer(cores)));
    ADD_FAILURE() << "a GPU does not address what a host device allocates";
  } catch (bad_argument const& refused) {
    EXPECT_EQ(refused.argument(), "ring");
    EXPECT_NE(refused.value().find(cores->name()), std::string::npos) << refused.what();
  }
}

TEST(ring_home, may_name_the_queues_own_device) {
  counted_words visits(first_device(), 100);
  task_queue queue(first_device(), kernels(), options_with(ring_home::peer(first_device())));
  queue.start();
  queue.submit(visits_of(visits.ref(), 100));
  queue.close();
  EXPECT_EQ(check_visits(visits.read()), exactly_once);
}

}  // namespace
}  // namespace ballast::test
