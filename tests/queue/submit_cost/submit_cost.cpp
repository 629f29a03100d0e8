// SPDX-License-Identifier: Apache-2.0
// submit_cost one_by_one|batches_of_256 tasks: submits so many tasks (a multiple of 1024, at most 2048) by a
// function of that name, which count.sh has callgrind count. The queue is long in use then, and neither waits
// nor wakes anybody: its only worker is held, and the submission ring has room for all.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "ballast/detail/queue/compile_queue.cuh"
#include "ballast/device.hpp"
#include "ballast/task_queue.hpp"
#include "biased_lock.hpp"
#include "kernels.cuh"

namespace ballast::test {
using namespace detail;

BALLAST_KERNELS(submit_cost_kernels, ballast::for_queues, wait_at_gate)

}  // namespace ballast::test

using ballast::task;
using ballast::task_queue;

extern "C" {

[[gnu::noinline]] void one_by_one(task_queue& queue, std::vector<task> const& tasks) {
  for (auto const& one : tasks) queue.submit(one);
}

[[gnu::noinline]] void batches_of_256(task_queue& queue, std::vector<task> const& tasks) {
  for (std::size_t i = 0; i < tasks.size(); i += 256) queue.submit(std::span(tasks).subspan(i, 256));
}
}

namespace {

constexpr std::uint32_t capacity = 4096;

/// More batches than the queue can tell apart at once, so that each one to come uses again what another used.
void use_for_long(task_queue& queue, task const& one) {
  for (std::uint32_t i = 0; i < 5 * capacity; ++i) queue.submit(one);
  queue.wait_all();
}

void hold_worker(task_queue& queue, task const& holder, std::uint32_t& entered, std::uint32_t& gate) {
  entered = gate = 0;
  queue.submit(holder);
  while (std::atomic_ref(entered).load(std::memory_order_acquire) == 0) std::this_thread::yield();
}

int count(std::string_view way, std::size_t tasks) {
  auto const device = ballast::open_devices("host:1").front();
  ballast::pinned_buffer<std::uint32_t> entered(device, 1), gate(device, 1);
  task const one(ballast::test::wait_at_gate{ballast::array_ref<std::uint32_t>(entered.data()),
                                             ballast::array_ref<std::uint32_t>(gate.data())});
  ballast::queue_options options;
  options.capacity = capacity;
  task_queue queue(device, ballast::test::submit_cost_kernels(), options);
  gate[0] = 1;
  use_for_long(queue, one);
  hold_worker(queue, one, entered[0], gate[0]);
  std::vector<task> const measured(tasks, one);
  (way == "one_by_one" ? one_by_one : batches_of_256)(queue, measured);
  std::atomic_ref(gate[0]).store(1, std::memory_order_release);
  queue.close();
  return 0;
}

}  // namespace

int main(int arguments, char** argument) {
  if (arguments != 3) return 2;
  if (!ballast::detail::biased_lock::can_be_biased()) {
    std::puts("this system has no membarrier, so that submitting costs more");
    return 77;
  }
  return count(argument[1], std::strtoul(argument[2], nullptr, 10));
}
